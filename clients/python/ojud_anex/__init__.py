"""ANEX for asyncio. README.md begins with a conversation."""

from .agreement import Agreement, Key, canonical, cut
from .message import AnexError, Message
from .session import Caps, Done, Ended, Heard, Session
from .socket import Talk, connect, serve

__all__ = ["Agreement", "AnexError", "Caps", "Done", "Ended", "Heard", "Key", "Message", "Session", "Talk", "canonical", "connect", "cut", "serve"]
