"""Messages of ANEX: strict JSON in, the spelling of the document out."""

import json
import re
from math import isfinite
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone

MARKER = "[PA*]"
MAX_MESSAGE = 64 << 10
MAX_INFORM = 1536 << 10
MAX_TEXT = 2000
MAX_DEPTH = 64

HANDSHAKING = "ANEX-Handshaking"
CONTRACT_NET = "FIPA-Contract-Net"
DATA_EXCHANGE = "ANEX-Data-Exchange"
FIPA_REQUEST = "FIPA-Request"
TERMINATION = "ANEX-Termination"
FIPA_SUBSCRIBE = "FIPA-Subscribe"
FIPA_QUERY = "FIPA-Query"
PROTOCOLS = {HANDSHAKING, CONTRACT_NET, DATA_EXCHANGE, FIPA_REQUEST, TERMINATION, FIPA_SUBSCRIBE, FIPA_QUERY}
ACTS = {
    "REQUEST", "AGREE", "REFUSE", "PROPOSE", "CFP", "ACCEPT-PROPOSAL", "REJECT-PROPOSAL", "INFORM",
    "FAILURE", "NOT-UNDERSTOOD", "CANCEL", "QUERY-IF", "SUBSCRIBE",
}


class AnexError(Exception):
    """A message or a move that the protocol does not allow."""


class UnknownWord(AnexError):
    """A performative, protocol, language or ontology that is not known. It ends nothing."""


def _pairs(pairs):
    out = dict(pairs)
    if len(out) != len(pairs):
        raise AnexError("a member is there twice")
    return out


def _constant(word):
    raise AnexError(f"{word} is no JSON")


def _check(value, depth=1):
    if isinstance(value, (dict, list)):
        if depth > MAX_DEPTH:
            raise AnexError("nested too deep")
        for item in [*value, *value.values()] if isinstance(value, dict) else value:
            _check(item, depth + 1)
    elif isinstance(value, float):
        if not isfinite(value):
            raise AnexError("a number that no IEEE double holds")
    elif isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            raise AnexError("half of a surrogate pair") from None


def loads(text):
    """Reads strict JSON: no duplicate members, no NaN, no lone surrogates, a bounded depth."""
    if isinstance(text, bytes):
        try:
            text = text.decode()
        except UnicodeDecodeError:
            raise AnexError("invalid UTF-8") from None
    # Deep nesting is refused before it is parsed, by a count that strings can only raise.
    if text.count("[") + text.count("{") > MAX_DEPTH and _depth(text) > MAX_DEPTH:
        raise AnexError("nested too deep")
    try:
        value = json.loads(text, object_pairs_hook=_pairs, parse_constant=_constant)
    except (ValueError, RecursionError) as e:
        raise AnexError(f"no JSON: {e}") from None
    _check(value)
    return value


def _depth(text):
    depth = most = 0
    for token in re.finditer(r'"(?:[^"\\]|\\.)*"?|[\[\]{}]', text, re.S):
        c = token.group()
        if c in "[{":
            depth += 1
            most = max(most, depth)
        elif c in "]}":
            depth -= 1
    return most


def spell(value):
    """Writes JSON as the examples of the document: { "a": [1, 2] }."""
    if isinstance(value, dict):
        if not value:
            return "{}"
        return "{ " + ", ".join(f"{spell(k)}: {spell(v)}" for k, v in value.items()) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(spell(v) for v in value) + "]"
    if isinstance(value, float) and not isfinite(value):
        raise AnexError("a number that no IEEE double holds")
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def write_time(ms):
    t = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(milliseconds=ms)
    return t.strftime("%Y-%m-%dT%H:%M:%S") + (f".{ms % 1000:03d}Z" if ms % 1000 else "Z")


def read_time(text):
    m = re.fullmatch(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z", text, re.ASCII)
    if not m:
        raise AnexError(f"{text[:40]!r} is no time such as 2026-01-02T15:04:05Z")
    try:
        t = datetime.strptime(m[1] + "+0000", "%Y-%m-%dT%H:%M:%S%z")
    except ValueError:
        raise AnexError(f"{text[:40]!r} is no time") from None
    return int(t.timestamp()) * 1000 + int(((m[2] or "0") + "000")[:3])


@dataclass
class Message:
    performative: str
    sender: str
    receiver: str
    content: dict
    protocol: str
    conversation: str = ""
    reply_with: str = ""
    in_reply_to: str = ""
    reply_by: int = 0  # Unix ms
    known: bool = field(default=True, compare=False)

    def encode(self):
        out = {
            "performative": self.performative, "sender": self.sender, "receiver": self.receiver,
            "content": self.content, "language": "JSON", "ontology": "ANEX-Ontology", "protocol": self.protocol,
        }
        optional = {"conversation-id": self.conversation, "reply-with": self.reply_with, "in-reply-to": self.in_reply_to}
        out.update({k: v for k, v in optional.items() if v})
        if self.reply_by:
            out["reply-by"] = write_time(self.reply_by)
        text = spell(out)
        check_fields(self, len(text.encode()))
        return text


def check_fields(m, size):
    if not re.fullmatch(r"[A-Z-]{1,64}", m.performative):
        raise AnexError("the performative is no word")
    for name in (m.sender, m.receiver):
        if not 1 <= len(name.encode()) <= 256 or re.search(r"[\x00-\x1f\x7f-\x9f]", name):
            raise AnexError("sender and receiver are names of 1 to 256 bytes")
    if not 1 <= len(m.protocol.encode()) <= 64:
        raise AnexError("the protocol has 1 to 64 bytes")
    if not isinstance(m.content, dict):
        raise AnexError("the content is no object")
    for text in (m.conversation, m.reply_with, m.in_reply_to):
        if not re.fullmatch(r"[!-~]{0,64}", text):
            raise AnexError("an id has at most 64 characters from ! to ~")
    data = m.performative == "INFORM" and m.protocol in (DATA_EXCHANGE, FIPA_REQUEST)
    if size > (MAX_INFORM if data else MAX_MESSAGE):
        raise AnexError(f"a message of {size} bytes")


FIELDS = {
    "performative", "sender", "receiver", "content", "language", "ontology", "protocol",
    "conversation-id", "reply-with", "in-reply-to", "reply-by",
}


def parse(raw):
    """Reads a message. An unknown language or ontology is UnknownWord."""
    size = len(raw.encode() if isinstance(raw, str) else raw)
    if size > MAX_INFORM:
        raise AnexError(f"a message of {size} bytes")
    f = loads(raw)
    if not isinstance(f, dict):
        raise AnexError("a message is an object")
    for name in f:
        if name not in FIELDS:
            raise AnexError(f"the field {name[:40]!r} is not known")
    for name in ("performative", "sender", "receiver", "language", "ontology", "protocol"):
        if not isinstance(f.get(name), str):
            raise AnexError(f"the field {name!r} is needed")
    for name in ("conversation-id", "reply-with", "in-reply-to", "reply-by"):
        if name in f and not (isinstance(f[name], str) and f[name]):
            raise AnexError(f"the field {name!r} is a string that is not empty")
    m = Message(
        f["performative"].replace("_", "-"), f["sender"], f["receiver"], f.get("content"), f["protocol"],
        f.get("conversation-id", ""), f.get("reply-with", ""), f.get("in-reply-to", ""),
        read_time(f["reply-by"]) if "reply-by" in f else 0,
    )
    check_fields(m, max(size, len(spell(f).encode())))
    m.known = f["language"] == "JSON" and f["ontology"] == "ANEX-Ontology"
    return m
