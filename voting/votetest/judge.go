package votetest

import (
	"crypto/sha256"
	"encoding/binary"

	"ojud/voting"
)

// honest does what effects say and thinks what the distribution of opinions says.
type honest struct{}

// behaviour is what may be different about an adversary.
type behaviour interface {
	// opine says what the judge thinks and after how many milliseconds; NoChoice is a failure, a
	// negative time no answer.
	opine(n *node, task voting.Key) (choice voting.Choice, takes int64)
	// effect sees every effect first and says whether it is to be executed.
	effect(n *node, f voting.Effect) bool
	// hear sees every notice that arrives.
	hear(n *node, notice voting.Notice)
	// answers says whether catch-up requests are answered.
	answers() bool
}

func (honest) effect(*node, voting.Effect) bool { return true }
func (honest) hear(*node, voting.Notice)        {}
func (honest) answers() bool                    { return true }

func (honest) opine(n *node, _ voting.Key) (voting.Choice, int64) {
	o := &n.sim.opt.Opinions
	takes := n.sim.between(o.Takes)
	x := n.sim.rng.IntN(o.Accept + o.Reject + o.Abstain + o.Fail + o.Never)
	for _, w := range []struct {
		weight int
		choice voting.Choice
	}{{o.Accept, voting.Accept}, {o.Reject, voting.Reject}, {o.Abstain, voting.Abstain}, {o.Fail, voting.NoChoice}} {
		if x < w.weight {
			return w.choice, takes
		}
		x -= w.weight
	}
	return voting.NoChoice, -1
}

// ask runs the judge. Asked twice it may think differently: the machine must not depend on it.
func (n *node) ask(f voting.AskJudge) {
	choice, takes := n.behaviour.opine(n, f.Task)
	if left := (f.Deadline-genesis)*1000 - n.sim.queue.now; n.isCut && (takes < 0 || takes > left) {
		choice, takes = voting.NoChoice, max(left, 0) // a shell ends the judge by its own clock
	}
	switch {
	case takes < 0:
		n.run(f.Task, f.Round)
	case choice == voting.NoChoice:
		run, incarnation := n.run(f.Task, f.Round), n.incarnation
		n.sim.queue.in(takes, "opinion failed", func() {
			if n.incarnation == incarnation && n.current(f.Task, f.Round) == run {
				n.event(incarnation, voting.OpinionFailed{At: n.clock(), Task: f.Task, Round: f.Round, Reason: "model unreachable"})
			}
		})
	default:
		n.opine(f.Task, f.Round, choice, takes)
	}
}

// opine answers after a while with an opinion.
func (n *node) opine(task voting.Key, round uint8, choice voting.Choice, takes int64) {
	run, incarnation := n.run(task, round), n.incarnation
	o := n.opening(task, round, choice)
	n.sim.queue.in(takes, "opinion", func() {
		if n.incarnation == incarnation && n.current(task, round) == run {
			n.event(incarnation, voting.OpinionReady{At: n.clock(), Task: task, Round: round, Opening: o, Vote: n.vote(task, round, o)})
		}
	})
}

// opening makes an opening with a document that was never written before, and the salt that the
// node always derives.
func (n *node) opening(task voting.Key, round uint8, choice voting.Choice) voting.Opening {
	b := binary.LittleEndian.AppendUint64(nil, n.sim.rng.Uint64())
	salt := append(n.key.Seed(), n.sim.chain.Domain.SaltInfo(task, round)...)
	return voting.Opening{
		Choice: choice, Opinion: sha256.Sum256(b), Receipts: voting.ReceiptsRoot(nil), Salt: sha256.Sum256(salt),
	}
}

// run starts a run of the judge and ends the one before it.
func (n *node) run(task voting.Key, round uint8) int {
	for i := range n.opined {
		if n.opined[i].task == task && n.opined[i].round == round {
			n.opined[i].run++
			return n.opined[i].run
		}
	}
	n.opined = append(n.opined, opinionRun{task: task, round: round})
	return 0
}

func (n *node) current(task voting.Key, round uint8) int {
	for i := range n.opined {
		if n.opined[i].task == task && n.opined[i].round == round {
			return n.opined[i].run
		}
	}
	return -1
}

// recoverOpening looks for the sealed opening of an own commitment in the chain's history.
func (n *node) recoverOpening(f voting.RecoverOpening) {
	incarnation := n.incarnation
	n.sim.queue.in(1_000, "recover", func() {
		o := n.sim.sealedOf(f.Task, f.Round, n.judge, f.Commitment)
		if o != nil && !n.blind(f.Task) {
			n.event(incarnation, voting.OpeningRecovered{
				At: n.clock(), Task: f.Task, Round: f.Round, Opening: *o, Vote: n.vote(f.Task, f.Round, *o),
			})
		}
	})
}
