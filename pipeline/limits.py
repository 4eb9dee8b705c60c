"""The most that is read of one document: beyond these, a document is refused in one line."""

MAX_BYTES = 1 << 20  # a parsed document takes up to 43 times its size in memory
MAX_DEPTH = 64  # a fixed limit, so that a verdict depends on no interpreter's stack
MAX_ELEMENTS = 20_000  # bounds the number of problems that one document can have
MAX_DIGITS = 308  # of a whole number: any shorter one is a finite double too
MAX_PROBLEMS = 1_000  # of a text that is not strict JSON; the walk goes on without noting more
