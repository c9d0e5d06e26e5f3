package votetest

import (
	"crypto/ed25519"
	"errors"
	"fmt"

	"ojud/voting"
	"ojud/voting/rules"
)

// boot starts the node from its journal; "boot fresh" if there was none.
func (w *world) boot(a args) error {
	m, err := voting.New(voting.Config{
		Domain: w.chain.Domain, Judge: w.judge(0), Peer: w.peer(0), Params: voting.DefaultParams(),
		Sign: func(statement []byte) voting.Signature { return voting.Signature(ed25519.Sign(w.keys[0], statement)) },
	})
	if err != nil {
		return err
	}
	w.machine, w.pending = m, nil
	return w.step(voting.Restored{At: w.chain.Now, Records: append([]voting.Record(nil), w.journal...), Fresh: a.word(0) == "fresh"})
}

func (w *world) peer(i int) voting.Key { return voting.Key(w.keys[i].Public().(ed25519.PublicKey)) }

// loseDisk drops the journal.
func (w *world) loseDisk(args) error {
	w.journal = nil
	return nil
}

// crash stops the node: now, or "crash after=N" between the N-th effect from now on and the one
// after it.
func (w *world) crash(a args) error {
	if w.stopAt = a.pair("after", -1); w.stopAt < 0 {
		w.machine, w.pending = nil, nil
	}
	return nil
}

// open is the counter-objection.
func (w *world) open(a args) error {
	p := voting.Parties{Creator: name("creator", 0, 0), Worker: name("worker", 0, 0)}
	terms := rules.Terms{Escrow: 1_000_000, CreatorBond: 50_000, WorkerBond: 50_000, OnUndecided: voting.OnUndecided(a.pair("undecided", 3))}
	if err := w.chain.Open(w.task(), p, terms); err != nil {
		return err
	}
	return w.look(args{})
}

// draw is done by somebody, two seconds later.
func (w *world) draw(a args) error {
	w.pass(2)
	if err := w.chain.Draw(w.task()); err != nil {
		return err
	}
	return w.lookUnlessBlind(a)
}

// commit JUDGE CHOICE lands a commitment; the look at it is delivered unless "blind".
func (w *world) commit(a args) error {
	i := a.number(0, 1)
	o, err := w.openingOf(i, w.round(), a.word(1))
	if err != nil {
		return err
	}
	commitment := w.chain.Domain.Commitment(w.task(), w.round(), w.judge(i), o)
	if err := w.chain.Commit(w.task(), w.round(), w.judge(i), commitment); err != nil {
		return err
	}
	return w.lookUnlessBlind(a)
}

// reveal JUDGE CHOICE lands the opening.
func (w *world) reveal(a args) error {
	o, err := w.openingOf(a.number(0, 1), w.round(), a.word(1))
	if err != nil {
		return err
	}
	if err := w.chain.Reveal(w.task(), w.round(), w.judge(a.number(0, 1)), o); err != nil {
		return err
	}
	return w.lookUnlessBlind(a)
}

func (w *world) settle(a args) error {
	if err := w.chain.Settle(w.task()); err != nil {
		return err
	}
	return w.lookUnlessBlind(a)
}

func (w *world) expire(a args) error {
	if err := w.chain.ExpireCase(w.task()); err != nil {
		return err
	}
	return w.lookUnlessBlind(a)
}

// exit takes a judge off the list of those who can be drawn.
func (w *world) exit(a args) error { return w.chain.BeginExit(a.number(0, 1)) }

func (w *world) lookUnlessBlind(a args) error {
	if a.word(len(a.words)-1) == "blind" {
		return nil
	}
	return w.look(args{})
}

// look delivers what the chain shows; "look keep=NAME" keeps it instead, "look NAME" delivers a
// kept one.
func (w *world) look(a args) error {
	look, _ := w.chain.Look(w.task())
	if keep := a.pairs["keep"]; keep != "" {
		w.looks[keep] = look
		return nil
	}
	if old := a.word(0); old != "" {
		look = w.looks[old]
	}
	return w.step(voting.CaseSeen{At: w.chain.Now, Case: look})
}

// gone says that the chain has no account for the case.
func (w *world) gone(args) error {
	return w.step(voting.CaseGone{At: w.chain.Now, Task: w.task(), Slot: w.chain.Slot})
}

// save NAME keeps the state of the chain, rollback NAME goes back to it, in a later slot.
func (w *world) save(a args) error {
	w.saved[a.word(0)] = w.chain.State.Clone()
	return nil
}

func (w *world) rollback(a args) error {
	s, ok := w.saved[a.word(0)]
	if !ok {
		return fmt.Errorf("nothing saved as %q", a.word(0))
	}
	w.chain.State = s.Clone()
	w.chain.fork++
	w.pass(1)
	return w.look(args{})
}

// tick SECONDS lets time pass and ticks whenever the machine wants to, and at the end.
func (w *world) tick(a args) error {
	end := w.chain.Now + int64(a.number(0, 1))
	for {
		at, ok := w.machine.Next()
		if !ok || at >= end {
			break
		}
		w.pass(max(at-w.chain.Now, 0))
		if err := w.step(voting.Tick{At: w.chain.Now}); err != nil || w.machine == nil {
			return err
		}
	}
	return w.warp(args{words: []string{fmt.Sprint(end - w.chain.Now)}})
}

// warp SECONDS moves the clock without ticks on the way.
func (w *world) warp(a args) error {
	w.pass(int64(a.number(0, 1)))
	return w.step(voting.Tick{At: w.chain.Now})
}

// opinion CHOICE is what the own judge answers.
func (w *world) opinion(a args) error {
	round := uint8(a.pair("round", int(w.round())))
	o, err := w.openingOf(0, round, a.word(0))
	if err != nil {
		return err
	}
	return w.step(voting.OpinionReady{At: w.chain.Now, Task: w.task(), Round: round, Opening: o, Vote: w.vote(0, round, o)})
}

// opinionFails REASON is the judge's failure.
func (w *world) opinionFails(a args) error {
	return w.step(voting.OpinionFailed{At: w.chain.Now, Task: w.task(), Round: w.round(), Reason: a.word(0)})
}

func (w *world) vote(i int, round uint8, o voting.Opening) []byte {
	d := w.chain.Domain
	return makeVote(w.keys[i], voting.Vote{
		Network: d.Network, Program: d.Program, Task: w.task(), Round: round, Judge: w.judge(i), Peer: w.peer(i),
		Accept: o.Choice.Accepts(), Opening: o,
	})
}

// hear commit|vote|relay JUDGE CHOICE round=N is a notice that arrives by gossip; from=JUDGE says
// who published it.
func (w *world) hear(a args) error {
	i, round := a.number(1, 1), uint8(a.pair("round", int(w.round())))
	o, err := w.openingOf(i, round, a.word(2))
	if err != nil {
		return err
	}
	b := append([]byte{byte(voting.KindVote)}, w.vote(i, round, o)...)
	switch a.word(0) {
	case "commit":
		b = w.statement(i, round, o).Encode()
	case "relay":
		b = w.request(i, w.statement(i, round, o)).Encode()
	}
	n, err := voting.DecodeNotice(b, parseVote)
	if err != nil {
		return err
	}
	checked, err := w.machine.View().Check(w.peer(a.pair("from", i)), n)
	w.judgeNotice(err)
	if !checked.Usable() {
		return nil
	}
	return w.step(voting.NoticeReceived{At: w.chain.Now, Notice: checked})
}

// request asks for a commitment without a sealed opening.
func (w *world) request(i int, c voting.Commit) voting.Relay {
	request := w.chain.Domain.RelayRequest(c.Task, c.Round, c.Judge, c.Commitment, nil)
	return voting.Relay{Commit: c, Request: voting.Signature(ed25519.Sign(w.keys[i], request))}
}

// grope says that the node has not seen the chain for a while.
func (w *world) grope(args) error {
	return w.step(voting.Tick{At: w.chain.Now, Blind: true})
}

func (w *world) statement(i int, round uint8, o voting.Opening) voting.Commit {
	d := w.chain.Domain
	c := voting.Commit{Task: w.task(), Round: round, Judge: w.judge(i)}
	c.Commitment = d.Commitment(c.Task, round, c.Judge, o)
	c.Signature = voting.Signature(ed25519.Sign(w.keys[i], d.Statement(c.Task, round, c.Judge, c.Commitment)))
	return c
}

// judgeNotice prints what gossip does with a notice.
func (w *world) judgeNotice(err error) {
	verdict := map[voting.Gossip]string{voting.GossipAccept: "accept", voting.GossipIgnore: "ignore", voting.GossipReject: "reject"}
	if err == nil {
		w.print("gossip: accept")
		return
	}
	w.print("gossip: %s (%v)", verdict[voting.Classify(err)], err)
}

// caughtUp N says that N seats answered.
func (w *world) caughtUp(a args) error {
	return w.step(voting.CaughtUp{At: w.chain.Now, Task: w.task(), Round: w.round(), Answered: a.number(0, 0)})
}

func (w *world) connect(a args) error {
	return w.step(voting.PeerConnected{At: w.chain.Now, Peer: w.peer(a.number(0, 1))})
}

// recovered opens the sealed opening of the own commitment on the chain.
func (w *world) recovered(args) error {
	k := &w.chain.Task(w.task()).Case
	o, ok := w.sealed[k.Seats[k.SeatOf(w.judge(0))].Commitment]
	if !ok {
		return errors.New("nothing sealed")
	}
	return w.step(voting.OpeningRecovered{At: w.chain.Now, Task: w.task(), Round: k.Round, Opening: o, Vote: w.vote(0, k.Round, o)})
}

// land executes what the node submitted, a second later, reports and looks.
func (w *world) land(a args) error {
	pending := w.pending
	w.pending = nil
	w.pass(1)
	for _, s := range pending {
		class := classify(w.apply(s))
		w.print("%s %s", s.Op, class)
		if err := w.step(w.done(s, class)); err != nil {
			return err
		}
	}
	return w.lookUnlessBlind(a)
}

func (w *world) apply(s voting.Submit) error {
	sim := sim{chain: w.chain}
	sim.ref.sim = &sim
	err := sim.apply(&node{judge: w.judge(0)}, s)
	w.chain.State = sim.chain.State
	return err
}

// drop reports that what was submitted never landed.
func (w *world) drop(args) error {
	pending := w.pending
	w.pending = nil
	for _, s := range pending {
		if err := w.step(w.done(s, voting.Failed)); err != nil {
			return err
		}
	}
	return nil
}

func (w *world) done(s voting.Submit, class voting.SubmitClass) voting.SubmitDone {
	return voting.SubmitDone{At: w.chain.Now, Op: s.Op, Task: s.Task, Round: s.Round, Seat: s.Seat, Class: class}
}

func (w *world) showJournal(args) error {
	for _, r := range w.journal {
		fmt.Fprintln(&w.out, r)
	}
	return nil
}

func (w *world) showChain(args) error {
	t := w.chain.Task(w.task())
	fmt.Fprintf(&w.out, "%s pot=%d carry=%d creator=%d worker=%d\n", t, t.Case.Pot, w.chain.State.Roster.Carry, t.CreatorPaid, t.WorkerPaid)
	for _, s := range t.Case.Seats {
		fmt.Fprintf(&w.out, "  %x committed=%t choice=%s result=%s slashed=%d earned=%d\n",
			s.Judge[:4], s.Committed, s.Choice, s.Result, s.Slashed, s.Earned)
	}
	return nil
}
