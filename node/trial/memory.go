package trial

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"ojud/agent/judge/memory"
	"ojud/casefile"
	"ojud/voting"
)

// errNoCase means that the judge remembers nothing of a case.
var errNoCase = memory.ErrNoCase

// Memory is the judge's memory of its cases, in its home. Unlike the rest of this package it can
// change the home: it can forget.
type Memory struct{ *memory.Learned }

// Lesson is the judge's memory of one round of a case.
type Lesson struct {
	Case    casefile.Address `json:"case"`
	Round   uint8            `json:"round"`
	Class   string           `json:"class"`
	Choice  string           `json:"choice"`         // the judge's own
	Verdict string           `json:"verdict"`        // the verdict of the case
	With    bool             `json:"with_the_court"` // both are the same
	Flagged bool             `json:"flagged"`        // a text of the case spoke to its reader
	Learned string           `json:"learned"`        // UTC
	Lines   []LessonLine     `json:"lines"`
}

// LessonLine is a requirement that the judge's model decided.
type LessonLine struct {
	Outcome string `json:"outcome"` // met, not met, open
	Agree   int    `json:"agree"`   // samples that said so
	Of      int    `json:"of"`
}

// OpenMemory reads the memory of the judge with that authority. Its node may run meanwhile.
func OpenMemory(c Config, home string, authority [32]byte) (*Memory, error) {
	s, err := memory.Open(home, authority, c.Judge.Memory, memory.Deps{})
	if err != nil {
		return nil, err
	}
	return &Memory{s}, nil
}

// Lessons returns all lessons, the oldest first, or those of one case; ErrNoCase if there is none
// of it. broken names files that cannot be read, and why.
func (m *Memory) Lessons(ctx context.Context, of [32]byte) (lessons []Lesson, broken []string, err error) {
	learned, bad, err := m.Learned.List(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(bad)) {
		broken = append(broken, fmt.Sprintf("%s: %v", name, bad[name]))
	}
	for _, e := range learned {
		if of == [32]byte{} || e.Case == of {
			lessons = append(lessons, lessonOf(e))
		}
	}
	if of != [32]byte{} && lessons == nil {
		return nil, broken, fmt.Errorf("%w: %s", errNoCase, casefile.Address(of))
	}
	return lessons, broken, nil
}

func lessonOf(e memory.Lesson) Lesson {
	out := Lesson{
		Case: e.Case, Round: e.Round, Class: string(e.Class), Choice: voting.Choice(e.Choice).String(), Verdict: voting.Verdict(e.Verdict).String(),
		With: e.With(), Flagged: e.Flagged, Learned: time.Unix(e.At, 0).UTC().Format(time.DateTime),
	}
	for _, l := range e.Lines {
		outcome := map[casefile.CheckOutcome]string{casefile.Pass: "met", casefile.Fail: "not met", casefile.Unknown: "open"}[l.Outcome]
		out.Lines = append(out.Lines, LessonLine{outcome, int(l.Agree), int(l.Of)})
	}
	return out
}

// Forget removes the lessons of a case, and returns how many rounds they were of; ErrNoCase if
// none.
func (m *Memory) Forget(ctx context.Context, of [32]byte) (int, error) {
	return m.Learned.Forget(ctx, of)
}
