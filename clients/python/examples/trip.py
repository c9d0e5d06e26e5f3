"""A meeting about a trip: python3 trip.py URL DID SEED. SEED is a number, for a key to try with."""

import asyncio
import json
import sys

from ojud_anex import Key, join


async def main(url, did, seed):
    """Says where to go, and signs that each pays a third, and nothing else."""
    key = Key(bytes([int(seed)]) * 32)
    meeting = await join(url, key, peer=did, owner="Bob Lee")
    agreed = None
    async for h in meeting:
        if h.what == "joined" and h.sender == key.did:
            await meeting.tell({"message": "To the sea."})
        elif h.what == "proposal" and key.did in h.terms["parties"]:
            terms = h.terms
            if terms["request_type"] == "A trip" and terms["promise"] == ["pay a third"] and "deal" not in terms:
                await meeting.accept(h.terms)
            else:
                await meeting.reject(h.terms)
        agreed = h.agreed or agreed
    print(json.dumps({"how": h.what, "agreed": agreed and agreed.hash(), "head": meeting.minutes.head}))


asyncio.run(main(*sys.argv[1:4]))
