package model

import (
	"context"
	"sync"
	"time"

	"ojud/agent"
)

// Health is the state of a model.
type Health struct {
	Name     string        `json:"name"`
	Provider string        `json:"provider"`
	Family   string        `json:"family,omitempty"`
	Took     time.Duration `json:"took_ns"` // of the call that was just made
	Median   time.Duration `json:"median_ns"`
	Most     time.Duration `json:"most_ns"` // 19 of 20 answers took at most this; a late one counts as twice its time
	Resting  bool          `json:"resting"` // after a fault, it is asked last for a while
	Failing  bool          `json:"failing"` // its last call failed
	Used     Used          `json:"used"`
	Err      error         `json:"-"` // nil: it answered
	Fault    string        `json:"fault,omitempty"`
}

// Used is what a model did and cost since the start of the program.
type Used struct {
	Cases    int         `json:"cases"` // sessions that asked it
	Answered int         `json:"answered"`
	Failed   int         `json:"failed"`         // calls without an answer
	Last     string      `json:"last,omitempty"` // result of the last call, as in the metrics
	Cost     agent.Usage `json:"cost"`           // of all calls
}

// tally counts what a model did. The zero value has counted nothing.
type tally struct {
	mu   sync.Mutex
	used Used
}

// add counts a call.
func (t *tally) add(result string, answered bool, u agent.Usage) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.used.Cost.Add(u)
	t.used.Last = result
	if answered {
		t.used.Answered++
	} else {
		t.used.Failed++
	}
}

// session counts a case.
func (t *tally) session() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.used.Cases++
}

func (t *tally) now() Used {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.used
}

// Probe asks every model a tiny question, one after the other, which may cost money.
func (l *Ladder) Probe(ctx context.Context) []Health {
	var out []Health
	for _, r := range l.rungs {
		out = append(out, r.probe(ctx, l.config.Budget))
	}
	return out
}

func (r *rung) probe(ctx context.Context, b Budget) Health {
	p := agent.Prompt{Messages: []agent.Message{{Role: agent.User, Text: `Answer with {"ok": true}`}}, MaxTokens: 256,
		Schema: []byte(`{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"],"additionalProperties":false}`)}
	started := time.Now()
	_, err := r.send(ctx, r.call(p), &meter{budget: b})
	report := r.report(time.Now())
	report.Took, report.Err = time.Since(started), err
	if err != nil {
		report.Fault = err.Error()
	}
	return report
}

// Reports returns the states of the models by earlier measurements, without a question.
func (l *Ladder) Reports() []Health {
	var out []Health
	for _, r := range l.rungs {
		out = append(out, r.report(time.Now()))
	}
	return out
}

// Down names the models whose last call failed.
func (l *Ladder) Down() (out []string) {
	for _, r := range l.rungs {
		if r.pace.failing() {
			out = append(out, r.entry.Name)
		}
	}
	return out
}

func (r *rung) report(now time.Time) Health {
	median, most := r.pace.measured(now)
	return Health{Name: r.entry.Name, Provider: r.entry.Provider, Family: r.entry.Family, Median: median, Most: most, Resting: r.pace.resting(now),
		Failing: r.pace.failing(), Used: r.tally.now()}
}
