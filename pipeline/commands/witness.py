"""`pipeline witness`: makes the pair of keys that a run signs with and a grader checks with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.terminal.arguments import subcommands
from pipeline.terminal.display import visible
from pipeline.terminal.exit_codes import PASSED
from pipeline.terminal.streams import deliver

if TYPE_CHECKING:
    from pipeline.terminal.arguments import Arguments

_EPILOG = """\
examples:
  python3 -m pipeline witness keygen ~/keys
  python3 -m pipeline run "work on issue ISSUE-202: …" --witness ~/keys/witness.key.pem
  python3 -m verify practitioner/04 --witness-key ~/keys/witness.pub.pem

Anyone who has the private key can sign anything: keep it where no agent can read it, and do not
share it. Existing files are never overwritten.
"""


def add_options(parser: Arguments) -> None:
    """Add the subcommand of `pipeline witness`."""
    keygen = subcommands(parser).add_parser(
        "keygen",
        help="create an Ed25519 key pair",
        description="Create an Ed25519 key pair: witness.key.pem signs, witness.pub.pem verifies.",
        epilog=_EPILOG,
    )
    keygen.add_argument("folder", metavar="DIR", help="a folder outside any repository")
    keygen.set_defaults(command=_keygen)


def _keygen(folder: str) -> int:
    from pipeline.signing.keys import make_pair

    private, public = make_pair(folder)
    deliver(
        f"wrote {visible(private, 300)}  (private: pipeline run --witness)\n"
        f"wrote {visible(public, 300)}  (public: verify --witness-key)\n"
    )
    return PASSED
