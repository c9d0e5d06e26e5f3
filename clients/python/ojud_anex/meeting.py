"""Meetings: a conversation of several agents through one of them, with signed minutes.

The convener puts what members say into an order, and is not trusted with it (docs/talking.md)."""

import asyncio
import base64
import hashlib
import re
import time
from dataclasses import dataclass, field

from websockets.exceptions import ConnectionClosed

from . import message as M
from .agreement import SEVERAL, Agreement, canonical, public_key, verifies
from .message import AnexError, Message, loads
from .socket import opened

MAX_FRAME, MAX_MESSAGE, MAX_MEMBERS, MAX_SAID, MAX_BYTES = 96 << 10, 32 << 10, 32, 256, 1 << 20
SLACK, CARRY = 120_000, 30  # ms that clocks may differ, and seconds for a remark to be carried
PROTOCOL, EVERYBODY = "ANEX-Meeting", "*"
SUBPROTOCOL = "anex.meeting.v1"
_SAID, _ENTRY = "anex:meeting:v1", "anex:minutes:v1"
_PROTOCOLS = (M.PROTOCOLS - {M.FIPA_SUBSCRIBE}) | {PROTOCOL}
_ACTS = M.ACTS - {"SUBSCRIBE"}


def _hash(value):
    return hashlib.sha256(canonical({k: v for k, v in value.items() if k != "signature"}).encode()).hexdigest()


def _sign(key, tag, digest):
    return base64.b64encode(key.sign((tag + digest).encode())).decode()


def _signed(who, tag, digest, signature):
    try:
        raw = base64.b64decode(signature, validate=True)
    except ValueError:
        return False
    return base64.b64encode(raw).decode() == signature and verifies(who, (tag + digest).encode(), raw)


def _read(text, **types):
    """An object in its one form, with these members."""
    if len(text.encode()) > MAX_FRAME:
        raise AnexError("a frame that is too large")
    v = loads(text)
    if not isinstance(v, dict) or canonical(v) != text or not _has(v, **types):
        raise AnexError("it is not in its canonical form, or has other members")
    return v


def _has(v, **types):
    return isinstance(v, dict) and set(v) == set(types) and all(type(v[k]) is t for k, t in types.items())


_REMARK = {"message": dict, "seen": str, "signature": str}


def _names(names):
    if not isinstance(names, list) or len(set(map(str, names))) != len(names):
        raise AnexError("a list of agents, each once, is needed")
    for n in names:
        public_key(n if isinstance(n, str) else "")
    return names


@dataclass
class Heard:
    what: str  # opening, joined, spoke, proposal, accept, reject, removed, left or closed
    index: int = 0
    at: int = 0
    sender: str = ""
    message: Message | None = None
    terms: Agreement | None = None
    agreed: Agreement | None = None  # the last party has signed
    member: str = ""  # who was removed


@dataclass
class _Member:
    joined: bool = False
    out: bool = False
    said: int = 0
    bytes: int = 0
    seen: int = 0


@dataclass
class _Terms:
    agreement: Agreement
    answered: set = field(default_factory=set)
    rejected: bool = False


def terms(meeting, proposer, about, parties, promise=(), deal=None, at=""):
    """Terms of a meeting, which all of their parties have to sign."""
    a = Agreement(
        format=SEVERAL, conversation=meeting, asker=proposer, holder="", identity=proposer, owner="", relation="",
        request_type=about, access=[], promise=list(promise), parties=sorted(parties),
    )
    if at:
        a["at"] = at
    if deal is not None:
        a["deal"] = deal
    return a


def _check_terms(a):
    texts = ("format", "conversation", "asker", "holder", "identity", "owner", "relation", "request_type")
    lists = ("access", "promise", "parties")
    whole = (
        isinstance(a, dict) and set(texts + lists) <= set(a) <= set(texts + lists + ("at", "deal", "ontologies"))
        and all(isinstance(a[n], str) for n in texts) and isinstance(a.get("at", "x"), str) and a.get("at", "x")
        and all(isinstance(a[n], list) and all(isinstance(x, str) for x in a[n]) for n in lists)
        and a["format"] == SEVERAL and not any(a[n] for n in ("holder", "owner", "relation", "access")) and "ontologies" not in a and a["identity"] == a["asker"] and a["asker"] in a["parties"]
        and 2 <= len(a["parties"]) <= MAX_MEMBERS and sorted(set(a["parties"])) == a["parties"]
    )
    if not whole:
        raise AnexError("these are no terms of a meeting")
    return Agreement(a)


class Minutes:
    """A meeting as one member has it. The convener is proven by the caller. Times are Unix ms."""

    def __init__(self, convener):
        self.convener, self.opening, self.until, self.at = convener, None, 0, 0
        self.hashes, self.members, self.open = [], {}, {}
        self.unheard, self.closed = 0, False

    @property
    def id(self):
        return self.hashes[0] if self.hashes else ""

    @property
    def head(self):
        return self.hashes[-1] if self.hashes else ""

    def speaks(self, who):
        return who == self.convener or not self.opening.get("speakers") or who in self.opening["speakers"]

    def speakers(self):
        """Who may sign terms here, and did not leave."""
        return [w for w in [self.convener, *self.opening["members"]] if self.speaks(w) and not self.members[w].out]

    def say(self, key, performative, protocol, content, in_reply_to=""):
        """A remark of the owner of the key. AnexError means that it must not be said now."""
        who = self.members.get(key.did)
        n = (who.said if who else 0) + self.unheard + 1
        m = Message(performative, key.did, EVERYBODY, content, protocol, self.id, str(n), in_reply_to)
        s = {"message": loads(m.encode()), "seen": self.head}
        s["signature"] = _sign(key, _SAID, _hash(s))
        self._look(s, self.unheard)
        text = canonical(s)
        _read(text, **_REMARK)
        self.unheard += 1
        return text

    def order(self, key, sender, said, at):
        """The entry of a remark of a proven sender, which is added. For a convener."""
        s = _read(said, **_REMARK)
        if s["message"].get("sender") != sender:
            raise AnexError("a remark of another")
        e = {"at": max(at, self.at), "index": len(self.hashes), "prev": self.head, "said": s}
        e["signature"] = _sign(key, _ENTRY, _hash(e))
        text = canonical(e)
        return text, self.add(text, e["at"], key.did)

    def add(self, text, now, self_name=""):
        """Takes the next entry. AnexError is the fault of the convener, and changes nothing."""
        e = _read(text, at=int, index=int, prev=str, said=dict, signature=str)
        digest = _hash(e)
        if self.closed or not _has(e["said"], **_REMARK):
            raise AnexError("the meeting is over, or the entry is none")
        if e["index"] != len(self.hashes) or e["prev"] != self.head:
            raise AnexError("the convener left something out, or told others something else")
        if not _signed(self.convener, _ENTRY, digest, e["signature"]):
            raise AnexError("the signature of the convener does not fit")
        if e["at"] < self.at or e["at"] > now + SLACK or self.hashes and e["at"] > self.until + SLACK:
            raise AnexError("an entry of another time")
        heard, commit = self._look(e["said"], 0)
        commit()
        heard.index, heard.at, self.at = e["index"], e["at"], e["at"]
        self.hashes.append(digest)
        if heard.sender == self_name and self.unheard:
            self.unheard -= 1
        return heard

    # The rules.

    def _look(self, s, ahead):
        text = canonical(s["message"])
        if len(text.encode()) > MAX_MESSAGE:
            raise AnexError("a message that is too long for a meeting")
        m = M.parse(text)
        if not _signed(m.sender, _SAID, _hash(s), s["signature"]):
            raise AnexError(f"the signature of {m.sender[:80]} does not fit")
        if m.receiver != EVERYBODY or m.conversation != self.id or m.reply_by or not m.known or m.performative not in _ACTS or m.protocol not in _PROTOCOLS:
            raise AnexError(f"{m.performative[:40]} of {m.protocol[:40]} in a meeting")
        heard = Heard("", sender=m.sender, message=m)
        if not self.hashes:
            return heard, self._begin(s, m, heard)
        who, size = self.members.get(m.sender), len(text.encode())
        if who is None or who.out:
            raise AnexError(f"{m.sender[:80]} is no member, or not any more")
        if s["seen"] not in self.hashes or self.hashes.index(s["seen"]) < who.seen:
            raise AnexError(f"{m.sender[:80]} has seen other entries: the convener told it something else")
        if m.reply_with != str(who.said + ahead + 1):
            raise AnexError(f"a remark of {m.sender[:80]} is left out, or comes again")
        most = MAX_SAID * 2 if m.sender == self.convener else MAX_SAID
        if who.said + ahead >= most or who.bytes + size > MAX_BYTES and m.sender != self.convener:
            raise AnexError("the member said too much")
        seen, more = self.hashes.index(s["seen"]), self._follow(who, m, heard, ahead)

        def commit():
            who.said, who.bytes, who.seen = who.said + 1, who.bytes + size, seen
            if more:
                more()

        return heard, commit

    def _begin(self, s, m, heard):
        o = m.content.get("opening")
        first = m.sender == self.convener and m.protocol == PROTOCOL and m.performative == "INFORM" and s["seen"] == "" and m.reply_with == "1"
        if not first or set(m.content) != {"opening"} or not isinstance(o, dict) or not {"topic", "members", "until"} <= set(o) <= {"topic", "members", "until", "speakers"}:
            raise AnexError("a meeting begins with an opening by its convener")
        members, speakers = _names(o["members"]), _names(o.get("speakers", []))
        if "speakers" in o and not speakers or not set(speakers) <= set(members) or self.convener in members or not 1 <= len(members) < MAX_MEMBERS:
            raise AnexError("an opening has 1 to 31 members, each once, without the convener")
        if not isinstance(o["topic"], str) or not 1 <= len(o["topic"].encode()) <= 2000:
            raise AnexError("an opening has a topic")
        if not isinstance(o["until"], str) or not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", o["until"], re.ASCII):
            raise AnexError("until is a time such as 2026-12-01T10:00:00Z")
        until = M.read_time(o["until"])
        heard.what = "opening"

        def commit():
            self.opening, self.until = o, until
            self.members = {self.convener: _Member(True, said=1), **{n: _Member() for n in members}}

        return commit

    def _follow(self, who, m, heard, ahead):
        c, act = m.content, m.performative
        text = c.get("message") if isinstance(c.get("message"), str) else ""
        introduction = m.protocol == M.HANDSHAKING and act == "REQUEST" and M.MARKER in text
        if introduction == (who.joined or ahead > 0):
            raise AnexError("a member introduces itself first, and once")
        if introduction:
            heard.what = "joined"
            return lambda: setattr(who, "joined", True)
        if m.protocol == M.TERMINATION and act == "INFORM":
            heard.what = "closed" if m.sender == self.convener else "left"
            return (lambda: setattr(self, "closed", True)) if heard.what == "closed" else (lambda: setattr(who, "out", True))
        if act == "CANCEL":
            gone = self.members.get(c["member"]) if isinstance(c.get("member"), str) else None
            if m.sender != self.convener or gone is None or gone.out or c["member"] == self.convener:
                raise AnexError("the convener removes members")
            heard.what, heard.member = "removed", c["member"]
            return lambda: setattr(gone, "out", True)
        if not self.speaks(m.sender) or m.protocol == PROTOCOL:
            raise AnexError("a listener speaks, or a second opening")
        if m.protocol == M.CONTRACT_NET and act == "PROPOSE":
            return self._propose(m, c, heard)
        if m.protocol == M.CONTRACT_NET and act in ("ACCEPT-PROPOSAL", "REJECT-PROPOSAL"):
            return self._answer(m, c, heard)
        heard.what = "spoke"
        return None

    def _propose(self, m, c, heard):
        a = _check_terms(c.get("terms"))
        if set(c) != {"terms"} or a["conversation"] != self.id or a["asker"] != m.sender:
            raise AnexError("terms that are not of this meeting and its proposer")
        if any(p not in self.members or not self.speaks(p) for p in a["parties"]) or a.hash() in self.open:
            raise AnexError("a party that does not speak here, or terms that were proposed before")
        heard.what, heard.terms = "proposal", a
        return lambda: self.open.__setitem__(a.hash(), _Terms(a))

    def _answer(self, m, c, heard):
        t = self.open.get(c["terms"]) if isinstance(c.get("terms"), str) else None
        if t is None or m.sender not in t.agreement["parties"] or m.sender in t.answered:
            raise AnexError("an answer to terms that it cannot answer, or has answered")
        a = Agreement(t.agreement)
        heard.terms = a
        if m.performative == "REJECT-PROPOSAL":
            heard.what = "reject"

            def reject():
                t.answered.add(m.sender)
                t.rejected = True

            return reject
        if not isinstance(c.get("signature"), str) or not a.signed_by(m.sender, c["signature"]):
            raise AnexError(f"the signature of {m.sender[:80]} under the terms does not fit")
        a["signatures"] = {**a.get("signatures", {}), m.sender: c["signature"]}
        heard.what = "accept"
        if not t.rejected and len(a["signatures"]) == len(a["parties"]):
            heard.agreed = a

        def accept():
            t.answered.add(m.sender)
            t.agreement = a

        return accept


class Meeting:
    """A meeting over a websocket, for a member. Iterate over it to hear; it ends when the meeting is
    over. What the convener did wrong raises AnexError. entries are the minutes, to keep."""

    def __init__(self, ws, key, convener, owner):
        self.ws, self.key, self.owner, self.minutes = ws, key, owner, Minutes(convener)
        self.entries, self.over, self._since = [], False, time.monotonic()

    async def say(self, performative, protocol, content, in_reply_to=""):
        text = self.minutes.say(self.key, performative, protocol, content, in_reply_to)
        if self.minutes.unheard == 1:
            self._since = time.monotonic()
        await self.ws.send(text)

    async def hear(self):
        """The next entry, or None at the end."""
        if self.over:
            return None
        m = self.minutes
        ends = (m.until + SLACK) / 1000 - time.time() if m.hashes else CARRY
        waits = self._since + CARRY - time.monotonic() if m.unheard or not m.hashes else ends
        try:
            raw = await asyncio.wait_for(self.ws.recv(), max(min(ends, waits), 0))
            if not isinstance(raw, str):
                raise AnexError("a frame that is no text")
            heard = m.add(raw, int(time.time() * 1000), self.key.did)
            self.entries.append(raw)
            self._since = time.monotonic()
        except asyncio.TimeoutError:
            await self.close()
            raise AnexError("the convener did not begin, did not carry a remark of ours, or did not end") from None
        except ConnectionClosed:
            self.over = True
            raise AnexError("the connection ended") from None
        except AnexError:
            await self.close()
            raise
        if heard.what == "opening":
            if self.key.did not in m.members:
                await self.close()
                raise AnexError("we are not invited")
            await self.say("REQUEST", M.HANDSHAKING, {"message": f"Hi, I'm {self.owner}'s AI assistant {M.MARKER}."})
        if heard.what == "closed" or heard.what == "left" and heard.sender == self.key.did or heard.member == self.key.did:
            await self.close()
        return heard

    def __aiter__(self):
        return self

    async def __anext__(self):
        h = await self.hear()
        if h is None:
            raise StopAsyncIteration
        return h

    async def tell(self, data):
        await self.say("INFORM", M.DATA_EXCHANGE, data)

    async def propose(self, about="", parties=None, promise=(), deal=None):
        """Proposes terms to all who may speak, or to parties. All of them have to sign."""
        m, at = self.minutes, time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        a = terms(m.id, self.key.did, about or m.opening["topic"], parties or m.speakers(), promise, deal, at)
        await self.say("PROPOSE", M.CONTRACT_NET, {"terms": a})
        return a

    async def accept(self, agreement):
        """Signs terms that were heard: look at all of them first."""
        a = Agreement(agreement)
        await self.say("ACCEPT-PROPOSAL", M.CONTRACT_NET, {"terms": a.hash(), "signature": a.sign(self.key)})

    async def reject(self, agreement, text="No."):
        await self.say("REJECT-PROPOSAL", M.CONTRACT_NET, {"terms": Agreement(agreement).hash(), "response": text})

    async def leave(self):
        await self.say("INFORM", M.TERMINATION, {"message": "Session terminated."})

    async def close(self):
        self.over = True
        await self.ws.close()


async def join(url, key, peer="", owner="", context=None):
    """Opens the connection to the convener of a meeting. With peer nobody else can answer, and it
    needs no authority. The member introduces itself when it has heard the opening."""
    ws, convener = await opened(url, key, peer, context, [SUBPROTOCOL])
    return Meeting(ws, key, convener, owner)
