"""The most that is taken from an archive: beyond these, it or a part of it is refused in a line."""

MAX_NAME = 4_096  # characters of a member's name: no path that is looked for is longer
MAX_EXTENSION = 64 << 10  # bytes of a tar header's extension: a long name, say
MAX_EXTENSIONS = 8  # headers before a tar's member that only tell more of it
MAX_RECORDS = 100  # in those of one member
MAX_RECORDS_IN_ALL = 500_000  # in those of a learner's own tar
