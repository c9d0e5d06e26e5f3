"""Asks an agent of another host what it is, and calls it: call.py [--court URL] ADDRESS PAYLOAD
CHAIN KEY [FRIEND]... The agent may call the tool "look", which this program runs, and the agents at
FRIEND, which may call it, too, and together may spend 1000 tokens. With URL, that of the API of a
node, an address may be a name: agent://ID/CAPABILITY."""

import asyncio
import json
import sys

from ojud_anex import AnexError, Chain, Key, Minion, Tool, describe, invoke


def look(where, at):
    at.context = {"looked": where}
    return {"seen": "feathers", "at": where}


async def main(court, address, payload, chain, key, *friends):
    key, chain = Key.load(key), Chain.load(chain)
    what = await describe(address.rpartition("/")[0], key, chain, court=court)
    print("can be called for", [c["name"] for c in what["capabilities"]], file=sys.stderr)
    return await invoke(
        address, json.loads(payload), key, chain, tokens=90_000, court=court,
        tools={"look": Tool(look, "Looks into a tree", {"type": "object", "properties": {"at": {"type": "string"}}}, changes=True)},
        minions={f"friend{n or ''}": Minion(at, "Greets", chain, tools=["look"]) for n, at in enumerate(friends)}, minion_tokens=1000,
        heard=lambda kind, value: print(kind, json.dumps(value)[:500], file=sys.stderr),
    )


if __name__ == "__main__":
    named = sys.argv[1:2] == ["--court"]
    court, args = sys.argv[2:3] if named else [""], sys.argv[3 if named else 1:]
    if len(args) < 4:
        sys.exit(__doc__)
    try:
        print(json.dumps(asyncio.run(main(*court, *args))))
    except AnexError as e:
        sys.exit(f"the call failed: {e}")
