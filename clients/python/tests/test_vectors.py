"""Plays clients/vectors.json: each frame is sent byte for byte, and heard as the file says."""

import asyncio
import json
import pathlib
import unittest
from datetime import datetime

from ojud_anex import AnexError, Chain, Key, Minutes, Session, canonical, cbor, cut, resolve
from ojud_anex.agreement import did, of_address
from ojud_anex.message import MAX_INFORM, loads, parse
from ojud_anex.names import places_of

FILE = pathlib.Path(__file__).resolve().parents[2] / "vectors.json"


class Vectors(unittest.TestCase):
    def test_scenes(self):
        doc = json.loads(FILE.read_text())
        at = int(datetime.fromisoformat(doc["at"]).timestamp() * 1000)
        self.assertGreater(len(doc["scenes"]), 20)
        for scene in doc["scenes"]:
            names = doc["parties"]
            both = [Session(names[i], names[1 - i], scene["conversation"] if i == 0 else "", i == 0, at) for i in (0, 1)]
            end = ""
            for n, step in enumerate(scene["steps"]):
                with self.subTest(scene=scene["name"], step=n):
                    by, frame = step["by"], step["frame"]
                    bad = step.get("breaks", False) or step.get("unclear", False)
                    sent = self.said(both[by], at, frame, names[by])
                    if sent is not None:
                        good = len(sent) == 1 and (step.get("respelled") or sent[0] == frame)
                        self.assertEqual(good, not bad, sent)
                    done = both[1 - by].frame(at, frame)
                    self.assertEqual([h.what for h in done.heard], [step["heard"]] if "heard" in step else [])
                    self.assertEqual(bool(done.ended and done.ended.theirs), step.get("breaks", False), done)
                    if done.ended:
                        end = done.ended.how
            with self.subTest(scene=scene["name"]):
                self.assertEqual(end, scene["end"])

    def said(self, session, at, frame, name):
        """What a party sends that says this frame; None if it is not its own."""
        try:
            if not frame.startswith("{"):
                return session.write(at, frame).send
            m = parse(frame)
            if m.sender != name:
                return None
            return session.say(at, m.performative, m.protocol, m.content, m.in_reply_to, m.reply_with, m.reply_by).send
        except AnexError:
            return []


class Meetings(unittest.TestCase):
    def test_scenes(self):
        """Each statement and each entry byte for byte, and what a convener that lies would send."""
        for scene in json.loads(FILE.read_text())["meetings"]:
            keys = [Key(bytes([seed]) * 32) for seed in scene["seeds"]]
            everyone = [Minutes(keys[0].did) for _ in keys]
            for n, s in enumerate(scene["steps"]):
                by, at = s["by"], scene["at"] + n * 1000
                said = everyone[by].say(keys[by], s["performative"], s["protocol"], s["content"], s.get("in-reply-to", ""))
                self.assertEqual(said, s["said"])
                entry, h = everyone[0].order(keys[0], keys[by].did, said, at)
                self.assertEqual((entry, h.what), (s["entry"], s["heard"]))
                self.assertEqual(h.agreed.dumps() if h.agreed else None, s.get("agreed"))
                if h.agreed:
                    h.agreed.verify()
                for i in range(1, len(keys)):
                    everyone[i].add(entry, at, keys[i].did)
            for liar in scene["liars"]:
                m = Minutes(keys[0].did)
                for s in scene["steps"][: liar["after"]]:
                    m.add(s["entry"], scene["at"] + 60_000)
                with self.subTest(liar["what"]), self.assertRaises(AnexError):
                    m.add(liar["entry"], scene["at"] + 24 * 3600_000)
                self.assertEqual(len(m.hashes), liar["after"])


class Cbor(unittest.TestCase):
    def test_frames(self):
        doc = json.loads(FILE.read_text())
        self.assertGreater(len(doc["cbor"]), 20)
        for one in doc["cbor"]:
            raw = bytes.fromhex(one["cbor"]) if "cbor" in one else None
            with self.subTest(one):
                if "json" in one:
                    self.assertEqual(cbor.pack(one["json"], MAX_INFORM), raw)
                if raw is not None and "json" in one:
                    self.assertEqual(cbor.unpack(raw, MAX_INFORM), one["json"])
                elif raw is not None:
                    with self.assertRaises(AnexError):
                        cbor.unpack(raw, MAX_INFORM)
        for frame in (s["frame"] for scene in doc["scenes"] for s in scene["steps"]):
            raw = cbor.pack(frame, MAX_INFORM)
            if raw is not None:
                self.assertEqual(cbor.unpack(raw, MAX_INFORM), canonical(loads(frame)))

    def test_bounds(self):
        for bad in (b"\xa1\x61a" + b"\x81" * 64 + b"\0", b"\xa1\x61a" + b"\x81" * 10**6, b"\xa1\x61a\x9a\0\x10\0\0" + bytes(1 << 20), bytes(2 << 20)):
            with self.assertRaises(AnexError):
                cbor.unpack(bad, MAX_INFORM)
        self.assertEqual(loads(cbor.unpack(b"\xa1\x61a" + b"\x81" * 63 + b"\0", MAX_INFORM))["a"][0][0][0] is None, False)


class Json(unittest.TestCase):
    def test_strict(self):
        for bad in ('{"a":1,"a":2}', '"\\ud800"', "NaN", "[" * 65 + "]" * 65, "[" * 100000, b"\xff", "{", '{"a":1}x', "Infinity"):
            with self.assertRaises(AnexError, msg=str(bad)[:40]):
                loads(bad)

    def test_canonical(self):
        for text, want in {
            '{"b":1,"a":[true,null,"\\u20ac\\u0007"]}': '{"a":[true,null,"€\\u0007"],"b":1}',
            "[1.0,1e21,1e-7,0.000001,-0.0,123456789.5,1.5e300,5e-324,0.1,100.0]": "[1,1e+21,1e-7,0.000001,0,123456789.5,1.5e+300,5e-324,0.1,100]",
        }.items():
            self.assertEqual(canonical(loads(text)), want)
        with self.assertRaises(AnexError):
            canonical(2**53)

    def test_cut(self):
        data = {"a": {"b": [{"c": 1, "d": 2}], "e": 3}, "f": 4}
        for access, want in (
            (["*"], data), ([], {}), (["f"], {"f": 4}), (["/a/b/c"], {"a": {"b": [{"c": 1}]}}), (["/f/x"], {}),
        ):
            self.assertEqual(cut(data, access), want)


class Names(unittest.IsolatedAsyncioTestCase):
    """Where cards say that an agent is (ADR 0222), as Go finds it."""

    def setUp(self):
        self.doc = json.loads(FILE.read_text())["names"]

    def test_scenes(self):
        for scene in self.doc["scenes"]:
            with self.subTest(scene=scene["name"]):
                found = places_of([self.doc["agents"][n] for n in scene["agents"]], self.doc["id"], scene["root"])
                self.assertEqual([p._asdict() for p in found], scene["places"])

    async def test_resolve(self):
        """Over HTTP, by the id, by the key and by the address of the agent."""
        said = {}

        async def node(reader, writer):
            path = (await reader.readline()).split()[1].decode()
            body = json.dumps(said.get(path, {"error": "this court has no such agent"})).encode()
            writer.write(b"HTTP/1.0 %d OK\r\n\r\n" % (200 if path in said else 404) + body)
            writer.close()

        async with await asyncio.start_server(node, "127.0.0.1", 0) as server:
            court = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
            for scene in self.doc["scenes"]:
                with self.subTest(scene=scene["name"]):
                    said["/v1/agents?limit=100&q=%2Fcounter%22"] = {"agents": [self.doc["agents"][n] for n in scene["agents"]], "found": 7, "waiting": 1}
                    chain = Chain()
                    chain.subject = scene["root"]
                    led = resolve("agent://counter/words", chain, court)
                    if "chosen" in scene:
                        self.assertEqual(await led, (scene["chosen"] + "/words", scene["places"][0]["agent"]))
                    else:
                        with self.assertRaisesRegex(AnexError, "cards say|no card that was read|libp2p"):
                            await led
            worker = self.doc["agents"]["worker"]
            said["/v1/agents/" + worker["authority"]] = worker
            name = did(of_address(worker["authority"]))
            for at in (worker["authority"], name.removeprefix("did:key:")):
                self.assertEqual(await resolve(f"agent://{at}/words", chain, court), (worker["card"]["supportedInterfaces"][0]["url"] + "/words", name))
            self.assertEqual(await resolve("agent://h.example:1/counter/words", chain, court), ("agent://h.example:1/counter/words", ""))
            edited = self.doc["agents"]["edited"]
            for at, root, answer, why in (
                (worker["authority"], "", worker, "give the chain"), (worker["authority"], chain.subject, edited, "no card of"),
                (worker["authority"], chain.subject, self.doc["agents"]["mallory copies"], "another agent"),
                (self.doc["agents"]["no card"]["authority"], chain.subject, worker, "refuses: this court has no such agent"),
                ("Nobody", chain.subject, worker, "no did:key"),
            ):
                said["/v1/agents/" + worker["authority"]], chain.subject = answer, root
                with self.assertRaisesRegex(AnexError, why):
                    await resolve(f"agent://{at}/words", chain, court)
            said["/v1/agents?limit=100&q=%2Fcounter%22"] = {"agents": [worker] * 101, "found": 101, "waiting": 0}  # checking costs time
            with self.assertRaisesRegex(AnexError, "no list of agents"):
                await resolve("agent://counter/words", chain, court)
            for at in ("ftp://h.example", "http://user@h.example", "http://h.example/?x", "http://h.example:99999", "http://127.0.0.1:1"):
                with self.assertRaisesRegex(AnexError, "URL of the API|cannot be asked"):
                    await resolve("agent://counter/words", chain, at)


if __name__ == "__main__":
    unittest.main()
