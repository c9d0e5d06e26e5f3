"""Conversations over wss: tokens of both sides, then ANEX."""

import asyncio
import base64
import datetime
import hashlib
import ipaddress
import json
import os
import secrets
import ssl
import tempfile
import time
from urllib.parse import urlsplit

from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.x509.oid import NameOID
from websockets.asyncio.client import connect as ws_connect
from websockets.asyncio.server import serve as ws_serve
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from . import cbor as codec
from . import message as M
from .agreement import Agreement, canonical, public_key, verifies
from .message import AnexError
from .session import Caps, Session

SUBPROTOCOL, SUBPROTOCOL_CBOR = "anex.v1", "anex.v1.cbor"
_TOKEN_TIME, _LEEWAY, _OPEN_TIME, _MAX_TOKEN = 120, 30, 15, 8 << 10
_MAX_TALKS = 256


def _b64(raw):
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def _unb64(text):
    raw = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    if _b64(raw) != text:
        raise ValueError("base64")
    return raw


def issue(key, to, session, certificate="", now=None):
    """An EdDSA JWT of the key for another agent, in one session."""
    now = int(time.time() if now is None else now)
    claims = {"iss": key.did, "aud": [to], "iat": now, "exp": now + _TOKEN_TIME, "jti": secrets.token_hex(16), "sid": session}
    if certificate:
        claims["crt"] = certificate
    parts = [{"alg": "EdDSA", "typ": "JWT"}, claims]
    text = ".".join(_b64(json.dumps(p, separators=(",", ":")).encode()) for p in parts)
    return text + "." + _b64(key.sign(text.encode()))


def read_token(token, to, session, now=None):
    """Checks a token that was shown to an agent in a session, and returns its claims."""
    now = time.time() if now is None else now
    try:
        if len(token) > _MAX_TOKEN:
            raise ValueError("length")
        head, body, signature = token.split(".")
        header, claims = M.loads(_unb64(head)), M.loads(_unb64(body))
        audience = claims["aud"] if isinstance(claims["aud"], list) else [claims["aud"]]
        good = (
            header["alg"] == "EdDSA"
            and verifies(claims["iss"], f"{head}.{body}".encode(), _unb64(signature))
            and to in audience and session and claims["sid"] == session
            and claims["iat"] - _LEEWAY <= now <= claims["exp"] + _LEEWAY
            and claims["exp"] - claims["iat"] <= 2 * _TOKEN_TIME
            and claims.get("nbf", 0) <= now + _LEEWAY
        )
    except (AnexError, ValueError, KeyError, TypeError, AttributeError):
        good = False
    if not good:
        raise AnexError("Invalid authentication token.")
    return claims


class Talk:
    """A conversation. Iterate over it to hear; it ends when the conversation ends."""

    def __init__(self, ws, key, peer, first, caps=None):
        self.ws, self.key, self.peer = ws, key, peer
        self.cbor = ws.subprotocol == SUBPROTOCOL_CBOR  # both sides announced it
        conversation = secrets.token_hex(12) if first else ""
        self.session = Session(key.did, peer, conversation, first, self._now(), caps or Caps())
        self.offer = self.called = self.proposed = self.agreement = self.ended = None

    @staticmethod
    def _now():
        return int(time.time() * 1000)

    async def _do(self, done):
        for frame in done.send:
            packed = codec.pack(frame, M.MAX_INFORM) if self.cbor else None
            await self.ws.send(frame if packed is None else packed)
        if done.agreed:
            self.agreement = done.agreed
        if done.ended:
            self.ended = done.ended
            await self.ws.close()
        return done

    async def say(self, performative, protocol, content, **ids):
        await self._do(self.session.say(self._now(), performative, protocol, content, **ids))
        if performative == "CFP":
            self.called, self.proposed = content["request"], None
        if performative == "PROPOSE" and protocol == M.CONTRACT_NET:
            self.proposed = content["response"]

    def _named(self, terms, deal=None, promise=(), access=()):
        """Refuses terms with a deal, a promise or an access that this side did not name."""
        own = (self.called if terms["asker"] == self.key.did else self.proposed) or {}
        there, wanted = terms.get("deal"), own.get("deal") if deal is None else deal
        if (there is not None or deal is not None) and (wanted is None or there is None or canonical(there) != canonical(wanted)):
            raise AnexError("the terms have another deal than was given; look at it, and give it as deal=")
        names = [*promise, *own.get("promise", []), *(self.proposed or {}).get("promise", [])]
        for p in terms["promise"]:
            if p not in [n.removesuffix("(m)") for n in names]:
                raise AnexError(f"the terms have a promise that was not given: {p!r}; look at it, and give it as promise=")
        names = [*access, *own.get("access", []), *(self.proposed or {}).get("access", [])]
        for a in terms["access"]:
            if a not in [n.removesuffix("(m)") for n in names]:
                raise AnexError(f"the terms have an access that was not named: {a!r}; look at it, and give it as access=")

    async def write(self, text):
        """Plain text, for those who do not speak ANEX."""
        await self._do(self.session.write(self._now(), text))

    async def publish(self, update, subscription=""):
        await self._do(self.session.publish(self._now(), update, subscription))

    async def hear(self):
        """The next that is heard, or None at the end."""
        while not self.ended:
            try:
                wait = max(self.session.next() / 1000 - time.time(), 0)
                raw = await asyncio.wait_for(self.ws.recv(), wait)
            except asyncio.TimeoutError:
                await self._do(self.session.clock(self._now()))
                continue
            except ConnectionClosed:
                await self._do(self.session.hangup(self._now()))
                return None
            if self.cbor and isinstance(raw, bytes):
                try:
                    raw = codec.unpack(raw, M.MAX_INFORM)
                except AnexError:
                    pass  # the machine refuses it, as it is no text in UTF-8
            done = await self._do(self.session.frame(self._now(), raw))
            for h in done.heard:
                if h.what == "call":
                    self.called = self.proposed = self.offer = None
                if h.what == "proposal":
                    self.offer = h.terms
                if h.what == "accept" and h.terms.get("signatures"):
                    try:
                        self._named(h.terms)
                    except AnexError:
                        await self.say("FAILURE", M.CONTRACT_NET, {"error": "These terms are not signed."})
                        raise
                    signature = Agreement(h.terms).sign(self.key)
                    await self.say("INFORM", M.CONTRACT_NET, {"response": "Signed.", "signature": signature})
                if h.what == "end" and not self.ended:
                    await self.end()
                return h
        return None

    def __aiter__(self):
        return self

    async def __anext__(self):
        h = await self.hear()
        if h is None:
            raise StopAsyncIteration
        return h

    async def expect(self, *what):
        """The next that is heard has to be one of these."""
        h = await self.hear()
        if h is None or h.what not in what:
            raise AnexError(f"heard {h and h.what}, not {' or '.join(what)}; {self.ended}")
        return h

    async def greet(self, owner):
        await self.say("REQUEST", M.HANDSHAKING, {"message": f"Hi, I'm {owner}'s AI assistant {M.MARKER}."})

    async def request(self, text, **more):
        await self.say("REQUEST", M.HANDSHAKING, {"request": text, **more})

    async def modify(self, text):
        await self.say("PROPOSE", M.HANDSHAKING, {"modification": text})

    async def agree(self, text="Agreed.", protocol=M.HANDSHAKING):
        await self.say("AGREE", protocol, {"response": text})

    async def refuse(self, text="No, thank you.", protocol=M.HANDSHAKING):
        await self.say("REFUSE", protocol, {"response": text})

    async def call(self, request_type, access=(), promise=(), owner="", relation="", **more):
        request = {
            "identity": self.key.did, "owner": owner, "relation": relation, "request_type": request_type,
            "access": list(access), "promise": list(promise), **more,
        }
        await self.say("CFP", M.CONTRACT_NET, {"request": request})

    async def propose(self, access=(), promise=(), **more):
        """Proposes terms. The deal of a call is part of them, so it has to be given to be signed."""
        s = self.session
        if s.call and s.call.get("deal") is not None and s.asker != s.side and more.get("deal") is None:
            raise AnexError("the call has a deal; look at it, and give it as deal=")
        at = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        await self.say("PROPOSE", M.CONTRACT_NET, {"response": {"access": list(access), "promise": list(promise), "at": at, **more}})

    async def reject(self, text):
        await self.say("REJECT-PROPOSAL", M.CONTRACT_NET, {"response": text})

    async def accept(self, deal=None, promise=(), access=()):
        """Accepts the terms that were proposed, and signs. A deal, and promises and names of access
        that are not in the own call, have to be given, because they bind."""
        if self.offer is None:
            raise AnexError("nothing was proposed")
        self._named(self.offer, deal, promise, access)
        a = Agreement(self.offer)
        await self.say("ACCEPT-PROPOSAL", M.CONTRACT_NET, {"response": "Accepted.", "terms": a.hash(), "signature": a.sign(self.key)})

    async def tell(self, data, in_reply_to=""):
        await self.say("INFORM", M.DATA_EXCHANGE, data, in_reply_to=in_reply_to)

    async def ask(self, request):
        await self.say("REQUEST", M.DATA_EXCHANGE, request)

    async def query(self, text):
        await self.say("QUERY-IF", M.FIPA_QUERY, {"query": text})

    async def answer(self, yes):
        await self.say("INFORM", M.FIPA_QUERY, {"answer": "yes" if yes else "no"})

    async def subscribe(self, topic, credit=8):
        await self.say("SUBSCRIBE", M.FIPA_SUBSCRIBE, {"topic": topic, "credit": credit})

    async def credit(self, n):
        await self.say("REQUEST", M.FIPA_SUBSCRIBE, {"credit": n})

    async def cancel(self, text="Cancelled."):
        await self.say("CANCEL", M.HANDSHAKING, {"message": text})

    async def end(self):
        await self.say("INFORM", M.TERMINATION, {"message": "Session terminated."})


def _opening(raw, kind):
    if len(raw) > _MAX_TOKEN:
        raise AnexError("a frame that is too large")
    o = M.loads(raw)
    if not isinstance(o, dict):
        raise AnexError("no opening frame")
    if o.get("anex") == "error":
        raise AnexError(f"the peer refused: {str(o.get('error'))[:200]!r}")
    if o.get("anex") != kind or not all(isinstance(v, str) for v in o.values()):
        raise AnexError(f"the frame {kind!r} was expected")
    return o


def _certificate(ws):
    tls = ws.transport.get_extra_info("ssl_object")
    return tls.getpeercert(True) if tls else None


async def connect(url, key, peer="", caps=None, context=None, cbor=False):
    """Opens a conversation. With peer nobody else can answer, and it needs no authority. With cbor
    frames are binary if the server reads CBOR."""
    ws, agent = await opened(url, key, peer, context, [SUBPROTOCOL_CBOR, SUBPROTOCOL] if cbor else [SUBPROTOCOL])
    return Talk(ws, key, agent, True, caps)


async def opened(url, key, peer, context, speaks):
    """A websocket with one of these subprotocols, and the agent that it proved to be with."""
    try:
        return await _opened(url, key, peer, context, speaks)
    except ssl.SSLError as e:
        raise AnexError(f"{url} shows neither the key of {peer or 'a peer that you name'} nor a certificate of an authority: {e}") from e
    except (OSError, TimeoutError, InvalidHandshake, ConnectionClosed) as e:
        raise AnexError(f"{url} cannot be reached: {e}") from e


async def _opened(url, key, peer, context, speaks):
    u = urlsplit(url)
    host = u.hostname or ""
    try:
        local = host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        local = False
    if u.scheme != "wss" and not (u.scheme == "ws" and local):
        raise AnexError("write wss://, or ws:// for this machine")
    options = {"subprotocols": speaks, "max_size": M.MAX_INFORM, "open_timeout": _OPEN_TIME, "proxy": None}
    ws = None
    if u.scheme == "wss" and peer and context is None:
        # The peer's own certificate has its key; any other one needs an authority.
        own = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        own.minimum_version, own.check_hostname, own.verify_mode = ssl.TLSVersion.TLSv1_3, False, ssl.CERT_NONE
        ws = await ws_connect(url, ssl=own, **options)
        public = x509.load_der_x509_certificate(_certificate(ws)).public_key()
        if not isinstance(public, Ed25519PublicKey) or public.public_bytes_raw() != public_key(peer):
            await ws.close()
            ws = None
    if ws is None:
        tls = (context or ssl.create_default_context()) if u.scheme == "wss" else None
        ws = await ws_connect(url, ssl=tls, **options)
    try:
        if ws.subprotocol not in speaks:
            raise AnexError("the server does not speak ANEX")
        async with asyncio.timeout(_OPEN_TIME):
            hello = _opening(await ws.recv(), "hello")
            agent = hello["agent"]
            if peer and agent != peer:
                raise AnexError(f"the server is {agent[:80]}, not {peer}")
            seen = _certificate(ws)
            token = issue(key, agent, hello["challenge"], hashlib.sha256(seen).hexdigest() if seen else "")
            challenge = secrets.token_hex(16)
            await ws.send(json.dumps({"anex": "token", "agent": key.did, "token": token, "challenge": challenge}))
            back = _opening(await ws.recv(), "token")
            if read_token(back["token"], key.did, challenge)["iss"] != agent:
                raise AnexError("the token is of another agent")
    except BaseException as e:
        await ws.close()
        if isinstance(e, (KeyError, ConnectionClosed, TimeoutError)):
            raise AnexError(f"the peer did not introduce itself: {e}") from e
        raise
    return ws, agent


def certificate(key):
    """A certificate of an agent's own key, as DER."""
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "ANEX agent")])
    now = datetime.datetime.now(datetime.timezone.utc)
    return (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.private.public_key())
        .serial_number(x509.random_serial_number()).not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + datetime.timedelta(days=365))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("anex.invalid")]), critical=False)
        .sign(key.private, None)
    )


def shows(key, cert):
    """The TLS of a server with the certificate of its own key."""
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.minimum_version = ssl.TLSVersion.TLSv1_3
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "own.pem")
        pem = key.private.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        with open(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as f:
            f.write(pem + cert.public_bytes(serialization.Encoding.PEM))
        tls.load_cert_chain(path)
    return tls


async def serve(key, handler, host="127.0.0.1", port=0, caps=None):
    """Takes conversations, and runs handler(talk) for each. Returns a server of websockets; its
    address is server.sockets[0].getsockname()."""
    cert = certificate(key)
    own = hashlib.sha256(cert.public_bytes(serialization.Encoding.DER)).hexdigest()
    tls = shows(key, cert)
    busy = 0

    async def one(ws):
        nonlocal busy
        if busy >= _MAX_TALKS:
            await ws.close(1013)
            return
        busy += 1
        try:
            await talk(ws)
        finally:
            busy -= 1

    async def talk(ws):
        try:
            async with asyncio.timeout(_OPEN_TIME):
                challenge = secrets.token_hex(16)
                await ws.send(json.dumps({"anex": "hello", "agent": key.did, "challenge": challenge}))
                shown = _opening(await ws.recv(), "token")
                claims = read_token(shown.get("token", ""), key.did, challenge)
                if claims.get("crt", own) != own or claims["iss"] == key.did:
                    raise AnexError("Invalid authentication token.")
                token = issue(key, claims["iss"], shown.get("challenge", ""))
                await ws.send(json.dumps({"anex": "token", "token": token}))
        except AnexError as e:
            await ws.send(json.dumps({"anex": "error", "error": str(e)}))
            await ws.close(1008)
            return
        except (ConnectionClosed, TimeoutError):
            return
        try:
            await handler(Talk(ws, key, claims["iss"], False, caps))
        except ConnectionClosed:
            return

    return await ws_serve(one, host, port, ssl=tls, subprotocols=[SUBPROTOCOL_CBOR, SUBPROTOCOL], max_size=M.MAX_INFORM)
