package judge

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ojud/agent/judge/class"
	"ojud/agent/judge/memory"
	"ojud/agent/judge/prose"
	"ojud/casefile"
	"ojud/voting"
)

const (
	maxRecalled = 8       // points of an earlier case that the model sees
	maxMemory   = 6 << 10 // bytes of all earlier cases together
)

// remember shows the model earlier cases of this judge with similar tasks. They are shown as
// strangers' words, cannot be cited, and do not reach the model that looks for data. If the memory
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
	told, said := recollection(found, q.on.memory)
	q.material.add(part{id: "memory", from: "your own notes on earlier cases, which quote strangers and prove nothing here"}, []byte(told), maxMemory)
	q.notes = append(q.notes, finding(note+"memory", casefile.Pass, "recalled "+said))
}

// demanded returns the demands of a task, as the memory compares tasks.
func demanded(t casefile.Task) string { return strings.Join(t.Instruction, "\n") }

// recollection describes earlier cases for the model and for the opinion.
func recollection(found []memory.Recollection, guarded bool) (told, said string) {
	var b strings.Builder
	names, silenced := make([]string, len(found)), 0
	for i, m := range found {
		names[i] = fmt.Sprintf("%s round %d (%.2f)", m.Case, m.Round, m.Likeness)
		mute := m.Flagged || guarded && slices.ContainsFunc(m.Lines, speaks)
		if mute {
			silenced++
		}
		fmt.Fprintf(&b, "Earlier case %d: you voted %s, the case ended with %s.\n", i+1, voting.Choice(m.Choice), voting.Verdict(m.Verdict))
		for _, l := range m.Lines[:min(len(m.Lines), maxRecalled)] {
			b.WriteString("- " + recalled(l, mute) + "\n")
		}
	}
	said = fmt.Sprintf("%d earlier cases: %s", len(found), strings.Join(names, ", "))
	if silenced > 0 {
		said += fmt.Sprintf("; without what was written in %d of them, where a text speaks to its reader", silenced)
	}
	return b.String(), said
}

// speaks reports whether a point speaks to its reader, or hides something from it. A lesson was
// checked when it was learned, but the detector may have improved since, and other programs can
// write files.
func speaks(l memory.Point) bool {
	text := []byte(l.Requirement + "\n" + l.Reason)
	_, found := prose.Steering(text)
	hidden, _ := prose.Concealed(text)
	return found || hidden > 0
}

// recalled describes a point. If mute, it contains only the code's words.
func recalled(l memory.Point, mute bool) string {
	outcome := map[casefile.CheckOutcome]string{casefile.Pass: "met", casefile.Fail: "not met", casefile.Unknown: "left open"}[l.Outcome]
	if mute || l.Requirement == "" {
		return "a requirement: " + outcome
	}
	return fmt.Sprintf("%q: %s. %s", l.Requirement, outcome, l.Reason)
}

// Lesson returns what a judge learns from its opinion after the case ended: the requirements that
// its model decided. It returns false if there are none, because code decided or no model answered.
// If the opinion found an injection, the lesson contains no text.
func Lesson(t casefile.Task, o casefile.Opinion, verdict casefile.Verdict, at int64) (memory.Lesson, bool) {
	e := memory.Lesson{
		Case: o.Case, Round: o.Round, Class: class.Of(t), Choice: o.Choice, Verdict: verdict, Lines: decided(t, o), Embedding: memory.Draw(demanded(t)), At: at,
	}
	if o.Model == casefile.CodeChecks || len(e.Lines) == 0 {
		return memory.Lesson{}, false
	}
	e.Flagged = slices.ContainsFunc(e.Lines, speaks) || slices.ContainsFunc(o.Findings, func(f casefile.Finding) bool {
		return strings.HasPrefix(f.Check, injection) && f.Outcome == casefile.Fail
	})
	if e.Flagged {
		for i := range e.Lines {
			e.Lines[i].Requirement, e.Lines[i].Reason = "", ""
		}
	}
	return e, true
}

// decided returns the requirements that a model decided, with its reasons, as item.say wrote them.
func decided(t casefile.Task, o casefile.Opinion) (out []memory.Point) {
	for _, f := range o.Findings {
		i, ok := instructed(f.Check, t)
		if !ok || len(out) == memory.MaxLines {
			continue
		}
		what := prose.OneLine(t.Instruction[i], maxSaid)
		_, reason, _ := strings.Cut(f.Detail, fmt.Sprintf("%q: ", what))
		out = append(out, memory.Point{Requirement: what, Outcome: f.Outcome, Reason: prose.OneLine(reason, memory.MaxText-len("…"))})
	}
	return out
}
