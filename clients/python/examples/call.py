"""Asks an agent of another host what it is, and calls it: call.py ADDRESS PAYLOAD CHAIN KEY. The agent
may call the tool "look", which this program runs."""

import asyncio
import json
import sys

from ojud_anex import AnexError, Chain, Key, describe, invoke


async def main(address, payload, chain, key):
    key, chain = Key.load(key), Chain.load(chain)
    what = await describe(address.rpartition("/")[0], key, chain)
    print("can be called for", [c["name"] for c in what["capabilities"]], file=sys.stderr)
    return await invoke(
        address, json.loads(payload), key, chain, tokens=90_000,
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
