"""Takes a shell command apart into the programs that it starts, with their plain words.

Only what can be read without running it has an answer: words, quotes, pipes, `&&`, `||`, `;` and
redirections. Everything else that the grammar (tree-sitter's) finds is refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

_LONGEST = 64 << 10  # characters of a command; a file that a here document writes is in it
# Control characters except tabs and line breaks, surrogates, a line that continues within a word.
_UNREADABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]|\S\\\n")
_STRUCTURE = frozenset({"program", "list", "pipeline", "redirected_statement"})
_PLAIN = frozenset({"&&", "||", ";", "\n", "comment"})
_REDIRECTS = frozenset({"file_redirect", "heredoc_redirect"})
_HERE_DOCUMENT = frozenset({"<<", "<<-", "heredoc_start", "heredoc_body", "heredoc_end"})
_TO_FILE = {">": "write", ">>": "write", ">|": "write", "&>": "write", "&>>": "write", "<": "read"}
# Braces, home folders, and patterns that shells read differently.
_EXPANDED = re.compile(r"^~|\{[^}]*(?:,|\.\.)|\*\*|\[|\n")


class UnclearError(Exception):
    """A command cannot be read without running it; the message continues `the command …`."""


@dataclass(slots=True)
class Program:
    """One start of a program: its words without quotes, its own variables, its redirections.

    `files` are pairs of `read` or `write` and a path. `is_piped`: its output goes into a pipe.
    """

    words: list[str] = field(default_factory=list)
    variables: list[str] = field(default_factory=list)
    files: list[tuple[str, str]] = field(default_factory=list)
    is_piped: bool = False


def programs(command: str) -> list[Program]:
    """Return the programs that a command starts, in order.

    Raises:
        UnclearError: only a shell could tell what the command does.
    """
    if len(command) > _LONGEST or _UNREADABLE.search(command):
        raise UnclearError(
            f"has more than {_LONGEST:,} characters, or characters that shells read differently"
        )
    root = _parser().parse(command.encode()).root_node
    if root.has_error:
        raise UnclearError("is incomplete")
    found: list[Program] = []
    _collect(root, found)
    return found


@cache
def _parser() -> Parser:
    import tree_sitter_bash
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_bash.language()))


def _collect(node: Node, found: list[Program]) -> None:
    """Add programs in the order of the text.

    The grammar groups `a && b | c` differently from a shell, but keeps the same order.
    """
    for child in node.children:
        if child.type == "command":
            found.append(_program(child))
        elif child.type in _STRUCTURE:
            _collect(child, found)
        elif child.type == "|":
            found[-1].is_piped = True
        elif child.type in _REDIRECTS and found:
            _redirect(child, found[-1])
        elif child.type not in _PLAIN:
            raise _unclear(child)


def _program(node: Node) -> Program:
    program = Program()
    for child in node.children:
        if child.type == "variable_assignment":
            program.variables.append(_text(child.children[0]))
            for value in child.children[2:]:
                _word(value)  # it must be plain text
        elif child.type in _REDIRECTS:
            _redirect(child, program)
        else:
            program.words.append(
                _word(child.children[0] if child.type == "command_name" else child)
            )
    return program


def _redirect(node: Node, program: Program) -> None:
    parts = [child for child in node.children if child.type != "file_descriptor"]
    operator, targets = parts[0].type, parts[1:]
    if node.type == "heredoc_redirect":
        _here_document(node, program)
    elif operator in _TO_FILE and len(targets) == 1:
        program.files.append((_TO_FILE[operator], _word(targets[0])))
    elif operator != ">&" or [each.type for each in targets] != ["number"]:  # 2>&1 is harmless
        raise UnclearError(f"has a redirection with {operator}")


def _here_document(node: Node, program: Program) -> None:
    for child in node.children:
        if child.type == "file_redirect":
            _redirect(child, program)
        elif child.type == "heredoc_start" and not re.fullmatch(r"'\w+'|\"\w+\"", _text(child)):
            raise UnclearError("has a here document without quotes (begin it with <<'EOF')")
        elif child.type not in _HERE_DOCUMENT:
            raise UnclearError("has a here document with more text after its delimiter")


def _word(node: Node) -> str:
    """Return a word as the program gets it."""
    parts = node.children if node.type == "concatenation" else [node]
    bare = "".join(_text(part) if part.type in {"word", "number"} else "x" for part in parts)
    if _EXPANDED.search(bare):
        raise UnclearError(f"has {_text(node)!r}, which the shell expands")
    return "".join(map(_unquoted, parts))


def _unquoted(node: Node) -> str:
    text = _text(node)
    inner = [child for child in node.children if child.type not in {'"', "string_content"}]
    if inner or node.type not in {"word", "number", "raw_string", "string"}:
        raise _unclear(inner[0] if inner and node.type == "string" else node)
    if node.type == "raw_string":
        return text[1:-1]
    if node.type == "string":
        return re.sub(r'\\([\\"$`])', r"\1", text[1:-1])
    return re.sub(r"\\(.)", r"\1", text)


def _unclear(node: Node) -> UnclearError:
    own = {"simple_expansion": "has a variable", "&": "has a background job"}
    return UnclearError(own.get(node.type) or f"has shell syntax: {node.type.replace('_', ' ')}")


def _text(node: Node) -> str:
    return (node.text or b"").decode()
