"""Calls of agents of an agent host: agent://HOST:PORT/ID/CAPABILITY."""

import asyncio
import base64
import contextlib
import copy
import hashlib
import inspect
import json
import re
import secrets
import ssl
import time
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from .agreement import canonical, public_key, verifies
from .frame import MAX_BODY, MAX_FRAME, Bye, PeerSession, decode, decode_body, encode
from .message import AnexError
from .names import resolve
from .ucan import Chain, call

SUBPROTOCOL = "ojud-channel-1"
_ADDRESS = re.compile(r"agent://(?:(z6Mk[1-9A-HJ-NP-Za-km-z]{40,48})@)?(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9.-]+):([0-9]{1,5})/([a-z0-9][a-z0-9-]{0,63})/([a-z0-9][a-z0-9_.-]{0,63})")
_MAX_PAYLOAD, _MAX_TOLD = 256 << 10, 100_000
_OPEN, _PATIENCE, _SILENCE, _WINDOW, _MAX_CALLS, _MAX_LENT, _AT_ONCE = 15, 120, 2, 64, 1000, 100, 8


class Here(connect):
    """Connects to the host itself. One that has shown nothing yet must not lead callers elsewhere."""

    def process_redirect(self, exc):
        return exc


class Refused(AnexError):
    """The host or the delegation refuses a call. Code says what kind of refusal it is."""

    def __init__(self, code, words, name=""):
        super().__init__(f"{words} ({code})")
        self.code, self.name = code, name


class _Lost(Exception):
    """The host does not know the session any more."""


class _Client:
    def __init__(self, address, key, chain, agent, context):
        m = _ADDRESS.fullmatch(address) if len(address) <= 500 else None
        if not m or not 0 < int(m[3]) < 65536:
            raise AnexError(f"{address[:80]!r} is no address; write agent://HOST:PORT/ID/CAPABILITY, or name the court that knows the agent")
        self.operator = "did:key:" + m[1] if m[1] else ""
        self.host, self.port, self.id, self.capability = m[2].strip("[]"), int(m[3]), m[4], m[5]
        self.at = f"{m[2]}:{m[3]}"
        self.key, self.chain, self.agent, self.context = key, chain, agent, context
        # Of all sessions of a call: since when nothing is heard of the host, and if that was told.
        self.since, self.away, self.why = None, False, "it does not answer"

    def _tls(self, pinned):
        if not pinned:
            tls = self.context or ssl.create_default_context()
            tls.minimum_version = ssl.TLSVersion.TLSv1_3
            return tls
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        tls.minimum_version, tls.check_hostname, tls.verify_mode = ssl.TLSVersion.TLSv1_3, False, ssl.CERT_NONE
        return tls

    def _shows(self, transport):
        """Whether the host has the key of its operator. Nothing is said to a host before that."""
        der = transport.get_extra_info("ssl_object").getpeercert(True)
        public = x509.load_der_x509_certificate(der).public_key()
        want = self.operator or self.chain.subject or self.key.did
        return isinstance(public, Ed25519PublicKey) and public.public_bytes_raw() == public_key(want)

    async def _open(self, opener):
        """Opens a connection to a host that shows the key, or has a certificate of an authority."""
        one = await opener(self._tls(True))
        if self._shows(one.transport):
            return one
        one.transport.abort()
        if self.operator:
            raise AnexError(f"the host {self.at} does not show the key of its operator {self.operator}")
        try:
            return await opener(self._tls(False))
        except ssl.SSLError as e:
            raise AnexError(f"the host {self.at} shows neither the key at which the chain begins nor a certificate of an authority: {e}") from e

    async def find(self):
        """Asks the host for the key of the agent."""

        async def opener(tls):
            reader, writer = await asyncio.open_connection(self.host, self.port, ssl=tls, server_hostname=self.host, limit=8 << 10)
            writer.reader = reader
            return writer

        async with asyncio.timeout(_OPEN):
            writer = await self._open(opener)
            try:
                writer.write(f"GET /agents/{self.id} HTTP/1.1\r\nHost: {self.at}\r\nConnection: close\r\n\r\n".encode())
                await writer.drain()
                raw = b""
                while len(raw) < 16 << 10 and (more := await writer.reader.read(4 << 10)):
                    raw += more
            finally:
                writer.transport.abort()
        head, _, body = raw.partition(b"\r\n\r\n")
        try:
            said = json.loads(body)
            if b" 200 " not in head.split(b"\r\n")[0]:
                raise Refused(str(said["code"]), str(said["error"])[:300])
            agent, operator = said["agent"], said["operator"]
            public_key(agent)
            if said["id"] != self.id:
                raise KeyError("id")
        except (ValueError, KeyError, TypeError, AttributeError) as e:
            raise AnexError(f"the host {self.at} does not say who {self.id} is") from e
        if self.agent and agent != self.agent:
            raise AnexError(f"{self.id} is {agent} at the host {self.at}, and {self.agent} is expected")
        if self.chain.subject and self.chain.subject not in (agent, operator):
            raise AnexError(f"the chain begins at {self.chain.subject}, which is neither the agent nor its operator")
        self.agent = agent

    async def _socket(self):
        async def opener(tls):
            return await Here(f"wss://{self.at}/agents/{self.id}", ssl=tls, server_hostname=self.host, subprotocols=[SUBPROTOCOL],
                              max_size=MAX_FRAME, open_timeout=_OPEN, proxy=None, compression=None)

        return await self._open(opener)

    async def run(self, order, heard, offers):
        """One session. It connects again when the connection is lost, for two minutes."""
        s = {"line": PeerSession(secrets.token_urlsafe(24), _WINDOW), "waiting": [{"run": order}], "calls": set(), "slots": asyncio.Semaphore(_AT_ONCE)}
        try:
            return await self._links(s, heard, offers)
        finally:
            for task in s["calls"]:
                task.cancel()

    async def _links(self, s, heard, offers):
        pause = 0.05
        self.lost()
        while True:
            begun = time.monotonic()
            attempt = asyncio.ensure_future(self._attempt(s, heard, offers))
            try:
                if not self.away:  # a dial can hang for longer
                    await asyncio.wait({attempt}, timeout=max(0, self.since + _SILENCE - time.monotonic()))
                    if self.since is not None and time.monotonic() - self.since >= _SILENCE:
                        self.away = True
                        if heard:
                            heard("away", {"error": self.why[:300]})
                return await attempt
            except (ConnectionClosed, InvalidHandshake, OSError, TimeoutError) as e:
                self.why = str(e) or "it does not answer"
                if self.since is None and time.monotonic() - begun > 1:
                    pause = 0.05  # else it may greet and shut, again and again
                self.lost()
                if time.monotonic() - self.since > _PATIENCE:
                    raise AnexError(f"the host {self.at} cannot be reached: {e}") from e
            finally:
                attempt.cancel()
                await asyncio.gather(attempt, return_exceptions=True)
            await asyncio.sleep(pause)
            pause = min(2 * pause, 1)

    def lost(self):
        """Nothing is heard of the host from now on, unless that was so before."""
        if self.since is None:
            self.since = time.monotonic()

    async def _attempt(self, s, heard, offers):
        ws = await self._socket()
        try:
            async with asyncio.timeout(_OPEN) as self.quiet:  # until something is heard on it
                return await self._link(ws, s, heard, offers)
        finally:
            ws.transport.abort()  # a peer need not answer, and until then calls would go on

    async def _link(self, ws, s, heard, offers):
        line, waiting, calls, turn = s["line"], s["waiting"], s["calls"], asyncio.Lock()

        async def send(frames):
            async with turn:  # so that nothing comes between them
                for f in frames:
                    await ws.send(encode(f))

        async def flush():
            frames = []
            while waiting and line.room(waiting[0]):
                frames += line.posted(waiting.pop(0))
            await send(frames)

        async def post(body):
            if len(encode(body)) > MAX_BODY:  # it has no room in a channel
                short = {n: str(body["result"].get(n))[:200] for n in ("id", "name")}
                body = {"result": short | {"error": "the result is too long"}}
            waiting.append(body)
            await s["flush"]()

        async def perform(c):
            async with s["slots"]:
                result = {"result": await offers.perform(c, heard)}
            with contextlib.suppress(ConnectionClosed):  # it is sent over the next connection
                await post(result)

        async def bye(code, words):
            with contextlib.suppress(ConnectionClosed):
                await send([{"bye": {"code": code, "error": words[:100]}}])

        s["flush"] = flush
        await send(line.linked())
        async for raw in ws:
            offers.told += 1
            try:
                if offers.told > _MAX_TOLD:
                    raise AnexError("it says too much")
                frames, bodies = line.heard(decode(raw))
                self.since = None
                self.quiet.reschedule(None)
                await send(frames)
                await flush()
                if bodies:
                    kind, value = decode_body(bodies[0])
                    await send(line.take() or line.settle())
            except Bye as e:
                if not e.theirs:
                    await bye(e.code, e.words)
                if e.code == "gone":
                    raise _Lost from e
                raise AnexError(f"the host {self.at}: {e}") from e
            except AnexError as e:
                await bye("form", str(e))
                raise AnexError(f"the host {self.at} breaks the protocol: {e}") from e
            if self.away:
                self.away = False
                if heard:
                    heard("back", {})
            if not bodies:
                continue
            if kind == "end":
                return value
            if heard:
                heard(kind, value)
            if kind == "call":
                if (at := str(value.get("id"))) in offers.ids:
                    continue
                if len(calls) + line.unheard + len(waiting) >= _WINDOW:
                    raise AnexError("the agent does not take what it asked for")
                if len(offers.ids) >= offers.most:
                    await post({"result": {"id": at, "name": str(value.get("name")), "error": f"it has made {offers.most} calls"}})
                    continue
                offers.ids.add(at)
                calls.add(task := asyncio.create_task(perform(value)))
                task.add_done_callback(calls.discard)
        raise ConnectionResetError("the connection is lost")

    def check(self, answer, order, call_id, payload):
        """Checks that the agent signed this end of this call."""
        try:
            if "code" in answer:
                raise Refused(str(answer["code"]), str(answer["error"])[:500], str(answer.get("name", "")))
            if answer["correlation_id"] != call_id or answer["did"] != self.agent:
                raise AnexError("the host answers with the end of another call")
            signed = answer.get("attestation")
            if not signed:
                if answer["status"] == "ok":
                    raise AnexError("the host gives a result that the agent did not sign")
                return
            task = {
                "caller": self.key.did, "target": f"agent://{self.id}/{self.capability}", "correlation_id": call_id, "payload": payload,
                "timeout_ms": order.get("timeout_ms", 0),
            }
            outcome = {k: answer[k] for k in ("status", "result", "error") if k in answer}
            signature = base64.b64decode(signed["signature"], validate=True)
            bare = {**signed, "signature": base64.b64encode(bytes(64)).decode()}
            good = (
                signed["version"] == 1 and signed["agent"] == self.agent and signed["call"] == answer["call"] and signed["task"] == _hash(task)
                and signed["delegation"] == (_hash(answer["delegation"]) if answer.get("delegation") else "")
                and signed["status"] == answer["status"] and signed["outcome"] == _hash(outcome)
                and verifies(self.agent, b"ojud/agent-attestation/1\0" + canonical(bare).encode(), signature)
            )
        except (KeyError, TypeError, ValueError, AttributeError) as e:
            raise AnexError(f"the end of the call cannot be read: {e}") from e
        if not good:
            raise AnexError("the attestation of the result does not hold")


def _hash(value):
    return hashlib.sha256(canonical(value).encode()).hexdigest()


@dataclass
class Tool:
    """A tool that this side runs for an agent: run(input), or with changes=True run(input, at),
    which reads at.context and may set it. It may be async."""

    run: Any
    description: str = ""
    schema: Any = None  # JSON Schema of the input
    output_schema: Any = None
    changes: bool = False


@dataclass
class Minion:
    """An agent of another host that this side calls for an agent, under the chain. Calls of all
    minions come one after the other and have one budget, which invoke names. A minion reads the
    context, and may call those of the tools of this side that are named in tools. Offer only what
    may be asked anything: the agent says with what it is called. Agent is the did:key that has to
    sign its results; empty: that which its host names."""

    address: str
    description: str = ""
    chain: Any = None
    schema: Any = None
    tools: Any = ()
    agent: str = ""


class _Offers:
    """What an agent may have this side do."""

    def __init__(self, tools, minions, key, tls, chunks, budget=(0, 0), most=_MAX_CALLS):
        self.all = {n: t if isinstance(t, Tool) else Tool(t[1], t[0]) for n, t in (tools or {}).items()}
        if both := self.all.keys() & (minions or {}).keys():
            raise AnexError(f"{sorted(both)} are tools and minions; each has its own name")
        self.all |= minions or {}
        for m in (minions or {}).values():
            if wrong := [n for n in m.tools if not isinstance(self.all.get(n), Tool)]:
                raise AnexError(f"a minion may call {wrong}, which are no tools that are offered here")
        self.key, self.tls, self.chunks = key, tls, chunks
        self.left, self.turn = budget, asyncio.Lock()  # of all calls of minions
        self.ids, self.most, self.told = set(), most, 0  # of all sessions

    def reprs(self, kind):
        return [
            {"name": n, "description": o.description, "inputSchema": {} if o.schema is None and kind is Minion else o.schema or {"type": "object"}}
            | ({"outputSchema": o.output_schema} if kind is Tool and o.output_schema is not None else {})
            for n, o in self.all.items() if isinstance(o, kind)
        ]

    async def perform(self, c, heard):
        """Makes a call, and returns its result."""
        r = {"id": c.get("id", ""), "name": c.get("name", "")}
        try:
            one = self.all[c["name"]]
            if isinstance(one, Minion):
                return r | {"output": await self._delegate(one, c, heard)}
            at = SimpleNamespace(context=copy.deepcopy(c.get("context")))
            out = one.run(c.get("input"), at) if one.changes else one.run(c.get("input"))
            r["output"] = await out if inspect.isawaitable(out) else out
            if at.context != c.get("context"):
                r["context"] = at.context
            if len(encode(r)) > 512 << 10:
                raise ValueError("the output is too long")
        except Exception as e:  # what a tool raises is told to the agent that called it
            r = {"id": c.get("id", ""), "name": c.get("name", ""), "error": f"{type(e).__name__}: {e}"[:1000]}
        return r

    async def _delegate(self, one, c, heard):
        """Has a minion make a call. Its steps are heard between those of the agent."""
        async with self.turn:
            budget, self.left = self.left, (0, 0)  # if nobody says how much was spent, it was all
            return await self._call(one, c, heard, *budget)

    async def _call(self, one, c, heard, tokens, microdollars):
        if heard:
            heard("minion_start", {"id": c["id"], "name": c["name"]})

        def inner(kind, value):
            if kind == "final":
                u = value.get("usage") or {}
                spent, cost = u.get("prompt_tokens", 0) + u.get("completion_tokens", 0), u.get("cost_micros", 0)
                if min(u.get("prompt_tokens", 0), u.get("completion_tokens", 0), cost) >= 0:
                    self.left = max(0, tokens - spent), max(0, microdollars - cost)
            if heard and kind in ("step", "begin", "chunk", "stop", "step_end", "call", "result", "minion_start", "minion_result", "away", "back"):
                name = "id" if kind in ("call", "result", "minion_start", "minion_result", "away", "back") else "minion"
                heard(kind, value | {name: c["id"] + ("/" + value[name] if value.get(name) else "")})

        end = await invoke(one.address, c.get("input"), self.key, one.chain, agent=one.agent, tokens=tokens, microdollars=microdollars,
                           context=c.get("context"), tools={n: self.all[n] for n in one.tools}, chunks=self.chunks, heard=inner, tls=self.tls, max_runs=_MAX_LENT)
        if end["status"] != "ok":
            raise AnexError(f"its call ended as {end['status']}: {end.get('error')}")
        return end["result"]


def _checked(heard):
    """What heard raises about the agent ends the call, and is not taken for a connection that is
    lost. About a minion, it is the error of the minion's call."""

    def hear(kind, value):
        try:
            heard(kind, value)
        except AnexError:
            raise
        except Exception as e:
            raise AnexError(f"heard fails: {type(e).__name__}: {e}") from e

    return hear


async def _found(address, chain, agent, court, tls):
    address, signer = await resolve(address, chain, court, tls)
    if agent and signer and agent != signer:
        raise AnexError(f"the name leads to {signer}, and {agent} is expected")
    return address, agent or signer


async def invoke(address, payload, key, chain=None, *, agent="", tokens=0, microdollars=0, timeout_ms=0, context=None, params=None, tools=None, minions=None, minion_tokens=0, minion_microdollars=0, chunks=False, heard=None, tls=None, max_runs=_MAX_CALLS, court=""):
    """Calls an agent of another host, and returns the end of the call: status, result or error,
    and attestation, which was checked. Chain is that of a delegation to the key. With court, the
    URL of the API of a node, agents without a host in their address are found by their cards, once,
    as resolve does. Tools are {name: Tool(...)} or {name: (description, function)}, which this side
    runs, and minions {name: Minion(...)}, all of which together spend at most minion_tokens and
    minion_microdollars; heard(kind, value) gets each message, "away" when the host cannot be reached
    for two seconds, and "back" when it can again; if it is away for two minutes, the call fails. At
    most max_runs calls of tools and minions are made, and 100 in each call of a minion; the agent is
    told of one that is beyond."""
    chain, heard = chain or Chain(), heard and _checked(heard)
    if court:
        address, agent = await _found(address, chain, agent, court, tls)
        for n, m in (minions or {}).items():
            at, who = await _found(m.address, m.chain, m.agent, court, tls)
            minions = minions | {n: replace(m, address=at, agent=who)}
    offers = _Offers(tools, minions, key, tls, chunks, (minion_tokens, minion_microdollars), max_runs)
    text = canonical(payload)
    if len(text.encode()) > _MAX_PAYLOAD:
        raise AnexError(f"the payload has more than {_MAX_PAYLOAD} bytes")
    c = _Client(address, key, chain, agent, tls)
    try:
        await c.find()
    except (OSError, TimeoutError) as e:
        raise AnexError(f"the host {c.at} cannot be reached: {e}") from e
    command = f"/{c.id}/{c.capability.replace('.', '/')}"
    file, call_id = call(key, c.agent, command, text, chain, (0, tokens, microdollars))
    order = {"capability": c.capability, "input": payload, "invocation": file}
    if timeout_ms:
        order["timeout_ms"] = timeout_ms
    if context is not None:
        order["context"] = context
    if params is not None:
        order["params"] = params
    if chunks:
        order["chunks"] = True
    for kind, name in ((Tool, "tools"), (Minion, "minions")):
        if reprs := offers.reprs(kind):
            order[name] = reprs
    while True:
        try:
            answer = await c.run(order, heard, offers)
            break
        except _Lost as e:  # the host was started again; the same call is not made twice
            c.lost()
            if time.monotonic() - c.since > _PATIENCE:
                raise AnexError("the host does not know the call any more") from e
            await asyncio.sleep(1)
    c.check(answer, order, call_id, payload)
    return answer


async def describe(address, key, chain=None, *, agent="", tls=None, court=""):
    """What the agent at agent://HOST:PORT/ID says of itself: its name, its state, and under
    "capabilities" those that the chain allows, with the schemas of their inputs and results. It is
    no call, costs nothing, and is signed by the agent."""
    end = await invoke(address + "/agent.status", None, key, chain, agent=agent, tls=tls, court=court)
    if end["status"] != "ok":
        raise AnexError(f"the agent does not describe itself: {end.get('error')}")
    return end["result"]
