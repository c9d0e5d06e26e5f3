package shell

import "ojud/agent/host"

// Calls are those that one caller made of one agent; if the caller is an agent, those that it made
// in one call of its own. They have the correlation ids that the caller gave them.
type Calls struct {
	Host  *Host
	By    Caller
	Agent string
}

// Withdraw ends a call under way, which then ends as cancelled.
func (s Calls) Withdraw(correlation string) error {
	c, _, err := s.given(correlation)
	if err != nil {
		return err
	}
	s.Host.mu.Lock()
	defer s.Host.mu.Unlock()
	ref := words()
	return s.Host.settle(ref, host.Withdrawn{By: s.By.ID, Call: c.ID, Ref: ref, Now: now()})
}

// Past returns a call that ended.
func (s Calls) Past(correlation string) (c host.Invocation, found bool, err error) {
	c, found, err = s.given(correlation)
	return c, found && c.Stage == host.Over, err
}

func (s Calls) given(correlation string) (c host.Invocation, found bool, err error) {
	s.Host.mu.Lock()
	_, d, _ := s.Host.core.Look(s.Agent)
	around, _ := s.Host.core.Open(s.By.Call)
	s.Host.mu.Unlock()
	for _, one := range d.Capabilities {
		c, found, err = s.Host.disk.Given(host.Invocation{Caller: s.By.ID, Allowance: host.Allowance{Behalf: around.Behalf}, Target: host.Target{Agent: s.Agent, Capability: one.Name}, Correlation: correlation})
		if err != nil || found {
			break
		}
	}
	if err != nil || !found || !s.ours(c) {
		return host.Invocation{}, false, err
	}
	return c, true, nil
}

// ours reports whether the caller made a call, and in the same call of its own.
func (s Calls) ours(c host.Invocation) bool { return c.Caller == s.By.ID && c.Parent == s.By.Call }

// Ended shows the calls that ended and are kept, the newest first, until see returns false.
func (s Calls) Ended(see func(host.Invocation) bool) error {
	return s.Host.disk.Ended(s.Agent, func(c host.Invocation) bool { return !s.ours(c) || see(c) })
}
