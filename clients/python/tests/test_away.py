"""A host that is away while a call runs (ADR 0229)."""

import asyncio
import json
import time
import types
import unittest
from unittest.mock import patch

from ojud_anex import AnexError, Key, abroad, invoke


class Host:
    """A connection to a host. Says gets the number of the connection and each frame of the caller,
    and returns frames; None breaks the connection off."""

    def __init__(self, n, says):
        self.n, self.says, self.frames = n, says, asyncio.Queue()
        self.transport = types.SimpleNamespace(abort=lambda: None)

    async def send(self, raw):
        for f in self.says(self.n, json.loads(raw)):
            self.frames.put_nowait(f)

    def __aiter__(self):
        return self

    async def __anext__(self):
        f = await self.frames.get()
        if f is None:
            raise ConnectionResetError("killed")
        return json.dumps(f)


def hello(f, **more):
    return {"hello": {"version": 1, "session": f["hello"]["session"], "window": 64, "from": 1} | more}


END = {"seq": 1, "ack": 1, "body": {"end": {"status": "interrupted"}}}


class Away(unittest.IsolatedAsyncioTestCase):
    async def call(self, dials, says, heard, silence=0.05, **options):
        """Calls an agent. Dials are functions that are awaited before each connection, the last one
        before all others. Returns the end and the number of connections."""
        n = 0

        async def find(client):
            client.agent = client.key.did

        async def socket(client):
            nonlocal n
            n += 1
            await dials[min(n, len(dials)) - 1]()
            return Host(n, says)

        with patch.multiple(abroad._Client, find=find, _socket=socket, check=lambda *_: None), patch.object(abroad, "_SILENCE", silence):
            async with asyncio.timeout(20):
                return await invoke("agent://h:4800/a/b", 1, Key(), heard=heard, **options), n

    async def now(self):
        pass

    async def test_dial_hangs_and_host_restarts(self):
        """It is told while a dial hangs, and the new session tells that the host is back."""
        told, heard = asyncio.Event(), []

        def hear(kind, value):
            heard.append(kind)
            told.set()

        def says(n, f):
            if "hello" in f:
                return [[hello(f), None], [{"bye": {"code": "gone", "error": "I was started anew"}}], [hello(f)]][n - 1]
            return [END] if n == 3 and "body" in f else []

        end, n = await self.call([self.now, told.wait, self.now], says, hear)  # without it, the dial would hang for ever
        self.assertEqual((end["status"], heard, n), ("interrupted", ["away", "back"], 3))

    async def test_restart_after_two_minutes(self):
        """The time that a host may be away begins when it is lost, and not with the call."""
        late = 0

        def says(n, f):
            nonlocal late
            if "hello" in f:
                late = 200 if n == 1 else late
                return [[hello(f), None], [{"bye": {"code": "gone", "error": "I was started anew"}}], [hello(f)]][n - 1]
            return [END] if n == 3 and "body" in f else []

        real = time.monotonic
        with patch.object(abroad, "time", types.SimpleNamespace(monotonic=lambda: real() + late, time=time.time)):
            end, _ = await self.call([self.now], says, None)
        self.assertEqual(end["status"], "interrupted")

    async def test_attack_silent_host(self):
        """A connection on which nothing is heard is given up, and another one may bring something."""
        heard = []

        def says(n, f):
            if "hello" in f:
                return [hello(f)] if n == 3 else []
            return [END] if "body" in f else []

        with patch.object(abroad, "_OPEN", 0.2):
            end, n = await self.call([self.now], says, lambda kind, value: heard.append(kind))
        self.assertEqual((end["status"], heard, n), ("interrupted", ["away", "back"], 3))

    async def test_listener_that_fails(self):
        """An error of heard is that of the call, also if it looks like one of a connection."""
        ran = []

        def hear(kind, value):
            raise BrokenPipeError("closed")

        def says(n, f):
            return [hello(f), {"seq": 1, "body": {"call": {"id": "c", "name": "look", "input": 1}}}] if "hello" in f else []

        with self.assertRaisesRegex(AnexError, "heard fails: BrokenPipeError: closed"):
            await self.call([self.now], says, hear, silence=2, tools={"look": ("Looks", ran.append)})
        self.assertEqual(ran, [])


if __name__ == "__main__":
    unittest.main()
