package court

import (
	"fmt"
	"slices"

	"ojud/voting"
	"ojud/voting/rules"
	"ojud/voting/votetest"
	"ojud/voting/votetest/naive"
)

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
//  9. an honest node brings at most Params.MaxRelayed commitments and votes of others to the chain
//     in a round, none more than once.
type referee struct {
	sim      *sim
	faults   []string
	lamports uint64
	signed   map[helper]bool
	back     int64 // when the chain went back last
	went     bool
	help     map[help]int // how many transactions
	helps    map[helper]int
}

func (r *referee) fault(format string, args ...any) {
	if len(r.faults) < votetest.MaxFaults {
		r.faults = append(r.faults, fmt.Sprintf("%d ms: ", r.sim.queue.Now)+fmt.Sprintf(format, args...))
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

// recorded checks the first half of promise 3. A signature that was not yet in the journal when the
// node crashed has never left it, so the record counts.
func (r *referee) recorded(n *node, c voting.Commit) {
	in := helper{n.id, roundOf{c.Task, c.Round}}
	if n.adversary == 0 && !n.crashes.lostDisk && r.signed[in] {
		r.fault("node %d signed twice for one round", n.id)
	}
	r.signed[in] = true
}

// ordered checks the second half of promise 3: an effect that shows a vote comes after the record
// of it.
func (r *referee) ordered(n *node, effects []voting.Effect) {
	journal := slices.Clone(n.journal)
	for _, f := range effects {
		switch f := f.(type) {
		case voting.Persist:
			journal = append(journal, f.Record)
		case voting.Announce:
			if !journal.Shows(f.Notice) {
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
func (r *referee) covered(n *node, journal votetest.Journal, f voting.Submit) bool {
	switch f.Op {
	case voting.OpCommit:
		return journal.Shows(voting.Commit{Task: f.Task, Round: f.Round, Judge: n.Judge, Signed: voting.Signed{Commitment: f.Commitment}})
	case voting.OpReveal:
		return journal.Shows(voting.Vote{Task: f.Task, Round: f.Round, Judge: n.Judge, Opening: f.Opening})
	}
	return true
}

// settled checks promises 2, 5 and 6.
func (r *referee) settled(t *votetest.Task, in rules.RoundEnd, out rules.Settlement) {
	if err := naive.Check(t.Case.Live(), in, out); err != nil {
		r.fault("%v", err)
	}
	if !t.Case.Live() {
		return
	}
	r.sim.result.Rounds++
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
func (r *referee) excused(n *node, t *votetest.Task, in *rules.RoundEnd) bool {
	began := r.sim.queue.Now - 1000*int64(t.Case.Rules.CommitSeconds+t.Case.Rules.RevealSeconds+300)
	switch {
	case n.machine == nil || n.crashes.lostDisk || n.crashes.since(began):
	case r.went && r.back >= began || n.link.dropped[roundOf{t.Address, in.Round}] >= 2:
	case n.link.needsHelp() && (r.sim.opt.Network.Split[1] > began || r.helpless(in, began)):
	case began < 60_000 && r.unanswered(in):
	default:
		return false
	}
	return true
}

// helpless reports whether too few seats of the round are honest, up, and reach the chain, to act
// for another there, and to tell it that the commits are over.
func (r *referee) helpless(in *rules.RoundEnd, began int64) bool {
	helpers := 0
	for i := range in.Seats {
		n := r.sim.nodes[in.Seats[i].Index]
		if n.adversary == 0 && n.machine != nil && !n.link.needsHelp() && !n.crashes.since(began) {
			helpers++
		}
	}
	return helpers < voting.OneHonest(len(in.Seats))
}

// helper is a node in a round, and help is its act there for another seat.
type (
	helper struct {
		node int
		roundOf
	}
	help struct {
		helper
		op   voting.Op
		seat uint8
	}
)

// helped checks promise 9.
func (r *referee) helped(n *node, e voting.Submit) {
	if n.adversary != 0 {
		return
	}
	from := helper{n.id, roundOf{e.Task, e.Round}}
	to := help{from, e.Op, e.Seat}
	if r.help[to] == 0 {
		r.helps[from]++
	}
	r.help[to]++
	forgot := r.went || n.crashes.lostDisk || n.crashes.any // the chain forgot the commitment, or the node what it did
	again := e.Op == voting.OpRelayCommit && r.help[to] > 1 && !forgot
	if again || r.helps[from] > int(voting.DefaultParams().MaxRelayed) {
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
func (r *referee) spread(t *votetest.Task, seats []voting.Seat) {
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
			r.sim.result.VotesShown++
			if slices.ContainsFunc(known, func(k voting.Known) bool { return k.Seat == j && k.Vote != nil }) {
				r.sim.result.VotesKnown++
			}
		}
	}
}

// slashed checks promise 4.
func (r *referee) slashed(judge voting.Key) {
	r.sim.result.Slashed++
	for _, n := range r.sim.nodes {
		if n.Judge == judge && !n.adversary.equivocates() {
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

func (r *referee) rolledBack() { r.back, r.went = r.sim.queue.Now, true }

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
}

func (r *referee) agrees(n *node) {
	for i := range r.sim.chain.State.Tasks {
		want := &r.sim.chain.State.Tasks[i].Case
		if got, ok := n.view.Case(want.Task); !ok || !votetest.SameCase(&got, want) {
			r.fault("node %d sees %s, the chain has %s", n.id, got.Status, want.Status)
		}
	}
}

func (r *referee) forgets(n *node) {
	later := n.clock() + int64(r.sim.opt.Law.Rules.EvidenceSeconds) + 1
	n.crashes.after = -1
	n.step(voting.Tick{At: later})
	if _, ok := n.machine.Next(); ok {
		r.fault("node %d waits for something after all cases are over", n.id)
	}
	for _, record := range n.journal {
		if voting.Key(record.Key()[:32]) != (voting.Key{}) {
			r.fault("node %d keeps %s", n.id, record)
		}
	}
}
