package voting

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"slices"
	"testing"
)

// sealedOf stands for what only judge i can read.
func sealedOf(i int) []byte { return bytes.Repeat([]byte{byte(i)}, SealedSize) }

// relayOf is the request of judge i for what commitOf commits.
func (b *bench) relayOf(i int, c Choice) Relay { return b.ask(i, b.commitOf(i, c), sealedOf(i)) }

func (b *bench) ask(i int, n Commit, sealed []byte) Relay {
	request := testDomain.RelayRequest(n.Task, n.Round, n.Judge, n.Commitment, sealed)
	return Relay{Commit: n, Request: Signature(ed25519.Sign(b.keys[i], request)), Sealed: sealed}
}

// The layout of protocol sections 3 and 9, with a sealed opening and without.
func TestRelayLayout(t *testing.T) {
	for _, sealed := range [][]byte{nil, sealedOf(9)} {
		n := Relay{Commit: testCommit(), Request: Signature(bytes.Repeat([]byte{8}, 64)), Sealed: sealed}
		b := n.Encode()
		if b[0] != 3 || !bytes.Equal(b[1:162], testCommit().Encode()[1:]) || !bytes.Equal(b[162:226], n.Request[:]) || !bytes.Equal(b[226:], sealed) {
			t.Errorf("%x", b)
		}
		got, err := DecodeNotice(b, anyVote)
		if err != nil || !bytes.Equal(got.Encode(), b) || got.(Relay).Commit != testCommit() {
			t.Errorf("%+v, %v", got, err)
		}
		if _, err := DecodeNotice(append(b, 0), anyVote); !errors.Is(err, errNotice) {
			t.Errorf("a byte too many: %v", err)
		}
		if _, err := DecodeNotice(b[:len(b)-1], anyVote); !errors.Is(err, errNotice) {
			t.Errorf("a byte too few: %v", err)
		}
	}
}

func TestVerifyRelay(t *testing.T) {
	b := newBench(t)
	good, peer := b.relayOf(1, Accept), b.look.Seats[1].Peer
	if err := VerifyRelay(testDomain, peer, good); err != nil {
		t.Fatal(err)
	}
	elsewhere := testDomain
	elsewhere.Network[0]++
	statement := good
	statement.Request = good.Signature
	for name, err := range map[string]error{
		"network":    VerifyRelay(elsewhere, peer, good),
		"program":    VerifyRelay(Domain{Network: testDomain.Network, Program: fill(9)}, peer, good),
		"peer":       VerifyRelay(testDomain, b.look.Seats[2].Peer, good),
		"task":       VerifyRelay(testDomain, peer, changed(good, func(n *Relay) { n.Task = fill(9) })),
		"round":      VerifyRelay(testDomain, peer, changed(good, func(n *Relay) { n.Round++ })),
		"judge":      VerifyRelay(testDomain, peer, changed(good, func(n *Relay) { n.Judge = fill(9) })),
		"commitment": VerifyRelay(testDomain, peer, changed(good, func(n *Relay) { n.Commitment[0]++ })),
		"sealed":     VerifyRelay(testDomain, peer, changed(good, func(n *Relay) { n.Sealed = sealedOf(9) })),
		"unsealed":   VerifyRelay(testDomain, peer, changed(good, func(n *Relay) { n.Sealed = nil })),
		"signature":  VerifyRelay(testDomain, peer, changed(good, func(n *Relay) { n.Request[0] ^= 1 })),
		"statement":  VerifyRelay(testDomain, peer, statement),
	} {
		if !errors.Is(err, errSignature) {
			t.Errorf("other %s: %v", name, err)
		}
	}
}

func changed(n Relay, change func(*Relay)) Relay { change(&n); return n }

// TestCheckRelay is the part of the table of protocol section 9 that is about requests.
func TestCheckRelay(t *testing.T) {
	good := func(b *bench) Relay { return b.relayOf(1, Accept) }
	bad := func(change func(*Relay)) func(*bench) Relay {
		return func(b *bench) Relay { return changed(good(b), change) }
	}
	heard := func(ns ...func(*bench) Notice) func(*bench) {
		return func(b *bench) {
			for _, n := range ns {
				if _, err := b.hear(n(b)); Classify(err) == GossipReject {
					b.t.Fatal(err)
				}
			}
		}
	}
	accepts := func(b *bench) Notice { return b.commitOf(1, Accept) }
	rejects := func(b *bench) Notice { return b.commitOf(1, Reject) }
	revealing := func(b *bench) { b.look.Status = Revealing; b.see() }
	for name, c := range map[string]struct {
		before func(*bench)
		notice func(*bench) Relay
		from   int // −1: came over a stream
		want   Gossip
		class  Class
		usable Notice // its kind; nil: of no use
	}{
		"with a new statement":       {nil, good, 1, GossipAccept, 0, Relay{}},
		"with a known statement":     {heard(accepts), good, 1, GossipAccept, 0, Relay{}},
		"over a stream":              {nil, good, -1, GossipAccept, 0, Relay{}},
		"without a sealed opening":   {nil, func(b *bench) Relay { return b.ask(1, b.commitOf(1, Accept), nil) }, 1, GossipAccept, 0, Relay{}},
		"of another's origin":        {nil, good, 2, GossipReject, Invalid, nil},
		"bad request":                {nil, bad(func(n *Relay) { n.Request[9] ^= 1 }), 1, GossipReject, Invalid, nil},
		"other sealed opening":       {nil, bad(func(n *Relay) { n.Sealed = sealedOf(9) }), 1, GossipReject, Invalid, nil},
		"odd sealed opening":         {nil, bad(func(n *Relay) { n.Sealed = make([]byte, 92) }), 1, GossipReject, Invalid, nil},
		"statement for a request":    {nil, bad(func(n *Relay) { n.Request = n.Signature }), 1, GossipReject, Invalid, nil},
		"bad statement":              {nil, bad(func(n *Relay) { n.Signature[9] ^= 1 }), 1, GossipReject, Invalid, nil},
		"bad statement of a known":   {heard(accepts), bad(func(n *Relay) { n.Signature[9] ^= 1 }), 1, GossipReject, Invalid, nil},
		"zero":                       {nil, bad(func(n *Relay) { n.Commitment = Hash{} }), 1, GossipReject, Invalid, nil},
		"round 7":                    {nil, bad(func(n *Relay) { n.Round = 7 }), 1, GossipReject, Invalid, nil},
		"next round":                 {nil, bad(func(n *Relay) { n.Round = 2 }), 1, GossipIgnore, Unknown, nil},
		"unknown case":               {nil, bad(func(n *Relay) { n.Task = fill(9) }), 1, GossipIgnore, Unknown, nil},
		"no seat":                    {nil, bad(func(n *Relay) { n.Judge = fill(9) }), 1, GossipIgnore, NotRelevant, nil},
		"had already":                {func(b *bench) { heard(func(b *bench) Notice { return good(b) })(b) }, good, 1, GossipIgnore, Duplicate, nil},
		"of two statements":          {heard(accepts, rejects), good, 1, GossipIgnore, Contradicted, nil},
		"against the statement":      {heard(rejects), good, 1, GossipIgnore, Contradicted, Commit{}},
		"committed already":          {func(b *bench) { b.lands(1, Accept); b.see() }, good, 1, GossipIgnore, NotRelevant, Commit{}},
		"after the commits":          {revealing, good, 1, GossipIgnore, NotRelevant, Commit{}},
		"when the time is over":      {func(b *bench) { b.now = 1_400; b.see() }, good, 1, GossipIgnore, NotRelevant, Commit{}},
		"of a round that is over":    {func(b *bench) { b.look.Status = Decided; b.see() }, good, 1, GossipIgnore, NotRelevant, nil},
		"evidence of a round before": {func(b *bench) { heard(rejects)(b); b.look.Status = Decided; b.see() }, good, 1, GossipIgnore, NotRelevant, Commit{}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			checked, class, _, err := b.check(c.before, c.from, func(b *bench) Notice { return c.notice(b) })
			_, request := checked.notice.(Relay)
			_, asksFor := c.usable.(Relay)
			if Classify(err) != c.want || class != c.class || checked.Usable() != (c.usable != nil) || request != asksFor {
				t.Errorf("gossip %d, class %d, %T: %v", Classify(err), class, checked.notice, err)
			}
		})
	}
}

// cast brings the machine to a vote.
func (b *bench) cast() []Effect {
	b.t.Helper()
	return b.step(OpinionReady{At: b.now, Task: b.look.Task, Round: 1, Opening: b.opening(0, Accept), Vote: []byte("{}")})
}

// asked returns the requests among effects.
func asksOf(effects []Effect) (all []Relay) {
	for _, e := range effects {
		if a, ok := e.(Announce); ok {
			if n, ok := a.Notice.(Relay); ok {
				all = append(all, n)
			}
		}
	}
	return all
}

func (b *bench) done(op Op, seat uint8, class SubmitClass) []Effect {
	b.t.Helper()
	return b.step(SubmitDone{At: b.now, Op: op, Task: b.look.Task, Round: 1, Seat: seat, Class: class})
}

// A judge asks once its transaction failed, with the statement of its record and nothing else, and
// asks for the same after a restart.
func TestPlead(t *testing.T) {
	b := newBench(t)
	effects := b.cast()
	cast := effects[slices.IndexFunc(effects, func(e Effect) bool { _, ok := e.(Persist); return ok })].(Persist).Record.(Cast)
	if len(asksOf(effects)) > 0 || len(asksOf(b.done(OpCommit, 0, Moot))) > 0 {
		t.Fatal("asked without need")
	}
	first := asksOf(b.done(OpCommit, 0, Failed))
	if len(first) != 1 || first[0].Commit != cast.Commit || VerifyRelay(testDomain, b.look.Seats[0].Peer, first[0]) != nil {
		t.Fatalf("%+v", first)
	}
	if again := asksOf(b.done(OpCommit, 0, Failed)); len(again) > 0 {
		t.Errorf("asked again: %+v", again)
	}
	b.machine = b.boot(Restored{At: b.now, Records: []Record{cast}})
	b.see()
	if second := asksOf(b.done(OpCommit, 0, Failed)); len(second) != 1 || !bytes.Equal(second[0].Encode(), first[0].Encode()) {
		t.Errorf("%+v, then %+v", first, second)
	}
}

// A judge asks when time runs out and the chain does not show its commitment, and not when it does.
func TestPleadInTime(t *testing.T) {
	for _, landed := range []bool{false, true} {
		b := newBench(t)
		b.cast()
		if landed {
			b.lands(0, Accept)
		}
		p := DefaultParams()
		b.now = p.relayRequestFrom(&b.look) - 1
		early := asksOf(b.see())
		b.now++
		if asked := asksOf(b.step(Tick{At: b.now})); len(early) > 0 || (len(asked) == 1) == landed {
			t.Errorf("landed %t: %d, then %d", landed, len(early), len(asked))
		}
	}
}

// relaysOf returns the seats for which a node commits.
func relaysOf(effects []Effect) (all []Submit) {
	for _, e := range effects {
		if s, ok := e.(Submit); ok && s.Op == OpRelayCommit {
			all = append(all, s)
		}
	}
	return all
}

// relayed lets a minute go by, tick by tick, and returns the relayed commitments.
func (b *bench) relayed() (all []Submit) {
	for range 60 {
		b.now++
		all = append(all, relaysOf(b.step(Tick{At: b.now}))...)
	}
	return all
}

// A node relays a commitment that it was asked to, once, after a while; and not for a seat that
// committed meanwhile, that was shown to have signed two statements, or that asks when the commits
// are over.
func TestCarry(t *testing.T) {
	b := newBench(t)
	if _, err := b.hear(b.relayOf(1, Accept)); err != nil {
		t.Fatal(err)
	}
	got := b.relayed()
	if len(got) != 1 || got[0].Seat != 1 || got[0].Peer != b.look.Seats[1].Peer || !got[0].Relay.same(b.relayOf(1, Accept)) || got[0].Before != b.look.CommitEnds {
		t.Fatalf("%+v", got)
	}
	b.done(OpRelayCommit, 1, Landed)
	if again := b.relayed(); len(again) > 0 {
		t.Errorf("a second time: %+v", again)
	}
	for name, change := range map[string]func(*bench){
		"committed": func(b *bench) { b.lands(1, Accept); b.see() },
		"two statements": func(b *bench) {
			if _, err := b.hear(b.commitOf(1, Reject)); err != nil {
				b.t.Error(err)
			}
		},
		"equivocated": func(b *bench) { b.look.Seats[1].Equivocated = true; b.see() },
		"revealing":   func(b *bench) { b.look.Status = Revealing; b.see() },
	} {
		b := newBench(t)
		if _, err := b.hear(b.relayOf(1, Accept)); err != nil {
			t.Fatal(err)
		}
		change(b)
		if got := b.relayed(); len(got) > 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// A transaction that its RPC node does not take is tried three times, and no more than
// Params.MaxRelayed seats are helped.
func TestCarryBounds(t *testing.T) {
	b := newBench(t)
	if _, err := b.hear(b.relayOf(1, Accept)); err != nil {
		t.Fatal(err)
	}
	tries := 0
	for range 300 {
		b.now++
		if b.now >= b.look.CommitEnds {
			break
		}
		if len(relaysOf(b.step(Tick{At: b.now}))) > 0 {
			tries++
			b.done(OpRelayCommit, 1, Failed)
		}
	}
	if tries != maxRelayTries {
		t.Errorf("%d tries", tries)
	}
	for most := range uint32(4) {
		b := newBench(t)
		b.machine.cfg.Params.MaxRelayed = most
		for i := 1; i < 4; i++ {
			if _, err := b.hear(b.relayOf(i, Accept)); err != nil {
				t.Fatal(err)
			}
		}
		if got := b.relayed(); len(got) != int(most) {
			t.Errorf("%d seats helped, %d may be", len(got), most)
		}
	}
}

// A judge that asks in the last moment does not cost everybody a fee: whose turn would come too
// late sends nothing.
func TestCarryLate(t *testing.T) {
	sent := 0
	for i := range 4 {
		b := newBench(t)
		b.machine.cfg.Judge, b.machine.cfg.Peer = judgeKey(i), b.look.Seats[i].Peer
		asks := (i + 1) % 4
		b.now = b.look.CommitEnds - 2
		b.see()
		effects, err := b.hear(b.relayOf(asks, Accept))
		if err != nil {
			t.Fatal(err)
		}
		sent += len(relaysOf(effects)) + len(b.relayed())
	}
	if sent == 0 || sent == 4 {
		t.Errorf("%d of 4 sent", sent)
	}
}

// A judge that sees nothing of the chain shows its vote as soon as so many others show theirs that
// one of them is honest: here two. One that sees the chain goes by the chain.
func TestToldByOthers(t *testing.T) {
	for _, blind := range []bool{true, false} {
		b := newBench(t)
		b.cast()
		b.done(OpCommit, 0, Failed)
		shown := func(n Notice) bool {
			if _, err := b.hear(n); Classify(err) == GossipReject {
				t.Fatal(err)
			}
			effects := b.step(Tick{At: b.now, Blind: blind})
			return slices.ContainsFunc(effects, func(e Effect) bool {
				a, ok := e.(Announce)
				_, vote := a.Notice.(Vote)
				return ok && vote
			})
		}
		if shown(b.voteOf(1, Accept)) || shown(b.voteOf(1, Reject)) {
			t.Error("one judge made it show its vote")
		}
		if _, err := b.hear(b.voteOf(2, Accept)); Classify(err) == GossipReject {
			t.Fatal(err)
		}
		if got := b.machine.cases.find(b.look.Task).live().announcedVote; got != blind {
			t.Errorf("blind %t: it shows its vote: %t", blind, got)
		}
		b.see()
		if b.machine.blind {
			t.Error("a look does not end it")
		}
	}
}
