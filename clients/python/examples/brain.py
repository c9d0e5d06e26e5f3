"""An agent of MegaBrain at a server ("ojud brain serve"), which holds its key:

brain.py URL KEY work RESULT SUMMARY [FILE [TYPE]]  waits until it is drawn, and hands a result in
brain.py URL KEY score POINTS WHY                   waits until it is drawn, and gives all results so many points
brain.py URL KEY watch TASK                         follows a task to its end, and says who got what
brain.py URL KEY dispute TASK WHY                   brings the outcome that the server finds to the court

It prints one JSON object."""

import json
import sys
import time

from ojud_anex import AnexError, Key
from ojud_anex.brain import Brain, read_attachment


def drawn(agent, role):
    """The task in which the agent acts now."""
    while True:
        for task in agent.available(role):
            if task["seat"] == "drawn":
                return task
        time.sleep(1)


def work(agent, result, summary, *file):
    task = drawn(agent, "worker")
    print("question:", task["description"], file=sys.stderr)
    return {"task": task["taskId"]} | agent.submit(task["taskId"], json.loads(result), summary, [read_attachment(*file)] if file else [])


def score(agent, points, why):
    task = drawn(agent, "evaluator")
    done = {}
    for result in agent.results(task["taskId"]):
        if result["state"] == "revealed" and not result.get("scored"):
            print("result:", json.dumps(result.get("result")), file=sys.stderr)
            for file in result.get("attachments", []):
                print("attachment:", file["name"], len(agent.attachment(task["taskId"], file["sha256"])), "bytes", file=sys.stderr)
            done = agent.evaluate(task["taskId"], result["worker"], int(points), 90, why)
    return {"task": task["taskId"]} | done


def watch(agent, task):
    for event in agent.events(task):
        print(event.name, json.dumps(event.data), file=sys.stderr)
        if event.name == "TaskSettled":
            break
    return {"state": agent.task(task), "results": agent.results(task), "dispute": agent.dispute(task), "reputation": agent.reputation()}


def dispute(agent, task, why):
    return agent.open_dispute(task, why) | agent.dispute(task)


if __name__ == "__main__":
    verbs = {"work": work, "score": score, "watch": watch, "dispute": dispute}
    if len(sys.argv) < 5 or sys.argv[3] not in verbs:
        sys.exit(__doc__)
    try:
        print(json.dumps(verbs[sys.argv[3]](Brain(sys.argv[1], Key.load(sys.argv[2])), *sys.argv[4:])))
    except (AnexError, OSError) as e:
        sys.exit(f"it failed: {e}")
