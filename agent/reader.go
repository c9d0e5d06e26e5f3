package agent

import (
	"context"
	"iter"
	"sync"
)

// Chunk is a part of a step: of its text, a call, or its plan.
type Chunk struct {
	Text string
	Call *ToolCall
	Plan []string
}

// StepReader is a step in progress. The next event comes even if nothing reads it.
type StepReader struct {
	buffer *buffer
	minion string
}

// Minion is the call of the step's minion. It is empty for the agent's own steps.
func (r *StepReader) Minion() string { return r.minion }

// N is the step's number, from 1.
func (r *StepReader) N() int { return r.buffer.step.N }

// Chunks yields the parts of the step as they come, and ends with the step or the run.
func (r *StepReader) Chunks() iter.Seq[Chunk] {
	return func(yield func(Chunk) bool) {
		for i := 0; ; i++ {
			chunk, ok := r.buffer.wait(i)
			if !ok || !yield(r.below(chunk)) {
				return
			}
		}
	}
}

func (r *StepReader) below(c Chunk) Chunk {
	if c.Call != nil && r.minion != "" {
		call := *c.Call
		call.ID = inside(r.minion, call.ID)
		c.Call = &call
	}
	return c
}

// Step waits for the complete step. The error says why the run ended before.
func (r *StepReader) Step() (Step, error) {
	step, err := r.buffer.whole()
	if err != nil || r.minion == "" {
		return step, err
	}
	return step.below(r.minion), nil
}

// buffer holds a step while it is written and read. TotalBytes bounds its size.
type buffer struct {
	run  context.Context // of the run; readers wait no longer
	mu   sync.Mutex
	step Step
	text []byte // of the step, until it ends
	list []Chunk
	more chan struct{} // closed and replaced by each change
	read int           // chunks that somebody has
	done bool
}

func newBuffer(run context.Context, n int) *buffer {
	return &buffer{run: run, step: Step{N: n}, more: make(chan struct{})}
}

// add appends a part; wake wakes readers. Texts that nobody has read are one part, so that a slow
// reader costs no more than the text.
func (b *buffer) add(c Chunk, change func(*Step)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if change != nil {
		change(&b.step)
	}
	b.text = append(b.text, c.Text...)
	last := len(b.list) - 1
	if c.Text != "" && last >= b.read && b.list[last].Text != "" && len(b.list[last].Text) < maxJoined {
		b.list[last].Text += c.Text
	} else {
		b.list = append(b.list, c)
	}
	b.wake()
}

func (b *buffer) end(change func(*Step)) Step {
	b.mu.Lock()
	defer b.mu.Unlock()
	change(&b.step)
	b.step.Text, b.text = string(b.text), nil
	b.done = true
	b.wake()
	return b.step
}

func (b *buffer) wake() {
	close(b.more)
	b.more = make(chan struct{})
}

// maxJoined bounds the texts that are joined, in bytes, because each joins a copy.
const maxJoined = 1 << 10

// state returns the present state, and a channel that is closed when there is more.
func (b *buffer) state(i int) (chunk *Chunk, done bool, more <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if i >= 0 && i < len(b.list) {
		b.read = max(b.read, i+1)
		return &b.list[i], b.done, b.more
	}
	return nil, b.done, b.more
}

// wait returns chunk i when it is there, or false if there is none.
func (b *buffer) wait(i int) (Chunk, bool) {
	for {
		chunk, done, more := b.state(i)
		switch {
		case chunk != nil:
			return *chunk, true
		case done:
			return Chunk{}, false
		}
		select {
		case <-more:
		case <-b.run.Done():
			if chunk, _, _ := b.state(i); chunk == nil {
				return Chunk{}, false
			}
		}
	}
}

func (b *buffer) whole() (Step, error) {
	for {
		_, done, more := b.state(-1)
		if done {
			return b.step, nil // it does not change any more
		}
		select {
		case <-more:
		case <-b.run.Done():
			if _, done, _ := b.state(-1); !done {
				return Step{}, context.Cause(b.run)
			}
		}
	}
}
