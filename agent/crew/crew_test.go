package crew

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"ojud/agent"
	"ojud/agent/agenttest"
)

// play runs a crew with a scripted model, and returns its result, what the model read, and the
// roles in the order in which they began.
func play(t *testing.T, kind string, lines ...agenttest.Turn) (result, read, roles string, err error) {
	t.Helper()
	m := agenttest.NewModel(t, lines...)
	a, err := New(kind, agent.Setup{
		Repr:  agent.Repr{Name: "writer", Description: "Writes.", OutputSchema: []byte(`{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`)},
		Tools: []agent.Tool{agenttest.Tool("look", func(string) (string, error) { return `"owls hoot"`, nil })}, Config: agent.DefaultConfig(),
	}, agent.ModelSetup{Model: m, Instructions: "You know birds."})
	if err != nil {
		t.Fatal(err)
	}
	ch, err := a.Run(t.Context(), agent.Request{Input: []byte(`"Write about owls."`), Tools: []agent.Repr{{Name: "ask", Description: "Asks the client."}}})
	if err != nil {
		t.Fatal(err)
	}
	defer ch.Close()
	events, err := agenttest.Client{"ask": agenttest.Answer(`"from the client"`)}.Follow(t, ch, false)
	for _, e := range events {
		if start, ok := e.(agent.MinionStart); ok {
			roles += strings.TrimPrefix(start.Name, "crew.") + " "
		}
	}
	for _, p := range m.Prompts() {
		read += p.System + "\n"
		for _, one := range p.Messages {
			read += one.Text + "\n"
		}
	}
	return agenttest.Output(events), read, strings.TrimSpace(roles), err
}

func says(format string, args ...any) agenttest.Turn {
	return agenttest.Finish(fmt.Sprintf(format, args...))
}

// TestCrews plays each kind. The worker uses a tool of the agent and one of the client.
func TestCrews(t *testing.T) {
	t.Parallel()
	look, ask := agenttest.Call("look", `{}`), agenttest.Call("ask", `{}`)
	for name, c := range map[string]struct {
		kind, want, roles string
		lines             []agenttest.Turn
		read              []string
	}{
		"feedback": {kindFeedback, `{"text":"Owls hoot."}`, "worker critic worker critic", []agenttest.Turn{
			look, says(`{"text":"Owls."}`), says(`{"good":false,"feedback":"say what they do"}`), ask, says(`{"text":"Owls hoot."}`), says(`{"good":true,"feedback":""}`),
		}, []string{"say what they do", "owls hoot", "from the client", "You know birds.", "Write about owls."}},
		"a list": {kindBabyAGI, `{"text":"done"}`, "creator prioritizer worker creator worker creator finisher", []agenttest.Turn{
			says(`{"tasks":["read","write"]}`), says(`{"order":[2,9,2]}`), look, says(`{"result":"wrote it"}`),
			says(`{"tasks":["write","read"]}`), ask, says(`{"result":"read it"}`), says(`{"tasks":[]}`), says(`{"text":"done"}`),
		}, []string{"1. read", "wrote it", "read it"}},
		"nothing to do": {kindBabyAGI, `{"text":"-"}`, "creator finisher", []agenttest.Turn{says(`{"tasks":[]}`), says(`{"text":"-"}`)}, nil},
		"goals": {kindAutoGPT, `{"text":"hoot"}`, "creator thinker worker thinker finisher", []agenttest.Turn{
			says(`{"tasks":["know owls"]}`), says(`{"thought":"look","plan":["look","write"],"criticism":"I guess too much","done":false,"command":"look it up"}`), look, says(`{"result":"they hoot"}`),
			says(`{"thought":"enough","plan":[],"criticism":"","done":true,"command":""}`), says(`{"text":"hoot"}`),
		}, []string{"I guess too much", "they hoot", "look it up"}},
		"parts": {kindTaskmaster, `{"text":"both"}`, "master master worker critic worker critic worker critic finisher", []agenttest.Turn{
			says(`{"parts":[{"id":"b","task":"write","accept":"short","needs":["c"]}]}`),
			says(`{"parts":[{"id":"b","task":"write","accept":"short","needs":["a"]},{"id":"a","task":"read","accept":"true","needs":[]}]}`),
			look, says(`{"result":"they hoot"}`), says(`{"accepted":true,"why":""}`), says(`{"result":"too long"}`), says(`{"accepted":false,"why":"it is long"}`),
			ask, says(`{"result":"hoot"}`), says(`{"accepted":true,"why":""}`), says(`{"text":"both"}`),
		}, []string{"there is no such part", "it is long", "they hoot", `"state":"accepted"`}},
		"a part fails": {kindTaskmaster, `{"text":"nothing"}`, "master worker critic worker critic finisher", []agenttest.Turn{
			says(`{"parts":[{"id":"a","task":"read","accept":"true","needs":[]},{"id":"b","task":"write","accept":"","needs":["a"]}]}`),
			says(`{"result":"?"}`), says(`{"accepted":false,"why":"no"}`), says(`{"result":"??"}`), says(`{"accepted":false,"why":"no"}`), says(`{"text":"nothing"}`),
		}, []string{"it needs a, which was not accepted"}},
	} {
		result, read, roles, err := play(t, c.kind, c.lines...)
		if err != nil || result != c.want || roles != c.roles {
			t.Errorf("%s: %s by %s, %v", name, result, roles, err)
		}
		for _, want := range c.read {
			if !strings.Contains(read, want) {
				t.Errorf("%s: no role reads %q", name, want)
			}
		}
	}
}

// TestCrewFails: a role without an answer ends the run with its name, and a worker without one is a
// result.
func TestCrewFails(t *testing.T) {
	t.Parallel()
	circle := says(`{"parts":[{"id":"a","task":"x","accept":"","needs":["b"]},{"id":"b","task":"y","accept":"","needs":["a"]}]}`)
	if _, read, _, err := play(t, kindTaskmaster, circle, circle); err == nil || !strings.Contains(err.Error(), "in a circle") || !strings.Contains(read, "in a circle") {
		t.Errorf("%v", err)
	}
	var why failed
	for want, lines := range map[string][]agenttest.Turn{
		"refuses draft 1: say more": {says(`{"text":"Owls."}`), says(`{"good":false,"feedback":"say more"}`), says(`{"text":"Owls."}`)}, // it changes nothing
		"refuses draft 4: d": {
			says(`{"text":"1"}`), says(`{"good":false,"feedback":"a"}`), says(`{"text":"2"}`), says(`{"good":false,"feedback":"b"}`),
			says(`{"text":"3"}`), says(`{"good":false,"feedback":"c"}`), says(`{"text":"4"}`), says(`{"good":false,"feedback":"d"}`),
		},
	} {
		if _, _, _, err := play(t, kindFeedback, lines...); !errors.As(err, &why) || !strings.Contains(err.Error(), want) {
			t.Errorf("not %q: %v", want, err)
		}
	}
	down := agenttest.Fail(agent.ErrDown)
	if _, _, _, err := play(t, kindFeedback, down); !errors.As(err, &why) || why.role != worker {
		t.Errorf("%v", err)
	}
	result, read, _, err := play(t, kindAutoGPT, says(`{"tasks":["g"]}`), says(`{"thought":"t","plan":[],"criticism":"","done":false,"command":"c"}`), down,
		says(`{"thought":"t","plan":[],"criticism":"","done":true,"command":""}`), says(`{"text":"-"}`))
	if err != nil || result != `{"text":"-"}` || !strings.Contains(read, "failed: ") {
		t.Errorf("%s, %v", result, err)
	}
	if _, err := New("gpt", agent.Setup{}, agent.ModelSetup{}); err == nil || !strings.Contains(err.Error(), "feedback, babyagi, autogpt, taskmaster") {
		t.Error(err)
	}
	if _, err := New(kindFeedback, agent.Setup{Config: agent.DefaultConfig()}, agent.ModelSetup{}); !errors.Is(err, agent.ErrRequest) {
		t.Error(err)
	}
}

// TestBounds: a model that never ends is ended, and lists are bounded.
func TestBounds(t *testing.T) {
	t.Parallel()
	lines := []agenttest.Turn{}
	for n := range maxTasks {
		lines = append(lines, says(`{"tasks":["task %d"]}`, n), says(`{"result":"%d"}`, n))
	}
	if result, _, _, err := play(t, kindBabyAGI, append(lines, says(`{"text":"end"}`))...); err != nil || result != `{"text":"end"}` {
		t.Errorf("%s, %v", result, err)
	}
	many := make([]string, 2*maxOpen)
	for i := range many {
		many[i] = fmt.Sprint(i)
	}
	if got := added(nil, []done{{"0", ""}}, many); len(got) != maxOpen || got[0] != "1" {
		t.Errorf("%v", got)
	}
	if got := ordered([]string{"a", "b", "c"}, []int{3, 0, -1, 7, 3}); !reflect.DeepEqual(got, []string{"c", "a", "b"}) {
		t.Errorf("%v", got)
	}
}
