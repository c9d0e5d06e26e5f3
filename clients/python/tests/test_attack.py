"""What strangers do to a program that asks or serves (docs/attacks.md)."""

import asyncio
import http
import json
import socket
import unittest

import websockets

from ojud_anex import AnexError, Key, Minion, Session, Tool, connect, invoke, serve
from ojud_anex.abroad import Here, _Offers
from ojud_anex.message import loads
from ojud_anex.names import _operator
from ojud_anex.socket import certificate, shows

JOE, AMMON = Key(bytes([2]) * 32), Key(bytes([1]) * 32)
DEAL, PROMISE = {"pays": "10 SOL"}, ["the asker pays Joe"]


async def served(handler, client):
    server = await serve(JOE, handler)
    try:
        port = server.sockets[0].getsockname()[1]
        talk = await connect(f"wss://127.0.0.1:{port}/", AMMON, peer=JOE.did)
        await talk.greet("Ammon")
        await talk.request("Ok?")
        await talk.expect("agree")
        if await client(talk) is None:
            await talk.cancel()
    finally:
        server.close()
        await server.wait_closed()


def holder(propose, errors):
    """Answers a call with what propose makes of it."""

    async def handler(talk):
        try:
            async for h in talk:
                if h.what == "engagement":
                    await talk.agree()
                if h.what != "call":
                    continue
                try:
                    await propose(talk, h)
                except AnexError as e:
                    errors.append(e)
                    await talk.refuse("No.", "FIPA-Contract-Net")
        except AnexError as e:
            errors.append(e)

    return handler


DENIED = {"end": {"code": "denied", "error": "done"}}


async def hostile(answer, client):
    """An agent host of a stranger. answer(id, body, say, n) gets each message of a caller in its
    n-th session, and client the address and an event that is set when a caller of friend is gone."""
    left, sessions = asyncio.Event(), 0

    def cards(ws, request):
        at = request.path.split("/")[2]
        if "Upgrade" not in request.headers:
            return ws.respond(http.HTTPStatus.OK, json.dumps({"agent": JOE.did, "id": at, "operator": JOE.did}))
        return None

    async def session(ws):
        nonlocal sessions
        sessions, seq, at, mine = sessions + 1, 0, ws.request.path.split("/")[2], sessions + 1

        async def say(body):
            nonlocal seq
            seq += "bye" not in body
            await ws.send(json.dumps(body if "bye" in body else {"seq": seq, "body": body}))

        try:
            async for raw in ws:
                f = json.loads(raw)
                if "hello" in f:
                    await ws.send(json.dumps({"hello": {"version": 1, "session": f["hello"]["session"], "window": 64, "seen": 0, "ack": 0, "from": 1}}))
                elif "body" in f:
                    await ws.send(json.dumps({"ack": f["seq"]}))
                    await answer(at, f["body"], say, mine)
        except websockets.ConnectionClosed:
            pass
        finally:
            if at == "friend":
                left.set()

    tls = shows(JOE, certificate(JOE))
    async with websockets.serve(session, "127.0.0.1", 0, ssl=tls, process_request=cards, subprotocols=["ojud-channel-1"], close_timeout=1) as server:
        await client(f"agent://127.0.0.1:{server.sockets[0].getsockname()[1]}", left)


class Attack(unittest.TestCase):
    def run_one(self, propose, client):
        errors = []
        asyncio.run(served(holder(propose, errors), client))
        return errors

    def test_attack_deal_of_a_holder(self):
        """accept() does not sign a deal, a promise or an access that it was not given."""
        for more in ({"deal": DEAL}, {"promise": PROMISE}, {"access": ["the asker pays 10 SOL"]}, {}):

            async def client(talk, given=more):
                await talk.call("painting")
                await talk.expect("proposal")
                if given:
                    for other in ({}, {"deal": {"pays": "1 SOL"}}):
                        with self.assertRaises(AnexError):
                            await talk.accept(**other)
                await talk.accept(**given)
                await talk.expect("signature")
                talk.agreement.verify()

            self.assertEqual(self.run_one(lambda talk, h, more=more: talk.propose(**more), client), [])

    def test_attack_call_without_a_name(self):
        """A call of an agent without an id or a name has an error as its result."""
        result = asyncio.run(_Offers({}, {}, None, None, False).perform({}, None))
        self.assertIn("KeyError", result["error"])

    def test_attack_after_the_end(self):
        """When a call is over, no tool begins, and the call of a minion breaks off."""
        looked, late, over, boss = 0, 0, False, None

        async def answer(at, body, say, n):
            nonlocal boss
            if at == "boss" and "run" in body:
                boss = say
                for i in range(12):
                    await say({"call": {"id": f"s{i}", "name": "slow" if i < 6 else "look", "input": {}}})
                for m in ("m", "n"):  # n waits for m
                    await say({"call": {"id": m, "name": "friend", "input": {}}})
            if at == "friend":  # again and again
                await say({"call": {"id": f"x{looked}", "name": "look", "input": {}}})

        async def slow(_):
            await asyncio.Event().wait()

        async def look(_):
            nonlocal looked, late
            looked, late = looked + 1, late + over
            if looked == 20:
                await boss(DENIED)
                await boss({"call": {"id": "last", "name": "look", "input": {}}})

        async def client(at, left):
            nonlocal over
            with self.assertRaisesRegex(AnexError, "done"):
                await invoke(f"{at}/boss/go", {}, JOE, tools={"slow": Tool(slow), "look": Tool(look)}, minions={"friend": Minion(f"{at}/friend/go", tools=["look"])})
            over = True
            await asyncio.wait_for(left.wait(), 5)

        asyncio.run(hostile(answer, client))
        self.assertEqual(late, 0)

    def test_attack_gone(self):
        """A host that forgets its sessions has no call made twice."""
        runs = []

        async def answer(at, body, say, n):
            if "run" in body:
                for one in ("same", f"s{n}"):
                    await say({"call": {"id": one, "name": "look", "input": one}})
            if body.get("result", {}).get("id") == f"s{n}":
                await say({"bye": {"code": "gone", "error": ""}} if n < 3 else DENIED)

        async def client(at, left):
            with self.assertRaisesRegex(AnexError, "done"):
                await invoke(f"{at}/boss/go", {}, JOE, tools={"look": Tool(runs.append)})

        asyncio.run(hostile(answer, client))
        self.assertEqual(runs, ["same", "s1", "s2", "s3"])

    def test_attack_too_many_calls(self):
        """An agent is told of calls beyond its limit, and a minion uses up none of them."""
        answers, looked = {"boss": [], "friend": []}, []

        async def answer(at, body, say, n):
            if "result" in body:
                answers[at].append(body["result"].get("error", body["result"].get("output")))
            n = len(answers[at])
            if at == "friend":  # without end, if nobody says no
                await say({"call": {"id": f"f{n}", "name": "look", "input": {}}} if n < 102 else DENIED)
            elif n < 4:
                await say({"call": {"id": f"b{n}", "name": "look" if n else "friend", "input": {}}})
            else:
                await say(DENIED)

        def look(_):
            looked.append(1)
            return len(looked)

        async def client(at, left):
            with self.assertRaisesRegex(AnexError, "done"):
                await invoke(f"{at}/boss/go", {}, JOE, tools={"look": Tool(look)}, minions={"friend": Minion(f"{at}/friend/go", tools=["look"])}, max_runs=3)

        asyncio.run(hostile(answer, client))
        self.assertEqual(answers["friend"][99:], [100, *["it has made 100 calls"] * 2])
        self.assertEqual(answers["boss"][1:], [101, 102, "it has made 3 calls"])

    def test_attack_long_id(self):
        """A result that has no room in a channel is told as one, and is not lost."""
        said = []

        async def answer(at, body, say, n):
            if "run" in body:
                await say({"call": {"id": "x" * 1_048_540, "name": "x"}})
            if "result" in body:
                said.append(body["result"])
                await say(DENIED)

        async def client(at, left):
            with self.assertRaisesRegex(AnexError, "done"):
                await asyncio.wait_for(invoke(f"{at}/boss/go", {}, JOE), 10)

        asyncio.run(hostile(answer, client))
        self.assertEqual(said, [{"id": "x" * 200, "name": "x", "error": "the result is too long"}])

    def test_attack_operator_of_a_card(self):
        """What a node says is the operator of an agent may be anything."""
        for one in ([], ["1"], {}, 1, None):
            self.assertEqual(_operator({"operator": one}), "")

    def test_server_that_is_down(self):
        """A server that is not there, or has another key, is an AnexError in words."""
        with socket.socket() as held, self.assertRaisesRegex(AnexError, "cannot be reached"):
            held.bind(("127.0.0.1", 0))  # and nobody listens
            asyncio.run(connect(f"wss://127.0.0.1:{held.getsockname()[1]}/", AMMON, JOE.did))

    def test_attack_deal_of_a_caller(self):
        """propose() does not sign a deal of the call that it was not given."""

        async def refused(talk):
            await talk.call("painting", deal=DEAL)
            await talk.expect("refuse")

        async def signed(talk):
            await talk.call("painting", deal=DEAL)
            await talk.expect("proposal")
            await talk.accept()
            await talk.expect("signature")
            self.assertEqual(talk.agreement["deal"], DEAL)

        async def failed(talk):
            await talk.call("painting", deal=DEAL)
            await talk.expect("proposal")
            await talk.accept()
            await talk.expect("failure")
            return "the holder has ended it"

        self.assertEqual(len(self.run_one(lambda talk, h: talk.propose(), refused)), 1)
        self.assertEqual(self.run_one(lambda talk, h: talk.propose(deal=h.message.content["request"]["deal"]), signed), [])
        # A proposal that was said past propose() takes the deal of the call, and is not countersigned.
        raw = {"response": {"access": [], "promise": []}}
        self.assertEqual(len(self.run_one(lambda talk, h: talk.say("PROPOSE", "FIPA-Contract-Net", raw), failed)), 1)

    def test_attack_infinite_number(self):
        """A number that no double holds breaks the protocol, and raises nothing else."""
        for text in ('{"x":1e999}', "[-1e999]"):
            with self.assertRaises(AnexError):
                loads(text)
        s = Session("B", "A", "", False, 0)
        done = s.frame(1, '{"performative":"REQUEST","sender":"A","receiver":"B","content":{"message":"hi [PA*]","x":1e999},'
                          '"language":"JSON","ontology":"ANEX-Ontology","protocol":"ANEX-Handshaking"}')
        self.assertTrue(done.ended and done.ended.theirs)

    def test_attack_redirect(self):
        """A host that has shown nothing answers by a redirect. It would lead the caller to a service of its own network."""
        seen = []

        async def answer(reader, writer, status):
            seen.append((await reader.readline()).decode().split()[1])
            writer.write(status.encode() + b"Content-Length: 0\r\nConnection: close\r\n\r\n")
            await writer.drain()
            writer.close()

        async def lead():
            inner = await asyncio.start_server(lambda r, w: answer(r, w, "HTTP/1.1 404 Not Found\r\n"), "127.0.0.1", 0)
            there = f"ws://127.0.0.1:{inner.sockets[0].getsockname()[1]}/internal"
            outer = await asyncio.start_server(lambda r, w: answer(r, w, f"HTTP/1.1 302 Found\r\nLocation: {there}\r\n"), "127.0.0.1", 0)
            async with inner, outer:
                url = f"ws://127.0.0.1:{outer.sockets[0].getsockname()[1]}/agents/e"
                for kind in (Here, websockets.connect):
                    with self.assertRaises(websockets.InvalidStatus):
                        await kind(url, proxy=None)

        asyncio.run(lead())
        self.assertEqual(seen, ["/agents/e", "/agents/e", "/internal"])  # the last is the control


if __name__ == "__main__":
    unittest.main()
