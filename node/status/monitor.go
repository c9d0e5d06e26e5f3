package status

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"ojud/ledger/law"
	"ojud/ledger/program"
	"ojud/node/webhook"
)

// checkEvery is the interval at which a running node checks that it can still judge.
const checkEvery = time.Minute

// lawEvery is the interval at which it reads the rules, which change rarely.
const lawEvery = 5 * time.Minute

// remindEvery is the interval at which a lasting problem is logged again.
const remindEvery = time.Hour

// Monitor checks disk, funds and stake while the node runs. It reports changes, and repeats a
// problem every hour.
type Monitor struct {
	checker Checker
	log     *slog.Logger
	tell    func(webhook.Notification) // passes what the operator's receivers should know
	wake    chan struct{}              // check now

	mu        sync.Mutex
	found     []Finding
	said      map[string]time.Time // when a problem was logged last
	rules     RulesState
	inForce   *law.Rules     // at the last reading
	read      time.Time      // when that was
	announced *program.Rules // at the last check; nil: none
}

// NewMonitor returns a Monitor. Run starts its work.
func NewMonitor(c Checker, log *slog.Logger, tell func(webhook.Notification)) *Monitor {
	return &Monitor{checker: c, log: log, tell: tell, wake: make(chan struct{}, 1), said: map[string]time.Time{}}
}

// Run checks until ctx ends. The first check comes after a while, because a node may be started
// before it is funded and staked.
func (m *Monitor) Run(ctx context.Context) error {
	for every := checkEvery; ; {
		select {
		case <-ctx.Done():
			return nil
		case <-m.wake:
		case <-time.After(every):
		}
		every = checkEvery
		if !m.check(ctx) {
			every /= 3
		}
	}
}

// CheckNow makes Run check funds and stake at once.
func (m *Monitor) CheckNow() {
	select {
	case m.wake <- struct{}{}:
	default:
	}
}

// check reports whether all is well.
func (m *Monitor) check(ctx context.Context) bool {
	rules, unread := m.law(ctx)
	found := []Finding{m.checker.disk(), m.checker.Room(), m.checker.funds(ctx), m.checker.stake(ctx, rules, unread)}
	// If the chain could not be read, ledger.Health says so.
	found = slices.DeleteFunc(found, func(f Finding) bool { return !f.OK && f.Next == "" })
	m.mu.Lock()
	defer m.mu.Unlock()
	if unread == nil {
		m.note(rules)
	}
	well := true
	for _, f := range found {
		was, known := find(m.found, f.Name)
		if f.Name == "funds" && !f.OK && (!known || was.OK) {
			tellFunds(m.tell, f)
		}
		switch {
		case !f.OK && (!known || was.OK || time.Since(m.said[f.Name]) >= remindEvery):
			m.said[f.Name] = time.Now()
			m.log.Warn(f.Detail, "what", f.Name, "next", f.Next)
		case f.OK && known && !was.OK:
			m.log.Info(f.Detail, "what", f.Name)
		}
		well = well && f.OK
	}
	m.found = found
	return well
}

// law returns the rules as they were read a while ago, or reads them.
func (m *Monitor) law(ctx context.Context) (*law.Rules, error) {
	m.mu.Lock()
	known, read := m.inForce, m.read
	m.mu.Unlock()
	if known != nil && time.Since(read) < lawEvery {
		return known, nil
	}
	now, err := m.checker.Chain.Law(ctx)
	if err == nil {
		m.mu.Lock()
		m.inForce, m.read = now, time.Now()
		m.mu.Unlock()
	}
	return now, err
}

// note keeps the state of the rules, and logs a new announcement once. One that was withdrawn may
// be followed by another with the same number.
func (m *Monitor) note(r *law.Rules) {
	before, last := m.rules, m.announced
	m.rules, m.announced = RulesOf(r), r.Next
	switch f := lawful(r, nil); {
	case r.Next != nil && (last == nil || *r.Next != *last):
		m.log.Warn(f.Detail, "what", f.Name, "next", f.Next)
		tellRules(m.tell, r.Next, f)
	case r.Next == nil && last != nil && m.rules.InForce < last.Number:
		m.log.Info(fmt.Sprintf("version %d, which was announced, is withdrawn; %s", last.Number, f.Detail), "what", f.Name)
	case before.InForce != 0 && m.rules.InForce != before.InForce:
		m.log.Info(f.Detail, "what", f.Name)
	}
}

// Rules returns the state of the rules at the last check.
func (m *Monitor) Rules() RulesState {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.rules
}

func find(all []Finding, name string) (Finding, bool) {
	for _, f := range all {
		if f.Name == name {
			return f, true
		}
	}
	return Finding{}, false
}

// Problems says in words for people what keeps the node from judging.
func (m *Monitor) Problems() (out []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, f := range m.found {
		if !f.OK {
			out = append(out, f.Name+": "+f.Detail+"; "+f.Next)
		}
	}
	return out
}

// BlindAfter is the time without a new block after which a node relies on the other seats' proofs
// of the chain.
const BlindAfter = 10 * time.Second

// blindness says for people that no block was seen for that time; empty if that is not too long.
func blindness(age time.Duration) string {
	if age < BlindAfter {
		return ""
	}
	return fmt.Sprintf("chain: no block was seen for %s; the other judges carry this node's votes in rounds whose draw it has seen, "+
		"but it sees no new cases; check the RPC node: ojud doctor", age.Truncate(time.Second))
}
