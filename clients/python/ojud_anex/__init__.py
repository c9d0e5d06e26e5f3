"""ANEX for asyncio. README.md begins with a conversation."""

from .abroad import Minion, Refused, Tool, describe, invoke
from .agreement import Agreement, Key, canonical, cut
from .meeting import Meeting, Minutes, join
from .message import AnexError, Message
from .names import resolve
from .session import Caps, Done, Ended, Heard, Session
from .socket import Talk, connect, serve
from .ucan import Chain

__all__ = ["Agreement", "AnexError", "Caps", "Chain", "Done", "Ended", "Heard", "Key", "Meeting", "Message", "Minion", "Minutes", "Refused", "Session", "Talk", "Tool", "canonical", "connect", "cut", "describe", "invoke", "join", "resolve", "serve"]
