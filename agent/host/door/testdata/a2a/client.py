"""Uses an agent by A2A as a program does that has the SDK of PyPI, and prints what it saw.

    client.py URL BINDING

The variable A2A_WORD has the word. The agent has the skills echo, which gives its input back as the
member payload, and sleep.
"""

import asyncio
import json
import os
import sys

import httpx
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.types import (
    CancelTaskRequest, GetTaskRequest, ListTasksRequest, Message, Part, Role, SendMessageConfiguration,
    SendMessageRequest, SubscribeToTaskRequest, TaskState,
)
from google.protobuf.json_format import MessageToDict


def message(id, skill, text, **config):
    m = Message(message_id=id, role=Role.ROLE_USER, parts=[Part(text=text)])
    m.metadata.update({"skill": skill})
    return SendMessageRequest(message=m, configuration=SendMessageConfiguration(**config))


def result(task):
    return MessageToDict(task.artifacts[0].parts[0].data)["payload"]


async def last(events):
    """Returns the last event, and the kinds of all."""
    kinds, event = [], None
    async for event in events:
        kinds.append(event.WhichOneof("payload"))
    return event, kinds


async def main(url, binding):
    headers = {"Authorization": "Bearer " + os.environ["A2A_WORD"]}
    async with httpx.AsyncClient(headers=headers, timeout=30) as http:
        card = await A2ACardResolver(http, url).get_agent_card()
        whole = ClientFactory(ClientConfig(httpx_client=http, streaming=False, supported_protocol_bindings=[binding])).create(card)
        live = ClientFactory(ClientConfig(httpx_client=http, streaming=True, supported_protocol_bindings=[binding])).create(card)
        seen = {"skills": [s.id for s in card.skills]}

        event, _ = await last(whole.send_message(message("p1" + binding, "echo", "an owl")))
        task = event.task
        seen["sent"], seen["state"] = result(task), TaskState.Name(task.status.state)
        seen["proof"] = sorted(MessageToDict(task.artifacts[0].metadata))
        again, _ = await last(whole.send_message(message("p1" + binding, "echo", "an owl")))
        seen["same"] = again.task.id == task.id
        seen["got"] = result(await whole.get_task(GetTaskRequest(id=task.id)))
        listed = await whole.list_tasks(ListTasksRequest(context_id=task.context_id))
        seen["listed"] = [t.id for t in listed.tasks] == [task.id]

        event, kinds = await last(live.send_message(message("p2" + binding, "echo", "two owls")))
        seen["kinds"] = [{"artifact_update": "artifactUpdate", "status_update": "statusUpdate"}.get(k, k) for k in kinds]
        seen["end"] = TaskState.Name(event.status_update.status.state)

        event, _ = await last(whole.send_message(message("p3" + binding, "sleep", "x", return_immediately=True)))
        seen["early"] = TaskState.Name(event.task.status.state)
        events = live.subscribe(SubscribeToTaskRequest(id=event.task.id))
        first = await anext(events)
        seen["subscribed"] = first.WhichOneof("payload")
        cancelled = await whole.cancel_task(CancelTaskRequest(id=event.task.id))
        seen["cancelled"] = TaskState.Name(cancelled.status.state)
        event, _ = await last(events)
        seen["heard"] = TaskState.Name(event.status_update.status.state)
        try:
            await whole.get_task(GetTaskRequest(id="none"))
        except Exception as e:
            seen["missing"] = "TaskNotFound" in type(e).__name__
        print(json.dumps(seen))


asyncio.run(main(*sys.argv[1:]))
