"""Names of agents: agent://ID/CAPABILITY has no host; a card in a court says where the agent is."""

import asyncio
import base64
import hashlib
import ipaddress
import json
import re
import ssl
from typing import NamedTuple
from urllib.parse import quote, urlsplit

from .agreement import base58, canonical, did, of_address, public_key, verifies
from .message import AnexError

_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
_NAMED = re.compile(r"agent://([A-Za-z0-9-]{1,64})/([a-z0-9][a-z0-9_.-]{0,63})")
_HOSTED = re.compile(
    r"agent://(?:(?:(z6Mk[1-9A-HJ-NP-Za-km-z]{40,48})|(12D3KooW[1-9A-HJ-NP-Za-km-z]{44})(?:\+(12D3KooW[1-9A-HJ-NP-Za-km-z]{44}))?)@)?"
    r"(\[[0-9a-fA-F:.]{2,45}\]|[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?):([1-9][0-9]{0,4})/([a-z0-9][a-z0-9-]{0,63})")
_COURT = re.compile(r"https?://(?:[A-Za-z0-9.-]+|\[[0-9a-fA-F:.]+\])(?::[0-9]{1,5})?(?:/[A-Za-z0-9._~/-]*)?")
_MAX_CARD, _MAX_ANSWER, _TIME = 64 << 10, 8 << 20, 30


class Place(NamedTuple):
    """Where a card says that an agent is."""

    address: str
    agent: str  # did:key of who has to sign the result; empty: whom the host names
    signer: str  # of the card


def _base64url(raw):
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def hosted(agent):
    """The addresses at agent hosts in the card of an agent that a node lists. There are none if
    the card is not the one that the chain is said to name, or the agent's key did not sign it."""
    try:
        card, authority = agent["card"], agent["authority"]
        content = canonical(card).encode()
        terms = [e["params"]["authority"] for e in card["capabilities"]["extensions"] if e["uri"] == "urn:ojud:agent:1"]
        signed, = card["signatures"]
        head = _base64url(f'{{"alg":"EdDSA","kid":"{authority}","typ":"JOSE"}}'.encode())
        message = head + "." + _base64url(canonical({k: v for k, v in card.items() if k != "signatures"}).encode())
        signature = base64.urlsafe_b64decode(signed["signature"] + "==")
        urls = [e["url"] for e in card["supportedInterfaces"] if e["protocolBinding"] == "OJUD-AGENT"]
        good = (
            len(content) <= _MAX_CARD and hashlib.sha256(content).hexdigest() == agent["card_hash"] and terms == [authority]
            and signed["protected"] == head and _base64url(signature) == signed["signature"]
            and verifies(did(of_address(authority)), message.encode(), signature) and all(_HOSTED.fullmatch(u) for u in urls)
        )
    except (AnexError, KeyError, TypeError, ValueError, AttributeError, RecursionError):
        return []  # it is no card
    return urls if good else []


def _plain(address):
    """Key, peer, relay, host, port and id of an address, which are those of each spelling of it."""
    m = _HOSTED.fullmatch(address)
    if int(m[5]) > 65535 or m[2] and m[2] == m[3]:
        return None
    machine = m[4].strip("[]").lower()
    if ":" in machine:
        try:
            machine = str(ipaddress.IPv6Address(machine))
        except ValueError:
            return None
    return m[1], m[2], m[3], machine, m[5], m[6]


def places_of(agents, name, root):
    """The places of agents with an id, at hosts whose operator, or at agents, at which a chain
    begins. Agents whose operator is root come before all others. Who signs the result is known
    only if the chain begins at that agent: anybody can copy the address of a card, and the host,
    which is proved, says who the agent is."""
    peer = base58(b"\x00\x24\x08\x01\x12\x20" + public_key(root))
    own, others, seen = [], [], set()
    for agent in agents:
        for address in hosted(agent):
            signer, at = did(of_address(agent["authority"])), _plain(address)
            if not at or at[5] != name:
                continue
            first = signer == root
            if not first and root.removeprefix("did:key:") != at[0] and peer != at[1]:
                continue
            best = first or _operator(agent) == root
            if (best, at) not in seen:
                seen.add((best, at))
                (own if best else others).append(Place(address, signer if first else "", signer))
    return own or others


def _operator(agent):
    try:
        return did(of_address(agent["operator"]))
    except (AnexError, KeyError, TypeError, AttributeError):
        return ""  # it has none


def choose(found, name):
    """The place to which a name leads, of those in cards. This client dials hosts over TLS."""
    if len({p.signer for p in found}) > 1:
        raise AnexError(f"cards say that {name} is at {len(found)} places: " + ", ".join(f"{p.address} (card of {p.signer})" for p in found)[:2000])
    over = [p for p in found if "@" not in p.address or p.address.startswith("agent://z6Mk")]
    if not over:
        raise AnexError(f"the card of {name} names places over libp2p alone, which this client cannot dial: " + ", ".join(p.address for p in found)[:2000])
    return over[0]


def key_of(name):
    """The did:key of an agent whose address on the chain, or key, stands in place of its id."""
    if _ID.fullmatch(name):
        return ""
    try:
        return did(of_address(name))
    except AnexError:
        public_key("did:key:" + name)
        return "did:key:" + name


async def resolve(address, chain, court, tls=None):
    """Finds where agent://ID/CAPABILITY is: at a host at which the chain begins, as a card in the
    court says. In place of ID stands the address on the chain or the key of an agent, too. Court is
    the URL of the API of a node. An address with a host stays as it is. Returns the address, and
    the did:key that has to sign the result, or "" if the host says who the agent is."""
    m = _NAMED.fullmatch(address)
    if not m:
        return address, ""
    name, key = m[1], key_of(m[1])
    if not (chain and chain.subject):
        raise AnexError(f"{name} is looked for where a chain begins; give the chain that its operator gave you")
    if key:
        agent = await _ask(court, "/v1/agents/" + base58(public_key(key)), tls)
        if agent.get("authority") != base58(public_key(key)):
            raise AnexError(f"the court at {court} shows another agent")
        found = [Place(a, key, key) for a in hosted(agent)]
        if not found:
            raise AnexError(f"no card of {name} that it signed names an agent host")
    else:
        said = await _ask(court, "/v1/agents?limit=100&q=" + quote(f'/{name}"', safe=""), tls)
        agents = said.get("agents")
        if not isinstance(agents, list) or len(agents) > 100 or not all(isinstance(a, dict) for a in agents) or not all(isinstance(said.get(n), int) for n in ("found", "waiting")):
            raise AnexError(f"the court at {court} gives no list of agents")
        found, unread = places_of(agents, name, chain.subject), said["found"] - len(agents) + said["waiting"]
        if not found:
            raise AnexError(f"no card {f'that was read ({unread} were not) ' if unread else ''}says that {name} is at a host at which the chain begins")
    at = choose(found, name)
    return f"{at.address}/{m[2]}", at.agent


async def _ask(court, path, tls):
    """Gets what a node answers. It may be anything, and the caller looks at it."""
    try:
        at = urlsplit(court if _COURT.fullmatch(court) else "")
        port = at.port or (443 if at.scheme == "https" else 80)
    except ValueError:
        at = urlsplit("")
    if not at.hostname:
        raise AnexError(f"{court[:80]!r} is no URL of the API of a node; write it as http://127.0.0.1:8080")
    try:
        async with asyncio.timeout(_TIME):
            secure = (tls or ssl.create_default_context()) if at.scheme == "https" else None
            reader, writer = await asyncio.open_connection(at.hostname, port, ssl=secure)
            try:
                # In HTTP/1.0 the answer comes in one piece.
                writer.write(f"GET {at.path.rstrip('/')}{path} HTTP/1.0\r\nHost: {at.netloc}\r\n\r\n".encode())
                await writer.drain()
                raw = bytearray()
                while len(raw) <= _MAX_ANSWER and (more := await reader.read(64 << 10)):
                    raw += more
            finally:
                writer.transport.abort()
    except (OSError, TimeoutError) as e:
        raise AnexError(f"the court at {court} cannot be asked: {e}") from e
    head, _, body = bytes(raw).partition(b"\r\n\r\n")
    try:
        if len(raw) > _MAX_ANSWER:
            raise ValueError("it is too long")
        said = json.loads(body)
        if not isinstance(said, dict):
            raise ValueError("it is no object")
    except (ValueError, RecursionError) as e:
        raise AnexError(f"the answer of the court at {court} cannot be read: {e}") from e
    if head.split(b" ")[1:2] != [b"200"]:
        raise AnexError(f"the court at {court} refuses: {str(said.get('error'))[:300]}")
    return said
