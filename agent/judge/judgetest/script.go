// Package judgetest has judges for tests that follow a script, and briefs for judges. It is not
// part of the program.
package judgetest

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"ojud/agent/judge"
	"ojud/casefile"
	"ojud/voting"
)

// Script gives the opinions of its script in order, and fails the test when it has run out.
type Script struct {
	t testing.TB

	mu    sync.Mutex
	lines []Turn
}

var _ judge.Judge = (*Script)(nil)

// Turn is one answer of the judge: it waits, then answers, or hangs until ctx ends.
type Turn struct {
	Opinion casefile.Opinion
	Err     error
	Panic   any
	After   time.Duration
	Hang    bool
}

// NewScript returns a judge with these turns. At the end of the test, unused turns fail it.
func NewScript(t testing.TB, lines ...Turn) *Script {
	s := &Script{t: t, lines: lines}
	t.Cleanup(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if len(s.lines) > 0 {
			t.Errorf("judgetest: %d lines of the script were not used", len(s.lines))
		}
	})
	return s
}

// Evaluate answers with the next turn.
func (s *Script) Evaluate(ctx context.Context, b judge.Brief) (casefile.Opinion, error) {
	line, ok := s.next()
	if !ok {
		s.t.Errorf("judgetest: the script has run out at case %x round %d", b.Case[:4], b.Round)
		return casefile.Opinion{}, fmt.Errorf("judgetest: the script has run out")
	}
	if line.Hang {
		<-ctx.Done()
		return casefile.Opinion{}, ctx.Err()
	}
	select {
	case <-time.After(line.After):
	case <-ctx.Done():
		return casefile.Opinion{}, ctx.Err()
	}
	if line.Panic != nil {
		panic(line.Panic)
	}
	return line.Opinion, line.Err
}

func (s *Script) next() (Turn, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.lines) == 0 {
		return Turn{}, false
	}
	line := s.lines[0]
	s.lines = s.lines[1:]
	return line, true
}

// Opinion returns a short opinion with that choice.
func Opinion(c voting.Choice) casefile.Opinion {
	return casefile.Opinion{
		Choice: casefile.Choice(c), Summary: "As the script says.", Model: "script",
		Findings: []casefile.Finding{{Check: "script", Outcome: casefile.Pass, Detail: c.String(), Evidence: []string{}}},
	}
}
