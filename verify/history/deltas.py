"""Git's number and delta formats: what a pack keeps of an object that resembles another one."""

from __future__ import annotations

_MORE, _LOW = 0x80, 0x7F
_LONGEST = 10  # bytes of a number: beyond it, no size or offset is honest
_WHOLE_COPY = 0x10000  # what a copy of length 0 copies


class DamagedObject(Exception):
    """What a repository keeps of an object is not what git writes; the message is one line."""


def number_at(data: bytes, at: int) -> tuple[int, int]:
    """Return a little-endian number of 7 bits a byte, and where it ends.

    Raises:
        DamagedObject: the data end in it, or it is longer than any size.
    """
    value = 0
    for shift, byte in enumerate(data[at : at + _LONGEST]):
        value |= (byte & _LOW) << (7 * shift)
        if not byte & _MORE:
            return value, at + shift + 1
    raise DamagedObject("a number in it does not end")


def distance_at(data: bytes, at: int) -> tuple[int, int]:
    """Return how far back a delta's base begins (big-endian, git's own bias), and where that ends.

    Raises:
        DamagedObject: as `number_at`.
    """
    value = -1
    for step, byte in enumerate(data[at : at + _LONGEST]):
        value = ((value + 1) << 7) | (byte & _LOW)
        if not byte & _MORE:
            return value, at + step + 1
    raise DamagedObject("a number in it does not end")


def sizes(delta: bytes) -> tuple[int, int]:
    """Return the sizes of a delta's base and of its result.

    Raises:
        DamagedObject: they are not there.
    """
    base, at = number_at(delta, 0)
    return base, number_at(delta, at)[0]


def applied(delta: bytes, base: bytes) -> bytes:
    """Return the object that a delta makes of its base; its size was looked at before.

    Raises:
        DamagedObject: it is for another base, or makes something else than it says.
    """
    base_size, at = number_at(delta, 0)
    size, at = number_at(delta, at)
    if base_size != len(base):
        raise DamagedObject("a delta in it is for another base")
    made = bytearray()
    while at < len(delta) and len(made) <= size:
        step = delta[at]
        if step & _MORE:
            start, length, at = _copy_at(delta, at)
            piece = base[start : start + length]
            if len(piece) != length:
                raise DamagedObject("a delta in it copies from beyond its base")
        else:
            piece, at = delta[at + 1 : at + 1 + step], at + 1 + step
            if not step:
                raise DamagedObject("a delta in it has an unknown step")
        made += piece
    if len(made) != size:
        raise DamagedObject("a delta in it makes something of another size")
    return bytes(made)


def _copy_at(delta: bytes, at: int) -> tuple[int, int, int]:
    """Return the start and length that a copying step names, and where the step ends."""
    flags, at = delta[at], at + 1
    numbers = [0, 0]
    for bit in range(7):
        if flags & (1 << bit):
            if at >= len(delta):
                raise DamagedObject("a delta in it is cut off")
            numbers[bit > 3] |= delta[at] << (8 * (bit if bit < 4 else bit - 4))  # noqa: PLR2004  # 4 bytes of start, 3 of length
            at += 1
    return numbers[0], numbers[1] or _WHOLE_COPY, at
