package chair

import (
	"context"

	"ojud/agent/judge"
	"ojud/agent/judge/memory"
	"ojud/casefile"
)

// recollect opens the judge's memory, if it has one. If the memory cannot be opened, the judge
// works without it; the log and ojud doctor report it.
func recollect(c judge.Config, d Deps) *memory.Learned {
	if !c.Memory.On || d.Authority == (casefile.Address{}) {
		return nil
	}
	s, err := memory.Open(d.Dir, d.Authority, c.Memory, memory.Deps{Log: d.Log, Metrics: d.Metrics})
	if err != nil && d.Log != nil {
		d.Log.Warn("the judge works without its memory of earlier cases", "err", err, "next", "ojud doctor")
	}
	if err != nil {
		return nil
	}
	return s
}

// Learn stores the lesson of the judge's opinion of a round after the case ended with a verdict.
// Without a memory it does nothing. It learns each round once. at is in Unix seconds.
func (c *Chair) Learn(ctx context.Context, task casefile.Task, o casefile.Opinion, verdict casefile.Verdict, at int64) error {
	if c.memory == nil {
		return nil
	}
	e, ok := judge.Lesson(task, o, verdict, at)
	if !ok {
		return nil
	}
	return c.memory.Learn(ctx, e)
}
