package cluster

import (
	"crypto/sha256"
	"fmt"
	"net/netip"

	"ojud/agent/judge"
	"ojud/agent/judge/chair"
	"ojud/node"
	"ojud/node/cluster/bribe"
	"ojud/voting"
)

// misbehave returns the parts that make a judge misbehave: nothing for an honest one.
func (m *Member) misbehave(cfg node.Config) (judge.Judge, func(node.Broadcaster) node.Broadcaster, error) {
	switch m.Part {
	case Honest, Contrary:
		if m.Part == Honest && m.offers == nil {
			break
		}
		var err error
		if m.chair, err = chair.Fill(chair.Config{Judge: cfg.Judge, Models: cfg.Models}, chair.Deps{Dir: m.Home.Dir, Metrics: m.metrics}); err != nil {
			return nil, nil, fmt.Errorf("cluster: %s: %w", m.Name(), err)
		}
		if m.offers != nil {
			return m.offers.Judge(m.chair.Judge), nil, nil
		}
		return bribe.Contrary(m.chair.Judge), nil, nil
	case Equivocating:
		domain, err := m.Home.Descriptor.Domain()
		return nil, func(c node.Broadcaster) node.Broadcaster {
			return &forger{Broadcaster: c, keys: m.Home.Keys, domain: domain}
		}, err
	}
	return nil, nil, nil
}

// forger is a broadcaster that sends each half of the seats another commitment.
type forger struct {
	node.Broadcaster
	keys   node.Keys
	domain voting.Domain
}

// Push sends the true statement to the first half and a forged one to the second.
func (f *forger) Push(to []voting.Key, notice voting.Notice) error {
	own, ok := notice.(voting.Commit)
	if !ok || own.Judge != f.keys.Judge() {
		return f.Broadcaster.Push(to, notice)
	}
	half := len(to) / 2
	if err := f.Broadcaster.Push(to[:half], own); err != nil {
		return err
	}
	return f.Broadcaster.Push(to[half:], f.forge(own))
}

// forge signs a second statement of the same seat in the same round.
func (f *forger) forge(own voting.Commit) voting.Commit {
	own.Commitment = sha256.Sum256(own.Commitment[:])
	own.Signature = f.keys.Sign(f.domain.Statement(own.Task, own.Round, own.Judge, own.Commitment))
	return own
}

// Part is the part that a judge plays.
type Part uint8

// The parts. The court punishes all except Honest.
const (
	Honest       Part = iota
	Contrary          // judges honestly and says the opposite
	Equivocating      // signs two different statements in a round
	Absent            // is staked, but its node does not run
)

// String names p for people and for JSON.
func (p Part) String() string {
	names := [...]string{"honest", "contrary", "equivocating", "absent"}
	if int(p) < len(names) {
		return names[p]
	}
	return fmt.Sprintf("part(%d)", uint8(p))
}

// listenAddr returns the libp2p address of the judge with that number, at the host of P2P. The
// first judge has its port, the others free ones.
func (c Config) listenAddr(number int) (string, error) {
	at, err := netip.ParseAddrPort(c.P2P)
	if err != nil || at.Addr().Zone() != "" {
		return "", fmt.Errorf("cluster: p2p is %q, must be an IP address and a port", c.P2P)
	}
	kind, port := "ip4", at.Port()
	if at.Addr().Is6() {
		kind = "ip6"
	}
	if number != 1 {
		port = 0
	}
	return fmt.Sprintf("/%s/%s/tcp/%d", kind, at.Addr(), port), nil
}
