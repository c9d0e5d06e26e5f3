package host

import "time"

// A service that cannot be opened is tried again after firstTry, then after twice as long each
// time, and after lastTry at most.
const (
	firstTry = 5 * time.Second
	lastTry  = 5 * time.Minute
)

// missed says that an agent could not be opened.
func (r *resident) missed(now int64) {
	if r.def.Service {
		wait := min(lastTry, firstTry<<min(r.failed, 10))
		r.failed, r.again = r.failed+1, now+wait.Milliseconds()
	}
}

// Failing reports whether an agent is a service that could not be opened and is tried again.
func (c *Core) Failing(id string) bool {
	r := c.agents[id]
	return r != nil && r.known && r.def.Service && r.failed > 0 && !r.open && r.Life != Terminated
}
