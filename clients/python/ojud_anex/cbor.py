"""Frames in CBOR: the deterministic encoding of RFC 8949, section 4.2.1 (docs/talking.md).

What is read is canonical JSON, so all rules, hashes and signatures are those of JSON."""

from math import isfinite

import cbor2

from .agreement import canonical
from .message import MAX_DEPTH, AnexError, loads, spell

MAX_VALUES = 1 << 18
_MAX_INTEGER = 2**53 - 1


def pack(text, limit):
    """The CBOR of a frame in JSON, or None if it stays JSON: plain text, numbers that not all read
    in the same way, and what would be longer than limit."""
    if not text.startswith("{"):
        return None
    try:
        value = loads(text)
        plain = canonical(value)
        if len(plain.encode()) > limit or len(spell(loads(plain))) > len(spell(value)):
            return None
        raw = cbor2.dumps(_numbers(loads(plain)), canonical=True)
        bounded(raw)
    except AnexError:
        return None
    return raw if len(raw) <= limit else None


def unpack(raw, limit):
    """The canonical JSON of a frame in CBOR, both of at most limit bytes."""
    if len(raw) > limit or not raw or raw[0] >> 5 != 5:
        raise AnexError(f"a frame of {len(raw)} bytes that is no map of CBOR, or is longer than {limit}")
    bounded(raw)
    try:
        value = cbor2.loads(raw, max_depth=MAX_DEPTH + 1, allow_indefinite=False, allow_duplicate_keys=False, strict_hashable_types=True)
    except (cbor2.CBORDecodeError, ValueError) as e:
        raise AnexError(f"no CBOR: {e}") from None
    if cbor2.dumps(_numbers(value, read=True), canonical=True) != raw:
        raise AnexError("CBOR that is not deterministic")
    text = canonical(value)
    if len(text.encode()) > limit:
        raise AnexError("a frame that is too long as JSON")
    return text


def _numbers(value, read=False):
    """The value with integers as such, if all read them in the same way. In what was read, they
    are integers already."""
    if isinstance(value, dict):
        if not all(isinstance(k, str) for k in value):
            raise AnexError("a key that is no text")
        return {k: _numbers(v, read) for k, v in value.items()}
    if isinstance(value, list):
        return [_numbers(v, read) for v in value]
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return value
    whole = isfinite(value) and value == int(value)
    if whole and abs(value) <= _MAX_INTEGER and not (read and isinstance(value, float)):
        return int(value)
    if isfinite(value) and (not whole or abs(value) >= 1e21) and isinstance(value, float):
        return value
    raise AnexError("a number that not all read in the same way")


def bounded(raw):
    """Looks at the heads alone: lengths, depth, number of values, and types that JSON has."""
    at, values, left = 0, 0, [1]  # left are the values that each open container still has to have
    while True:
        while not left[-1]:
            left.pop()
            if not left:
                if at != len(raw):
                    raise AnexError("something follows the CBOR")
                return
        left[-1] -= 1
        values += 1
        if values > MAX_VALUES or at >= len(raw):
            raise AnexError(f"CBOR that ends early, or has more than {MAX_VALUES} values")
        major, info = raw[at] >> 5, raw[at] & 31
        at += 1
        n = info
        if info >= 24:
            size = 1 << (info - 24)
            if info > 27 or len(raw) - at < size:
                raise AnexError("a length in CBOR that is not there")
            n = int.from_bytes(raw[at : at + size])
            at += size
        sized = 3 <= major <= 5
        if sized and n > len(raw) - at:
            raise AnexError("CBOR that ends early")
        if major == 3:
            at += n
        elif sized:
            if len(left) > MAX_DEPTH:
                raise AnexError("nested too deep")
            left.append(n * (major - 3))
        elif not (major < 2 or major == 7 and info in (20, 21, 22, 25, 26, 27)):
            raise AnexError("a type of CBOR that JSON does not have")
