"""Makes a program of any framework an agent of an agent host (docs/agents.md, kind = "channel").

It needs Python 3.11 and nothing else, so this one file may be copied beside the program."""

import asyncio
import inspect
import json
import os
import queue
import sys
import threading


class Failed(Exception):
    """A tool or a minion says that a call failed."""


class Call:
    """One call of the agent: input, context, params, about (who calls, and memories), and tools by
    name. One thread at a time uses it."""

    def __init__(self, order, out):
        self.capability, self.input = order["capability"], order.get("input")
        self.context, self.params, self.about = order.get("context"), order.get("params"), order["about"]
        self._known = json.dumps(self.context)  # what the host knows
        self.tools = {t["name"]: t for t in order.get("tools") or []}
        self._out, self._heard, self._extras = out, queue.SimpleQueue(), queue.SimpleQueue()
        self._calls = self._minions = 0

    def step(self, text="", plan=None, usage=None):
        """Says a whole step."""
        self.begin()
        self.text(text)
        if plan:
            self._say("chunk", {"plan": plan})
        self.end(usage=usage)

    def use(self, name, value=None, text=""):
        """Calls a tool or a minion in a step of its own. Returns its output or raises Failed."""
        self.begin()
        self.text(text)
        self.ask(name, value)
        result, = self.end()
        if "error" in result:
            raise Failed(result["error"])
        return result.get("output")

    def extras(self):
        """Returns what was said to the agent since the last time."""
        out = []
        while not self._extras.empty():
            out.append(self._extras.get())
        return out

    def begin(self):
        """Begins a step, for text, ask and made, until end."""
        if json.dumps(self.context) != self._known:
            self._known = json.dumps(self.context)
            self._say("step_end", {"context": self.context})
        self._say("begin", {})

    def text(self, text):
        """Says more of the step."""
        if text:
            self._say("chunk", {"text": text})

    def ask(self, name, value=None):
        """Has the host or its client make a call when the step ends."""
        self._calls += 1
        self._say("chunk", {"call": {"id": f"c{self._calls}", "name": name, "input": {} if value is None else value}})

    def made(self, name, value, output=None, error=""):
        """Tells of a call that this program made itself."""
        self.ask(name, value)
        self._say("result", {"id": f"c{self._calls}", "name": name, **({"error": error} if error else {"output": output})})

    def end(self, usage=None, fault=""):
        """Ends the step. Returns the results of the calls that were asked for, in their order:
        dicts with output or error. Usage may have prompt_tokens, completion_tokens, cost_micros."""
        self._say("stop", {"fault": fault, "usage": usage or {}})
        results = []
        while True:
            kind, value = self._heard.get()
            if kind == "step_end":
                self.context = value.get("context")
                self._known = json.dumps(self.context)
                return results
            results.append(value)

    def minion(self, name):
        """Begins an agent inside this one. Returns say(text), which says a step of it, and
        finish(output=None, error=""), which ends it."""
        self._minions += 1
        at = f"m{self._minions}"
        self._say("minion_start", {"id": at, "name": name})

        def finish(output=None, error=""):
            self._say("minion_result", {"id": at, "name": name, **({"error": error} if error else {"output": output})})

        return lambda text: self._say("step", {"minion": at, "text": text}), finish

    def _say(self, kind, value):
        self._out.write(json.dumps({kind: value}, separators=(",", ":")) + "\n")
        self._out.flush()

    def _listen(self, lines):
        for line in lines:
            (kind, value), = json.loads(line).items()
            if kind == "extra":
                self._extras.put(value["content"])
            else:
                self._heard.put((kind, value))


def serve(run):
    """Carries out the call for which the host started this program: run(call), which may be async,
    returns the output. What the program prints elsewhere goes to standard error."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    lines = open(0, encoding="utf-8", closefd=False)
    call = Call(json.loads(lines.readline())["run"], out)
    threading.Thread(target=call._listen, args=(lines,), daemon=True).start()
    output = run(call)
    if inspect.isawaitable(output):

        async def wait():
            return await output

        output = asyncio.run(wait())
    call._say("final", {"output": output} if call.context is None else {"output": output, "context": call.context})
