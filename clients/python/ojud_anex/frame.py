"""Frames of a channel, and a session that outlives its connections (docs/protocol.md, section 16).
agent/channel/testdata/frames.json says what is valid and what follows."""

import json
import re

from .message import AnexError, loads

MAX_BODY = 1 << 20
MAX_FRAME = MAX_BODY + 512
_MAX_HELD, _MAX_SEQ, _MAX_WINDOW = 4 << 20, 2**53 - 1, 256
_NAME = re.compile(r"[A-Za-z0-9_-]{22,64}")
_KINDS = {"run", "extra", "cancel", "result", "step", "begin", "chunk", "stop", "call", "minion_start", "minion_result", "step_end", "final", "refused", "end"}


class Bye(AnexError):
    """The end of a session before its time. Code says why; theirs, that the other side said it."""

    def __init__(self, code, words="", theirs=False):
        super().__init__(f"the other side ends the session: {words[:200]} ({code})" if theirs else f"{words} ({code})")
        self.code, self.words, self.theirs = code, words, theirs


def encode(value):
    return json.dumps(value, separators=(",", ":"), allow_nan=False)


def _object(value, what, *names):
    if not isinstance(value, dict) or not value.keys() <= set(names):
        raise AnexError(f"{what} is no object, or has a member that is not known")
    return value


def _numbers(value, names):
    return all(type(value.get(n, 0)) is int and 0 <= value.get(n, 0) <= _MAX_SEQ for n in names)


def decode(text):
    """Reads a frame of a stranger. Its body is only JSON; decode_body reads that."""
    if not isinstance(text, str) or len(text) > MAX_FRAME:
        raise AnexError("a frame is no text, or too long")
    f = _object(loads(text), "a frame", "hello", "seq", "ack", "body", "bye")
    if "hello" in f:
        h = _object(f["hello"], "hello", "version", "session", "window", "seen", "ack", "from")
        session = h.get("session")
        good = len(f) == 1 and _numbers(h, ("version", "window", "seen", "ack", "from")) and isinstance(session, str) and _NAME.fullmatch(session)
        if not good or h.get("version", 0) < 1 or not 1 <= h.get("window", 0) <= _MAX_WINDOW or h.get("from", 0) < 1 or h.get("ack", 0) > h.get("seen", 0):
            raise AnexError("a hello is not as it should be")
    elif "bye" in f:
        b = _object(f["bye"], "bye", "code", "error")
        code, error = b.get("code"), b.get("error", "")
        if len(f) != 1 or not isinstance(code, str) or not isinstance(error, str) or not 0 < len(code.encode()) <= 64 or len(error.encode()) > 500:
            raise AnexError("a bye is not as it should be")
    elif not _numbers(f, ("seq", "ack")) or ("body" in f) != (f.get("seq", 0) > 0) or "body" not in f and ("seq" in f or f.get("ack", 0) < 1):
        raise AnexError("a frame is neither a message nor an acknowledgement")
    return f


def decode_body(body):
    """The kind of a message, and its value. Body is its JSON, read or not."""
    body = loads(body) if isinstance(body, str) else body
    if not isinstance(body, dict) or len(body) != 1:
        raise AnexError("a message is an object with one member")
    (kind, value), = body.items()
    if kind not in _KINDS or value is None or kind != "end" and not isinstance(value, dict):
        raise AnexError(f"the message {kind[:40]!r} is not known, or has another type")
    return kind, value


class PeerSession:
    """One side of a channel. Its methods return the frames to send; a fault of either side is a
    Bye. What was not acknowledged is sent again, and what comes twice is taken once."""

    def __init__(self, name, window):
        self.name, self.window, self.open = name, window, False
        self.sent, self.last, self.acked, self.granted = [], 0, 0, 1  # what this side says
        self.seen = self.taken = self.told = 0  # what it hears
        self.held, self.untold = [], 0  # bytes of messages that the reader did not take, or took since told

    @property
    def unheard(self):
        return self.last - self.acked

    def linked(self):
        self.open, self.told, self.untold = False, self.taken, 0
        return [{"hello": {"version": 1, "session": self.name, "window": self.window, "seen": self.seen, "ack": self.taken, "from": self.acked + 1}}]

    def unlinked(self):
        self.open = False
        return []

    def room(self, body):
        return self.unheard < self.granted and (not self.sent or sum(n for n, _ in self.sent) + len(encode(body)) <= _MAX_HELD)

    def posted(self, body):
        size = len(encode(body))
        if size > MAX_BODY or not self.room(body):
            raise Bye("form", f"a message of {size} bytes has no room")
        self.last += 1
        self.sent.append((size, {"seq": self.last, "body": body}))
        return [self._stamp(self.sent[-1][1])] if self.open else []

    def _stamp(self, frame):
        self.told, self.untold = self.taken, 0
        return {**frame, "ack": self.taken} if self.taken else frame

    def heard(self, f):
        """The frames to send, and the messages for the reader: one or none."""
        if "bye" in f:
            raise Bye(f["bye"]["code"], f["bye"].get("error", ""), True)
        if "hello" in f:
            return self._greet(f["hello"]), []
        if not self.open:
            raise Bye("form", "the first frame is no hello")
        self._confirm(f.get("ack", 0))
        seq = f.get("seq", 0)
        if seq <= self.seen:  # it was taken before, or is none
            return [], []
        size = len(encode(f["body"]))
        if seq > self.seen + 1:
            raise Bye("form", f"message {seq} comes after message {self.seen}")
        if self.seen - self.taken >= self.window or self.held and sum(self.held) + size > _MAX_HELD:
            raise Bye("form", f"message {seq} is beyond the window")
        self.seen = seq
        self.held.append(size)
        return [], [f["body"]]

    def _confirm(self, ack):
        if ack > self.last:
            raise Bye("form", f"message {ack} is acknowledged, and the last was {self.last}")
        if ack > self.acked:
            del self.sent[: ack - self.acked]
            self.acked = ack

    def _greet(self, h):
        if h["version"] != 1:
            raise Bye("version", f"the version is {h['version']}; this side speaks 1")
        if h["session"] != self.name or self.open:
            raise Bye("form", "this is not the hello of this connection")
        seen = h.get("seen", 0)
        if not self.acked <= seen <= self.last or h["from"] > self.seen + 1:
            raise Bye("gone", "the two sides do not remember the same session")
        self._confirm(h.get("ack", 0))
        self.open, self.granted = True, h["window"]
        again = [self._stamp(f) for _, f in self.sent if f["seq"] > seen]
        return again + self._acknowledge(1)

    def take(self):
        """The reader took the oldest message."""
        self.untold += self.held.pop(0)
        self.taken += 1
        return self._acknowledge(1 if self.untold >= _MAX_HELD // 4 else max(1, self.window // 4))

    def settle(self):
        """Acknowledges all that the reader took."""
        return self._acknowledge(1)

    def _acknowledge(self, least):
        if not self.open or self.taken - self.told < least:
            return []
        self.told, self.untold = self.taken, 0
        return [{"ack": self.taken}]
