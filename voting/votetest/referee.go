package votetest

import (
	"bytes"
	"fmt"
	"slices"

	"ojud/voting"
	"ojud/voting/rules"
)

const maxFaults = 20

// referee watches a simulation and writes down every broken promise:
//
//  1. no transaction makes or loses a lamport;
//  2. every settlement is the one that the naive arithmetic gives for the seats on the chain;
//  3. an honest node signs at most one commitment for a round as long as its journal lives, and the
//     journal holds the vote before anything shows it;
//  4. an honest judge is never slashed as an equivocator, even if it loses its journal;
//  5. an honest judge that was up is never absent, if it could reach the chain, or others who
//     could;
//  6. a copier earns nothing;
//  7. no honest node's notice is ever rejected, and no honest node sees a conflict with itself;
//  8. every case ends, and all honest nodes see the same end;
//  9. an honest node brings at most Params.Carry commitments and votes of others to the chain in a
//     round, none more than once.
type referee struct {
	sim      *sim
	faults   []string
	lamports uint64
	votes    []signature
	back     int64 // when the chain went back last
	went     bool
	charity  []favour
	known    int // votes of honest seats that honest seats had when the round was settled
	shown    int // of so many
}

// signature is a commitment that a node signed.
type signature struct {
	node       int
	task       voting.Key
	round      uint8
	commitment voting.Hash
}

func (r *referee) fault(format string, args ...any) {
	if len(r.faults) < maxFaults {
		r.faults = append(r.faults, fmt.Sprintf("%d ms: ", r.sim.queue.now)+fmt.Sprintf(format, args...))
	}
}

// expect adds what comes in with a new case.
func (r *referee) expect(t rules.Terms) { r.lamports += t.Escrow + t.CreatorBond + t.WorkerBond }

// conserved checks promise 1.
func (r *referee) conserved() {
	if got := r.sim.chain.State.Lamports(); got != r.lamports {
		r.fault("%d lamports, expected %d", got, r.lamports)
	}
}

// signed checks the first half of promise 3. A signature that was not yet in the journal when the
// node crashed has never left it, so it is the record that counts.
func (r *referee) signed(n *node, c voting.Commit) {
	s := signature{n.id, c.Task, c.Round, c.Commitment}
	for _, old := range r.votes {
		if old.node == s.node && old.task == s.task && old.round == s.round && n.adversary == 0 && !n.lostDisk {
			r.fault("node %d signed twice for one round", n.id)
		}
	}
	r.votes = append(r.votes, s)
}

// ordered checks the second half of promise 3: what shows a vote comes after the record of it.
func (r *referee) ordered(n *node, effects []voting.Effect) {
	journal := slices.Clone(n.journal)
	for _, f := range effects {
		switch f := f.(type) {
		case voting.Persist:
			journal = append(journal, f.Record)
		case voting.Announce:
			if !holds(journal, f.Notice) {
				r.fault("node %d announces what is not in its journal: %s", n.id, f)
			}
		case voting.Submit:
			if !r.covered(n, journal, f) {
				r.fault("node %d submits what is not in its journal: %s", n.id, f)
			}
		}
	}
}

// covered reports whether the journal holds the own vote that a transaction shows.
func (r *referee) covered(n *node, journal []voting.Record, f voting.Submit) bool {
	switch f.Op {
	case voting.OpCommit:
		return holds(journal, voting.Commit{Task: f.Task, Round: f.Round, Judge: n.judge, Signed: voting.Signed{Commitment: f.Commitment}})
	case voting.OpReveal:
		return holds(journal, voting.Vote{Task: f.Task, Round: f.Round, Judge: n.judge, Opening: f.Opening})
	}
	return true
}

func holds(journal []voting.Record, notice voting.Notice) bool {
	return slices.ContainsFunc(journal, func(r voting.Record) bool {
		switch r := r.(type) {
		case voting.Cast:
			c, ok := notice.(voting.Commit)
			if q, asks := notice.(voting.Relay); asks {
				c, ok = q.Commit, true
			}
			v, _ := notice.(voting.Vote)
			return ok && c.Task == r.Task && c.Round == r.Round && c.Commitment == r.Commitment ||
				!ok && v.Task == r.Task && v.Round == r.Round && v.Opening == r.Opening
		case voting.Recovered:
			v, ok := notice.(voting.Vote)
			return ok && v.Task == r.Task && v.Round == r.Round && v.Opening == r.Opening
		}
		return false
	})
}

// settled checks promises 2, 5 and 6.
func (r *referee) settled(t *Task, in rules.RoundEnd, out rules.Settlement) {
	naive := NaiveExpire
	if t.Case.Live() {
		naive = NaiveSettle
		r.sim.result.Rounds++
	}
	want, err := naive(in)
	if err != nil || !SameSettlement(out, want) {
		r.fault("settlement %+v, expected %+v (%v)", out, want, err)
	}
	if !t.Case.Live() {
		return
	}
	for i := range in.Seats {
		n := r.sim.nodes[in.Seats[i].Index]
		switch {
		case n.adversary == Copier && out.Seats[i].Earned > 0:
			r.fault("copier %d earned %d", n.id, out.Seats[i].Earned)
		case n.adversary == 0 && out.Seats[i].Result == voting.Absent && !r.excused(n, t, &in):
			r.fault("honest node %d absent in round %d: %+v", n.id, in.Round, in.Seats[i])
		}
	}
	r.spread(t, in.Seats)
}

// excused reports whether something kept the node from the chain during the round.
func (r *referee) excused(n *node, t *Task, in *rules.RoundEnd) bool {
	now := r.sim.queue.now
	began := now - 1000*int64(in.Rules.CommitSeconds+in.Rules.RevealSeconds+300)
	if n.machine == nil || n.lostDisk || r.went && r.back >= began || n.droppedIn(t.Address, in.Round) >= 2 {
		return true
	}
	if (n.isBlind || n.isCut || n.isPoor) && (r.sim.opt.Network.Split[1] > began || r.helpless(in, began)) {
		return true
	}
	if began < 60_000 && r.unanswered(in) {
		return true
	}
	return slices.ContainsFunc(n.disturbed, func(d disturbance) bool { return d.to >= began })
}

// helpless reports whether too few seats of the round are honest, up, and reach the chain, to bring
// what another asks for there, and to tell it that the commits are over.
func (r *referee) helpless(in *rules.RoundEnd, began int64) bool {
	helpers := 0
	for i := range in.Seats {
		n := r.sim.nodes[in.Seats[i].Index]
		down := n.machine == nil || slices.ContainsFunc(n.disturbed, func(d disturbance) bool { return d.to >= began })
		if n.adversary == 0 && !n.isBlind && !n.isCut && !n.isPoor && !down {
			helpers++
		}
	}
	return helpers < voting.OneHonest(len(in.Seats))
}

// favour is what a node does for another seat.
type favour struct {
	node        int
	task        voting.Key
	round, seat uint8
	op          voting.Op
	landed      int
}

// favoured checks promise 9.
func (r *referee) favoured(n *node, e voting.Submit) {
	if n.adversary != 0 {
		return
	}
	f, sum := -1, 0
	for i, old := range r.charity {
		if old.node != n.id || old.task != e.Task || old.round != e.Round {
			continue
		}
		sum++
		if old.op == e.Op && old.seat == e.Seat {
			f = i
		}
	}
	if f < 0 {
		f = len(r.charity)
		r.charity = append(r.charity, favour{n.id, e.Task, e.Round, e.Seat, e.Op, 0})
	}
	r.charity[f].landed++
	if sum > int(voting.DefaultParams().Carry) || e.Op == voting.OpCarry && r.charity[f].landed > 1 && !n.lostDisk && len(n.disturbed) == 0 {
		r.fault("node %d does too much for others: %s", n.id, e)
	}
}

// unanswered reports whether a node with a new journal may not have got the answers that it needs
// before it votes: the network was split, or more than a third of the panel does not answer.
func (r *referee) unanswered(in *rules.RoundEnd) bool {
	silent := 0
	for i := range in.Seats {
		switch r.sim.nodes[in.Seats[i].Index].adversary {
		case Absent, Withholder, Selective:
			silent++
		}
	}
	split := r.sim.opt.Network.Split
	return split[0] != split[1] || len(in.Seats)-1-silent < voting.OneHonest(len(in.Seats))
}

// spread counts how many votes the seats know of each other when a round is settled.
func (r *referee) spread(t *Task, seats []voting.Seat) {
	for i := range seats {
		n := r.sim.nodes[seats[i].Index]
		if n.adversary != 0 || n.machine == nil || n.blind(t.Address) {
			continue
		}
		known, _ := n.view.Round(t.Address, t.Case.Round)
		for j := range seats {
			if r.sim.nodes[seats[j].Index].adversary != 0 || !seats[j].Revealed {
				continue
			}
			r.shown++
			if slices.ContainsFunc(known, func(k voting.Known) bool { return k.Seat == j && k.Vote != nil }) {
				r.known++
			}
		}
	}
}

// slashed checks promise 4.
func (r *referee) slashed(judge voting.Key) {
	r.sim.result.Slashed++
	for _, n := range r.sim.nodes {
		if n.judge == judge && n.adversary != Equivocator && n.adversary != LateEquivocator && n.adversary != RelayEquivocator {
			r.fault("node %d slashed as an equivocator", n.id)
		}
	}
}

// checked checks promise 7.
func (r *referee) checked(n *node, notice voting.Notice, origin voting.Key, err error) {
	from := r.sim.byPeer(origin)
	if from != nil && from.adversary == 0 && n.adversary == 0 && voting.Classify(err) == voting.GossipReject {
		r.fault("node %d rejects %s of honest node %d: %v", n.id, notice, from.id, err)
	}
}

func (r *referee) conflict(n *node, f voting.Conflict) {
	if n.adversary == 0 {
		r.fault("honest node %d sees %s", n.id, f)
	}
}

func (r *referee) rolledBack() { r.back, r.went = r.sim.queue.now, true }

// end checks promise 8, and that nothing is kept of finished cases.
func (r *referee) end() {
	if !r.sim.done() {
		r.fault("%d of %d cases opened, and not all are over", len(r.sim.chain.State.Tasks), r.sim.opt.Cases)
		return
	}
	r.conserved()
	r.sim.clock()
	for _, n := range r.sim.nodes {
		if n.adversary == 0 && n.machine != nil {
			r.agrees(n)
			r.forgets(n)
		}
	}
	r.sim.result.VotesKnown, r.sim.result.VotesShown = r.known, r.shown
}

func (r *referee) agrees(n *node) {
	for i := range r.sim.chain.State.Tasks {
		want := r.sim.chain.State.Tasks[i].Case
		got, ok := n.view.Case(want.Task)
		if !ok || got.Status != want.Status || got.Verdict != want.Verdict || !equal(got.Seats, want.Seats) {
			r.fault("node %d sees %s, the chain has %s", n.id, got.Status, want.Status)
		}
	}
}

func (r *referee) forgets(n *node) {
	later := n.clock() + int64(r.sim.opt.Law.Rules.EvidenceSeconds) + 1
	n.crashAfter = -1
	n.step(voting.Tick{At: later})
	if _, ok := n.machine.Next(); ok {
		r.fault("node %d waits for something after all cases are over", n.id)
	}
	for _, record := range n.journal {
		if !bytes.Equal(record.Key()[:32], make([]byte, 32)) {
			r.fault("node %d keeps %s", n.id, record)
		}
	}
}
