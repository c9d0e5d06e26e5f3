package byzantine

import (
	"fmt"
	"slices"

	"ojud/voting"
	"ojud/voting/rules"
	"ojud/voting/votetest"
	"ojud/voting/votetest/naive"
)

// referee watches a panel and writes down every broken promise. Those that hold however many judges
// are byzantine:
//
//  1. no transaction makes or loses a lamport;
//  2. a round is settled once, a case ends once, and every settlement is that of the naive
//     arithmetic;
//  3. all honest nodes see the chain's end, and no vote that they hold says anything else than its
//     seat on the chain;
//  4. no honest judge shows two statements of a round;
//  5. no honest judge is slashed as an equivocator, and none is absent that did not crash;
//  6. no honest node rejects what another says, or sees a conflict with itself;
//  7. every judge that showed two statements of a round to honest nodes loses its seat for it, by
//     evidence that verifies, as long as the chain has that seat: when a round is void and drawn
//     again at once, evidence that was not there yet comes too late (Escaped);
//  8. the chain refuses every instruction that it must refuse, and every case ends.
//
// One holds as long as less than a third of the weight is byzantine, and is broken from there on:
//
//  9. when the honest judges agree, and none crashed, their answer is the verdict.
type referee struct {
	panel    *panel
	lamports uint64
	ended    int
	rounds   []uint8
	// convictions are the equivocators of whom the chain took evidence, without their commitments.
	convictions []votetest.Stated
	crashes     bool // an honest judge that crashed was absent
}

func (r *referee) fault(format string, args ...any) {
	p := r.panel
	if len(p.result.Faults) < votetest.MaxFaults {
		p.result.Faults = append(p.result.Faults, fmt.Sprintf("%d ms: ", p.queue.Now)+fmt.Sprintf(format, args...))
	}
}

// conserved checks promise 1.
func (r *referee) conserved() {
	if got := r.panel.chain.State.Lamports(); r.lamports != 0 && got != r.lamports {
		r.fault("%d lamports, expected %d", got, r.lamports)
	}
}

// stated checks promise 4 for each statement that leaves a node.
func (r *referee) stated(n *honest, round uint8, commitment voting.Hash) {
	s := votetest.Stated{Node: n.id, Task: r.panel.task, Round: round, Commitment: commitment}
	if slices.ContainsFunc(n.stated, func(o votetest.Stated) bool { return o.Round == round && o != s }) {
		r.fault("honest judge %d shows two statements of round %d", n.id, round)
	}
	if !slices.Contains(n.stated, s) {
		n.stated = append(n.stated, s)
	}
}

// refused checks promise 6.
func (r *referee) refused(n *honest, origin voting.Key, notice voting.Notice, err error) {
	i, known := r.panel.keys.index[origin]
	if known && r.panel.nodes[i] != nil && voting.Classify(err) == voting.GossipReject {
		r.fault("node %d rejects %s of honest judge %d: %v", n.id, notice, i, err)
	}
}

// settled checks promises 2 and 5.
func (r *referee) settled(t *votetest.Task, in rules.RoundEnd, out rules.Settlement) {
	if slices.Contains(r.rounds, in.Round) || r.ended > 0 {
		r.fault("round %d is settled again", in.Round)
	}
	if out.Status.Over() {
		r.ended++
	}
	if t.Case.Live() {
		r.rounds = append(r.rounds, in.Round)
		r.panel.result.Rounds++
	}
	if err := naive.Check(t.Case.Live(), in, out); err != nil {
		r.fault("%v", err)
	}
	for i := range in.Seats {
		n := r.panel.nodes[in.Seats[i].Index]
		if n == nil || out.Seats[i].Result != voting.Absent {
			continue
		}
		r.crashes = r.crashes || n.crashes
		if !n.crashes && t.Case.Live() {
			r.fault("honest judge %d absent in round %d: %+v", n.id, in.Round, in.Seats[i])
		}
	}
}

// slashed checks promise 5: the chain has taken evidence.
func (r *referee) slashed(e voting.Evidence) {
	p := r.panel
	i := slices.IndexFunc(p.adversary.judges, func(j *corrupt) bool { return j.Judge == e.Judge })
	if i < 0 {
		r.fault("an honest judge is slashed as an equivocator")
	}
	if e.A.Commitment == e.B.Commitment || p.opt.Strict && e.Verify(p.chain.Domain) != nil {
		r.fault("the chain took evidence that proves nothing")
	}
	r.convictions = append(r.convictions, votetest.Stated{Node: max(i, 0), Task: e.Task, Round: e.Round})
}

// shown is a look, or what the sabotage makes of it.
func (r *referee) shown(n *honest, look voting.Case) voting.Case {
	const _ = uint(6 - voting.Statuses) // can a seventh status lie about its verdict?
	if r.panel.opt.Sabotage == TwoTruths && n.id%3 == 0 && look.Status == voting.Decided {
		look.Verdict = voting.ForWorker + voting.ForCreator - look.Verdict
	}
	return look
}

// end checks promises 3, 7, 8 and 9.
func (r *referee) end() {
	p := r.panel
	k := p.onChain()
	if !k.Status.Over() || r.ended != 1 {
		r.fault("the case is in %s after %d ends", k.Status, r.ended)
		return
	}
	p.result.Verdict = k.Verdict
	for _, n := range p.nodes {
		if n != nil && n.machine != nil {
			r.agrees(n, k)
		}
	}
	r.convicted(k)
	r.answered(k)
}

// agrees checks promise 3.
func (r *referee) agrees(n *honest, k *voting.Case) {
	if got, ok := n.current().Case(k.Task); !ok || !votetest.SameCase(&got, k) {
		r.fault("node %d sees %s for %s, the chain has %s for %s", n.id, got.Status, got.Verdict, k.Status, k.Verdict)
	}
	known, _ := n.current().Round(k.Task, k.SeatsRound())
	for _, x := range known {
		if s := &k.Seats[x.Seat]; x.Vote != nil && s.Revealed && x.Vote.Choice != s.Choice {
			r.fault("node %d holds %s for seat %d, which revealed %s", n.id, x.Vote.Choice, x.Seat, s.Choice)
		}
	}
}

// convicted checks promise 7.
func (r *referee) convicted(k *voting.Case) {
	p := r.panel
	for i, a := range p.adversary.shows {
		two := func(b votetest.Stated) bool { return b.Node == a.Node && b.Round == a.Round }
		if !slices.ContainsFunc(p.adversary.shows[:i], two) || slices.ContainsFunc(p.adversary.shows[i+1:], two) {
			continue // not the last one of at least two
		}
		p.result.Equivocators++
		switch {
		case slices.ContainsFunc(r.convictions, two):
			p.result.Convicted++
		case a.Round < k.SeatsRound():
			p.result.Escaped++
		default:
			r.fault("judge %d showed two statements of round %d and got away with it", a.Node, a.Round)
		}
	}
	if len(r.convictions) != p.result.Convicted {
		r.fault("%d convictions of %d equivocators", len(r.convictions), p.result.Equivocators)
	}
}

// answered works out promise 9.
func (r *referee) answered(k *voting.Case) {
	p := r.panel
	if p.opt.Answer == voting.NoChoice || r.crashes {
		return
	}
	const _ = uint(3 - voting.Choices) // the answer of the honest judges is one of two sides
	right, wrong := voting.ForWorker, voting.ForCreator
	if p.opt.Answer == voting.Reject {
		right, wrong = wrong, right
	}
	p.result.Right, p.result.Wrong = k.Verdict == right, k.Verdict == wrong
	if 3*p.opt.Byzantine < panelSeats && !p.result.Right {
		r.fault("the verdict is %s, all honest judges say %s", k.Verdict, p.opt.Answer)
	}
}
