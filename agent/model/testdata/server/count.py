"""Answers as a model server does, with what the schema of each request allows, and counts tokens.

count.py PORTFILE writes its port there. GET /usage has the sums. A token is four bytes of text,
about what it is in English. What a prompt has in common with the beginning of an earlier one is
cached, as servers do. The answers make no sense, so this measures what a judge asks, and not how it
judges.
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

SENTENCE = "The result says this in its second line, as the instruction asks. "
SUMS = {"calls": 0, "prompt": 0, "cached": 0, "completion": 0}
EARLIER = []


def value(schema):
    """An instance of a schema of a judge."""
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][-1]
    kind = schema.get("type")
    if kind == "object":
        return {name: value(schema["properties"][name]) for name in schema.get("properties", {})}
    if kind == "array":
        least = max(1, schema.get("minItems", 0))
        return [value(schema.get("items", {}))] * min(least, schema.get("maxItems", least))
    if kind in ("integer", "number"):
        return schema.get("minimum", 0)
    if kind == "boolean":
        return True
    return SENTENCE[: schema.get("maxLength", len(SENTENCE))]


def common(a, b):
    """How many characters two texts have in common at their beginning."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if a[:middle] == b[:middle] else (low, middle - 1)
    return low


class Server(BaseHTTPRequestHandler):
    def reply(self, body):
        raw = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def do_GET(self):
        self.reply(SUMS if self.path == "/usage" else {"data": [{"id": "count"}]})

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        prompt = "".join(f'<{m["role"]}>{m["content"]}' for m in asked["messages"])
        schema = asked.get("response_format", {}).get("json_schema", {}).get("schema", {})
        answer = json.dumps(value(schema))
        cached = max((common(prompt, other) for other in EARLIER), default=0)
        EARLIER.append(prompt)
        usage = {"calls": 1, "prompt": len(prompt.encode()) // 4, "cached": cached // 4, "completion": len(answer) // 4}
        for name, n in usage.items():
            SUMS[name] += n
        self.reply({
            "id": "x", "object": "chat.completion", "model": "count",
            "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": answer}}],
            "usage": {"prompt_tokens": usage["prompt"], "completion_tokens": usage["completion"], "total_tokens": usage["prompt"] + usage["completion"]},
        })

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    server = HTTPServer(("127.0.0.1", 0), Server)
    with open(sys.argv[1], "w", encoding="utf-8") as port:
        port.write(str(server.server_port))
    server.serve_forever()
