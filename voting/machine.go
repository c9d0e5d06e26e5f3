package voting

import (
	"fmt"
	"slices"
	"sync/atomic"
)

// Machine is the brain of a node: events in, effects out. It does no I/O, has no clock and no
// randomness, and the same events give the same effects. See the package comment for what its
// caller must do.
type Machine struct {
	*self
	busy     atomic.Bool
	restored bool
	cases    *caseSet

	// Each part owns one duty, and the fields of a case that serve it. No part keeps anything of
	// its own.
	outcome      outcome
	judging      judging
	reception    reception
	publication  publication
	transactions transactions
	gathering    gathering
	capacity     capacity
}

// All parts of a machine share self: the identity of the node, the time, and the effects of the
// step.
type self struct {
	cfg   Config
	now   int64
	blind bool  // the node has seen no block for a while, so the word of other nodes counts
	born  int64 // when the journal was created; 0 if it is older than Born records
	out   []Effect
}

// New returns a machine that waits for Restored.
func New(cfg Config) (*Machine, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	if cfg.Verify == nil {
		cfg.Verify = VerifyStrict
	}
	s, cases := &self{cfg: cfg}, &caseSet{}
	m := &Machine{self: s, cases: cases, outcome: outcome{s}, judging: judging{s}, transactions: transactions{s}}
	m.reception = reception{s, &m.judging}
	m.publication = publication{s}
	m.gathering = gathering{s, &m.judging}
	m.capacity = capacity{s, cases, &m.judging}
	return m, nil
}

// Step takes one event and returns what to do, in order. With an error the event was refused;
// effects that come with it are still to be executed. Step panics when it is called while it runs.
func (m *Machine) Step(e Event) ([]Effect, error) {
	m.enter()
	defer m.busy.Store(false)
	if _, first := e.(Restored); first == m.restored {
		return nil, fmt.Errorf("%w: %T, restored is %t", errOrder, e, m.restored)
	}
	m.now, m.out = e.at(), nil
	err := m.handle(e)
	return m.out, err
}

// Next returns the chain time at which a Tick is wanted, and whether one is wanted at all.
func (m *Machine) Next() (at int64, ok bool) {
	m.enter()
	defer m.busy.Store(false)
	for _, c := range m.cases.all {
		if c.wake != 0 && (!ok || c.wake < at) {
			at, ok = c.wake, true
		}
	}
	return at, ok
}

func (m *Machine) enter() {
	if !m.busy.CompareAndSwap(false, true) {
		panic("voting: Machine used by two goroutines")
	}
}

func (s *self) emit(e Effect) { s.out = append(s.out, e) }

func (m *Machine) handle(e Event) error {
	switch e := e.(type) {
	case Restored:
		return m.restore(e)
	case CaseSeen:
		return m.caseSeen(e)
	case CaseGone:
		m.caseGone(e)
	case Tick:
		m.blind = e.Blind
		m.tick()
	case OpinionReady:
		return m.opinionReady(e)
	case OpinionFailed:
		m.opinionFailed(e)
	case NoticeReceived:
		return m.noticeReceived(e)
	case CaughtUp:
		m.caughtUp(e)
	case PeerConnected:
		m.peerConnected(e)
	case OpeningRecovered:
		return m.openingRecovered(e)
	case SubmitDone:
		m.submitDone(e)
	default:
		return fmt.Errorf("%w: %T", errEvent, e)
	}
	return nil
}

// tick drives every case that wanted to be woken by now, and all of them after the clock went back
// or while it stands still.
func (m *Machine) tick() {
	for _, c := range slices.Clone(m.cases.all) {
		if c.wake != 0 && c.wake <= m.now || m.now < c.driven || m.blind {
			m.drive(c)
		}
	}
}

// drive starts everything that the state of the case asks for at this time. Every rule looks at the
// state and not at what changed, so that repeated, missed and reordered events need no treatment of
// their own.
func (m *Machine) drive(c *caseState) {
	c.wake, c.driven, c.view = 0, m.now, nil
	if !c.seen || c.gone {
		m.judging.stopAll(c)
	} else {
		m.reception.takeEarlyVotes(c)
		m.outcome.testify(c)
		m.judging.deliberate(c)
		m.publication.publish(c)
		m.publication.retrieve(c)
		m.publication.requestRelay(c)
		m.transactions.crank(c)
		m.gathering.gather(c)
	}
	m.retire(c)
}
