"""Plays agent/channel/testdata/frames.json, as Go and JavaScript do."""

import json
import pathlib
import unittest

from ojud_anex import AnexError
from ojud_anex.frame import Bye, PeerSession, decode, decode_body

FILE = pathlib.Path(__file__).resolve().parents[3] / "agent" / "channel" / "testdata" / "frames.json"


class Frames(unittest.TestCase):
    def setUp(self):
        self.all = json.loads(FILE.read_text())

    def test_frames_and_messages(self):
        for name, read, least in (("frames", decode, 25), ("messages", decode_body, 20)):
            self.assertGreaterEqual(len(self.all[name]), least)
            for v in self.all[name]:
                with self.subTest(v["why"], text=v["text"]):
                    if v["valid"]:
                        read(v["text"])
                    else:
                        self.assertRaises(AnexError, read, v["text"])

    def test_scenes(self):
        self.assertGreaterEqual(len(self.all["scenes"]), 6)
        for scene in self.all["scenes"]:
            s = PeerSession("ABCDEFGHIJKLMNOPQRSTUVWXYZ", scene["window"])
            for n, b in enumerate(scene["steps"], 1):
                with self.subTest(scene["why"], step=n):
                    send, deliver, fault = [], [], ""
                    try:
                        if b["event"] == "heard":
                            send, deliver = s.heard(decode(json.dumps(b["frame"])))
                        elif b["event"] == "posted":
                            send = s.posted(b["body"])
                        else:
                            send = {"linked": s.linked, "unlinked": s.unlinked, "taken": s.take, "settled": s.settle}[b["event"]]()
                    except Bye as e:
                        fault = e.code
                    self.assertEqual(send, b.get("send", []))
                    self.assertEqual(deliver, [b["deliver"]] if "deliver" in b else [])
                    self.assertEqual(fault, b.get("fault", ""))
