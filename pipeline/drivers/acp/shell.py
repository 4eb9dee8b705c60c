"""Takes a shell command apart into the programs that it starts, with their plain words.

Only what can be read without running it has an answer: words, quotes, pipes, `&&`, `||`, `;` and
redirections. A variable, a substitution, a function, a loop or a background job is refused, and so
is everything that the grammar does not know. The grammar is tree-sitter's.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tree_sitter import Node, Parser

_LONGEST = 64 << 10  # bytes of a command; a file that is written by a here document is in it
# Control characters but a tab and a line break, halves of characters, a line that is continued
# within a word.
_UNREADABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]|\S\\\n")
_STRUCTURE = frozenset({"program", "list", "pipeline", "redirected_statement"})
_PLAIN = frozenset({"&&", "||", ";", "|", "\n", "comment"})
_TO_FILE = {">": "write", ">>": "write", ">|": "write", "&>": "write", "&>>": "write", "<": "read"}
_QUOTED = re.compile(r"""\\?["'\\]""")
_EXPANDED = re.compile(
    r"\{[^}]*(?:,|\.\.)|\*\*|\["
)  # braces, and patterns that shells read differently
_KINDS = {
    "simple_expansion": "a variable",
    "expansion": "a variable",
    "command_substitution": "a command within the command",
    "process_substitution": "a command within the command",
    "subshell": "a subshell",
    "compound_statement": "a block",
    "function_definition": "a function",
    "&": "a background job",
    "declaration_command": "a shell setting",
    "unset_command": "a shell setting",
}


class UnclearError(Exception):
    """A command cannot be read without running it; the message names what is in the way."""


class Redirect(NamedTuple):
    """A file that a command reads or writes by `<`, `>` and their kin."""

    mode: str
    path: str


class Program(NamedTuple):
    """One start of a program: its words without quotes, its own variables, its redirections."""

    words: tuple[str, ...]
    variables: tuple[str, ...] = ()
    redirects: tuple[Redirect, ...] = ()
    is_piped: bool = False

    def with_redirects(self, more: Iterable[Redirect]) -> Program:
        """Return the program with further redirections."""
        return self._replace(redirects=(*self.redirects, *more))


def programs(command: str) -> tuple[Program, ...]:
    """Return what a command starts, in its order.

    Raises:
        UnclearError: it holds something that only a shell can answer.
    """
    if len(command) > _LONGEST or _UNREADABLE.search(command):
        raise UnclearError(
            "the command is too long, or has characters that a shell reads differently"
        )
    root = _parser().parse(command.encode()).root_node
    if root.has_error:
        raise UnclearError("the command is not complete")
    found: list[Program] = []
    after_pipe = False
    for node in _in_order(root):
        if node.type == "command":
            found.append(_program(node, is_piped=after_pipe))
            after_pipe = False
        elif node.type.endswith("_redirect"):
            if not found:
                raise UnclearError("a redirection without a program")
            found[-1] = found[-1].with_redirects(_redirects(node))
        elif node.type == "|":
            found[-1] = found[-1]._replace(is_piped=True)
            after_pipe = True
    return tuple(found)


@cache
def _parser() -> Parser:
    import tree_sitter_bash
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_bash.language()))


def _in_order(node: Node) -> Iterator[Node]:
    """Yield programs, operators and redirections as they follow each other in the text.

    The grammar gives `a && b | c` another shape than a shell; their order is the same in both.
    """
    for child in node.children:
        if child.type in _STRUCTURE:
            yield from _in_order(child)
        elif child.type in _PLAIN or child.type == "command" or child.type.endswith("_redirect"):
            yield child
        else:
            raise _unclear(child)


def _program(node: Node, *, is_piped: bool) -> Program:
    words, variables = [], []
    redirects: list[Redirect] = []
    for child in node.children:
        if child.type == "variable_assignment":
            variables.append(_text(child.children[0]))
            _check_value(child)
        elif child.type.endswith("_redirect"):
            redirects += _redirects(child)
        else:
            words.append(_word(child.children[0] if child.type == "command_name" else child))
    return Program(tuple(words), tuple(variables), tuple(redirects), is_piped)


def _check_value(assignment: Node) -> None:
    """See that a variable's value is plain text; what it is does not matter."""
    for child in assignment.children[2:]:
        _word(child)


def _redirects(node: Node) -> Iterator[Redirect]:
    if node.type == "herestring_redirect":
        _word(node.children[-1])
    elif node.type == "heredoc_redirect":
        yield from _here_document(node)
    elif node.type == "file_redirect":
        parts = [child for child in node.children if child.type != "file_descriptor"]
        operator, targets = parts[0].type, parts[1:]
        if operator == ">&" and [target.type for target in targets] == ["number"]:
            return  # 2>&1: one stream into another
        if operator not in _TO_FILE or len(targets) != 1:
            raise UnclearError(f"a redirection with {operator}")
        yield Redirect(_TO_FILE[operator], _word(targets[0]))


def _here_document(node: Node) -> Iterator[Redirect]:
    start = next(_text(child) for child in node.children if child.type == "heredoc_start")
    for child in node.children:
        if child.type == "file_redirect":
            yield from _redirects(child)
        elif child.type == "heredoc_body":
            if not _QUOTED.match(start) and re.search(r"[$`]", _text(child)):
                raise UnclearError("a here document with variables: quote its delimiter")
        elif child.type not in {"<<", "<<-", "heredoc_start", "heredoc_end"}:
            raise UnclearError("a here document with more text after its delimiter")


def _word(node: Node) -> str:
    """Return a word as the program gets it.

    Raises:
        UnclearError: it holds something that a shell replaces.
    """
    text = _text(node)
    if node.type == "concatenation":
        _check_expansion("".join(map(_bare, node.children)))
        return "".join(map(_unquoted, node.children))
    if node.type == "word":
        _check_expansion(text)
    return _unquoted(node)


def _bare(node: Node) -> str:
    return _text(node) if node.type in {"word", "number"} else "x"


def _check_expansion(text: str) -> None:
    if text.startswith("~") or _EXPANDED.search(text) or "\n" in text:
        raise UnclearError(f"the shell expands {text!r}")


def _unquoted(node: Node) -> str:
    text = _text(node)
    if node.type in {"word", "number"} and not node.children:
        return re.sub(r"\\(.)", r"\1", text)
    if node.type == "raw_string":
        return text[1:-1]
    if node.type == "string" and all(
        child.type in {'"', "string_content"} for child in node.children
    ):
        return re.sub(r'\\([\\"$`])', r"\1", text[1:-1])
    raise _unclear(node)


def _unclear(node: Node) -> UnclearError:
    kinds = [node.type, *(child.type for child in node.children)]
    return UnclearError(
        next((_KINDS[each] for each in kinds if each in _KINDS), "another kind of shell syntax")
    )


def _text(node: Node) -> str:
    return (node.text or b"").decode()
