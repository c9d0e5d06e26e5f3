package brain_test

import (
	"math/rand/v2"
	"testing"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/brain"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/megabrain/arbiter"
	"ojud/voting"
)

// doubted is a task of three equal results that may be settled. The first evaluators say 100 of
// them, the others this.
func doubted(evaluators, praise int, others uint8) brain.TaskAccount {
	k := brain.TaskAccount{Head: head("Task"), Status: brain.Ready}
	k.Counts = brain.Counts{Workers: 3, Evaluators: uint8(evaluators), Drawn: 3, Seated: uint8(evaluators)}
	k.Money = brain.Money{Budget: sol, WorkerStake: sol / 20, EvaluatorStake: sol * 3 / 100}
	k.Marks.Difficulty, k.Marks.Posted, k.Poster = 100, brain.PostedByPoster, onchain.Address{9}
	for i := range 3 {
		k.Work[i].Index, k.Work[i].CommittedAt, k.Work[i].State = uint16(i), int64(10+i), 2
		k.Finding.Facts[i] = brain.Fact{Complete: 10_000, Cluster: 1}
	}
	for i := range evaluators {
		e := &k.Judges[i]
		e.Index, e.Reputation, e.State = uint16(8+i), 5_000, 2
		score := others
		if i < praise {
			score = 100
		}
		for j := range 3 {
			e.Said[j] = brain.Rating{Score: score, Confidence: 90}
		}
	}
	return k
}

// Two of seven evaluators, or one of four, say 100 of junk. They were outliers, and slashed, but
// their weight kept the cluster from being rejected: it was paid. If the others said 0, the pool
// was divided by no quality, and the task could never be settled. The control is a cluster that
// outliers do not save: most evaluators are near the pass mark, and a fifth of the weight is not
// against it.
func TestAttackOutliersDecide(t *testing.T) {
	for name, c := range map[string]struct {
		evaluators, praise int
		others             uint8
		end                brain.Stage
	}{
		"two of seven, worthless":  {7, 2, 0, brain.Inconclusive},
		"one of seven, worthless":  {7, 1, 0, brain.Inconclusive},
		"one of four, worthless":   {4, 1, 0, brain.Inconclusive},
		"two of seven, junk":       {7, 2, 10, brain.Inconclusive},
		"one of four, junk":        {4, 1, 10, brain.Inconclusive},
		"one of three, junk":       {3, 1, 10, brain.Inconclusive},
		"nobody praises":           {7, 0, 0, brain.Inconclusive},
		"most praise: the control": {7, 4, 40, brain.Settled},
	} {
		t.Run(name, func(t *testing.T) {
			s, of := attack(t), class{params: brain.Defaults()}
			of.params.Shares.MaxEvaluators = uint16(c.evaluators)
			k := doubted(c.evaluators, c.praise, c.others)
			at := s.stored(&of, &k, 1)
			s.ok(s.prog.SettleTask(of.at, at))
			s.agreesFrom(&k, of, at)
			s.backed(of, at)
			same(t, "status", s.task(at).Status, c.end)
		})
	}
	// Near the pass mark, those who are no outliers decide, as before.
	s, of := attack(t), class{params: brain.Defaults()}
	of.params.Shares.MaxEvaluators = 5
	k := doubted(5, 0, 42)
	for i := range 2 {
		for j := range 3 {
			k.Judges[i].Said[j].Score = 55
		}
	}
	at := s.stored(&of, &k, 1)
	s.ok(s.prog.SettleTask(of.at, at))
	s.agreesFrom(&k, of, at)
	same(t, "status", s.task(at).Status, brain.Settled)
}

// A worker showed its result to nobody until an outcome took it for no effort, and then won the
// bond of an honest poster by a dispute. Now it gets what its result is worth, and has paid the
// judges itself. The control is a poster that calls a result no effort which the evaluators saw.
func TestAttackWithheldForBond(t *testing.T) {
	for _, seen := range []bool{false, true} {
		s := attack(t)
		c := s.begin(3, 2)
		s.foundCourt()
		s.fund("rex", 10*sol)
		at := s.posted(c, 1)
		s.drawn(c, at)
		s.worked(c, at, 0, 1, 2)
		s.drawn(c, at)
		said := []uint8{255, 0, 92, 90, 90, 90}
		if seen {
			said[0], said[1] = 91, 90
		}
		s.evaluated(c, at, map[int][]uint8{0: said, 1: said})
		without := found(0, 2, 2)
		without.Facts[0].LowEffort, without.Facts[0].Complete = 1, 0
		s.saidSo(c, at, without)
		poster := s.task(at).Judges[0]
		s.ok(s.bring(c, at, "rex", counter()))
		s.decide(at, voting.ForWorker)
		before := s.lamports(s.at("rex"))
		s.ok(s.resolve(at))
		k := s.task(at)
		same(t, "the outcome", k.Finding, counter())
		won := s.lamports(s.at("rex")) - before
		if seen {
			same(t, "control: the disputant wins the bond", won, 2*c.params.Bond)
			same(t, "whose outcome it is", k.Marks.Posted, brain.PostedByDisputant)
			continue
		}
		same(t, "the disputant has its stake, and paid the judges", won, c.params.Bond)
		same(t, "whose outcome it is", k.Marks.Posted, brain.ShownInDispute)
		s.ok(s.prog.SettleTask(c.at, at))
		same(t, "it goes on", s.task(at).Status, brain.DrawEvaluators)
		same(t, "the poster has its bond", s.class(c).Members[poster.Index].Earned, c.params.Bond)
		s.backed(c, at)
	}
}

// TestWithheld: for random pairs of outcomes, the program keeps the poster's bond as
// megabrain/arbiter says.
func TestWithheld(t *testing.T) {
	s := newScene(t, newSuite(t, true), "withheld")
	r, kept := rand.New(rand.NewPCG(18, 10)), 0
	for n := range *settlements {
		c := class{params: brain.Defaults()}
		k := random(r, &c.params)
		disturb(r, &k)
		k.Status, k.Marks.Posted, k.Disputant = brain.Disputed, brain.PostedByPoster, s.at("rex")
		k.Money.Bond, k.Money.CounterBond, k.Clock.Deadline = sol/20, sol/20, s.now()+100
		k.Dispute = onchain.Address{88, byte(n)}
		at := s.stored(&c, &k, byte(n%200))
		a := s.accounts[at]
		a.Lamports += k.Money.Bond + k.Money.CounterBond
		s.accounts[at] = a
		verdict := s.court.Verdict(k.Dispute)
		_, bump, err := solana.FindProgramAddress([][]byte{[]byte("verdict"), k.Dispute[:]}, solana.PublicKey(s.court.ID()))
		if err != nil {
			t.Fatal(err)
		}
		told := program.VerdictAccount{Bump: bump, IsFinal: 1, Verdict: voting.ForWorker, Subject: k.Dispute, Creator: k.Poster, Worker: k.Disputant}
		s.owned(verdict, s.court.ID(), told.Encode(), 0)
		before := s.lamports(k.Disputant)
		s.ok(s.prog.ResolveDispute(c.at, at, verdict, k.Disputant))
		won, by := k.Money.Bond, brain.PostedByDisputant
		if arbiter.Withheld(&k, c.params, k.Counter) {
			won, by = 0, brain.ShownInDispute
			kept++
		}
		same(t, "the disputant got", s.lamports(k.Disputant)-before, won+k.Money.CounterBond)
		same(t, "whose outcome it is", s.task(at).Marks.Posted, by)
		s.backed(c, at)
		s.open = nil
	}
	t.Logf("%d of %d posters keep their bonds", kept, *settlements)
	if kept < *settlements/20 || kept > *settlements*19/20 {
		t.Errorf("%d of %d posters keep their bonds", kept, *settlements)
	}
}

// disturb gives a task a counter-outcome: that of the poster, which lacks some results, and
// sometimes lies about others.
func disturb(r *rand.Rand, k *brain.TaskAccount) {
	n := int(k.Counts.Drawn)
	k.Counter = k.Finding
	for w := range n {
		if k.Work[w].State != 2 || r.IntN(2) > 0 {
			continue
		}
		k.Finding.Facts[w] = brain.Fact{LowEffort: 1}
		for e := range k.Counts.Seated {
			if r.IntN(8) > 0 {
				k.Judges[e].Said[w] = brain.Rating{Score: brain.Silent}
			}
		}
		for v := range n {
			if f := &k.Finding.Facts[v]; f.CopyOf == uint8(w+1) && r.IntN(8) > 0 {
				f.CopyOf = 0
			}
		}
		for e := range k.Counts.Seated {
			k.Counter.Rubber[e] &= uint8(r.IntN(4) / 3)
		}
	}
	if r.IntN(3) == 0 {
		f := &k.Finding.Facts[r.IntN(n)]
		switch r.IntN(4) {
		case 0:
			f.Complete++
		case 1:
			f.Cluster = uint8(r.IntN(n + 1))
		case 2:
			f.CopyOf = uint8(r.IntN(n + 1))
		case 3:
			f.LowEffort = 1
		}
	}
}
