"""Keys are made once, for their owner alone; a witness signs with one and knows its own again."""

from __future__ import annotations

import os
import stat
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import pytest
from cryptography.hazmat.primitives import serialization as form
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from pipeline.signing.attester import Attester
from pipeline.signing.keys import make_pair, private_key, public_key, public_pem
from pipeline.terminal.fault import Fault

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def pair(tmp_path: Path) -> tuple[str, str]:
    """Return the paths of a new pair of keys."""
    return make_pair(str(tmp_path / "keys"))


def fault(path: str, root: str) -> str:
    with pytest.raises(Fault) as raised:
        private_key(path, root)
    return str(raised.value)


def test_a_pair_belongs_together_and_its_private_key_to_its_owner(
    pair: tuple[str, str], tmp_path: Path
) -> None:
    private, public = pair
    key = private_key(private, str(tmp_path / "repository"))

    public_key(public_pem(public).encode()).verify(key.sign(b"words"), b"words")

    assert pair == (
        str(tmp_path / "keys" / "witness.key.pem"),
        str(tmp_path / "keys" / "witness.pub.pem"),
    )
    assert stat.S_IMODE(os.stat(private).st_mode) == 0o600
    assert stat.S_IMODE(os.stat(tmp_path / "keys").st_mode) == 0o700


@pytest.mark.parametrize("taken", ["witness.key.pem", "witness.pub.pem"])
def test_a_key_is_never_overwritten(tmp_path: Path, taken: str) -> None:
    (tmp_path / taken).symlink_to("nowhere")

    with pytest.raises(Fault) as raised:
        make_pair(str(tmp_path))

    step = "use this key pair, or choose a different folder"
    assert str(raised.value) == f"{tmp_path}/{taken} already exists: {step}"
    assert os.listdir(tmp_path) == [taken]


def test_no_key_is_made_in_a_repository(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()

    with pytest.raises(Fault, match="is in the repository"):
        make_pair(str(tmp_path / "deep" / "keys"))

    assert os.listdir(tmp_path) == [".git"]


def test_a_key_in_the_repository_is_refused_by_whatever_path(
    pair: tuple[str, str], tmp_path: Path
) -> None:
    root, private = tmp_path / "repository", pair[0]
    (root / "app").mkdir(parents=True)
    (root / "app" / "link.pem").symlink_to(private)
    (root / "own.pem").write_bytes(open(private, "rb").read())  # noqa: SIM115  # closed at once
    (tmp_path / "outside.pem").symlink_to(root / "own.pem")

    message = [
        fault(str(path), str(root))
        for path in (
            root / "own.pem",
            root / "app" / "link.pem",
            tmp_path / "outside.pem",
            root / "app" / ".." / "own.pem",
        )
    ]

    words = (
        "the key is in the repository, where agents could read it (move it to a folder outside, "
        "such as ~/keys)"
    )

    assert [line.partition("pem: ")[2] for line in message] == [words] * 4


def test_a_key_that_others_may_read_is_refused(pair: tuple[str, str], tmp_path: Path) -> None:
    os.chmod(pair[0], 0o640)

    assert fault(pair[0], str(tmp_path / "repository")) == (
        f"--witness {pair[0]}: other users can read the key (run chmod 600 on it, or create a "
        "new one)"
    )


NO_KEY = (
    "the file is not an unencrypted private Ed25519 key in PEM format (create one with "
    "python3 -m pipeline witness keygen DIR)"
)


def pem(key: Ed25519PrivateKey | X25519PrivateKey, encryption: Any) -> bytes:
    return key.private_bytes(form.Encoding.PEM, form.PrivateFormat.PKCS8, encryption)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\xff" * 100, NO_KEY),
        (pem(X25519PrivateKey.generate(), form.NoEncryption()), NO_KEY),
        (pem(Ed25519PrivateKey.generate(), form.BestAvailableEncryption(b"secret")), NO_KEY),
        (b"-" * 20_000, "is larger than the limit of 16 KiB"),
    ],
)
def test_what_is_no_private_key_is_reported(tmp_path: Path, data: bytes, message: str) -> None:
    path = tmp_path / "key.pem"
    path.write_bytes(data)
    path.chmod(0o600)

    assert fault(str(path), str(tmp_path / "repository")) == f"--witness {path}: {message}"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (
            pem(Ed25519PrivateKey.generate(), form.NoEncryption()),
            "is a private key: keep it secret, and use the public key of the pair",
        ),
        (b"\xff\xfe", "is not a public Ed25519 key in PEM format"),
    ],
)
def test_what_is_no_public_key_is_reported(tmp_path: Path, data: bytes, message: str) -> None:
    path = tmp_path / "key.pem"
    path.write_bytes(data)

    with pytest.raises(Fault) as raised:
        public_pem(str(path))

    assert str(raised.value) == f"--witness-key {path}: {message}"


PATH = ".pipeline/ISSUE-7/plan.json"
SHA = sha256(b"{}").hexdigest()
SEEN: Any = {"issue": "ISSUE-7", "role": "x-subplanner", "tree": {"commit": "12" * 20}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return an issue's folder in a repository."""
    folder = tmp_path / "repository" / ".pipeline" / "ISSUE-7"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def attester(tmp_path: Path) -> Attester:
    """Return a witness with a key outside the repository."""
    private, _ = make_pair(str(tmp_path / "keys"))
    return Attester(private, str(tmp_path / "repository"))


def test_what_is_attested_is_known_again_by_its_witness_as_long_as_it_is_the_same(
    attester: Attester, folder: Path, tmp_path: Path
) -> None:
    private, _ = make_pair(str(tmp_path / "others"))
    other = Attester(private, str(tmp_path / "repository"))
    (folder / "plan.json").write_text("{}")
    name = attester.attest(str(folder), PATH, {"plan.json": SHA}, SEEN)

    found = [
        attester.has_attested(str(folder), PATH, "ISSUE-7", "x-subplanner"),
        attester.has_attested(str(folder), PATH, "ISSUE-8", "x-subplanner"),
        attester.has_attested(str(folder), ".pipeline/ISSUE-7/x.json", "ISSUE-7", "x-subplanner"),
        other.has_attested(str(folder), PATH, "ISSUE-7", "x-subplanner"),
    ]
    (folder / "plan.json").write_text("{ }")
    found.append(attester.has_attested(str(folder), PATH, "ISSUE-7", "x-subplanner"))

    assert name == "witness/plan.dsse.json"
    assert found == [True, False, False, False, False]
    assert os.listdir(folder / "witness") == ["plan.dsse.json"]


COMMIT = "1" * 40
FILES = {"app/\udce9.js": "0 abc", "README.md": "0 def"}


def test_a_digest_can_be_made_again_from_what_the_page_says() -> None:
    text = f'["{COMMIT}", ["README.md", "0 def"], ["app/\\udce9.js", "0 abc"]]'

    assert Attester.tree_digest(COMMIT, FILES) == sha256(text.encode()).hexdigest()


def test_git_s_settings_and_the_envelopes_make_none() -> None:
    apart = {
        ".git/config": "0 abc",
        ".pipeline/ISSUE-7/witness": "40755 1 2 3",
        "app/.pipeline/ISSUE-7/witness/plan.dsse.json": "0 abc",
    }

    assert Attester.tree_digest(COMMIT, FILES | apart) == Attester.tree_digest(COMMIT, FILES)
