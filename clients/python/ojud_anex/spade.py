"""ANEX as behaviours of SPADE agents: pip install spade==4.1.4. What a behaviour hears and says goes
over wss and not over XMPP, because tokens and TLS prove the peer there."""

import asyncio

from spade.behaviour import CyclicBehaviour, OneShotBehaviour

from .socket import connect, serve

_LOOK = 0.1


class AnexServer(CyclicBehaviour):
    """Takes conversations for as long as its agent lives, and runs converse(talk) for each. The
    address is in url when ready is set."""

    def __init__(self, key, host="127.0.0.1", port=0, caps=None):
        super().__init__()
        self.anex_key, self.anex_caps = key, caps
        self.anex_at = host, port
        self.anex_server = None
        self.url = ""
        self.ready = asyncio.Event()

    async def converse(self, talk):
        """Is called for each conversation; it ends when this returns."""
        raise NotImplementedError

    async def on_start(self):
        self.anex_server = await serve(self.anex_key, self.converse, *self.anex_at, caps=self.anex_caps)
        host, port = self.anex_server.sockets[0].getsockname()[:2]
        self.url = f"wss://[{host}]:{port}/" if ":" in host else f"wss://{host}:{port}/"
        self.ready.set()

    async def run(self):
        await asyncio.sleep(_LOOK)  # SPADE looks between two runs whether the behaviour was killed

    async def on_end(self):
        if self.anex_server:
            self.anex_server.close()
            await self.anex_server.wait_closed()


class AnexConversation(OneShotBehaviour):
    """Opens one conversation and runs converse(talk)."""

    def __init__(self, url, key, peer="", caps=None, context=None):
        super().__init__()
        self.anex_to = url, key, peer, caps, context

    async def converse(self, talk):
        raise NotImplementedError

    async def run(self):
        talk = await connect(*self.anex_to)
        try:
            await self.converse(talk)
        finally:
            await talk.ws.close()
