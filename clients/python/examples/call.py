"""Calls an agent of another host: call.py ADDRESS PAYLOAD CHAIN KEY. The agent may call the tool
"look", which this program runs."""

import asyncio
import json
import sys

from ojud_anex import AnexError, Chain, Key, invoke


async def main(address, payload, chain, key):
    return await invoke(
        address, json.loads(payload), Key.load(key), Chain.load(chain), tokens=90_000,
        tools={"look": ("Looks into a tree", lambda where: {"seen": "feathers", "at": where})},
        heard=lambda kind, value: print(kind, json.dumps(value)[:500], file=sys.stderr),
    )


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    try:
        print(json.dumps(asyncio.run(main(*sys.argv[1:]))))
    except AnexError as e:
        sys.exit(f"the call failed: {e}")
