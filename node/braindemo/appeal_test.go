package braindemo

import (
	"slices"
	"strings"
	"testing"

	"ojud/agent/model/modeltest"
	"ojud/node/cluster"
	"ojud/test/longtest"
)

// TestAttackAppeals takes minutes, so that a plain "go test" leaves it out. Seven judges with a
// scripted model hear three appeals against golden tasks, of which code decides the first. A
// creator that opened a lie loses its bond to the evaluator that appeals. An appellant that hides
// the question, while the memory node of the class is silent, won the bond of an honest creator:
// now the creator's crank shows the question.
func TestAttackAppeals(t *testing.T) {
	longtest.Only(t)
	models, err := modeltest.Open()
	if err != nil {
		t.Fatal(err)
	}
	cfg := cluster.DefaultConfig().Sized(7).Fast()
	cfg.Dir, cfg.Chain.RPC, cfg.Chain.WS = t.TempDir(), "127.0.0.1:0", "127.0.0.1:0"
	cfg = cfg.Reasoned().Asking(models.URL(modeltest.Knowing), "scripted", "")
	c, err := cluster.Start(t.Context(), cfg, cluster.Deps{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := Contest(t.Context(), c, cfg.Dir, true, t.Logf)
	if err != nil {
		t.Error(err)
	}
	if err := c.Stop(); err != nil {
		t.Error(err)
	}
	asked := models.Requests(modeltest.Knowing)
	if n := len(asked); n < 2*7 || len(r.Tasks) != 3 {
		t.Errorf("the judges asked the model %d times about %d tasks", n, len(r.Tasks))
	}
	long := slices.IndexFunc(asked, func(r modeltest.Request) bool { return strings.Contains(r.Body, "Read all of the plaque") })
	if coded := slices.IndexFunc(asked, func(r modeltest.Request) bool { return strings.Contains(r.Body, "prime number") }); long < 0 || coded >= 0 {
		t.Errorf("the model was asked the hidden question at %d, and the one that code decides at %d", long, coded)
	}
	if err := models.Close(); err != nil {
		t.Error(err)
	}
	write(t, r)
}

// TestAppealByCode takes a minute, so that a plain "go test" leaves it out. Seven judges without
// models decide an appeal: the question has a check, which the result fails that the creator opened
// as right. Without it they decided no appeal, and the answer stood.
func TestAppealByCode(t *testing.T) {
	longtest.Only(t)
	cfg := cluster.DefaultConfig().Sized(7).Fast()
	cfg.Dir, cfg.Chain.RPC, cfg.Chain.WS = t.TempDir(), "127.0.0.1:0", "127.0.0.1:0"
	c, err := cluster.Start(t.Context(), cfg, cluster.Deps{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := Contest(t.Context(), c, cfg.Dir, false, t.Logf)
	if err != nil {
		t.Error(err)
	}
	if err := c.Stop(); err != nil {
		t.Error(err)
	}
	if len(r.Tasks) != 1 || r.Tasks[0].Verdict != "accept" || r.Tasks[0].Stands {
		t.Errorf("%+v", r.Tasks)
	}
	write(t, r)
}

// TestAppealsCheck: a row of the table that does not add up, or that an honest person pays, is an
// error. It is the negative control of the tests above.
func TestAppealsCheck(t *testing.T) {
	t.Parallel()
	bond := int64(sol / 20)
	lie := Contested{Verdict: "accept", Creator: -bond - 15_000, Appellant: bond - 28_000_000 - 8_000_000 - 5_000, Judges: 28_000_000, Deposit: 5_000_000, Rent: 3_000_000, Signed: 20_000}
	vain := Contested{Verdict: "reject", Stands: true, Creator: -15_000, Appellant: -bond - 36_000_000 - 5_000, Judges: 28_000_000, Treasury: sol / 20, Deposit: 5_000_000, Rent: 3_000_000, Signed: 20_000, right: true}
	if err := (Appeals{Tasks: []Contested{lie, vain}}).check(); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(lie, vain *Contested){
		"that it stands is true":      func(lie, _ *Contested) { lie.Stands = true },
		"and the treasury has":        func(_, vain *Contested) { vain.Treasury = 0 },
		"without transactions":        func(lie, _ *Contested) { lie.Appellant-- },
		"which cost 20000":            func(_, vain *Contested) { vain.Creator -= bond },
		"the appellant has -15005000": func(lie, _ *Contested) { lie.Judges, lie.Appellant = lie.Judges+29_000_000, lie.Appellant-29_000_000 },
		"which cost 300000":           func(_, vain *Contested) { vain.Creator, vain.Signed = vain.Creator-280_000, 300_000 },
	} {
		a, b := lie, vain
		change(&a, &b)
		if err := (Appeals{Tasks: []Contested{a, b}}).check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
	if err := (Appeals{}).check(); err == nil {
		t.Error("without tasks, nothing is wrong")
	}
}

func write(t *testing.T, r Appeals) {
	t.Helper()
	var b strings.Builder
	if _, err := r.WriteTo(&b); err != nil {
		t.Error(err)
	}
	t.Log(b.String())
}
