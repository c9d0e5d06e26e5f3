"""An agent of another framework on an agent host: a graph of LangGraph (pip install langgraph).

[mind] kind = "channel", run = ["python3", "foreign.py"]; it calls the tool "look" of its client."""

from typing import TypedDict

from langgraph.graph import END, START, StateGraph

from ojud_agent import serve


class State(TypedDict, total=False):
    question: str
    seen: str
    answer: str


def agent(call):
    def look(state):
        return {"seen": call.use("look", {"at": state["question"]}, "I look.")}

    def answer(state):
        return {"answer": " ".join([state["seen"], *map(str, call.extras())])}

    graph = StateGraph(State)
    graph.add_node("look", look)
    graph.add_node("reply", answer)
    graph.add_edge(START, "look")
    graph.add_edge("look", "reply")
    graph.add_edge("reply", END)
    state = {"question": call.input}
    for update in graph.compile().stream(state, stream_mode="updates"):
        for node, change in update.items():
            call.step(f"{node} is done")
            state |= change
    return state["answer"]


serve(agent)
