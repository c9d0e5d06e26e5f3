package crew

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ojud/agent"
)

// The kinds of crews.
const (
	kindFeedback   = "feedback"   // a draft, a critic, and better drafts
	kindBabyAGI    = "babyagi"    // a list of tasks that grows and is put into order
	kindAutoGPT    = "autogpt"    // goals, and a command and self-criticism in each cycle
	kindTaskmaster = "taskmaster" // parts of the work that need each other, each of which is checked
)

// Kinds lists the kinds.
func Kinds() []string { return []string{kindFeedback, kindBabyAGI, kindAutoGPT, kindTaskmaster} }

// Bounds of a crew. The budget of its model and the time of the run bound it, too.
const (
	maxDrafts = 4
	maxTasks  = 8  // that are done
	maxOpen   = 16 // that wait
	maxSteps  = 100
	maxKept   = 4 << 10 // bytes of a result that other roles see
)

// The names of the roles, which no tool may have.
const (
	worker     = "crew.worker"
	critic     = "crew.critic"
	creator    = "crew.creator"
	prioritize = "crew.prioritizer"
	thinker    = "crew.thinker"
	master     = "crew.master"
	finisher   = "crew.finisher"
)

// New makes an agent of a kind. It has the tools of the setup, and lends its worker those of the
// client. The model is asked by all roles.
func New(kind string, s agent.Setup, m agent.ModelSetup) (agent.Agent, error) {
	kinds := map[string]func(*builder) agent.Body{kindFeedback: feedback, kindBabyAGI: babyAGI, kindAutoGPT: autoGPT, kindTaskmaster: taskmaster}
	assemble := kinds[kind]
	if assemble == nil {
		return nil, fmt.Errorf("crew: kind is %.40q; write one of %s", kind, strings.Join(Kinds(), ", "))
	}
	b := &builder{setup: s, model: m}
	body := assemble(b)
	if b.err != nil {
		return nil, b.err
	}
	s.Tools, s.Minions, s.Lend = nil, b.roles, true
	s.Config.Steps, s.Config.Calls = maxSteps, maxSteps
	return agent.New(s, body)
}

// builder collects the roles of a crew.
type builder struct {
	setup agent.Setup
	model agent.ModelSetup
	roles []agent.Agent
	err   error
}

// role adds a role. A role that works has the tools.
func (b *builder) role(name, words string, output json.RawMessage, works bool) {
	s := agent.Setup{Repr: agent.Repr{Name: name, Description: words, OutputSchema: output}, Config: b.setup.Config, Log: b.setup.Log}
	if works {
		s.Tools = b.setup.Tools
	} else {
		s.Config.Calls = 0
	}
	m := b.model
	m.Instructions = strings.TrimSpace(words + "\n\n" + m.Instructions)
	one, err := agent.NewReAct(s, m)
	if err != nil && b.err == nil {
		b.err = err
	}
	b.roles = append(b.roles, one)
}

// finish adds the role that writes the result of the whole.
func (b *builder) finish() {
	b.role(finisher, "You write the result of the order from what was done. Do not invent what nothing that was done shows.", b.setup.Repr.OutputSchema, false)
}

// shift is one run of a crew.
type shift struct{ *agent.Run }

// failed is why a role has no result.
type failed struct{ role, why string }

// Error says which role has none, and why.
func (f failed) Error() string { return fmt.Sprintf("crew: %s has no result: %s", f.role, f.why) }

// ask lets a role answer, and reads its answer. The error is a failed if the role has none, or that
// of the run.
func (s shift) ask(role, words string, plan []string, input, answer any) error {
	raw, err := json.Marshal(input)
	if err != nil {
		return fmt.Errorf("crew: %w", err)
	}
	results, err := s.Step(agent.Step{Text: words, Plan: plan, Calls: []agent.ToolCall{{Name: role, Input: raw}}})
	if err != nil {
		return err
	}
	if results[0].Error != "" {
		return failed{role, results[0].Error}
	}
	if err := json.Unmarshal(results[0].Output, answer); err != nil {
		return failed{role, "its answer cannot be read"}
	}
	return nil
}

// messages are what the client said meanwhile.
func (s shift) messages() (out []string) {
	for _, raw := range s.Extras() {
		out = append(out, string(raw))
	}
	return out
}

// done is a task with what came of it.
type done struct {
	Task   string `json:"task"`
	Result string `json:"result"`
}

// work lets the worker do a task. That it cannot is a result, too.
func (s shift) work(words string, plan []string, input any) (string, error) {
	var out struct{ Result string }
	err := s.ask(worker, words, plan, input, &out)
	var why failed
	if errors.As(err, &why) {
		return "failed: " + why.why, nil
	}
	return short(out.Result), err
}

func short(text string) string {
	if len(text) > maxKept {
		return strings.ToValidUTF8(text[:maxKept], "") + "…"
	}
	return text
}

// result writes the result of the whole.
func (s shift) result(input any) (out json.RawMessage, err error) {
	err = s.ask(finisher, "It is done. The result follows.", nil, input, &out)
	return out, err
}

// The schemas of answers.
var (
	resultForm = json.RawMessage(`{"type":"object","properties":{"result":{"type":"string"}},"required":["result"],"additionalProperties":false}`)
	tasksForm  = json.RawMessage(`{"type":"object","properties":{"tasks":{"type":"array","maxItems":8,"items":{"type":"string","minLength":1,"maxLength":500}}},"required":["tasks"],"additionalProperties":false}`)
)

// feedback lets a worker write drafts until a critic has nothing to say, four at most. What the
// client says meanwhile counts as criticism. A draft that the critic refuses is no result.
func feedback(b *builder) agent.Body {
	b.role(worker, "You do what the order asks. If there is a draft with feedback, you write a better one that meets each point.", b.setup.Repr.OutputSchema, true)
	b.role(critic, "You look at a draft and say whether it does all that the order asks. If it does not, you say exactly what is wrong.",
		json.RawMessage(`{"type":"object","properties":{"good":{"type":"boolean"},"feedback":{"type":"string"}},"required":["good","feedback"],"additionalProperties":false}`), false)
	return func(_ context.Context, r *agent.Run) (json.RawMessage, error) {
		s, said, refused := shift{r}, []string{}, ""
		var draft json.RawMessage
		for n := range maxDrafts {
			before := string(draft)
			if err := s.ask(worker, fmt.Sprintf("Draft %d.", n+1), nil, map[string]any{"order": r.Input(), "draft": draft, "feedback": said}, &draft); err != nil {
				return nil, err
			}
			if said = s.messages(); string(draft) == before && len(said) == 0 {
				break // the critic would say the same
			}
			var v struct {
				Good     bool
				Feedback string
			}
			if err := s.ask(critic, "Is it good?", nil, map[string]any{"order": r.Input(), "draft": draft}, &v); err != nil {
				return nil, err
			}
			refused = ""
			if said = append(said, s.messages()...); v.Good && len(said) == 0 {
				break
			}
			if !v.Good {
				refused = fmt.Sprintf("the critic refuses draft %d: %s", n+1, short(v.Feedback))
				said = append(said, short(v.Feedback))
			}
		}
		if refused != "" {
			return nil, failed{worker, refused}
		}
		return draft, nil
	}
}

// babyAGI does the first task of a list, adds the tasks that follow from its result, and puts the
// list into order, until the list is empty or eight tasks are done.
func babyAGI(b *builder) agent.Body {
	b.role(worker, "You do one task towards an objective, knowing what was done before.", resultForm, true)
	b.role(creator, "You make the tasks that an objective still needs, by what was done. Leave out what is done or on the list. Make none if nothing is missing.", tasksForm, false)
	b.role(prioritize, "You put a list of tasks into the order in which they should be done, by their numbers.",
		json.RawMessage(`{"type":"object","properties":{"order":{"type":"array","maxItems":16,"items":{"type":"integer"}}},"required":["order"],"additionalProperties":false}`), false)
	b.finish()
	return func(_ context.Context, r *agent.Run) (json.RawMessage, error) {
		s, open, all := shift{r}, []string{}, []done{}
		for len(all) < maxTasks {
			var more struct{ Tasks []string }
			if err := s.ask(creator, "What is to do?", open, map[string]any{"objective": r.Input(), "done": all, "open": open, "messages": s.messages()}, &more); err != nil {
				return nil, err
			}
			open = added(open, all, more.Tasks)
			if len(open) == 0 {
				break
			}
			if len(open) > 1 {
				var by struct{ Order []int }
				if err := s.ask(prioritize, "What comes first?", open, map[string]any{"objective": r.Input(), "tasks": numbered(open)}, &by); err != nil {
					return nil, err
				}
				open = ordered(open, by.Order)
			}
			result, err := s.work(open[0], open, map[string]any{"objective": r.Input(), "task": open[0], "done": all})
			if err != nil {
				return nil, err
			}
			all, open = append(all, done{open[0], result}), open[1:]
		}
		return s.result(map[string]any{"order": r.Input(), "done": all})
	}
}

// added adds tasks that are new.
func added(open []string, all []done, more []string) []string {
	for _, task := range more {
		known := slices.Contains(open, task) || slices.ContainsFunc(all, func(d done) bool { return d.Task == task })
		if !known && len(open) < maxOpen {
			open = append(open, task)
		}
	}
	return open
}

func numbered(tasks []string) (out []string) {
	for i, task := range tasks {
		out = append(out, fmt.Sprintf("%d. %s", i+1, task))
	}
	return out
}

// ordered puts tasks into an order of their numbers. Each stays on the list, whatever the order
// says.
func ordered(tasks []string, order []int) (out []string) {
	taken := make([]bool, len(tasks))
	for _, n := range order {
		if n >= 1 && n <= len(tasks) && !taken[n-1] {
			taken[n-1], out = true, append(out, tasks[n-1])
		}
	}
	for i, task := range tasks {
		if !taken[i] {
			out = append(out, task)
		}
	}
	return out
}

// autoGPT sets goals, and then thinks, plans, criticises itself and gives a command, cycle by
// cycle, until it says that the goals are reached, or eight times.
func autoGPT(b *builder) agent.Body {
	b.role(creator, "You turn an order into one to five goals.", tasksForm, false)
	b.role(thinker, "You pursue goals by commands to a worker, one at a time. Say a thought and a plan, criticise what you did so far and this plan, and meet your earlier criticism. "+
		"A command is a sentence. Say that you are done if all goals are reached.",
		json.RawMessage(`{"type":"object","properties":{"thought":{"type":"string"},"plan":{"type":"array","maxItems":8,"items":{"type":"string","maxLength":500}},"criticism":{"type":"string","maxLength":2000},`+
			`"done":{"type":"boolean"},"command":{"type":"string","maxLength":2000}},"required":["thought","plan","criticism","done","command"],"additionalProperties":false}`), false)
	b.role(worker, "You carry out one command, and say what came of it.", resultForm, true)
	b.finish()
	return func(_ context.Context, r *agent.Run) (json.RawMessage, error) {
		s, all, criticism := shift{r}, []done{}, ""
		var goals struct{ Tasks []string }
		if err := s.ask(creator, "Which goals?", nil, map[string]any{"order": r.Input()}, &goals); err != nil {
			return nil, err
		}
		for range maxTasks {
			var t struct {
				Thought, Criticism, Command string
				Plan                        []string
				Done                        bool
			}
			if err := s.ask(thinker, "What next?", goals.Tasks, map[string]any{"goals": goals.Tasks, "done": all, "criticism": criticism, "messages": s.messages()}, &t); err != nil {
				return nil, err
			}
			if criticism = t.Criticism; t.Done || t.Command == "" {
				break
			}
			result, err := s.work(short(t.Thought), t.Plan, map[string]any{"goals": goals.Tasks, "command": t.Command, "done": all})
			if err != nil {
				return nil, err
			}
			all = append(all, done{t.Command, result})
		}
		return s.result(map[string]any{"order": r.Input(), "goals": goals.Tasks, "done": all, "criticism": criticism})
	}
}
