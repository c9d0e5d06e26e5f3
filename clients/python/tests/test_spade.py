"""Behaviours of SPADE: two agents at an XMPP server talk by ANEX over wss. Without spade the test is
skipped, unless ANEX_CLIENTS is set, as make clients does."""

import asyncio
import contextlib
import importlib
import importlib.util
import logging
import os
import socket
import unittest

from ojud_anex import AnexError, Key

there = importlib.util.find_spec("spade") is not None


def free():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


@unittest.skipUnless(there or os.environ.get("ANEX_CLIENTS"), "spade is not installed")
class TestSpade(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        from pyjabber.server import Server
        from pyjabber.server_parameters import Parameters

        importlib.import_module("loguru").logger.remove()  # by which the server of XMPP talks
        logging.getLogger("asyncio").setLevel(logging.CRITICAL)  # peers that go are part of the test
        logging.getLogger("spade").setLevel(logging.CRITICAL)
        self.port = free()
        server = Server(Parameters(host="localhost", client_port=self.port, server_port=free(), database_in_memory=True))
        self.xmpp = asyncio.create_task(server.start())
        await asyncio.wait_for(server.ready.wait(), 30)

    async def asyncTearDown(self):
        self.xmpp.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self.xmpp

    async def test_talk(self):
        """A holder serves and an asker asks. Nobody else than the named peer is spoken with. The
        server is gone when its behaviour ends."""
        from spade.agent import Agent

        from ojud_anex.spade import AnexConversation, AnexServer

        class Holder(AnexServer):
            async def converse(self, talk):
                async for h in talk:
                    if h.what == "engagement":
                        await talk.agree("Yes.")
                    elif h.what == "call":
                        await talk.propose(access=["schedule"], promise=["no data retention"])
                    elif h.what == "request":
                        await talk.tell({"schedule": "Tuesday"}, in_reply_to=h.message.reply_with)

        class Asker(AnexConversation):
            async def converse(self, talk):
                await talk.greet("Ammon")
                await talk.request("A meeting?")
                await talk.expect("agree")
                await talk.call("calendar negotiation", access=["schedule"], promise=["no data retention(m)"])
                await talk.expect("proposal")
                await talk.accept()
                await talk.expect("signature")
                await talk.ask({"what": "schedule"})
                self.agent.set("heard", (await talk.expect("data")).message.content)
                await talk.end()
                await talk.expect("end")

        joe, ammon = Agent("joe@localhost", "a password", port=self.port), Agent("ammon@localhost", "a password", port=self.port)
        await joe.start()
        await ammon.start()
        try:
            key = Key(bytes([2]) * 32)
            holder = Holder(key)
            joe.add_behaviour(holder)
            await asyncio.wait_for(holder.ready.wait(), 30)
            asker = Asker(holder.url, Key(bytes([1]) * 32), peer=key.did)
            ammon.add_behaviour(asker)
            await asker.join(30)
            self.assertEqual(ammon.get("heard"), {"schedule": "Tuesday"})
            other = Asker(holder.url, Key(bytes([1]) * 32), peer=Key(bytes([3]) * 32).did)
            ammon.add_behaviour(other)
            await other.join(30)
            self.assertIsInstance(other.exit_code, (AnexError, OSError))
            holder.kill()
            await holder.join(30)
            late = Asker(holder.url, Key(bytes([1]) * 32), peer=key.did)
            ammon.add_behaviour(late)
            await late.join(30)
            self.assertIsInstance(late.exit_code, AnexError)
        finally:
            await ammon.stop()
            await joe.stop()


if __name__ == "__main__":
    unittest.main()
