"""The most that is taken from an archive: beyond these, it or a part of it is refused in a line."""

MAX_MEMBERS = 50_000  # of one submission
MAX_NAMES_BYTES = 8 << 20  # of one submission's member names together
MAX_LISTING = 16 << 20  # bytes of a .zip's directory that tell of one submission
MAX_NAME = 4_096  # characters of a member's name: no path that is looked for is longer
MAX_NESTED = 64 << 20  # bytes of a learner's archive within another one, packed or unpacked
MAX_SENT = 4 << 20  # bytes of one submission's files that a worker is sent
MAX_EXTENSION = 64 << 10  # bytes of a tar header's extension: a long name, say
