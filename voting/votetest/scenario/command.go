package scenario

import (
	"errors"
	"fmt"
	"slices"

	"ojud/voting"
	"ojud/voting/rules"
	"ojud/voting/votetest"
)

// commands are the words that a scenario may begin a line with.
func commands() map[string]func(*world, args) error {
	return map[string]func(*world, args) error{
		"setup":     (*world).setup,
		"boot":      (*world).boot,
		"lose-disk": func(w *world, _ args) error { w.journal = nil; return nil },
		"crash":     (*world).crash,
		"open":      (*world).open,
		"draw":      (*world).draw,
		"commit":    (*world).commit,
		"reveal":    (*world).reveal,
		"settle":    func(w *world, a args) error { return w.landed(a, w.chain.Settle(w.task())) },
		"expire":    func(w *world, a args) error { return w.landed(a, w.chain.ExpireCase(w.task())) },
		"appeal":    func(w *world, a args) error { return w.landed(a, w.chain.Appeal(w.task())) },
		"finish":    func(w *world, a args) error { return w.landed(a, w.chain.FinishCase(w.task())) },
		"look":      (*world).look,
		// gone says that the chain has no account for the case.
		"gone": func(w *world, _ args) error {
			return w.step(voting.CaseGone{At: w.chain.Now, Task: w.task(), Slot: w.chain.Slot})
		},
		"save":     func(w *world, a args) error { w.saved[a.word(0)] = w.chain.State.Clone(); return nil },
		"rollback": (*world).rollback,
		// exit makes a judge leave: it can be drawn until the next season begins.
		"exit":   func(w *world, a args) error { return w.chain.BeginExit(a.number(0, 1)) },
		"season": func(w *world, _ args) error { return w.chain.BeginSeason() },
		"tick":   (*world).tick,
		"warp":   (*world).warp,
		// blind-tick says that the node has not seen the chain for a while.
		"blind-tick":    func(w *world, _ args) error { return w.step(voting.Tick{At: w.chain.Now, Blind: true}) },
		"opinion":       (*world).opinion,
		"opinion-fails": (*world).opinionFails,
		"hear":          (*world).hear,
		"caught-up":     (*world).caughtUp,
		"connect":       (*world).connect,
		"recovered":     (*world).recovered,
		"land":          (*world).land,
		"drop":          (*world).drop,
		"journal":       (*world).showJournal,
		"chain":         (*world).showChain,
	}
}

// boot starts the node from its journal; "boot fresh" if there was none.
func (w *world) boot(a args) error {
	self := &w.authors[0]
	m, err := voting.New(voting.Config{
		Domain: w.chain.Domain, Judge: self.Judge, Peer: self.Peer, Params: voting.DefaultParams(), Sign: self.Sign,
	})
	if err != nil {
		return err
	}
	w.machine, w.pending = m, nil
	return w.step(voting.Restored{At: w.chain.Now, Records: slices.Clone(w.journal), Fresh: a.word(0) == "fresh"})
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
	p := voting.Parties{Creator: votetest.Name("creator", 0, 0), Worker: votetest.Name("worker", 0, 0)}
	terms := rules.Terms{Escrow: 1_000_000, CreatorBond: 50_000, WorkerBond: 50_000, OnUndecided: voting.OnUndecided(a.pair("undecided", 3))}
	if err := w.chain.Open(w.task(), p, terms); err != nil {
		return err
	}
	return w.look(args{})
}

// draw is done two seconds later.
func (w *world) draw(a args) error {
	w.pass(2)
	return w.landed(a, w.chain.Draw(w.task()))
}

// commit JUDGE CHOICE lands a commitment; the look at it is delivered unless "blind".
func (w *world) commit(a args) error {
	i := a.number(0, 1)
	o, err := w.openingOf(i, w.round(), a.word(1))
	if err != nil {
		return err
	}
	commitment := w.authors[i].State(w.task(), w.round(), o).Commitment
	return w.landed(a, w.chain.Commit(w.task(), w.round(), w.authors[i].Judge, commitment))
}

// reveal JUDGE CHOICE lands the opening.
func (w *world) reveal(a args) error {
	i := a.number(0, 1)
	o, err := w.openingOf(i, w.round(), a.word(1))
	if err != nil {
		return err
	}
	return w.landed(a, w.chain.Reveal(w.task(), w.round(), w.authors[i].Judge, o))
}

// landed is the end of a transaction: the node looks at the chain if it landed, unless the last
// word is "blind".
func (w *world) landed(a args, err error) error {
	if err != nil || a.word(len(a.words)-1) == "blind" {
		return err
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

// rollback NAME goes back to the state of the chain that "save NAME" kept, in a later slot.
func (w *world) rollback(a args) error {
	s, ok := w.saved[a.word(0)]
	if !ok {
		return fmt.Errorf("nothing saved as %q", a.word(0))
	}
	w.chain.Rollback(s)
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

// opinion CHOICE sets the own judge's answer.
func (w *world) opinion(a args) error {
	round := uint8(a.pair("round", int(w.round())))
	o, err := w.openingOf(0, round, a.word(0))
	if err != nil {
		return err
	}
	return w.step(voting.OpinionReady{At: w.chain.Now, Task: w.task(), Round: round, Opening: o, Vote: w.authors[0].Vote(w.task(), round, o)})
}

// opinionFails REASON is the judge's failure.
func (w *world) opinionFails(a args) error {
	return w.step(voting.OpinionFailed{At: w.chain.Now, Task: w.task(), Round: w.round(), Reason: a.word(0)})
}

// hear commit|vote|relay JUDGE CHOICE round=N is a notice that arrives by gossip; from=JUDGE says
// who published it.
func (w *world) hear(a args) error {
	i, round := a.number(1, 1), uint8(a.pair("round", int(w.round())))
	o, err := w.openingOf(i, round, a.word(2))
	if err != nil {
		return err
	}
	author := &w.authors[i]
	b := append([]byte{byte(voting.KindVote)}, author.Vote(w.task(), round, o)...)
	switch a.word(0) {
	case "commit":
		b = author.State(w.task(), round, o).Encode()
	case "relay":
		b = author.Request(author.State(w.task(), round, o), nil).Encode()
	}
	n, err := voting.DecodeNotice(b, votetest.ParseVote)
	if err != nil {
		return err
	}
	checked, err := w.machine.View().Check(w.authors[a.pair("from", i)].Peer, n)
	w.judgeNotice(err)
	if !checked.Usable() {
		return nil
	}
	return w.step(voting.NoticeReceived{At: w.chain.Now, Notice: checked})
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
	return w.step(voting.PeerConnected{At: w.chain.Now, Peer: w.authors[a.number(0, 1)].Peer})
}

// recovered opens the sealed opening of the own commitment on the chain.
func (w *world) recovered(args) error {
	k := &w.chain.Task(w.task()).Case
	self := w.authors[0].Judge
	o, ok := w.chain.Sealed(w.task(), k.Round, self, k.Seats[k.SeatOf(self)].Commitment)
	if !ok {
		return errors.New("nothing sealed")
	}
	return w.step(voting.OpeningRecovered{At: w.chain.Now, Task: w.task(), Round: k.Round, Opening: o, Vote: w.authors[0].Vote(w.task(), k.Round, o)})
}

// land executes what the node submitted, a second later, reports and looks.
func (w *world) land(a args) error {
	w.pass(1)
	err := w.report(func(s voting.Submit) voting.SubmitClass {
		class := votetest.Class(w.chain.Apply(w.authors[0].Judge, s))
		w.print("%s %s", s.Op, class)
		return class
	})
	return w.landed(a, err)
}

// drop reports that what was submitted never landed.
func (w *world) drop(args) error {
	return w.report(func(voting.Submit) voting.SubmitClass { return voting.Failed })
}

// report tells the node the end of each transaction that it submitted.
func (w *world) report(end func(voting.Submit) voting.SubmitClass) error {
	pending := w.pending
	w.pending = nil
	for _, s := range pending {
		done := voting.SubmitDone{Op: s.Op, Task: s.Task, Round: s.Round, Seat: s.Seat, Class: end(s)}
		done.At = w.chain.Now
		if err := w.step(done); err != nil {
			return err
		}
	}
	return nil
}

func (w *world) showJournal(args) error {
	for _, r := range w.journal {
		fmt.Fprintln(&w.out, r)
	}
	return nil
}

func (w *world) showChain(args) error {
	t := w.chain.Task(w.task())
	fmt.Fprintf(&w.out, "%s pot=%d creator=%d worker=%d\n", t, w.chain.State.Pot, t.CreatorPaid, t.WorkerPaid)
	for _, s := range slices.Concat(t.Case.First, t.Case.Seats) {
		fmt.Fprintf(&w.out, "  %x committed=%t choice=%s result=%s slashed=%d earned=%d\n",
			s.Judge[:4], s.Committed, s.Choice, s.Result, s.Slashed, s.Earned)
	}
	return nil
}
