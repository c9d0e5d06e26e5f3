package court

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"ojud/voting"
	"ojud/voting/votetest"
)

// honest does what effects say and thinks what the distribution of opinions says.
type honest struct{}

// behaviour lists how an adversary may differ from an honest judge.
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

// ask runs the judge. A judge that is asked twice may think differently, and the machine must not
// depend on it.
func (n *node) ask(f voting.AskJudge) {
	choice, takes := n.behaviour.opine(n, f.Task)
	if left := (f.Deadline-votetest.Genesis)*1000 - n.sim.queue.Now; n.link.isCut && (takes < 0 || takes > left) {
		choice, takes = voting.NoChoice, max(left, 0) // a shell ends the judge by its own clock
	}
	switch {
	case takes < 0:
		n.runs[roundOf{f.Task, f.Round}]++
	case choice == voting.NoChoice:
		n.run(f.Task, f.Round, takes, "opinion failed", func() voting.Event {
			return voting.OpinionFailed{At: n.clock(), Task: f.Task, Round: f.Round, Reason: "model unreachable"}
		})
	default:
		n.opine(f.Task, f.Round, choice, takes)
	}
}

// run ends the judge's last run in a round, and starts one that answers after a while.
func (n *node) run(task voting.Key, round uint8, takes int64, what string, answer func() voting.Event) {
	n.runs[roundOf{task, round}]++
	run := n.runs[roundOf{task, round}]
	n.later(takes, what, func() {
		if n.runs[roundOf{task, round}] == run {
			n.step(answer())
		}
	})
}

// opine answers after a while with an opinion.
func (n *node) opine(task voting.Key, round uint8, choice voting.Choice, takes int64) {
	o := n.opening(task, round, choice)
	n.run(task, round, takes, "opinion", func() voting.Event {
		return voting.OpinionReady{At: n.clock(), Task: task, Round: round, Opening: o, Vote: n.Vote(task, round, o)}
	})
}

// opening makes an opening with a document that was never written before, and the salt that the
// node always derives.
func (n *node) opening(task voting.Key, round uint8, choice voting.Choice) voting.Opening {
	b := binary.LittleEndian.AppendUint64(nil, n.sim.rng.Uint64())
	salt := append(slices.Clone(n.seed), n.Domain.SaltInfo(task, round)...)
	return voting.Opening{
		Choice: choice, Opinion: sha256.Sum256(b), Receipts: voting.ReceiptsRoot(nil), Salt: sha256.Sum256(salt),
	}
}

// recoverOpening looks for the sealed opening of an own commitment in the chain's history.
func (n *node) recoverOpening(f voting.RecoverOpening) {
	n.later(1_000, "recover", func() {
		if o, ok := n.sim.chain.Sealed(f.Task, f.Round, n.Judge, f.Commitment); ok && !n.blind(f.Task) {
			n.step(voting.OpeningRecovered{At: n.clock(), Task: f.Task, Round: f.Round, Opening: o, Vote: n.Vote(f.Task, f.Round, o)})
		}
	})
}
