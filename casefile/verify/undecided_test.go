package verify_test

import (
	"testing"

	"ojud/casefile"
	"ojud/casefile/casetest"
	"ojud/casefile/verify"
	"ojud/golden"
	"ojud/voting"
)

var (
	creator, worker = casetest.Key("creator"), casetest.Key("worker")
	stranger        = casetest.Key("proctor")
)

// abstained is two rounds that decide nothing, and an appeal of it.
func abstained(appeal ...casetest.Plan) casetest.Script {
	nothing := casetest.All(voting.Abstain)
	return casetest.Script{Name: "abstained", Judges: voting.MaxSeats, Panel: 7, Rounds: []casetest.Plan{nothing, nothing}, Appeal: appeal}
}

// oneRound is a case whose second round was not drawn in time.
func oneRound(s *casetest.Script) { s.Rounds = s.Rounds[:1] }

// split has that many seats accept, then that many reject. All others abstain.
func split(accept, reject int) casetest.Plan {
	return func(seat int) casetest.Act {
		switch {
		case seat < accept:
			return casetest.Act{Choice: voting.Accept}
		case seat < accept+reject:
			return casetest.Act{Choice: voting.Reject}
		}
		return casetest.Act{Choice: voting.Abstain}
	}
}

// changed is a script with a change.
func changed(s casetest.Script, change func(*casetest.Script)) casetest.Script {
	change(&s)
	return s
}

// verified builds a script and verifies its file.
func verified(t *testing.T, s casetest.Script) verify.Report {
	t.Helper()
	file, err := casetest.File(s)
	if err != nil {
		t.Fatal(err)
	}
	return verify.File(file)
}

// TestUndecidedAppealed: what the appeal of an undecided case finds is the verdict, by whichever
// party it may come; and if it finds nothing, the term stands.
func TestUndecidedAppealed(t *testing.T) {
	t.Parallel()
	accept, reject, nothing := casetest.All(voting.Accept), casetest.All(voting.Reject), casetest.All(voting.Abstain)
	for name, c := range map[string]struct {
		script casetest.Script
		want   voting.Verdict
	}{
		"split, the worker appeals":          {abstained(accept), voting.ForWorker},
		"split, the creator appeals":         {changed(abstained(reject), func(s *casetest.Script) { s.Appellant = creator }), voting.ForCreator},
		"refund, the worker appeals":         {changed(abstained(accept), func(s *casetest.Script) { s.Term = voting.RefundCreator }), voting.ForWorker},
		"pay, the creator appeals":           {changed(abstained(reject), func(s *casetest.Script) { s.Term = voting.PayWorker }), voting.ForCreator},
		"pay, the creator loses":             {changed(abstained(accept), func(s *casetest.Script) { s.Term = voting.PayWorker }), voting.ForWorker},
		"the appeal decides nothing, either": {abstained(nothing, nothing), voting.Undecided},
		"the appeal is too light":            {changed(abstained(split(5, 3)), func(s *casetest.Script) { oneRound(s); s.Panel = 14 }), voting.Undecided},
		"the first panel's votes decide":     {changed(abstained(split(10, 4)), func(s *casetest.Script) { s.Panel, s.Rounds = 14, []casetest.Plan{split(0, 5)} }), voting.ForCreator},
		"all of the appeal outvote them":     {changed(abstained(accept), func(s *casetest.Script) { s.Panel, s.Rounds = 14, []casetest.Plan{split(0, 3)} }), voting.ForWorker},
		"nobody is drawn":                    {changed(abstained(), func(s *casetest.Script) { s.Starve = true }), voting.Undecided},
		"nobody appeals":                     {abstained(), voting.Undecided},
		"after one round":                    {changed(abstained(accept), oneRound), voting.ForWorker},
		"after one round, in vain":           {changed(abstained(nothing, nothing), oneRound), voting.Undecided},
		"after one round, nobody is drawn":   {changed(abstained(), func(s *casetest.Script) { oneRound(s); s.Starve = true }), voting.Undecided},
		"after one round, nobody appeals":    {changed(abstained(), oneRound), voting.Undecided},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if r := verified(t, c.script); !r.OK() || r.Verdict != casefile.Verdict(c.want) {
				t.Errorf("verdict %d, want %s\n%s", r.Verdict, c.want, r.String())
			}
		})
	}
}

// challenge is a case that found a leaf false, which its proctor appeals. It is no party.
func challenge(appeal ...casetest.Plan) casetest.Script {
	leaf := golden.Leaf{Answer: voting.Accept}
	return casetest.Script{
		Name: "challenge", Judges: voting.MaxSeats, Panel: 14, Appellant: stranger,
		Rounds: []casetest.Plan{casetest.All(voting.Accept)}, Appeal: appeal,
		Documents: casetest.Documents{Task: string(leaf.Question()), Result: string(golden.Denial())},
	}
}

// TestChallengeAppealed: a proctor appeals the verdict that its leaf is false, without a bond.
func TestChallengeAppealed(t *testing.T) {
	t.Parallel()
	few := func(seat int) casetest.Act { // five of the eight sides of 14 seats
		choices := []voting.Choice{voting.Reject, voting.Reject, voting.Reject, voting.Reject, voting.Reject, voting.Accept, voting.Accept, voting.Accept, voting.Abstain}
		return casetest.Act{Choice: choices[min(seat, len(choices)-1)]}
	}
	for name, c := range map[string]struct {
		script casetest.Script
		want   voting.Verdict
	}{
		"reversed":                        {challenge(casetest.All(voting.Reject)), voting.ForCreator},
		"confirmed":                       {challenge(casetest.All(voting.Accept)), voting.ForWorker},
		"the appeal is too light":         {challenge(few), voting.ForWorker},
		"nobody is drawn":                 {changed(challenge(), func(s *casetest.Script) { s.Starve = true }), voting.ForWorker},
		"the creator appeals with a bond": {changed(challenge(casetest.All(voting.Reject)), func(s *casetest.Script) { s.Appellant = creator }), voting.ForCreator},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if r := verified(t, c.script); !r.OK() || r.Verdict != casefile.Verdict(c.want) {
				t.Errorf("verdict %d, want %s\n%s", r.Verdict, c.want, r.String())
			}
		})
	}
}

// TestAttackForgedAppealOfNothing: a panel lies about who appealed an undecided case or a
// challenge, about its bond, or about what became of it.
func TestAttackForgedAppealOfNothing(t *testing.T) {
	t.Parallel()
	accept, reject, nothing := casetest.All(voting.Accept), casetest.All(voting.Reject), casetest.All(voting.Abstain)
	outcome := func(s casetest.Script, change func(*casefile.Finish)) casetest.Script {
		s.Forge.Outcome = func(f *casefile.OutcomeFact) { change(f.Finish) }
		return s
	}
	by := func(s casetest.Script, k voting.Key, term voting.OnUndecided) casetest.Script {
		s.Appellant, s.Term = k, term
		return s
	}
	ordinary := changed(challenge(reject), func(s *casetest.Script) { s.Documents = casetest.Documents{} })
	refused := changed(challenge(accept), func(s *casetest.Script) { s.Rounds = []casetest.Plan{reject} })
	for name, s := range map[string]casetest.Script{
		"the creator appeals a refund":              by(abstained(reject), creator, voting.RefundCreator),
		"the worker appeals a pay":                  by(abstained(accept), worker, voting.PayWorker),
		"a stranger appeals an undecided case":      by(abstained(accept), stranger, voting.SplitEscrow),
		"an undecided case is appealed for nothing": outcome(abstained(accept), func(f *casefile.Finish) { f.Appeal.Bond = 0 }),
		"the term is the appeal's verdict":          outcome(abstained(nothing, nothing), func(f *casefile.Finish) { f.Level = 2 }),
		"the bond of a vain appeal comes back":      outcome(abstained(nothing, nothing), func(f *casefile.Finish) { f.Bond -= f.Appeal.Bond / 2 }),
		"an abstention is slashed":                  outcome(abstained(accept), func(f *casefile.Finish) { f.Seats[0].Slashed = 1 }),
		"the second draw had more time":             outcome(changed(abstained(accept), oneRound), func(f *casefile.Finish) { f.AppealBy-- }),
		"a stranger appeals an ordinary verdict":    ordinary,
		"a proctor appeals what is true":            refused,
		"a proctor's appeal has a bond":             outcome(challenge(reject), func(f *casefile.Finish) { f.Appeal.Bond = 1 }),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if r := verified(t, s); r.Check(verify.CheckSettlement).State != verify.Failed {
				t.Errorf("it passes:\n%s", r.String())
			}
		})
	}
}
