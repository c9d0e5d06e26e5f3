package voting

import (
	"bytes"
	"fmt"
	"slices"
	"sync/atomic"
)

// Machine is the brain of a node: events in, effects out. It does no I/O, has no clock and no randomness, and the same
// events give the same effects. See the package comment for what its caller must do.
type Machine struct {
	cfg      Config
	busy     atomic.Bool
	restored bool
	now      int64
	blind    bool  // the chain was not seen lately: what others say of it counts
	born     int64 // when the journal was created; 0 if it is older than Born records
	dockets  []*docket
	out      []Effect
}

// New returns a machine that waits for Restored.
func New(cfg Config) (*Machine, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	if cfg.Verify == nil {
		cfg.Verify = VerifyStrict
	}
	return &Machine{cfg: cfg}, nil
}

// Step takes one event and returns what to do, in order. With an error the event was refused; effects that come with it are
// still to be executed. Step panics when it is called while it runs.
func (m *Machine) Step(e Event) ([]Effect, error) {
	m.enter()
	defer m.busy.Store(false)
	if _, first := e.(Restored); first == m.restored {
		return nil, fmt.Errorf("%w: %T, restored is %t", ErrOrder, e, m.restored)
	}
	m.now, m.out = e.at(), nil
	err := m.handle(e)
	return m.out, err
}

// Next returns the chain time at which a Tick is wanted, and whether one is wanted at all.
func (m *Machine) Next() (at int64, ok bool) {
	m.enter()
	defer m.busy.Store(false)
	for _, c := range m.dockets {
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

func (m *Machine) emit(e Effect) { m.out = append(m.out, e) }

func (m *Machine) handle(e Event) error {
	switch e := e.(type) {
	case Restored:
		return m.restore(e)
	case CaseSeen:
		return m.see(e)
	case CaseGone:
		m.miss(e)
	case Tick:
		m.blind = e.Blind
		m.tick()
	case OpinionReady:
		return m.opine(e)
	case OpinionFailed:
		m.abstain(e)
	case NoticeReceived:
		return m.hear(e)
	case CaughtUp:
		m.caughtUp(e)
	case PeerConnected:
		m.connected(e)
	case OpeningRecovered:
		return m.recovered(e)
	case SubmitDone:
		m.submitted(e)
	default:
		return fmt.Errorf("%w: %T", ErrEvent, e)
	}
	return nil
}

// tick drives every case that wanted to be woken by now, and all of them after the clock went back or while it stands still.
func (m *Machine) tick() {
	for _, c := range slices.Clone(m.dockets) {
		if c.wake != 0 && c.wake <= m.now || m.now < c.driven || m.blind {
			m.drive(c)
		}
	}
}

// drive does whatever the state of the case asks for at this time. Every rule looks at the state and not at what changed, so
// that repeated, missed and reordered events need no treatment of their own.
func (m *Machine) drive(c *docket) {
	c.wake, c.driven, c.view = 0, m.now, nil
	if !c.seen || c.gone {
		m.stopAll(c)
	} else {
		m.ripen(c)
		m.testify(c)
		m.deliberate(c)
		m.publish(c)
		m.retrieve(c)
		m.plead(c)
		m.crank(c)
		m.gather(c)
	}
	m.retire(c)
}

// find returns the docket of a case, or nil.
func (m *Machine) find(task Key) *docket {
	if i, ok := m.search(task); ok {
		return m.dockets[i]
	}
	return nil
}

func (m *Machine) search(task Key) (int, bool) {
	return slices.BinarySearchFunc(m.dockets, task, func(c *docket, task Key) int {
		return bytes.Compare(c.task[:], task[:])
	})
}

func (m *Machine) add(c *docket) {
	i, _ := m.search(c.task)
	m.dockets = slices.Insert(m.dockets, i, c)
}

func (m *Machine) remove(c *docket) {
	if i, ok := m.search(c.task); ok {
		m.dockets = slices.Delete(m.dockets, i, i+1)
	}
}
