"""Keys, names, and the agreements that two agents sign."""

import base64
import hashlib
import json
import os
import re

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from .message import AnexError, loads

FORMAT = "anex-agreement/1"
SEVERAL = "anex-agreement/2"  # of the parties of a meeting
NO_RETENTION = "no data retention"
_TAG = b"anex:agreement:v1"
_ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


def base58(raw):
    n, out = int.from_bytes(raw, "big"), ""
    while n:
        n, rest = divmod(n, 58)
        out = _ALPHABET[rest] + out
    return "1" * (len(raw) - len(raw.lstrip(b"\0"))) + out


def did(public):
    """The did:key of 32 bytes of an Ed25519 key."""
    return "did:key:z" + base58(b"\xed\x01" + public)


def _unbase58(text):
    n = 0
    for c in text:
        if c not in _ALPHABET:
            raise AnexError(f"{text[:80]!r} is no base58")
        n = n * 58 + _ALPHABET.index(c)
    return bytes(len(text) - len(text.lstrip("1"))) + n.to_bytes((n.bit_length() + 7) // 8, "big")


def public_key(name):
    """The 32 bytes of a did:key."""
    if not name.startswith("did:key:z") or len(name) > 64:
        raise AnexError(f"{name[:80]!r} is no did:key")
    raw = _unbase58(name[len("did:key:z"):])
    if len(raw) != 34 or raw[:2] != b"\xed\x01" or did(raw[2:]) != name:
        raise AnexError(f"{name[:80]!r} is no did:key of Ed25519")
    return raw[2:]


def of_address(text):
    """The 32 bytes of an address on the chain."""
    raw = _unbase58(text) if len(text) <= 44 else b""
    if len(raw) != 32:
        raise AnexError(f"{text[:80]!r} is no address on the chain")
    return raw


class Key:
    """The key of an agent."""

    def __init__(self, seed=None):
        self.private = Ed25519PrivateKey.from_private_bytes(seed or os.urandom(32))
        self.public = self.private.public_key().public_bytes_raw()
        self.did = did(self.public)

    @classmethod
    def load(cls, path):
        """Reads a key file of Solana, which is that of ojud, too: 64 numbers."""
        with open(path, encoding="utf-8") as f:
            raw = bytes(json.load(f))
        key = cls(raw[:32])
        if len(raw) != 64 or key.public != raw[32:]:
            raise AnexError(f"{path} is no key file")
        return key

    def sign(self, message):
        return self.private.sign(message)


def verifies(name, message, signature):
    try:
        Ed25519PublicKey.from_public_bytes(public_key(name)).verify(signature, message)
    except (InvalidSignature, AnexError, ValueError):
        return False
    return True


def canonical(value):
    """Canonical JSON (RFC 8785)."""
    if isinstance(value, dict):
        keys = sorted(value, key=lambda k: k.encode("utf-16-be"))
        return "{" + ",".join(f"{canonical(k)}:{canonical(value[k])}" for k in keys) + "}"
    if isinstance(value, list):
        return "[" + ",".join(canonical(v) for v in value) + "]"
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > 2**53 - 1:
        raise AnexError("an integer that no IEEE double holds exactly")
    if isinstance(value, float):
        return _number(value)
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _number(x):
    """A double as ECMAScript writes it."""
    if x != x or x in (float("inf"), float("-inf")):
        raise AnexError("a number that no IEEE double holds")
    if x == 0:
        return "0"
    sign, x = ("-", -x) if x < 0 else ("", x)
    mantissa, _, exponent = f"{x!r}".partition("e")
    whole, _, part = mantissa.partition(".")
    digits = (whole + ("" if part == "0" else part)).lstrip("0")
    point = len(whole) + int(exponent or 0) if whole != "0" else int(exponent or 0) - (len(part) - len(part.lstrip("0")))
    digits = digits.rstrip("0") or "0"
    n, k = point, len(digits)
    if k <= n <= 21:
        return sign + digits + "0" * (n - k)
    if 0 < n <= 21:
        return sign + digits[:n] + "." + digits[n:]
    if -6 < n <= 0:
        return sign + "0." + "0" * -n + digits
    e = n - 1
    return sign + digits[0] + ("." + digits[1:] if k > 1 else "") + "e" + ("+" if e > 0 else "-") + str(abs(e))


class Agreement(dict):
    """Terms that two agents accepted, with their signatures."""

    def terms(self):
        return canonical({k: v for k, v in self.items() if k != "signatures"})

    def hash(self):
        return hashlib.sha256(self.terms().encode()).hexdigest()

    def _message(self):
        return _TAG + self.hash().encode()

    def sign(self, key):
        text = base64.b64encode(key.sign(self._message())).decode()
        self["signatures"] = {**self.get("signatures", {}), key.did: text}
        return text

    def signed_by(self, name, signature):
        try:
            raw = base64.b64decode(signature, validate=True)
        except ValueError:
            return False
        return base64.b64encode(raw).decode() == signature and verifies(name, self._message(), raw)

    def verify(self):
        """Raises AnexError unless all parties signed, and nobody else."""
        parties = self.get("parties") if self.get("format") == SEVERAL else [self.get("asker"), self.get("holder")]
        if not isinstance(parties, list) or not all(isinstance(p, str) for p in parties) or not isinstance(self.get("signatures"), dict):
            raise AnexError("parties and signatures are needed")
        if len(set(parties)) < 2 or set(self["signatures"]) != set(parties):
            raise AnexError("all parties sign, and nobody else")
        for name, signature in self["signatures"].items():
            if not self.signed_by(name, signature):
                raise AnexError(f"the signature of {name[:90]} does not fit")

    def dumps(self):
        return canonical(dict(self))

    @classmethod
    def loads(cls, text):
        out = cls(loads(text))
        if out.get("format") not in (FORMAT, SEVERAL):
            raise AnexError("it is no agreement")
        return out


def steps(name):
    """The path of a name of access."""
    if not 1 <= len(name.encode()) <= 128 or name.strip() != name or re.search(r"[\x00-\x1f\x7f-\x9f]", name) or name.endswith("(m)"):
        raise AnexError(f"{name[:40]!r} is no name")
    if name == "*":
        return []
    if not name.startswith("/"):
        return [name]
    if re.search(r"~(?![01])", name):
        raise AnexError(f"{name[:40]!r} is no JSON pointer")
    return [s.replace("~1", "/").replace("~0", "~") for s in name[1:].split("/")]


def covers(a, b):
    x, y = steps(a), steps(b)
    return y[: len(x)] == x


def cut(data, access):
    """The part of data that the names of access grant. A value off the paths is left out."""
    return _cut(data, [steps(a) for a in access])


_gone = object()


def _cut(value, paths):
    if [] in paths:
        return value
    if isinstance(value, dict):
        out = {}
        for name, item in value.items():
            rest = [p[1:] for p in paths if p[0] == name]
            if rest:
                kept = _cut(item, rest)
                if kept is not _gone:
                    out[name] = kept
        return out
    if isinstance(value, list):
        return [kept for kept in (_cut(item, paths) for item in value) if kept is not _gone]
    return _gone
