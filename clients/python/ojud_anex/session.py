"""The machine of one party: one table for what is heard and what is said (docs/talking.md)."""

from dataclasses import dataclass, field

from . import message as M
from .agreement import FORMAT, NO_RETENTION, Agreement, canonical, covers, cut, steps
from .message import AnexError, Message, UnknownWord

MAX_DEAL = 32 << 10


@dataclass
class Caps:
    """Bounds of one conversation. Times are in ms."""

    messages: int = 4096
    bytes: int = 16 << 20
    rounds: int = 8
    open: int = 32
    held: int = 16
    reply: int = 600_000
    total: int = 7_200_000
    unknown: int = 4


@dataclass
class Heard:
    what: str
    message: Message | None = None
    text: str = ""
    terms: Agreement | None = None
    topic: str = ""


@dataclass
class Ended:
    how: str  # completed, declined, cancelled or broken
    error: str = ""
    theirs: bool = False
    erase: bool = False


@dataclass
class Done:
    send: list = field(default_factory=list)
    heard: list = field(default_factory=list)
    agreed: Agreement | None = None
    ended: Ended | None = None


@dataclass(eq=False)
class _Open:
    what: str
    by: int
    id: str
    until: int
    topic: str = ""
    active: bool = False
    credit: int = 0
    held: list = field(default_factory=list)
    missed: int = 0


_H, _C, _D, _F, _S = M.HANDSHAKING, M.CONTRACT_NET, M.DATA_EXCHANGE, M.FIPA_REQUEST, M.FIPA_SUBSCRIBE
_SHAKE = {(_H, a) for a in ("AGREE", "REFUSE", "PROPOSE", "REQUEST")}
_ANSWERS = {
    "engagement": _SHAKE, "modification": _SHAKE,
    "call": {(_C, "PROPOSE"), (_C, "REFUSE")},
    "proposal": {(_C, "PROPOSE"), (_C, "ACCEPT-PROPOSAL"), (_C, "REJECT-PROPOSAL")},
    "accept": {(_C, "INFORM")},
    "request": {(p, a) for p in (_D, _F) for a in ("INFORM", "REFUSE", "AGREE")},
    "subscription": {(_S, a) for a in ("AGREE", "REFUSE", "INFORM")},
    "question": set(),
}


def _words(content, name, least=1):
    text = content.get(name)
    if not isinstance(text, str) or not least <= len(text.encode()) <= M.MAX_TEXT:
        raise AnexError(f"the content needs {name!r}, a text of {least} to {M.MAX_TEXT} bytes")
    return text


def _text(content, name):
    text = content.get(name)
    return text if isinstance(text, str) and len(text.encode()) <= M.MAX_TEXT else ""


def _count(content, name):
    n = content.get(name)
    if not isinstance(n, int) or isinstance(n, bool) or not 1 <= n <= 1024:
        raise AnexError(f"the content needs {name!r}, a whole number from 1 to 1024")
    return n


def _names(names):
    if not isinstance(names, list) or len(names) > 64 or len(set(map(str, names))) != len(names):
        raise AnexError("a list has at most 64 names, each once")
    for n in names:
        if not isinstance(n, str) or not n or len(n.encode()) > 128 or n.strip() != n:
            raise AnexError("a name has 1 to 128 bytes")
    return names


def _bare(name):
    return name.removesuffix("(m)")


def _deal(deal):
    if not isinstance(deal, dict) or len(canonical(deal).encode()) > MAX_DEAL:
        raise AnexError("a deal is an object of at most 32 KiB")
    return deal


def _known(content, outer, inner):
    body = content.get(outer)
    if set(content) != {outer} or not isinstance(body, dict) or not set(body) <= set(inner):
        raise AnexError(f"the content has the member {outer!r} alone, with {', '.join(inner)}")
    return body


def _wants(m):
    if m.performative == "REQUEST":
        return m.protocol != _S and (m.protocol != _H or "message" not in m.content)
    if m.performative == "ACCEPT-PROPOSAL":
        return "signature" in m.content
    return m.performative in ("PROPOSE", "CFP", "QUERY-IF", "SUBSCRIBE")


class Session:
    """One party. first began the conversation. Times are Unix ms."""

    def __init__(self, self_name, peer, conversation="", first=True, at=0, caps=None):
        self.caps, self.name, self.peer, self.conversation = caps or Caps(), self_name, peer, conversation
        self.side = 0 if first else 1
        self.now, self.until = at, at + self.caps.total
        self.phase, self.closer = "begins", 0
        self.open, self.used, self.serial = [], (set(), set()), 0
        self.messages = self.size = self.rounds = self.unknown = 0
        self.call = self.offer = self.agreed = None
        self.asker = 0
        self._out = Done()

    # Moves.

    def frame(self, at, raw):
        """The peer sent a frame."""
        if not self._begin(at):
            return Done()
        text = raw.decode("utf-8", "replace") if isinstance(raw, bytes) else raw
        self.messages, self.size = self.messages + 1, self.size + len(text.encode())
        try:
            if self.messages > self.caps.messages or self.size > self.caps.bytes:
                raise AnexError("too many messages")
            if not text.lstrip().startswith("{"):
                self._plain(1 - self.side, text)
                self._out.heard.append(Heard("text", text=text))
                return self._out
            m = M.parse(raw)
            if m.sender != self.peer or m.receiver != self.name:
                raise AnexError("a message of another conversation")
            if self.phase == "begins" and self.side == 1 and self.messages == 1:
                self.conversation = m.conversation
            self._out.heard.append(self._apply(1 - self.side, m))
            self._flush()
        except UnknownWord as e:
            self.unknown += 1
            if self.unknown > self.caps.unknown:
                self._fail("too many unknown words", True)
            else:
                self._tell("NOT-UNDERSTOOD", "error", m.reply_with, str(e))
        except AnexError as e:
            self._fail(str(e), True)
        return self._out

    def say(self, at, performative, protocol, content, in_reply_to="", reply_with="", reply_by=0):
        """The owner says something. AnexError means that it must not be said now."""
        if not self._begin(at):
            raise AnexError("the conversation has ended")
        m = Message(performative, self.name, self.peer, content, protocol, self.conversation, reply_with, in_reply_to, reply_by)
        if self.messages >= self.caps.messages:
            raise AnexError("too many messages")
        if self.conversation:
            m.in_reply_to = m.in_reply_to or self._answered(m)
            if _wants(m):
                m.reply_with = m.reply_with or f"{'ab'[self.side]}{self.serial + 1}"
                m.reply_by = m.reply_by or self.now + self.caps.reply
        raw = m.encode()
        M.loads(raw)
        self._apply(self.side, m)
        self.messages, self.serial = self.messages + 1, self.serial + 1
        self._out.send.append(raw)
        self._flush()
        return self._out

    def write(self, at, text):
        """The owner writes plain text."""
        if not self._begin(at):
            raise AnexError("the conversation has ended")
        self._plain(self.side, text)
        self.messages += 1
        self._out.send.append(text)
        return self._out

    def publish(self, at, update, subscription=""):
        """The owner has an update. Without credit it is held, and the oldest is dropped."""
        if not self._begin(at):
            raise AnexError("the conversation has ended")
        self._within(self.side, update)
        for p in self.open:
            if p.what == "subscription" and p.by != self.side and p.active and subscription in ("", p.id):
                p.held.append(update)
                if len(p.held) > self.caps.held:
                    p.held.pop(0)
                    p.missed += 1
        self._flush()
        return self._out

    def clock(self, at):
        """The time of next() is over."""
        if self._begin(at) and self.now >= self.next():
            self._fail("no answer in time", False)
        return self._out

    def hangup(self, at):
        if self._begin(at):
            self._end("broken", "the connection ended")
        return self._out

    def next(self):
        """When to call clock."""
        return min([self.until, *(p.until for p in self.open if p.until and p.by == self.side)]) + 1

    # The rest is the table.

    def _begin(self, at):
        self._out = Done()
        self.now = max(self.now, at)
        return self.phase != "over"

    def _end(self, how, error="", theirs=False):
        self.phase = "over"
        erase = self.agreed is not None and NO_RETENTION in self.agreed["promise"]
        self._out.ended = Ended(how, error, theirs, erase)

    def _fail(self, error, theirs):
        if theirs:
            self._tell("NOT-UNDERSTOOD", "error", "", error)
        else:
            self._tell("CANCEL", "message", "", error)
        self._end("broken", error, theirs)

    def _tell(self, act, name, to, error):
        m = Message(act, self.name, self.peer, {name: error[:500]}, _H, self.conversation, "", to)
        self._out.send.append(m.encode())

    def _plain(self, by, text):
        control = any((ord(c) < 32 or 127 <= ord(c) < 160) and c not in "\n\t" for c in text)
        if not text.strip() or len(text.encode()) > M.MAX_TEXT or control or "\ufffd" in text:
            raise AnexError("a plain text has 1 to 2000 bytes of UTF-8 without control characters")
        if self.phase == "ending":
            raise AnexError("it has ended")
        if self.phase == "begins" and by == 0 and M.MARKER in text:
            self.phase = "met"
            self.open.append(_Open("engagement", 0, "", self.now + self.caps.reply))
            return
        for p in self.open:
            if p.what == "engagement" and p.by != by:
                word = text.strip().lower().strip(".!")
                if word in ("yes", "y", "ok", "okay", "sure"):
                    self.open.remove(p)
                    self.phase = "willing"
                elif word in ("no", "n", "no thanks"):
                    self._end("declined", "refused")
                else:
                    p.until = self.now + self.caps.reply
                return

    def _answered(self, m):
        def anyway(p):
            if m.performative in ("FAILURE", "NOT-UNDERSTOOD"):
                return True
            if p.what == "question":
                return m.performative == "REFUSE" or m.performative == "INFORM" and m.protocol != M.TERMINATION and "answer" in m.content
            return m.performative == "CANCEL" and p.what == "subscription"

        theirs = [p for p in reversed(self.open) if p.by != self.side]
        for p in theirs:
            if (m.protocol, m.performative) in _ANSWERS[p.what] and not (p.active and m.performative == "AGREE"):
                return p.id
        for p in theirs:
            if anyway(p):
                return p.id
        if m.protocol == _S and m.performative in ("REQUEST", "CANCEL"):
            for p in reversed(self.open):
                if p.by == self.side and p.what == "subscription":
                    return p.id
        return ""

    def _take(self, by, m, *what):
        return next((p for p in self.open if p.by != by and p.id == m.in_reply_to and p.what in what), None)

    def _await(self, by, m, what):
        mine = [p for p in self.open if p.by == by]
        if any(not p.id and not m.reply_with for p in mine):
            raise AnexError("without reply-with only one message may wait for an answer")
        if len(mine) >= self.caps.open:
            raise AnexError("too many messages wait for an answer")
        p = _Open(what, by, m.reply_with, m.reply_by or self.now + self.caps.reply)
        self.open.append(p)
        return p

    def _replace(self, by, m, what, old=None):
        if self.rounds >= 2 * self.caps.rounds:
            raise AnexError("too many rounds")
        if old:
            self.open.remove(old)
        try:
            self._await(by, m, what)
        except AnexError:
            if old:
                self.open.append(old)
            raise
        self.rounds += 1

    def _apply(self, by, m):
        if not m.known or m.performative not in M.ACTS or m.protocol not in M.PROTOCOLS:
            if m.conversation == self.conversation:
                raise UnknownWord(f"{m.performative[:40]} of {m.protocol[:40]} is not known")
        if m.conversation != self.conversation:
            raise AnexError("a message of another conversation")
        if m.reply_with and m.reply_with in self.used[by]:
            raise AnexError("a reply-with that was there before")
        end = m.performative == "INFORM" and m.protocol == M.TERMINATION
        if self.phase == "ending" and (self.closer == by or not end) and m.performative not in ("FAILURE", "NOT-UNDERSTOOD"):
            raise AnexError("it has ended")
        h = Heard("", m)
        h.what = self._follow(by, m, m.content, h)
        if m.reply_with:
            self.used[by].add(m.reply_with)
        return h

    def _follow(self, by, m, c, h):
        act = m.performative
        if act == "CANCEL":
            h.text = _text(c, "message")
            for p in self.open:
                if p.what == "subscription" and p.id == m.in_reply_to and (p.id or m.protocol == _S):
                    h.topic = p.topic
                    self.open.remove(p)
                    return "cancel"
            self._end("cancelled", h.text)
            return "cancel"
        if act in ("FAILURE", "NOT-UNDERSTOOD"):
            h.text = _text(c, "error")
            p = self._take(by, m, "request", "question", "subscription", "accept", "call", "proposal")
            if p:
                h.topic = p.topic
                self.open.remove(p)
            else:
                self._end("broken", f"the peer reports {h.text[:200]!r}")
            return "failure" if act == "FAILURE" else "not-understood"
        if act == "QUERY-IF":
            h.text = _words(c, "query")
            if self.phase == "begins":
                raise AnexError("a question before the introduction")
            self._await(by, m, "question")
            return "question"
        asked = self._take(by, m, "question")
        if asked and act == "REFUSE":
            self.open.remove(asked)
            h.text = _text(c, "response")
            return "refuse"
        if asked and act == "INFORM" and "answer" in c:
            self.open.remove(asked)
            h.text = _text(c, "answer")
            return "answer"
        part = {_H: self._shake, _C: self._negotiate, _D: self._exchange, _F: self._exchange, _S: self._subscribe, M.TERMINATION: self._terminate}
        what = part[m.protocol](by, m, c, h) if m.protocol in part else None
        if what is None:
            raise AnexError(f"{act} of {m.protocol} at this point of the conversation")
        return what

    def _shake(self, by, m, c, h):
        act, asked = m.performative, self._take(by, m, "engagement", "modification")
        if act == "REQUEST" and "message" in c:
            h.text = _words(c, "message")
            if M.MARKER not in h.text:
                raise AnexError("an introduction without [PA*]")
            if self.phase != ("begins" if by == 0 else "met"):
                return None
            if by == 0:
                self.phase = "met"
            return "introduction"
        shaking = any(p.what in ("engagement", "modification") for p in self.open)
        if act == "REQUEST" and by == 0 and self.phase == "met" and (asked and asked.what == "modification" or not shaking):
            h.text = _words(c, "request")
            self._replace(by, m, "engagement", asked)
            return "engagement"
        if not asked:
            return None
        if act == "PROPOSE":
            h.text = _words(c, "modification")
            self._replace(by, m, "modification", asked)
            return "modification"
        h.text = _text(c, "response")
        if act == "AGREE":
            self.open.remove(asked)
            self.phase = "willing"
            return "agree"
        if act == "REFUSE":
            self._end("declined", h.text)
            return "refuse"
        return None

    def _negotiate(self, by, m, c, h):
        if self.phase not in ("willing", "bound"):
            return None
        act, h.text = m.performative, _text(c, "response") if isinstance(c.get("response"), str) else ""
        if act == "CFP":
            call = self._read_call(c)
            if any(p.what in ("call", "proposal", "accept") for p in self.open):
                raise AnexError("a negotiation is open")
            self._replace(by, m, "call")
            self.call, self.asker, self.offer = call, by, None
            return "call"
        if act == "PROPOSE" and (asked := self._take(by, m, "call", "proposal")):
            h.terms = self._read_proposal(c)
            self._replace(by, m, "proposal", asked)
            self.offer = h.terms
            return "proposal"
        if act == "REFUSE" and (asked := self._take(by, m, "call")):
            self.open.remove(asked)
            return "refuse"
        if act == "REJECT-PROPOSAL" and (asked := self._take(by, m, "proposal")):
            self.open.remove(asked)
            return "reject"
        if act == "ACCEPT-PROPOSAL" and (asked := self._take(by, m, "proposal")):
            return self._accept(by, m, c, h, asked)
        if act == "INFORM" and (asked := self._take(by, m, "accept")):
            a = Agreement(self.offer)
            if not a.signed_by(m.sender, str(c.get("signature", ""))):
                raise AnexError("a signature that is missing or does not fit")
            a["signatures"] = {**a["signatures"], m.sender: c["signature"]}
            self.open.remove(asked)
            self._bind(a)
            h.terms = a
            return "signature"
        return None

    def _accept(self, by, m, c, h, asked):
        a = Agreement(self.offer)
        terms, signature = c.get("terms", ""), c.get("signature", "")
        if not isinstance(terms, str) or not isinstance(signature, str):
            raise AnexError("terms and signature are strings")
        if terms and terms != a.hash() or signature and not terms:
            raise AnexError("other terms than those proposed")
        if signature and not a.signed_by(m.sender, signature):
            raise AnexError("a signature that does not fit")
        if by == self.asker:
            for n in self.call["access"]:
                if n.endswith("(m)") and not any(covers(g, _bare(n)) for g in a["access"]):
                    raise AnexError(f"the mandatory name {n!r} is missing")
            for n in self.call["promise"]:
                if n.endswith("(m)") and _bare(n) not in a["promise"]:
                    raise AnexError(f"the mandatory promise {n!r} is missing")
        h.terms = a
        if not signature:
            self.open.remove(asked)
            self._bind(a)
            return "accept"
        self._replace(by, m, "accept", asked)
        a["signatures"] = {m.sender: signature}
        self.offer = a
        return "accept"

    def _bind(self, a):
        self.phase, self.agreed, self._out.agreed = "bound", a, a

    def _read_call(self, c):
        r = _known(c, "request", ("identity", "owner", "relation", "request_type", "access", "promise", "deal", "ontologies"))
        for name in ("identity", "owner", "relation", "request_type"):
            if not isinstance(r.get(name, ""), str) or len(r.get(name, "").encode()) > 256:
                raise AnexError(f"{name} is a text of at most 256 bytes")
        if not r.get("identity") or not r.get("request_type"):
            raise AnexError("identity and request_type are needed")
        out = {**r, "access": _names(r.get("access") or []), "promise": _names(r.get("promise") or [])}
        for name in out["access"]:
            steps(_bare(name))
        if "deal" in r:
            _deal(r["deal"])
        return out

    def _read_proposal(self, c):
        r = _known(c, "response", ("access", "promise", "deal", "at"))
        names = [""] * 2
        names[self.side], names[1 - self.side] = self.name, self.peer
        access = sorted((_bare(n) for n in _names(r.get("access") or [])), key=str.encode)
        for n in access:
            steps(n)
        a = Agreement(
            format=FORMAT, conversation=self.conversation, asker=names[self.asker], holder=names[1 - self.asker],
            identity=self.call["identity"], owner=self.call.get("owner", ""), relation=self.call.get("relation", ""),
            request_type=self.call["request_type"], access=access,
            promise=sorted((_bare(n) for n in _names(r.get("promise") or [])), key=str.encode),
        )
        deal = _deal(r["deal"]) if "deal" in r else self.call.get("deal")
        if deal is not None:
            a["deal"] = deal
        if self.call.get("ontologies") is not None:
            a["ontologies"] = self.call["ontologies"]
        if r.get("at"):
            M.read_time(r["at"])
            a["at"] = r["at"]
        return a

    def _within(self, by, data):
        names = [""] * 2
        names[self.side], names[1 - self.side] = self.name, self.peer
        if not self.agreed:
            raise AnexError("data before an agreement")
        if self.agreed["asker"] != names[by] and cut(data, self.agreed["access"]) != data:
            raise AnexError("data beyond the agreed access")

    def _exchange(self, by, m, c, h):
        if self.phase not in ("bound", "ending"):
            return None
        act, asked = m.performative, self._take(by, m, "request")
        if act == "REQUEST":
            self._await(by, m, "request")
            return "request"
        if act == "INFORM" and (asked or not m.in_reply_to):
            self._within(by, c)
            if asked:
                self.open.remove(asked)
            return "data"
        if act == "AGREE" and asked:
            return "agree"
        if act == "REFUSE" and asked:
            self.open.remove(asked)
            h.text = _text(c, "response")
            return "refuse"
        return None

    def _subscribe(self, by, m, c, h):
        if self.phase != "bound":
            return None
        act, asked = m.performative, self._take(by, m, "subscription")
        if act == "SUBSCRIBE":
            h.topic, credit = _words(c, "topic"), _count(c, "credit")
            p = self._await(by, m, "subscription")
            p.topic, p.credit = h.topic, credit
            return "subscription"
        if act == "REQUEST":
            more = _count(c, "credit")
            for p in self.open:
                if p.by == by and p.what == "subscription" and p.id == m.in_reply_to and p.active:
                    p.credit, h.topic = min(p.credit + more, 1024), p.topic
                    return "credit"
            return None
        if not asked:
            return None
        h.topic = asked.topic
        if act == "AGREE" and not asked.active:
            asked.active, asked.until = True, 0
            return "agree"
        if act == "REFUSE" and not asked.active:
            self.open.remove(asked)
            return "refuse"
        if act == "INFORM" and asked.active:
            if not isinstance(c.get("update"), dict):
                raise AnexError("an update is an object")
            if not asked.credit:
                raise AnexError("an update without credit")
            self._within(by, c["update"])
            asked.credit -= 1
            return "update"
        return None

    def _flush(self):
        for p in self.open:
            while p.what == "subscription" and p.by != self.side and p.active and p.credit and p.held and self.phase == "bound":
                content = {"update": p.held.pop(0)}
                if p.missed:
                    content["missed"] = p.missed
                m = Message("INFORM", self.name, self.peer, content, _S, self.conversation, "", p.id)
                self._out.send.append(m.encode())
                p.missed, p.credit, self.messages = 0, p.credit - 1, self.messages + 1

    def _terminate(self, by, m, c, h):
        if m.performative != "INFORM" or self.phase == "begins":
            return None
        h.text = _text(c, "message")
        if self.phase == "ending":
            if self.agreed:
                self._end("completed")
            else:
                self._end("declined", "no agreement")
            return "end"
        self.phase, self.closer, self.open = "ending", by, []
        self.until = min(self.until, self.now + self.caps.reply)
        return "end"
