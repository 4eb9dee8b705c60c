"""The hook `proc-receive` of a repository that takes AGit pushes, with the words that Gitea uses.

Run by git in a bare repository with `receive.procReceiveRefs=refs/for`: it opens one pull request
for each topic, keeps its head in `refs/pull/<number>/head` and writes the push options to
`push-options`. The protocol is that of githooks(5), the answers those of Gitea's AGit service.
"""

from __future__ import annotations

import os
import subprocess
import sys

_ADDRESS = "https://gitea.example/ana/notes"


def read_packets() -> list[str]:
    """Return the lines up to the next flush packet (gitprotocol-common(5), pkt-line)."""
    lines = []
    while (size := int(sys.stdin.buffer.read(4) or b"0000", 16)) > 0:
        lines.append(sys.stdin.buffer.read(size - 4).decode().rstrip("\n"))
    return lines


def write_packets(*lines: str) -> None:
    """Write lines and a flush packet."""
    for line in lines:
        data = f"{line}\n".encode()
        sys.stdout.buffer.write(f"{len(data) + 4:04x}".encode() + data)
    sys.stdout.buffer.write(b"0000")
    sys.stdout.buffer.flush()


def git(*words: str) -> str:
    """Run git in the bare repository that the hook belongs to."""
    return subprocess.run(["git", *words], capture_output=True, text=True, check=False).stdout


def answer(reference: str, new: str, topic: str) -> list[str]:
    """Open the topic's pull request, or move it; return the packets that say so."""
    if not topic:
        return [f"ng {reference} topic-branch is not set"]
    topics = git("config", "--get-regexp", r"^topic\.").splitlines()
    known = {line.split(" ")[1]: line.split(" ")[0].split(".")[1] for line in topics}
    number = known.get(topic, str(len(known) + 1))
    head = f"refs/pull/{number}/head"
    if git("rev-parse", "--quiet", "--verify", head).strip() == new:
        return [f"ng {reference} new commit is same with old commit"]
    git("config", f"topic.{number}.name", topic)
    git("update-ref", head, new)
    sys.stderr.write(f"\nVisit the existing pull request:\n  {_ADDRESS}/pulls/{number}")
    sys.stderr.write(f" merges into {reference.split('/', 2)[2]}\n\n")
    return [f"ok {reference}", f"option refname {head}"]


def main() -> None:
    """Take one push."""
    read_packets()
    write_packets("version=1\0push-options")
    commands = [line.split(" ") for line in read_packets()]
    options = read_packets()
    with open(os.path.join(os.environ["GIT_DIR"], "push-options"), "a", encoding="utf-8") as file:
        file.writelines(f"{option}\n" for option in options)
    topic = next((each[6:] for each in options if each.startswith("topic=")), "")
    answers = [answer(reference, new, topic) for _, new, reference in commands]
    write_packets(*(line for lines in answers for line in lines))


if __name__ == "__main__":
    main()
