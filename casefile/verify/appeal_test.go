package verify_test

import (
	"testing"

	"ojud/casefile"
	"ojud/casefile/casetest"
	"ojud/casefile/verify"
	"ojud/voting"
)

// TestAttackForgedAppeal: a panel lies together about an appeal. Of the first panel's 3.5 million
// lamports and the bonds of 184 million, each lie would move a part to somebody whom the rules do
// not pay, or hide that the verdict is of judges that may not sit.
func TestAttackForgedAppeal(t *testing.T) {
	t.Parallel()
	outcome := func(change func(*casefile.Finish, *casefile.OutcomeFact)) casetest.Forge {
		return casetest.Forge{Outcome: func(f *casefile.OutcomeFact) { change(f.Finish, f) }}
	}
	for _, c := range []struct {
		name, script string
		forge        casetest.Forge
		check        verify.CheckName
	}{
		{"a judge sits twice", "reversed", casetest.Forge{Draw: func(f *casefile.DrawFact) {
			if f.Round > 2 {
				f.Candidates[0], f.Candidates[27] = f.Candidates[27], f.Candidates[0]
				f.Candidates[0].Index, f.Candidates[27].Index = f.Candidates[27].Index, f.Candidates[0].Index
			}
		}}, verify.CheckTestimony},
		{"fewer seats than the appeal has", "reversed", casetest.Forge{Draw: func(f *casefile.DrawFact) {
			if f.Round > 2 {
				f.PanelSeats--
			}
		}}, verify.CheckDraw},
		{"no appeal was made", "reversed", outcome(func(f *casefile.Finish, _ *casefile.OutcomeFact) { f.Appeal = nil }), verify.CheckOpening},
		{"the first panel gave the verdict", "reversed", outcome(func(f *casefile.Finish, _ *casefile.OutcomeFact) { f.Level = 1 }), verify.CheckSettlement},
		{"the winner appeals", "reversed", outcome(func(f *casefile.Finish, _ *casefile.OutcomeFact) {
			f.Appeal.Party = casefile.Address(casetest.Key("creator"))
		}), verify.CheckSettlement},
		{"the bond of the appeal is half", "reversed", outcome(func(f *casefile.Finish, _ *casefile.OutcomeFact) { f.Appeal.Bond /= 2 }), verify.CheckSettlement},
		{"an appeal after its time", "reversed", outcome(func(f *casefile.Finish, _ *casefile.OutcomeFact) { f.Appeal.At = f.AppealBy }), verify.CheckDraw},
		{"a shorter time to appeal", "not appealed", outcome(func(f *casefile.Finish, _ *casefile.OutcomeFact) { f.AppealBy-- }), verify.CheckSettlement},
		{"a reversed vote loses nothing", "reversed", outcome(func(f *casefile.Finish, _ *casefile.OutcomeFact) {
			f.Seats[2].Equivocated = true
			f.Seats[2].Slashed = 0
		}), verify.CheckEquivocation},
		{"a reversed vote earns", "reversed", outcome(func(f *casefile.Finish, _ *casefile.OutcomeFact) { f.Seats[2].Earned = 1 }), verify.CheckSettlement},
		{"a seat of the appeal earns more", "confirmed", outcome(func(f *casefile.Finish, _ *casefile.OutcomeFact) { f.Seats[9].Earned++ }), verify.CheckSettlement},
		{"the pot gets less", "confirmed", outcome(func(f *casefile.Finish, _ *casefile.OutcomeFact) { f.Golden-- }), verify.CheckSettlement},
		{"a seat less", "confirmed", outcome(func(f *casefile.Finish, _ *casefile.OutcomeFact) { f.Seats = f.Seats[1:] }), verify.CheckSettlement},
		{"the pay of the first level at once", "reversed", casetest.Forge{Settle: func(f *casefile.SettleFact) {
			if f.Round == 1 {
				f.Seats[3].Earned = 500_000
			}
		}}, verify.CheckSettlement},
		{"the bond of an appeal that was not drawn is kept", "starved", outcome(func(_ *casefile.Finish, o *casefile.OutcomeFact) {
			o.Payments = o.Payments[:len(o.Payments)-1]
		}), verify.CheckPayments},
		{"the appeal ends before its draw was due", "starved", outcome(func(f *casefile.Finish, o *casefile.OutcomeFact) { o.At = f.Appeal.At + 1 }), verify.CheckPayments},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := scriptNamed(t, c.script)
			s.Forge = c.forge
			file, err := casetest.File(s)
			if err != nil {
				t.Fatal(err)
			}
			if r := verify.File(file); r.Check(c.check).State != verify.Failed {
				t.Errorf("%s should fail:\n%s", c.check, r.String())
			}
		})
	}
}

// TestReversed: the verdict of the appeal is the case's, and each vote that it reversed lost 20
// times its pay.
func TestReversed(t *testing.T) {
	t.Parallel()
	file, err := casetest.File(scriptNamed(t, "reversed"))
	if err != nil {
		t.Fatal(err)
	}
	if r := verify.File(file); !r.OK() || r.Verdict != casefile.Verdict(voting.ForWorker) || r.Rounds != 2 {
		t.Errorf("%s", r.String())
	}
}
