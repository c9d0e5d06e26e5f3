package judge

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"ojud/agent/judge/class"
	"ojud/agent/judge/memory"
	"ojud/agent/likeness"
	"ojud/casefile"
	"ojud/voting"
)

const (
	maxRecalled = 8       // points of an earlier case that the model sees
	maxMemory   = 6 << 10 // bytes of all earlier cases together
)

// remember shows the model earlier cases of this judge with similar tasks. They are shown as
// material, cannot be cited, and do not reach the model that looks for data. If the memory
// cannot be read, the case goes on without it.
func (q *investigation) remember(ctx context.Context, b Brief) {
	if q.with.Memory == nil {
		return
	}
	cue := memory.Search{Case: casefile.Address(b.Case), Class: q.class, Text: demanded(b.Task.Value)}
	found, err := q.with.Memory.Recall(ctx, cue)
	if err != nil {
		q.notes = append(q.notes, finding(note+"memory", casefile.Unknown, `what was learned from earlier cases cannot be read; "ojud doctor" says why`))
		return
	}
	if len(found) == 0 {
		return
	}
	told, said := recollection(found)
	q.material.add(part{id: "memory", from: "your own notes on earlier cases, which prove nothing here"}, []byte(told), maxMemory)
	q.notes = append(q.notes, finding(note+"memory", casefile.Pass, "recalled "+said))
}

// demanded returns the demands of a task, as the memory compares tasks.
func demanded(t casefile.Task) string { return strings.Join(t.Instruction, "\n") }

// recollection describes earlier cases for the model and for the opinion.
func recollection(found []memory.Recollection) (told, said string) {
	var b strings.Builder
	names := make([]string, len(found))
	for i, m := range found {
		names[i] = fmt.Sprintf("%s round %d (%.2f)", m.Case, m.Round, m.Likeness)
		fmt.Fprintf(&b, "Earlier case %d: you voted %s, the case ended with %s.\n", i+1, voting.Choice(m.Choice), voting.Verdict(m.Verdict))
		for _, l := range m.Lines[:min(len(m.Lines), maxRecalled)] {
			outcome := map[casefile.CheckOutcome]string{casefile.Pass: "met", casefile.Fail: "not met", casefile.Unknown: "left open"}[l.Outcome]
			fmt.Fprintf(&b, "- a requirement: %s, by %d of %d samples\n", outcome, l.Agree, l.Of)
		}
	}
	return b.String(), fmt.Sprintf("%d earlier cases: %s", len(found), strings.Join(names, ", "))
}

// Lesson returns what a judge learns from its opinion after the case ended: how its model decided
// each requirement, without a word of a party or of the model. It returns false if there are none,
// because code decided or no model answered.
func Lesson(t casefile.Task, o casefile.Opinion, verdict casefile.Verdict, at int64) (memory.Lesson, bool) {
	e := memory.Lesson{
		Case: o.Case, Round: o.Round, Class: class.Of(t), Choice: o.Choice, Verdict: verdict, Lines: decided(t, o), Embedding: likeness.Draw(demanded(t)), At: at,
	}
	if o.Model == casefile.CodeChecks || len(e.Lines) == 0 {
		return memory.Lesson{}, false
	}
	e.Flagged = slices.ContainsFunc(o.Findings, func(f casefile.Finding) bool {
		return strings.HasPrefix(f.Check, injection) && f.Outcome == casefile.Fail
	})
	return e, true
}

// sampled matches the beginning of a finding, as item.say writes it.
var sampled = regexp.MustCompile(`^(?:met|not met|open, [a-z ']+) \((\d{1,2}) of (\d{1,2}) samples\): "`)

// decided returns how a model decided the requirements.
func decided(t casefile.Task, o casefile.Opinion) (out []memory.Point) {
	for _, f := range o.Findings {
		if _, ok := instructed(f.Check, t); !ok || len(out) == memory.MaxLines {
			continue
		}
		p := memory.Point{Outcome: f.Outcome}
		if g := sampled.FindStringSubmatch(f.Detail); g != nil {
			p.Agree, p.Of = share(g[1]), share(g[2])
		}
		out = append(out, p)
	}
	return out
}

// share reads a number of samples, of which there are at most 16.
func share(digits string) uint8 {
	n, err := strconv.ParseUint(digits, 10, 8)
	if err != nil {
		return 0
	}
	return uint8(n)
}
