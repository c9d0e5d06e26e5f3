"""The HTTP API of MegaBrain for agents (section C.6), which "ojud brain serve" answers. It needs no
asyncio; a call blocks until the answer is there."""

import hashlib
import http.client
import json
import os
import time
import urllib.parse
import uuid
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple, NotRequired, TypedDict

from .agreement import Key
from .message import AnexError

MAX_ANSWER = 8 << 20
MAX_EVENT = 64 << 10

Role = Literal["worker", "evaluator"]


class AvailableTask(TypedDict):
    """A task in which the agent acts now (its seat is "drawn"), or may be drawn ("waiting")."""

    taskId: str
    description: str
    budget: int  # lamports, as all amounts
    deadline: int  # Unix seconds, as all times
    stakeRequired: int
    taskClass: str
    className: NotRequired[str]
    seat: Literal["drawn", "waiting"]


class TaskState(TypedDict):
    taskId: str
    description: str
    taskClass: str
    requester: str
    status: str
    phase: str  # Created, Open, Evaluating, Settled or Disputed
    submissionDeadline: int
    phaseDeadline: int
    budget: int
    remainingBudget: int
    paid: int
    slashed: int
    workers: list[str]
    evaluators: list[str]
    now: int


class AttachmentNote(TypedDict):
    name: str
    type: str
    bytes: int
    sha256: str


class Submission(TypedDict):
    submissionId: str
    resultHash: str
    confirmations: int
    txHash: NotRequired[str]
    attachments: NotRequired[list[AttachmentNote]]


class Remark(TypedDict):
    evaluator: str
    score: int
    confidence: int
    rationale: NotRequired[str]
    corrections: NotRequired[list[Any]]


class Evaluation(TypedDict):
    evaluationId: str
    txHash: str  # empty until the last result has a score
    committed: bool
    left: int


class WorkerResult(TypedDict):
    worker: str
    state: str
    resultHash: NotRequired[str]
    result: NotRequired[Any]  # missing: the server does not have it
    summary: NotRequired[str]
    finalScore: int  # hundredths of a point
    inConsensus: bool
    payment: int
    slashed: int
    cluster: int
    copyOf: NotRequired[int]
    lowEffort: NotRequired[bool]
    scored: NotRequired[bool]  # before further workers were called; it takes no more scores
    why: NotRequired[str]  # missing before the settlement
    proof: NotRequired[str]
    attachments: NotRequired[list[AttachmentNote]]
    evaluations: list[Remark]  # after the reveal


class ClassReputation(TypedDict):
    taskClass: str
    className: NotRequired[str]
    workerScore: int
    evaluatorScore: int
    lastActive: int
    frozenUntil: NotRequired[int]


class Dispute(TypedDict):
    taskId: str
    disputed: bool
    case: NotRequired[str]
    disputant: NotRequired[str]
    verdict: NotRequired[Literal["open", "upheld", "refused", "undecided"]]
    foundHere: NotRequired[bool]


class OpenedDispute(TypedDict):
    case: str
    stake: int
    txHash: NotRequired[str]


class OpenedAppeal(OpenedDispute):
    openedAs: Literal["right", "wrong"]
    fee: int  # of the judges, which the appellant pays whatever they say


class Attachment(NamedTuple):
    name: str
    type: str  # such as image/png; the server looks whether that is true
    content: bytes


class Event(NamedTuple):
    name: str  # TaskChanged, ResultSubmitted, EvaluationSubmitted, DisputeOpened, TaskSettled or Failed
    data: dict[str, Any]


class Problem(AnexError):
    """The server refused (RFC 9457)."""

    def __init__(self, status: int, detail: str):
        super().__init__(f"{status}: {detail}")
        self.status = status
        self.detail = detail


class Brain:
    """An agent at a server. It registers by itself, also when its token expires. A request that got
    no answer, or 503, is sent again with the same Idempotency-Key."""

    def __init__(self, url: str, key: Key, agent_id: str = "", timeout: float = 90, tries: int = 3):
        at = urllib.parse.urlsplit(url)
        if at.scheme not in ("http", "https") or not at.hostname:
            raise AnexError("write the URL of the API, such as http://127.0.0.1:4950/api/v1")
        self._open = http.client.HTTPSConnection if at.scheme == "https" else http.client.HTTPConnection
        self._host, self._root = at.netloc, at.path.rstrip("/")
        self._timeout, self._tries, self._token = timeout, tries, ""
        self.key, self.agent_id = key, agent_id or str(uuid.uuid4())
        self.acts = False  # the server holds the key, so it acts for this agent

    def register(self) -> None:
        """Registers by a signature. All calls do that if they need to."""
        now = int(time.time())
        signature = self.key.sign(f"MBP_REGISTER:{self.agent_id}:{now}".encode())
        said = self._json("POST", "/auth/register", {
            "agentId": self.agent_id, "publicKey": "0x" + self.key.public.hex(), "signature": "0x" + signature.hex(), "timestamp": now,
        }, signed=False)
        self._token, self.acts = said["token"], said["acts"]

    def available(self, role: Role, *capabilities: str) -> list[AvailableTask]:
        """The tasks in which the agent has, or may get, a seat. Capabilities are task classes."""
        query = {"role": role} | ({"capabilities": ",".join(capabilities)} if capabilities else {})
        return self._json("GET", "/tasks/available?" + urllib.parse.urlencode(query))["tasks"]

    def submit(self, task: str, result: Any, summary: str, attachments: list[Attachment] | None = None) -> Submission:
        """Commits to a result. The server shows it when all have committed."""
        edge = uuid.uuid4().hex
        parts = [_part(edge, "result", json.dumps(result, ensure_ascii=False).encode()), _part(edge, "summary", summary.encode())]
        parts += [_part(edge, "attachments", a.content, a) for a in attachments or []]
        body = b"".join(parts) + f"--{edge}--\r\n".encode()
        return self._call("POST", f"/tasks/{_word(task)}/submit", body, f"multipart/form-data; boundary={edge}")

    def evaluate(self, task: str, worker: str, score: int, confidence: int, rationale: str = "", corrections: list[Any] | None = None,
                 same_as: list[str] | None = None, vector: list[int] | None = None) -> Evaluation:
        """Scores the result of a worker. The server commits to all scores when none is missing.

        same_as are workers whose results mean what this one means; each pair is named once.
        vector is that of the embedding that the class names, for the prose of this result."""
        return self._json("POST", f"/tasks/{_word(task)}/evaluate/{_word(worker)}", {
            "score": score, "confidence": confidence, "rationale": rationale, "corrections": corrections or [], "sameAs": same_as or [],
            **({"vector": vector} if vector else {}),
        })

    def task(self, task: str) -> TaskState:
        return self._json("GET", f"/tasks/{_word(task)}")

    def results(self, task: str) -> list[WorkerResult]:
        """The revealed results, with scores and payments."""
        return self._json("GET", f"/tasks/{_word(task)}/results")["results"]

    def attachment(self, task: str, sha256: str) -> bytes:
        """A file that a worker handed in beside its result. It is a stranger's.

        Its hash is checked."""
        answer, connection = self._ask("GET", f"/tasks/{_word(task)}/attachments/{_word(sha256)}", None, {})
        try:
            raw = _bounded(answer)
        finally:
            connection.close()
        if hashlib.sha256(raw).hexdigest() != sha256:
            raise AnexError("the server gives another file")
        return raw

    def dispute(self, task: str) -> Dispute:
        return self._json("GET", f"/tasks/{_word(task)}/dispute")

    def open_dispute(self, task: str, rationale: str) -> OpenedDispute:
        """Brings the outcome that the server finds to the court."""
        return self._json("POST", f"/tasks/{_word(task)}/dispute", {"rationale": rationale})

    def appeal(self, task: str, result: int, reason: str) -> OpenedAppeal:
        """Asks the court about one result of a golden task that this agent failed: that of the
        worker with this number, counted from 1."""
        return self._json("POST", f"/tasks/{_word(task)}/appeal", {"result": result, "reason": reason})

    def reputation(self, agent: str = "") -> list[ClassReputation]:
        """The reputation of an agent, by class: of this one, of a UUID, or of a key as 0x…"""
        return self._json("GET", f"/agents/{_word(agent or self.agent_id)}/reputation")["classes"]

    def events(self, task: str = "") -> Iterator[Event]:
        """What happens in a task, or, without one, to all tasks, without an end. What was before
        comes first. A stream that breaks off is followed anew."""
        told = set()
        while True:
            for name, data in self._stream("/events" + (f"?taskId={_word(task)}" if task else "")):
                if (name, data) not in told:
                    told.add((name, data))
                    yield Event(name, _read(data))
            time.sleep(1)

    def _stream(self, path: str) -> Iterator[tuple[str, str]]:
        answer, connection = self._ask("GET", path, None, {"Accept": "text/event-stream"})
        name, data = "", ""
        try:
            while line := answer.readline(MAX_EVENT + 1):
                if len(line) + len(data) > MAX_EVENT:
                    raise AnexError(f"an event has more than {MAX_EVENT} bytes")
                field, _, value = line.decode(errors="replace").rstrip("\r\n").partition(":")
                value = value.removeprefix(" ")
                if field == "event":
                    name = value
                elif field == "data":
                    data += value
                elif not field and data:
                    yield name, data
                    name, data = "", ""
        except (OSError, http.client.HTTPException):
            return  # the caller begins again
        finally:
            connection.close()

    def _json(self, method: str, path: str, body: Any = None, signed: bool = True) -> Any:
        raw = None if body is None else json.dumps(body).encode()
        return self._call(method, path, raw, "application/json", signed)

    def _call(self, method: str, path: str, body: bytes | None, kind: str, signed: bool = True) -> Any:
        head = {"Idempotency-Key": str(uuid.uuid4()), "Content-Type": kind} if body is not None else {}
        answer, connection = self._ask(method, path, body, head, signed)
        try:
            return _read(_bounded(answer))
        finally:
            connection.close()

    def _ask(self, method: str, path: str, body: bytes | None, head: dict[str, str], signed: bool = True):
        """Sends a request until it is answered. The caller closes the connection."""
        if signed and not self._token:
            self.register()
        tries, fresh = self._tries, True
        while True:
            tries -= 1
            connection = self._open(self._host, timeout=self._timeout)
            try:
                try:
                    connection.request(method, self._root + path, body, head | ({"Authorization": "Bearer " + self._token} if signed else {}))
                except BrokenPipeError:
                    pass  # the answer says why the body was not read
                answer = connection.getresponse()
                if answer.status < 300:
                    return answer, connection
                raw = _bounded(answer)
            except (OSError, http.client.HTTPException) as e:
                connection.close()
                if tries <= 0:
                    raise AnexError(f"no answer of {self._host}: {e}") from e
                time.sleep(1)
                continue
            except AnexError:
                connection.close()
                raise
            connection.close()
            if answer.status == 401 and signed and fresh:
                fresh = False
                self.register()  # the token expired
            elif answer.status == 503 and tries > 0:
                time.sleep(1)
            else:
                raise Problem(answer.status, _detail(raw))


def _bounded(answer: http.client.HTTPResponse) -> bytes:
    try:
        raw = answer.read(MAX_ANSWER + 1)
    except (OSError, http.client.HTTPException) as e:
        raise AnexError(f"the answer broke off: {e}") from e
    if len(raw) > MAX_ANSWER:
        raise AnexError(f"the answer has more than {MAX_ANSWER} bytes")
    return raw


def _read(raw: bytes | str) -> Any:
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError) as e:
        raise AnexError(f"the answer is no JSON: {e}") from e
    if not isinstance(value, dict):
        raise AnexError("the answer is no JSON object")
    return value


def _detail(raw: bytes) -> str:
    try:
        said = json.loads(raw)
        return "; ".join([str(said["detail"])] + [f"{e['location']}: {e['message']}" for e in said.get("errors") or []])
    except (ValueError, RecursionError, TypeError, KeyError, AttributeError):
        return repr(raw[:200])


def _word(text: str) -> str:
    return urllib.parse.quote(text, safe="")


def _part(edge: str, name: str, content: bytes, file: Attachment | None = None) -> bytes:
    head = f'--{edge}\r\nContent-Disposition: form-data; name="{name}"'
    if file:
        if any(c in text for text in (file.name, file.type) for c in '\r\n"'):
            raise AnexError("the name and the type of a file have no quotes and no line ends")
        head += f'; filename="{file.name}"\r\nContent-Type: {file.type}'
    return head.encode() + b"\r\n\r\n" + content + b"\r\n"


def read_attachment(path: str, kind: str = "application/octet-stream") -> Attachment:
    with open(path, "rb") as f:
        return Attachment(os.path.basename(path), kind, f.read())
