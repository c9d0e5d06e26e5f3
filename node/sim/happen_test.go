package sim

import (
	"time"

	"ojud/ledger"
	"ojud/ledger/devnet/bank"
	"ojud/ledger/journal"
	"ojud/ledger/onchain"
	"ojud/node"
)

// stops returns the errors with which a node may end: its disk or its chain is not as it must be,
// or a copy of it runs.
func stops() map[string]error {
	return map[string]error{
		"disk full": journal.ErrDiskFull, "fsync failed": errSync, "journal broken": journal.ErrBroken,
		"other chain": ledger.ErrOtherChain, "twin": node.ErrTwin,
	}
}

// begin makes a fault happen and returns when it is over.
func (w *world) begin(e event) {
	w.cov.begun(string(e.kind))
	w.trace("%s", e)
	defer w.trace("end of %s", e)
	m := w.members[e.node]
	switch {
	case e.kind == duplicate:
		w.twiceFor(e.lasts)
	case onWire(e.kind):
		w.members[0].during(&w.torn, func() {
			w.wire.hold(&e)
			time.Sleep(e.lasts)
			w.wire.hold(nil)
		})
	case onRPC(e.kind):
		w.lieTo(m, e)
	case e.kind == noFunds:
		m.drain()
	case e.kind == skew: // from the start on
	case e.kind == crash, e.kind == lostDisk, e.kind == staleDisk:
		w.crash(m, e)
	case e.kind == diskFull, e.kind == failedSync:
		m.spoil(e)
	default:
		w.strikeChain(e)
	}
}

// crash kills a node, at its time or when it signs.
func (w *world) crash(m *member, e event) {
	old, trap := "", e.dose < trapped
	if e.kind == staleDisk {
		old = m.backup("old-" + e.at.String())
		if !trap {
			time.Sleep(time.Duration(5+60*e.dose) * time.Second)
		}
	}
	if trap && !m.arm(e.dose >= trapped/2) {
		return
	}
	if e.kind == crash && trap && e.dose >= trapped/2 {
		old = m.sprung // all its work after it signed is lost, even its transaction
	}
	if m.kill(e.kind, old, e.lasts, trap) {
		w.cov.effect(string(e.kind))
	}
}

func (w *world) twiceFor(d time.Duration) {
	w.mu.Lock()
	w.twice++
	w.mu.Unlock()
	time.Sleep(d)
	w.mu.Lock()
	w.twice--
	w.mu.Unlock()
}

// duplicates reports whether messages are sent twice.
func (w *world) duplicates() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.twice > 0
}

// lieTo makes the RPC node of a member fail or lie. Lost or late transactions are no excuse for the
// member, because a node sends them again.
func (w *world) lieTo(m *member, e event) {
	excuse := &spans{}
	switch {
	case misleads(e.kind):
		excuse = &m.fooled
	case silences(e.kind):
		excuse = &m.mute
	}
	m.during(excuse, func() {
		m.link.hold(&e)
		if e.kind == rpcDown {
			m.link.cut(true)
			defer m.link.cut(false)
			w.cov.effect(string(rpcDown))
		}
		time.Sleep(e.lasts)
		m.link.hold(nil)
	})
}

// during notes a time of trouble.
func (m *member) during(s *spans, f func()) {
	m.mu.Lock()
	s.begin()
	m.mu.Unlock()
	f()
	m.mu.Lock()
	s.end()
	m.mu.Unlock()
}

// drain takes everything from a wallet except its minimum, so that it cannot pay for anything.
func (m *member) drain() {
	self, left := m.home.Keys.Authority, uint64(0)
	m.w.chain.read(bank.Confirmed, func(v *bank.View) {
		if a, ok := v.Account([32]byte(self.Address())); ok {
			left = a.Lamports
		}
	})
	const fee, keeps = 5_000, 890_880 // lamports: of one signature, and the rent of an empty account
	if left < fee+keeps {
		return
	}
	all := onchain.Transfer(self.Address(), keypair(m.w.t, "deployer", 0, 0).Address(), left-fee-keeps)
	if m.w.submit(self, all) == nil {
		m.w.cov.effect(string(noFunds))
	}
}

// spoil makes the disk fail.
func (m *member) spoil(e event) {
	m.mu.Lock()
	m.disk = e.kind
	m.mu.Unlock()
	time.Sleep(e.lasts)
	m.mu.Lock()
	m.disk = ""
	m.mu.Unlock()
}

// strikeChain makes the chain itself fail, for everybody.
func (w *world) strikeChain(e event) {
	w.members[0].during(&w.dark, func() { w.hit(e) })
	w.cov.effect(string(e.kind))
}

func (w *world) hit(e event) {
	switch e.kind {
	case rollback:
		w.chain.rollback(1 + int(e.dose*2)%2)
	case chainCrash:
		w.chain.crash()
		time.Sleep(e.lasts)
		w.chain.live()
	case outage:
		for _, m := range w.members {
			m.link.cut(true)
		}
		time.Sleep(e.lasts)
		for _, m := range w.members {
			m.link.cut(false)
		}
	}
}
