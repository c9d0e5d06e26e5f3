"""Signed calls under a chain of delegations (UCAN 1.0), as docs/protocol.md, section 14, has them."""

import base64
import hashlib
import json
import secrets
import time

from .agreement import public_key
from .message import AnexError

MAX_CHAIN = 1 << 20
_HEADER = bytes([0x34, 0x01, 0xED, 0x01, 0xED, 0x01, 0x13, 0x71])
_DELEGATION, _INVOCATION = "ucan/dlg@1.0.0", "ucan/inv@1.0.0"
_MAX_LINKS, _MAX_TOKEN, _MAX_DEPTH = 16, 32 << 10, 24


class Cid(bytes):
    """The CID of a token: 36 bytes."""

    def __str__(self):
        return "b" + base64.b32encode(self).decode().lower().rstrip("=")


def cid(token):
    return Cid(b"\x01\x71\x12\x20" + hashlib.sha256(token).digest())


def _head(major, n):
    if n < 24:
        return bytes([major << 5 | n])
    for size, mark in ((1, 24), (2, 25), (4, 26), (8, 27)):
        if n < 1 << 8 * size:
            return bytes([major << 5 | mark]) + n.to_bytes(size, "big")
    raise AnexError("a number that is too large")


def encode(v):
    """DAG-CBOR of null, whole numbers, bytes, texts, CIDs, lists and maps."""
    if v is None:
        return b"\xf6"
    if isinstance(v, bool):
        return b"\xf5" if v else b"\xf4"
    if isinstance(v, int):
        return _head(0, v) if v >= 0 else _head(1, -1 - v)
    if isinstance(v, Cid):
        return b"\xd8\x2a" + encode(b"\0" + bytes(v))
    if isinstance(v, bytes):
        return _head(2, len(v)) + v
    if isinstance(v, str):
        raw = v.encode()
        return _head(3, len(raw)) + raw
    if isinstance(v, (list, tuple)):
        return _head(4, len(v)) + b"".join(encode(e) for e in v)
    if isinstance(v, dict):
        names = sorted(v, key=lambda k: (len(k.encode()), k.encode()))
        return _head(5, len(v)) + b"".join(encode(k) + encode(v[k]) for k in names)
    raise AnexError(f"{type(v).__name__} is no value of a token")


def decode(raw):
    """Reads DAG-CBOR of a stranger."""
    v, end = _decode(raw, 0, 0)
    if end != len(raw):
        raise AnexError("there is something after the token")
    return v


def _decode(raw, at, depth):
    if at >= len(raw) or depth > _MAX_DEPTH:
        raise AnexError("the token cannot be read")
    major, n = raw[at] >> 5, raw[at] & 31
    at += 1
    if n > 27 or 24 <= n and at + (1 << n - 24) > len(raw):
        raise AnexError("the token cannot be read")
    if n >= 24:
        size = 1 << n - 24
        n, at = int.from_bytes(raw[at:at + size], "big"), at + size
    if major in (0, 1):
        return (n if major == 0 else -1 - n), at
    if major == 7:
        return {20: False, 21: True, 22: None}.get(n), at
    if major == 6:
        v, at = _decode(raw, at, depth + 1)
        return (Cid(v[1:]) if n == 42 and isinstance(v, bytes) else v), at
    if n > len(raw) - at:
        raise AnexError("the token cannot be read")
    if major == 2:
        return raw[at:at + n], at + n
    if major == 3:
        try:
            return raw[at:at + n].decode(), at + n
        except UnicodeDecodeError as e:
            raise AnexError("the token has a text that is no UTF-8") from e
    items = []
    for _ in range(n * (2 if major == 5 else 1)):
        v, at = _decode(raw, at, depth + 1)
        items.append(v)
    if major == 4:
        return items, at
    try:
        return dict(zip(items[::2], items[1::2])), at
    except TypeError as e:
        raise AnexError("the token has a name that is no text") from e


class Chain:
    """A file of delegations, root first, as the other side gave it."""

    def __init__(self, text=""):
        self.links, self.subject = [], ""
        if not text:
            return
        try:
            if len(text) > MAX_CHAIN:
                raise ValueError("it is too long")
            f = json.loads(text)
            if f["format"] != "ojud-delegation/1" or not 1 <= len(f["links"]) <= _MAX_LINKS:
                raise ValueError("it has another form")
            self.links = [base64.b64decode(one, validate=True) for one in f["links"]]
            if any(len(one) > _MAX_TOKEN for one in self.links):
                raise ValueError("a link is too long")
            self.subject = decode(self.links[0])[1][_DELEGATION]["sub"]
            public_key(self.subject)
        except (ValueError, KeyError, TypeError, IndexError, AttributeError) as e:
            raise AnexError(f"this is no chain of delegations: {e}") from e

    @classmethod
    def load(cls, path):
        with open(path, encoding="utf-8") as f:
            return cls(f.read(MAX_CHAIN + 1))


def call(key, agent, command, payload, chain, spend, now=None, lasts=960):
    """Signs a call of an agent, a did:key. Returns the file of the call, and its CID."""
    now = int(time.time() if now is None else now)
    lamports, tokens, microdollars = spend
    subject = chain.subject or key.did
    body = {
        "iss": key.did, "sub": subject, "cmd": command, "nonce": secrets.token_bytes(16), "exp": now + lasts, "iat": now,
        "prf": [cid(one) for one in chain.links],
        "args": {
            "call": command, "spend": {"lamports": lamports, "tokens": tokens, "microdollars": microdollars},
            "input": {"sha256": hashlib.sha256(payload.encode()).hexdigest()},
        },
    }
    if agent != subject:
        body["aud"] = agent
    content = {"h": _HEADER, _INVOCATION: body}
    token = encode([key.sign(encode(content)), content])
    file = {
        "format": "ojud-call/1", "invocation": base64.b64encode(token).decode(),
        "links": [base64.b64encode(one).decode() for one in chain.links],
    }
    return file, str(cid(token))
