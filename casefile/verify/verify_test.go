package verify_test

import (
	"strings"
	"sync"
	"testing"

	"ojud/casefile"
	"ojud/casefile/casetest"
	"ojud/casefile/verify"
	"ojud/voting"
)

func TestVerifyScripts(t *testing.T) {
	verdicts := map[string]voting.Verdict{
		"accept": voting.ForWorker, "reject": voting.ForCreator, "minority": voting.ForWorker, "equivocation": voting.ForWorker,
		"second": voting.ForWorker, "undecided": voting.Undecided, "late": voting.Undecided, "expired": voting.Undecided,
		"data": voting.ForWorker, "not appealed": voting.ForWorker, "reversed": voting.ForWorker, "confirmed": voting.ForCreator,
		"appealed in vain": voting.ForCreator, "appeal expired": voting.ForCreator, "starved": voting.ForCreator,
	}
	for _, s := range casetest.Scripts() {
		t.Run(s.Name, func(t *testing.T) {
			file := fileNamed(t, s.Name)
			r := verify.File(file)
			if !r.OK() || voting.Verdict(r.Verdict) != verdicts[s.Name] {
				t.Fatalf("%d bytes\n%s", len(file), r.String())
			}
		})
	}
}

// What the whole panel says wrongly is found by computing it again: no testimony makes arithmetic
// false.
func TestVerifyForgedFacts(t *testing.T) {
	minority := scriptNamed(t, "minority")
	undecided := scriptNamed(t, "undecided")
	minority.Judges, undecided.Judges = 14, 7 // a smaller panel lies as well
	draw := func(change func(*casefile.DrawFact)) casetest.Forge { return casetest.Forge{Draw: change} }
	settle := func(change func(*casefile.SettleFact)) casetest.Forge { return casetest.Forge{Settle: change} }
	outcome := func(change func(*casefile.OutcomeFact)) casetest.Forge { return casetest.Forge{Outcome: change} }
	open := func(change func(*casefile.OpenFact)) casetest.Forge { return casetest.Forge{Open: change} }
	for _, c := range []struct {
		name   string
		script casetest.Script
		forge  casetest.Forge
		check  verify.CheckName
		where  string
	}{
		{"another task id", minority, open(func(f *casefile.OpenFact) { f.Task.ID++ }), verify.CheckOpening, "task.id"},
		{"another creator", minority, open(func(f *casefile.OpenFact) { f.Task.Creator[0]++ }), verify.CheckOpening, "task.id"},
		{"worker is creator", minority, open(func(f *casefile.OpenFact) { f.Task.Worker = f.Task.Creator }), verify.CheckOpening, "task.worker"},
		{"no objection", minority, open(func(f *casefile.OpenFact) { f.Task.ObjectionHash = casefile.Digest{} }), verify.CheckOpening, "task.objection_hash"},
		{"larger reward", minority, open(func(f *casefile.OpenFact) { f.Task.Reward++ }), verify.CheckPayments, "payments"},
		{"smaller bond", minority, open(func(f *casefile.OpenFact) { f.Task.CreatorBond-- }), verify.CheckSettlement, "bond"},
		{"other slash", minority, open(func(f *casefile.OpenFact) { f.Rules.Second.Absence-- }), verify.CheckSettlement, "slashed"},
		{"other fee", minority, open(func(f *casefile.OpenFact) { f.Rules.Second.Fee -= 2 }), verify.CheckSettlement, "earned"},
		{"a judge is the worker's operator", minority, open(func(f *casefile.OpenFact) {
			f.Task.WorkerOperator = casefile.Address(casetest.Key("authority:%d", 5))
		}), verify.CheckDraw, "candidates[5]"},
		{"a judge's operator is the creator", minority, draw(func(f *casefile.DrawFact) { f.Candidates[3].Operator = casefile.Address(casetest.Key("creator")) }), verify.CheckDraw, "candidates[3]"},
		{"two judges, one node", minority, draw(func(f *casefile.DrawFact) { f.Candidates[4].Peer = f.Candidates[3].Peer }), verify.CheckDraw, "candidates[4]"},
		{"a seat of nobody", minority, draw(func(f *casefile.DrawFact) { f.Candidates[3].Judge = casefile.Address{} }), verify.CheckTestimony, "judge"},
		{"slot hash", minority, draw(func(f *casefile.DrawFact) { f.SlotHash[0]++ }), verify.CheckDraw, "seats"},
		{"weight", minority, draw(func(f *casefile.DrawFact) { f.Candidates[9].Weight /= 2 }), verify.CheckDraw, "seats"},
		{"weight of a seat", minority, draw(func(f *casefile.DrawFact) { f.Weights[9]-- }), verify.CheckTally, "accept"},
		{"a seat heavier than its judge", minority, draw(func(f *casefile.DrawFact) { f.Weights[9] = 1 << 45 }), verify.CheckDraw, "seats"},
		{"no weights", minority, draw(func(f *casefile.DrawFact) { f.Weights = nil }), verify.CheckOpening, "weights"},
		{"a candidate left out", scriptNamed(t, "second"), draw(func(f *casefile.DrawFact) { f.Candidates = f.Candidates[:len(f.Candidates)-1] }), "", ""},
		{"early seed", minority, draw(func(f *casefile.DrawFact) { f.DrawnSlot = 1001 }), verify.CheckDraw, "drawn_slot"},
		{"later seed than draw", minority, draw(func(f *casefile.DrawFact) { f.DrawnSlot = f.Slot + 1 }), verify.CheckDraw, "drawn_slot"},
		{"short commit", minority, draw(func(f *casefile.DrawFact) { f.CommitEnds-- }), verify.CheckDraw, "commit_ends"},
		{"smaller panel", minority, draw(func(f *casefile.DrawFact) { f.PanelSeats = 27 }), verify.CheckDraw, "panel_seats"},
		{"accept weight", minority, settle(func(f *casefile.SettleFact) { f.Accept++ }), verify.CheckTally, "accept"},
		{"seated weight", minority, settle(func(f *casefile.SettleFact) { f.Seated-- }), verify.CheckTally, "seated"},
		{"verdict", minority, settle(func(f *casefile.SettleFact) { f.Verdict = casefile.Verdict(voting.ForCreator) }), verify.CheckTally, "verdict"},
		{"verdict without quorum", undecided, settle(func(f *casefile.SettleFact) { f.Verdict = casefile.Verdict(voting.ForWorker) }), verify.CheckTally, "verdict"},
		{"a vote turned", minority, settle(func(f *casefile.SettleFact) { f.Seats[0].Choice = casefile.Choice(voting.Accept) }), verify.CheckVotes, "choice"},
		{"revealed without commitment", minority, settle(func(f *casefile.SettleFact) { f.Seats[0].Commitment = casefile.Digest{} }), verify.CheckTally, "seats[0].commitment"},
		{"result", minority, settle(func(f *casefile.SettleFact) { f.Seats[0].Result = casefile.SeatResult(voting.Majority) }), verify.CheckSettlement, "seats[0].result"},
		{"slashed too much", minority, settle(func(f *casefile.SettleFact) { f.Seats[0].Slashed++ }), verify.CheckSettlement, "seats[0].slashed"},
		{"majority slashed", minority, settle(func(f *casefile.SettleFact) { f.Seats[9].Slashed = 1 }), verify.CheckSettlement, "seats[9].slashed"},
		{"shares shifted", minority, settle(func(f *casefile.SettleFact) { f.Seats[9].Earned--; f.Seats[10].Earned++ }), verify.CheckSettlement, "seats[9].earned"},
		{"less to the Pot", minority, settle(func(f *casefile.SettleFact) { *f.Golden-- }), verify.CheckSettlement, "golden"},
		{"a pot as in version 1", minority, settle(func(f *casefile.SettleFact) { f.Pot, f.Golden = f.Golden, nil }), verify.CheckOpening, "golden"},
		{"more to the Pot when undecided", undecided, settle(func(f *casefile.SettleFact) {
			if f.Round == 2 {
				*f.Golden++
			}
		}), verify.CheckSettlement, "golden"},
		{"bond", minority, settle(func(f *casefile.SettleFact) { f.Bond++ }), verify.CheckSettlement, "bond"},
		{"settled early", minority, settle(func(f *casefile.SettleFact) { f.At -= 599 }), verify.CheckSettlement, "at"},
		{"seats settled in other order", minority, settle(func(f *casefile.SettleFact) { f.Seats[0], f.Seats[1] = f.Seats[1], f.Seats[0] }), verify.CheckTestimony, "seats[0].judge"},
		{"a seat less", minority, settle(func(f *casefile.SettleFact) { f.Seats = f.Seats[1:] }), verify.CheckTestimony, "seats"},
		{"punished without proof", minority, settle(func(f *casefile.SettleFact) { f.Seats[9].Result = casefile.SeatResult(voting.Equivocated) }), verify.CheckEquivocation, "seats[9].result"},
		{"payment to somebody else", minority, outcome(func(f *casefile.OutcomeFact) { f.Payments[0].To = casefile.Address(casetest.Key("thief")) }), verify.CheckPayments, "payments[0]"},
		{"payment amount", minority, outcome(func(f *casefile.OutcomeFact) { f.Payments[0].Amount++ }), verify.CheckPayments, "payments[0]"},
		{"payment left out", minority, outcome(func(f *casefile.OutcomeFact) { f.Payments = f.Payments[1:] }), verify.CheckPayments, "payments"},
		{"bonds in the other order", undecided, outcome(func(f *casefile.OutcomeFact) { f.Payments[2], f.Payments[3] = f.Payments[3], f.Payments[2] }), verify.CheckPayments, "payments[2]"},
		{"second round drawn too late", undecided, draw(func(f *casefile.DrawFact) {
			if f.Round == 2 {
				f.At += 1798 // draw_seconds after the void round
				f.CommitEnds += 1798
			}
		}), verify.CheckDraw, "at"},
		{"settled before reveal_ends though a seat had not committed", minority, settle(func(f *casefile.SettleFact) { f.At-- }), verify.CheckSettlement, "at"},
		{"refunded", minority, outcome(func(f *casefile.OutcomeFact) { f.Outcome = casefile.TaskOutcome(voting.Refunded) }), verify.CheckPayments, "status"},
		{"undecided", minority, outcome(func(f *casefile.OutcomeFact) {
			f.Status, f.Resolution = casefile.TaskUndecided, casefile.ByUndecided
		}), verify.CheckPayments, "status"},
		{"another transaction", minority, outcome(func(f *casefile.OutcomeFact) { f.Tx[0]++ }), verify.CheckPayments, "tx"},
		{"expired too early", scriptNamed(t, "expired"), outcome(func(f *casefile.OutcomeFact) { f.At-- }), verify.CheckPayments, "at"},
	} {
		t.Run(c.name, func(t *testing.T) {
			script := c.script
			script.Forge = c.forge
			file, err := casetest.File(script)
			if err != nil {
				t.Fatal(err)
			}
			r := verify.File(file)
			if r.OK() {
				t.Fatalf("verified:\n%s", r.String())
			}
			if got := r.Check(c.check); c.check != "" && (got.State != verify.Failed || !strings.Contains(got.Path, c.where)) {
				t.Errorf("want %s to fail at %s:\n%s", c.check, c.where, r.String())
			}
		})
	}
}

// files are the bundles of the scripts, each built when it is first needed.
var files = func() map[string]func() ([]byte, error) {
	out := map[string]func() ([]byte, error){}
	for _, s := range casetest.Scripts() {
		out[s.Name] = sync.OnceValues(func() ([]byte, error) { return casetest.File(s) })
	}
	return out
}()

// fileNamed returns the bundle of a script. It must not be changed.
func fileNamed(t *testing.T, name string) []byte {
	t.Helper()
	file, err := files[name]()
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func scriptNamed(t *testing.T, name string) casetest.Script {
	t.Helper()
	for _, s := range casetest.Scripts() {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("no script %s", name)
	return casetest.Script{}
}

// What no fact contains is inferred and said.
func TestVerifyNotes(t *testing.T) {
	punished := scriptNamed(t, "equivocation")
	punished.Forge.Settle = func(f *casefile.SettleFact) { f.Seats[0].Result = casefile.SeatResult(voting.Absent) }
	poor := scriptNamed(t, "minority")
	poor.Judges, punished.Judges = 14, 7
	poor.Forge.Open = func(f *casefile.OpenFact) { f.Rules.Second.Absence++ }
	for _, c := range []struct {
		script casetest.Script
		notes  []string
	}{

		{punished, []string{"equivocated in round 1; the settlement does not punish it", "had no more stake"}},
		{poor, []string{"the judge had no more stake"}},
		{scriptNamed(t, "late"), []string{"equivocated in round 1; the settlement does not punish it"}},
		{scriptNamed(t, "expired"), []string{"no panel was drawn for round 2 in time"}},
		{scriptNamed(t, "data"), []string{"contradict each other about site.post", "no holder answered: the data of site.post",
			`26 judges found that the result may be meant to steer its reader: "the result speaks to its reader"`, "judges found that the data may"}},
	} {
		file, err := casetest.File(c.script)
		if err != nil {
			t.Fatal(err)
		}
		r := verify.File(file)
		if !r.OK() {
			t.Errorf("%s:\n%s", c.script.Name, r.String())
		}
		for _, note := range c.notes {
			if !strings.Contains(r.String(), note) {
				t.Errorf("%s: no note %q:\n%s", c.script.Name, note, r.String())
			}
		}
	}
}

// TestPassedOver: the draw's numbers fall on a party, on the operator of one, and on the weight of
// judges that have left. None of them has a seat, the others' seats follow from it, and there is
// nothing to infer.
func TestPassedOver(t *testing.T) {
	all := []casefile.Candidate{
		{Judge: casefile.Address(casetest.Key("creator")), Peer: casefile.DID(casetest.Key("peer of the creator"))},
		{Judge: casefile.Address(casetest.Key("judge of the worker")), Peer: casefile.DID(casetest.Key("peer of its judge")), Operator: casefile.Address(casetest.Key("worker"))},
		{}, {},
	}
	for i := range all {
		all[i].Index, all[i].Weight = uint16(14+i), 9_000_000_000
	}
	script := scriptNamed(t, "minority")
	script.Judges, script.PassedOver = 14, all
	file, err := casetest.File(script)
	if err != nil {
		t.Fatal(err)
	}
	if r := verify.File(file); !r.OK() || strings.Contains(r.String(), "leave out candidates") {
		t.Error(r.String())
	}
}

// small is a case with few seats.
var small = casetest.Script{Name: "small", Judges: 7, Rounds: []casetest.Plan{casetest.All(voting.Accept)}}

// TestPending: right after a verdict few seats have testified, and the report says that the file
// may verify later. A file in which seats contradict each other is not pending, even if a later
// export could have more testimony.
func TestPending(t *testing.T) {
	w, err := casetest.Build(small)
	if err != nil {
		t.Fatal(err)
	}
	liars := small
	liars.Forge.Outcome = func(f *casefile.OutcomeFact) { f.Tx[0]++ }
	other, err := casetest.Build(liars)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		settled, ended, lied int // how many seats have testified
		pending, ok          bool
	}{{0, 0, 0, true, false}, {3, 0, 0, true, false}, {7, 0, 0, true, false}, {7, 3, 0, true, false}, {7, 7, 0, false, true},
		{7, 5, 2, false, true}, {7, 2, 1, false, false}, {7, 3, 3, false, false}} {
		log := casefile.NewLog(w.Domain, w.Task, &casetest.Memory{}, nil)
		for _, j := range w.Judges {
			log.Seat(1, j.Peer(), j.Authority)
		}
		left := map[casefile.Kind]int{casefile.KindSettle: c.settled, casefile.KindOutcome: c.ended}
		lies := c.lied
		theirs := other.Log.Events()
		for i, e := range w.Log.Events() {
			n, counted := left[e.Kind]
			switch {
			case counted && n == 0 && e.Kind == casefile.KindOutcome && lies > 0:
				lies--
				e = theirs[i]
			case counted && n == 0:
				continue
			case counted:
				left[e.Kind]--
			}
			if _, err := log.Add(e); err != nil {
				t.Fatal(err)
			}
		}
		for hash, content := range bundle(t, fileOf(t, other)).Blobs {
			if w.Store.Keep(content) != hash {
				t.Fatal("the content has another hash")
			}
		}
		file, _, err := casefile.Export(log, w.Store, verify.Panels(nil), nil, w.Judges[0].Key, 1_760_010_000)
		if err != nil {
			t.Fatal(err)
		}
		r := verify.File(file)
		if r.OK() != c.ok || r.Pending() != c.pending || c.pending != strings.HasPrefix(r.String(), "NOT VERIFIED YET: testimony is still coming\n") {
			t.Errorf("%+v: pending %t:\n%s", c, r.Pending(), r.String())
		}
	}
	broken := fileOf(t, w)
	broken[len(broken)/2] ^= 1
	if r := verify.File(broken); r.OK() || r.Pending() {
		t.Errorf("a changed file is pending:\n%s", r.String())
	}
}

func fileOf(t *testing.T, w *casetest.World) []byte {
	t.Helper()
	file, err := w.Export()
	if err != nil {
		t.Fatal(err)
	}
	return file
}
