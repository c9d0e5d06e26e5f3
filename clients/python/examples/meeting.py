"""A calendar, on two machines: python3 meeting.py serve | ask URL DID [cbor]"""

import asyncio
import json
import sys

from ojud_anex import Key, connect, cut, serve

CALENDAR = {"name": "Joe Smith", "email": "joe@example.org", "schedule": ["2026-12-01T10:00:00Z"]}


async def joe(talk):
    """Tells name and schedule to those who promise to keep nothing. What he signs is about that, and
    nothing else: no other purpose, and no deal."""
    async for h in talk:
        if h.what == "engagement":
            await talk.agree("Proceeding.")
        elif h.what == "call":
            wanted = h.message.content["request"]
            if wanted["request_type"] != "calendar negotiation" or "deal" in wanted:
                await talk.say("REFUSE", "FIPA-Contract-Net", {"response": "I talk about the calendar, without a deal."})
                continue
            if "no data retention(m)" not in wanted.get("promise", []):
                await talk.say("REFUSE", "FIPA-Contract-Net", {"response": "Promise no data retention(m)."})
                continue
            await talk.propose(access=["name", "schedule"], promise=["no data retention"])
        elif h.what == "request":
            await talk.tell(cut(CALENDAR, talk.agreement["access"]), in_reply_to=h.message.reply_with)
        elif h.what == "subscription":
            await talk.say("AGREE", "FIPA-Subscribe", {"response": "Subscribed."})
            await talk.publish({"schedule": CALENDAR["schedule"]})
        elif h.what == "question":
            await talk.say("NOT-UNDERSTOOD", "FIPA-Query", {"error": "I cannot answer that."})


async def ammon(url, did, cbor=""):
    talk = await connect(url, Key(bytes([1]) * 32), peer=did, cbor=cbor == "cbor")
    await talk.greet("Ammon Haggerty")
    await talk.request("Set up time for an in-person meeting. Ok to continue?")
    await talk.expect("agree")
    await talk.call(
        "calendar negotiation", access=["name(m)", "schedule"], promise=["no data retention(m)"],
        owner="Ammon Haggerty", relation="acquaintance (Joe Smith)",
    )
    await talk.expect("proposal")
    await talk.accept()
    await talk.expect("signature")
    talk.agreement.verify()
    await talk.ask({"what": "schedule"})
    data = (await talk.expect("data")).message.content
    await talk.tell({"meeting_times": data["schedule"]})
    await talk.subscribe("schedule", 1)
    await talk.expect("agree")
    await talk.expect("update")
    await talk.query("Is it a Tuesday?")
    await talk.expect("not-understood")
    await talk.end()
    await talk.expect("end")
    print(json.dumps({"how": talk.ended.how, "erase": talk.ended.erase, "hash": talk.agreement.hash(), "data": data}))


async def main():
    if sys.argv[1] == "serve":
        key = Key(bytes([2]) * 32)
        server = await serve(key, joe)
        port = server.sockets[0].getsockname()[1]
        print(json.dumps({"agent": key.did, "at": f"wss://127.0.0.1:{port}/"}), flush=True)
        await server.serve_forever()
    else:
        await ammon(*sys.argv[2:5])


asyncio.run(main())
