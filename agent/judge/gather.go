package judge

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"ojud/agent"
	"ojud/agent/judge/prose"
	"ojud/agent/judge/sheet"
	"ojud/agent/judge/tools"
	"ojud/casefile"
	"ojud/casefile/proof"
)

// Guide is an Evidence that also knows the task's sources, as their holders describe them. The
// descriptions are strangers' words.
type Guide interface {
	Sources(ctx context.Context) []agent.Repr
}

const (
	maxSourceText = 8 << 10 // bytes of a source's description that the model sees
	maxToolText   = 6 << 10 // bytes of an answer that the researcher sees; the decision sees more
)

// gather lets the model ask the task's sources about the checklist. The answers go into the
// material. If gather fails, only these answers are missing.
func (q *investigation) gather(ctx context.Context, b Brief, record *recorder) {
	var offered []agent.Repr
	if q.cfg.Asks > 0 && len(b.Task.Value.DataSources) > 0 {
		offered = append(offered, tools.Ask(b.Task.Value.DataSources))
	}
	if q.cfg.Runs > 0 {
		q.box = &tools.Box{Prover: q.code.prover, Task: b.Task.Value, Papers: proof.Papers{Task: b.Task.Raw, Result: b.Result.Raw, Modules: b.Modules}, Most: q.cfg.Runs}
		offered = append(offered, q.box.Reprs()...)
	}
	if len(offered) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, time.Until(q.until)/3)
	defer cancel()
	if guide, ok := record.Evidence.(Guide); ok {
		q.sources = guide.Sources(ctx)
		q.steeredByGuide()
	}
	researcher, err := q.researcher()
	input, bad := json.Marshal(q.knowledge())
	var channel *agent.Channel
	if err = cmp.Or(err, bad); err == nil {
		channel, err = researcher.Run(ctx, agent.Request{Input: input, Tools: offered})
	}
	if err != nil {
		q.faults = append(q.faults, "no data was looked for")
		return
	}
	defer channel.Close()
	err = q.follow(ctx, b, channel, record)
	q.usage.Add(channel.Usage())
	if err != nil {
		q.faults = append(q.faults, "looking for data: "+fault(ctx, err))
	}
}

func (q *investigation) researcher() (agent.Agent, error) {
	cfg := agent.DefaultConfig()
	calls, instructions := q.cfg.Asks+q.cfg.Runs, tools.Research
	if q.box != nil {
		instructions += tools.Instructions
	}
	cfg.Steps, cfg.Calls, cfg.StepCalls, cfg.Time = calls+2, calls, min(calls, 4), max(time.Second, time.Until(q.until))
	return agent.NewReAct(agent.Setup{
		Repr: agent.Repr{Name: "researcher", Description: "Asks data sources for what a decision needs.",
			OutputSchema: json.RawMessage(`{"type":"object","properties":{"done":{"type":"boolean"}},"required":["done"],"additionalProperties":false}`)},
		Config: cfg,
	}, agent.ModelSetup{Model: q.model, Instructions: instructions, Quote: q.quoted})
}

// quoted returns a text of strangers for a model.
func (q *investigation) quoted(name string, raw json.RawMessage) string {
	text, _ := q.material.shown(sheet.Unfold(raw))
	return fmt.Sprintf("%s begin %s\n%s\n%s end %s", q.mark, name, q.material.marked(text), q.mark, name)
}

func (q *investigation) knowledge() map[string]any {
	requirements, material := map[string]string{}, map[string]string{}
	for _, it := range q.items {
		requirements[it.id] = it.text
	}
	for _, p := range q.material.parts {
		material[p.id] = p.text
	}
	sources := map[string]string{}
	for _, s := range q.sources {
		text := s.Description + "\nrequest: " + string(s.InputSchema)
		sources[s.Name] = strings.ToValidUTF8(text[:min(len(text), maxSourceText)], "")
	}
	return map[string]any{"requirements": requirements, "material": material, "sources": sources}
}

// follow makes the calls from the channel until the researcher ends.
func (q *investigation) follow(ctx context.Context, b Brief, channel *agent.Channel, record *recorder) error {
	for event, err := range channel.Steps(false) {
		if err != nil {
			return err
		}
		call, ok := event.(agent.ClientCall)
		if !ok {
			continue
		}
		if err := channel.Input(q.answer(ctx, b, call, record)); err != nil && !errors.Is(err, agent.ErrEnded) {
			return err
		}
	}
	return nil
}

// answer asks a source, if the question is admitted. Answers get names that can be cited.
func (q *investigation) answer(ctx context.Context, b Brief, call agent.ClientCall, record *recorder) agent.ToolResult {
	if q.box != nil && q.box.Has(call.Name) {
		out, ran := q.box.Run(ctx, call)
		if ran {
			q.notes = append(q.notes, q.material.ran(q.box.Runs(), q.cfg.Text))
		}
		return out
	}
	out := agent.ToolResult{ID: call.ID, Name: call.Name}
	var r Request
	if err := json.Unmarshal(call.Input, &r); err != nil { // the channel checked it against the schema
		out.Error = "not a request"
		return out
	}
	if err := q.admit(b, r, record); err != nil {
		q.refused++
		out.Error = err.Error()
		return out
	}
	before := len(q.material.parts)
	answers, err := record.Ask(ctx, r)
	if err != nil {
		out.Error = unavailable(r.DataSource, err)
		return out
	}
	q.flags = append(q.flags, steeredBy(r.DataSource, answers)...)
	q.material.hear(query{r.DataSource, r.Request, answers}, q.cfg.Text)
	heard := map[string]string{}
	for _, p := range q.material.parts[before:] {
		heard[p.id] = strings.ToValidUTF8(p.text[:min(len(p.text), maxToolText)], "")
	}
	raw, err := json.Marshal(heard)
	if err != nil {
		out.Error = "the answer cannot be shown"
		return out
	}
	out.Output = raw
	return out
}

// asked reports the questions besides those of the task's checks.
func (q *investigation) asked(before int, record *recorder) []casefile.Finding {
	heard := record.all()
	if len(heard) <= before {
		return append(q.withheld(), q.flags...)
	}
	var said []string
	for _, h := range heard[before:] {
		said = append(said, fmt.Sprintf("%s %s: %d answers", h.Source, prose.OneLine(string(h.Request), 120), len(h.answers)))
	}
	out := []casefile.Finding{finding(note+"data", casefile.Pass, "the model asked "+strings.Join(said, "; "))}
	return append(append(out, q.withheld()...), q.flags...)
}
