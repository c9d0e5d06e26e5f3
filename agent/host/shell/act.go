package shell

import (
	"context"
	"path/filepath"
	"strings"

	"ojud/agent/host"
	"ojud/agent/host/manifest"
	"ojud/agent/host/mind"
)

// step tells the core what occurred. The caller holds mu.
func (h *Host) step(o host.Occurrence) error {
	if h.broken != nil {
		return h.broken
	}
	return h.carry(h.core.Step(o))
}

// carry saves and does what a plan says. After a failed save nothing more is done, because it is
// not known what is on the disk.
func (h *Host) carry(p host.Consequence) error {
	if err := h.disk.Save(p); err != nil {
		h.broken = err
		h.end(err)
		return err
	}
	for _, act := range p.Acts {
		h.do(act)
	}
	return nil
}

// do does an act. It does not wait.
func (h *Host) do(act host.Act) {
	switch a := act.(type) {
	case host.OpenAgent:
		m := h.files[a.Agent]
		h.work.Go(func() { h.open(m) })
	case host.CloseAgent:
		w := h.workers[a.Agent]
		delete(h.workers, a.Agent)
		if w != nil {
			h.work.Go(func() { h.report("an agent was not closed in order", a.Agent, w.Close()) })
		}
	case host.StartCall:
		w, m := h.workers[a.Target.Agent], h.files[a.Target.Agent]
		ctx, stop := context.WithCancelCause(h.life)
		h.stops[a.ID] = stop
		h.work.Go(func() { h.call(ctx, w, m, a.Invocation) })
	case host.StopCall:
		if stop := h.stops[a.Call]; stop != nil {
			stop(errStopped)
		}
	case host.Tell:
		if a.Started == 0 { // it did nothing
			h.work.Go(func() { h.free(a.Invocation) })
		}
		for _, to := range h.waiting[a.ID] {
			to <- a.Invocation // it has room
		}
		delete(h.waiting, a.ID)
		delete(h.talks, a.ID)
	case host.Join:
		h.waiting[a.Call] = append(h.waiting[a.Call], h.waiting[a.Ref]...)
		delete(h.waiting, a.Ref)
	case host.Settle:
		h.settled[a.Ref] = a.Refusal
	case host.Archive:
		h.report("the identity of an agent is not archived; the next start tries again", a.Agent, h.archive(h.files[a.Agent]))
		delete(h.keys, a.Agent)
	}
}

func (h *Host) report(what, agent string, err error) {
	if err != nil {
		h.parts.Log.Warn(what, "agent", agent, "err", err)
	}
}

// open opens an agent.
func (h *Host) open(m manifest.Manifest) {
	ctx, cancel := context.WithTimeout(h.life, wakeTime)
	defer cancel()
	w, err := mind.Open(ctx, m, mind.Supplies{Work: filepath.Join(h.dir, "work"), LookupEnv: h.parts.LookupEnv, Transport: h.parts.Transport, Log: h.parts.Log})
	problem := ""
	if err != nil {
		problem = strings.ToValidUTF8(err.Error(), "?")
		h.parts.Log.Warn("an agent cannot be opened", "agent", m.ID, "err", err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if problem == "" {
		h.workers[m.ID] = w
		delete(h.ill, m.ID)
	} else if m.Service {
		if h.ill[m.ID] == nil {
			h.ill[m.ID] = &illness{}
		}
		h.ill[m.ID].learn(err, now())
	}
	h.report("what an agent did was not saved", m.ID, h.step(host.Opened{Agent: m.ID, Problem: problem, Now: now()}))
	for _, to := range h.waking[m.ID] {
		to <- problem // it has room
	}
	delete(h.waking, m.ID)
}

// settle steps and returns how the core settled it. The caller holds mu.
func (h *Host) settle(ref string, o host.Occurrence) error {
	if err := h.step(o); err != nil {
		return err
	}
	r := h.settled[ref]
	delete(h.settled, ref)
	if r != nil {
		return r
	}
	return nil
}
