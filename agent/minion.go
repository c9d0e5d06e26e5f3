package agent

import "context"

func (r *Run) minion(j *job) (ToolResult, error) {
	q := Request{Input: j.call.Input, Context: r.context}
	if r.agent.Lend {
		q.Tools, q.Minions = r.request.Tools, r.request.Minions
	}
	m, err := j.offer.agent.Run(r.ch.ctx, q)
	if err != nil {
		r.agent.Log.Warn("a minion does not begin", "agent", r.agent.Setup.Repr.Name, "minion", j.call.Name, "error", err)
		return r.tell(j, ToolResult{Error: Words(err)})
	}
	r.ch.keep(m)
	if !m.claim(r.ch.chunks) {
		return r.tell(j, ToolResult{Error: Words(ErrReader)})
	}
	return r.follow(j, m)
}

// follow reads the steps of a minion's run, as its only reader, and passes them on.
func (r *Run) follow(j *job, m *Channel) (ToolResult, error) {
	r.ch.enlist(j.call.ID, m)
	defer r.ch.discharge(j.call.ID)
	if err := r.ch.emit(MinionStart{ID: j.call.ID, Name: j.call.Name}); err != nil {
		return ToolResult{}, err
	}
	final, failed, err := r.relay(j.call.ID, m)
	r.ch.spend(m.Usage())
	if err == nil {
		err = context.Cause(r.ch.ctx)
	}
	if err != nil {
		return ToolResult{}, err
	}
	return r.report(j, m, final, failed)
}

// relay passes on the events of a minion until its end.
func (r *Run) relay(call string, m *Channel) (final FinalResult, failed, err error) {
	m.read(func(e Event, wrong error) bool {
		if last, ok := e.(FinalResult); ok || wrong != nil {
			final, failed = last, wrong
			return true
		}
		err = r.ch.emit(below(call, e))
		return err == nil
	})
	return final, failed, err
}

// report tells how a minion ended. If it ran inside, its context becomes the run's.
func (r *Run) report(j *job, m *Channel, final FinalResult, failed error) (ToolResult, error) {
	if failed == nil && j.offer.agent != nil {
		failed = r.SetContext(final.Context)
	}
	result := ToolResult{Output: final.Output}
	if failed != nil {
		r.agent.Log.Warn("a minion failed", "agent", r.agent.Setup.Repr.Name, "minion", j.call.Name, "error", failed)
		result = ToolResult{Error: Words(failed)}
	}
	result, err := r.settle(j, result)
	if err != nil {
		return result, err
	}
	return result, r.ch.emit(MinionResult{ToolResult: result, Context: final.Context, Usage: m.Usage()})
}

// enlist lets inputs for a minion find it.
func (c *Channel) enlist(call string, m *Channel) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.live[call] = m
}

func (c *Channel) discharge(call string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.live, call)
}
