package brainview

import (
	"context"
	"slices"
	"time"

	"ojud/ledger/brain"
	"ojud/ledger/onchain"
)

// The limits of a look at seats.
const (
	maxActing = 500
	maxRead   = 100 // accounts of one request
)

// Acting says who has a seat and is to commit, by task: in the 500 tasks that press most, in which
// workers work or evaluators evaluate. An answer is shown again for two seconds.
func (r *TaskReader) Acting(ctx context.Context) (map[string][]string, error) {
	if r == nil {
		return nil, nil
	}
	r.mu.Lock()
	last := r.seats
	r.mu.Unlock()
	if last.fresh() {
		return last.value, nil
	}
	return together(ctx, &r.flights, "acting", last, r.acting)
}

func (r *TaskReader) acting(ctx context.Context) (map[string][]string, error) {
	l, err := r.Tasks(ctx)
	if err != nil {
		return nil, err
	}
	var tasks []onchain.Address
	for _, t := range pressing(l.Tasks) {
		if stage := t.Stage(); (stage == brain.Working || stage == brain.Evaluating) && len(tasks) < maxActing {
			tasks = append(tasks, t.Keys.Task)
		}
	}
	out := map[string][]string{}
	for part := range slices.Chunk(tasks, maxRead) {
		all, _, err := r.from.Chain.Accounts(ctx, part...)
		if err != nil {
			return nil, err
		}
		for i, a := range all {
			if a == nil || a.Owner != r.prog.ID() {
				continue // it was closed meanwhile
			}
			if t, err := brain.DecodeTask(a.Data); err == nil { // it is of another version otherwise
				out[part[i].String()] = drawn(t)
				r.outdate(part[i], t.Status)
			}
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seats = answered[map[string][]string]{out, time.Now()}
	return out, nil
}

// Anew reads a task from the chain, whatever was read before.
func (r *TaskReader) Anew(ctx context.Context, at onchain.Address) (Detail, error) {
	if r == nil {
		return Detail{}, ErrNone
	}
	r.mu.Lock()
	delete(r.shown, at)
	r.mu.Unlock()
	r.flights.Forget("task " + at.String())
	return r.Task(ctx, at)
}

// outdate forgets a task that was read at another stage, so that whoever finds a seat in a list
// finds it in the task.
func (r *TaskReader) outdate(at onchain.Address, now brain.Stage) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if last, ok := r.shown[at]; ok && last.value.stage != now {
		delete(r.shown, at)
		r.flights.Forget("task " + at.String())
	}
}

// drawn are those who are to commit in the present phase of a task.
func drawn(t *brain.TaskAccount) (out []string) {
	const waits = 0
	for _, w := range t.Work[:t.Counts.Drawn] {
		if t.Status == brain.Working && w.State == waits {
			out = append(out, w.Agent.String())
		}
	}
	for _, e := range t.Judges[:t.Counts.Seated] {
		if t.Status == brain.Evaluating && e.State == waits {
			out = append(out, e.Agent.String())
		}
	}
	return out
}
