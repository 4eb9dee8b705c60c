"""The most that is read of one document: beyond these, a document is refused in one line."""

MAX_BYTES = 1 << 20  # a parsed document takes up to 43 times its size in memory
MAX_DEPTH = 64  # a fixed limit, so that a verdict depends on no interpreter's stack
MAX_ELEMENTS = 20_000  # bounds the number of problems that one document can have
MAX_DIGITS = 4_300  # of a whole number: the limit of CPython (since 3.10.7) and of pydantic
MAX_PROBLEMS = 1_000  # are located; commands show fewer and count the rest
