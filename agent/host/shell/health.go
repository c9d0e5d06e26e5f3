package shell

import (
	"context"
	"time"

	"ojud/agent/host"
)

const (
	firstCheck = 5 * time.Second // between two looks at a service, doubled while it is down
	lastCheck  = 5 * time.Minute
	checkTime  = 30 * time.Second
)

// illness says since when a service does not answer, and why. The zero value is a healthy one.
type illness struct {
	since    int64
	why      string
	failures int
	next     int64 // when to look again
	looking  bool
}

// learn takes the result of a look.
func (i *illness) learn(err error, at int64) {
	i.looking = false
	if err == nil {
		*i = illness{next: at + firstCheck.Milliseconds()}
		return
	}
	if i.since == 0 {
		i.since = at
	}
	wait := min(lastCheck, firstCheck<<min(i.failures, 10))
	i.failures, i.why, i.next = i.failures+1, short(err.Error()), at+wait.Milliseconds()
}

// checkServices looks at the services that are due, each beside the others. The caller holds mu.
func checkServices(h *Host, at int64) {
	for id, w := range h.workers {
		if !h.files[id].Service {
			delete(h.ill, id)
			continue
		}
		i := h.ill[id]
		if i == nil {
			i = &illness{}
			h.ill[id] = i
		}
		if i.looking || at < i.next {
			continue
		}
		i.looking = true
		h.work.Go(func() {
			ctx, cancel := context.WithTimeout(h.life, checkTime)
			defer cancel()
			err := w.Check(ctx)
			h.report("a service does not answer, and is tried again", id, err)
			h.mu.Lock()
			defer h.mu.Unlock()
			i.learn(err, now())
		})
	}
	for id := range h.ill {
		if h.workers[id] == nil && !h.core.Failing(id) {
			delete(h.ill, id)
		}
	}
}

// withHealth adds to a portrait whether its service answers, whom the file lets it ask, and where
// it is called. The caller holds mu.
func withHealth(h *Host, v host.Portrait) host.Portrait {
	m := h.files[v.ID]
	v.Constraints.Sources = m.Sources
	for _, d := range m.Remotes {
		v.Constraints.Remotes = append(v.Constraints.Remotes, d.String())
	}
	if i := h.ill[v.ID]; i != nil {
		v.Down, v.Why = i.since, i.why
	}
	if v.Life != host.Terminated && !v.Missing {
		for _, c := range v.Capabilities {
			v.Endpoints = append(v.Endpoints, host.Target{Agent: v.ID, Capability: c.Name}.String())
		}
		for _, at := range h.acting.outside {
			for _, c := range v.Capabilities {
				v.Endpoints = append(v.Endpoints, at+"/"+host.Target{Agent: v.ID, Capability: c.Name}.Name())
			}
		}
	}
	return v
}

// Reached says where callers of other machines reach agents: agent://[KEY@]HOST:PORT, or over
// libp2p.
func Reached(h *Host, at []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.acting.outside = at
}
