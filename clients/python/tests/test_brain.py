"""What a server of MegaBrain, or somebody in its place, may do to a client. The calls themselves are
tried with "ojud brain serve" (TestBrainClients in test/process)."""

import json
import threading
import unittest
from http.server import BaseHTTPRequestHandler, HTTPServer

from ojud_anex import AnexError, Key
from ojud_anex.brain import MAX_ANSWER, MAX_EVENT, Attachment, Brain, Problem

TOKEN = b'{"token":"t%d","acts":true}'


class Server:
    """Answers requests in their order, and keeps what they were."""

    def __init__(self, *answers):
        self.seen, answers = [], list(answers)
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                outer.seen.append((self.path, dict(self.headers), body))
                status, raw, *head = answers.pop(0)
                self.send_response(status)
                for name, value in head:
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(raw)

            do_POST = do_GET

            def log_message(self, *_):
                pass

        self.http = HTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.http.serve_forever, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self, Brain(f"http://127.0.0.1:{self.http.server_port}/api/v1", Key(bytes([1]) * 32), tries=1)

    def __exit__(self, *_):
        self.http.shutdown()
        self.http.server_close()


class Hostile(unittest.TestCase):
    def test_token_expires(self):
        """A token that expired is renewed once, and the request has the same key as before."""
        problem = b'{"status":401,"detail":"the token expired"}'
        with Server((201, TOKEN % 1), (401, problem), (201, TOKEN % 2), (200, b'{"case":"C","stake":5}'), (401, problem), (201, TOKEN % 3), (401, problem)) as (server, brain):
            self.assertEqual(brain.open_dispute("0x1", "why")["stake"], 5)
            (_, first, _), (path, second, body) = server.seen[1], server.seen[3]
            self.assertEqual((first["Authorization"], second["Authorization"]), ("Bearer t1", "Bearer t2"))
            self.assertEqual(first["Idempotency-Key"], second["Idempotency-Key"])
            self.assertEqual((path, json.loads(body)), ("/api/v1/tasks/0x1/dispute", {"rationale": "why"}))
            with self.assertRaises(Problem):
                brain.task("0x1")

    def test_problem(self):
        problem = b'{"detail":"bad","errors":[{"location":"body.score","message":"too much"}]}'
        with Server((201, TOKEN % 1), (422, problem), (500, b"<html>"), (503, b"{}")) as (_, brain):
            for status, text in ((422, "bad; body.score: too much"), (500, "<html>"), (503, "{}")):
                with self.assertRaises(Problem) as caught:
                    brain.evaluate("0x1", "0x2", 101, 5)
                self.assertEqual(caught.exception.status, status)
                self.assertIn(text, caught.exception.detail)

    def test_attack_answers(self):
        """A token is not sent to where a server points, and no answer takes all memory."""
        deep = b"[" * 100_000
        with Server((201, TOKEN % 1), (302, b"", ("Location", "http://127.0.0.1:1/")), (200, b"x" * (MAX_ANSWER + 1)), (200, deep), (200, b"[]"), (200, b"")) as (_, brain):
            with self.assertRaises(Problem):
                brain.task("0x1")
            for _ in range(4):
                with self.assertRaises(AnexError):
                    brain.task("0x1")

    def test_words(self):
        """What names a task, a worker or a file stays in its place."""
        with Server((201, TOKEN % 1), (200, b"{}"), (200, b"{}")) as (server, brain):
            brain.task("0x1/../../auth?x=1#y")
            self.assertEqual(server.seen[1][0], "/api/v1/tasks/0x1%2F..%2F..%2Fauth%3Fx%3D1%23y")
            with self.assertRaises(AnexError):
                brain.submit("0x1", {}, "s", [Attachment('a"\r\nX: y', "text/plain", b"")])
            brain.submit("0x1", {"a": "é"}, "s", [Attachment("a.txt", "text/plain", b"hi")])
            self.assertIn('{"a": "é"}'.encode(), server.seen[2][2])
            self.assertIn(b'filename="a.txt"\r\nContent-Type: text/plain\r\n\r\nhi\r\n', server.seen[2][2])
        with self.assertRaises(AnexError):
            Brain("127.0.0.1:4950", Key(bytes([1]) * 32))

    def test_events(self):
        """A stream that breaks off is followed anew, and nothing is told twice."""
        one, two = b'event: TaskChanged\ndata: {"a":1}\n\n', b'event: TaskSettled\r\ndata: {"b":\r\ndata: 2}\r\n\r\n'
        with Server((201, TOKEN % 1), (200, one + b"event: x\ndata: {"), (200, one + two)) as (_, brain):
            heard = brain.events("0x1")
            self.assertEqual([next(heard), next(heard)], [("TaskChanged", {"a": 1}), ("TaskSettled", {"b": 2})])
        for bad in (b"data: " + b"x" * MAX_EVENT + b"\n\n", b"data: x\n" * MAX_EVENT, b"data: [\n\n"):
            with Server((201, TOKEN % 1), (200, bad)) as (_, brain), self.assertRaises(AnexError):
                next(brain.events())


if __name__ == "__main__":
    unittest.main()
