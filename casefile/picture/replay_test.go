package picture

import (
	"strings"
	"testing"

	"ojud/casefile"
	"ojud/casefile/casetest"
	"ojud/casefile/reading"
	"ojud/casefile/verify"
	"ojud/voting"
)

// played is the file of a case of casetest, and the case as a node knows it.
func played(t testing.TB, s casetest.Script) ([]byte, Scene) {
	t.Helper()
	w, err := casetest.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	file, err := w.Export()
	if err != nil {
		t.Fatal(err)
	}
	r, err := reading.Log(w.Log, w.Store)
	if err != nil {
		t.Fatal(err)
	}
	content := func(hash casefile.Digest) ([]byte, error) { return w.Store.Blob(voting.Hash(hash)) }
	return file, Scene{Record: r, Content: content, Now: 1_000, Whose: "this node"}
}

// TestReplay: a replay begins before the draw, changes one thing at a step, and ends as the case.
func TestReplay(t *testing.T) {
	t.Parallel()
	for _, s := range casetest.Scripts() {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			file, scene := played(t, s)
			p, err := Open(file, s.Name)
			if err != nil {
				t.Fatal(err)
			}
			if first := p.At(0); first.Done || first.Verified {
				t.Error("it is verified before the verifier has run")
			}
			r := verify.File(file)
			p.Settle(r)
			if !p.At(0).Verified {
				t.Fatalf("%s", r.String())
			}
			first, end := p.At(0), p.At(p.Last())
			if len(first.Case.Rings) != 0 || first.Case.State.Word != "drawing judges" || len(first.Case.Money.Out) != 0 || len(first.Case.Reasons) != 0 {
				t.Errorf("it begins with %q", first.Case.State.Word)
			}
			if want := StateOf(scene, Benches(scene)); end.Case.State != want || len(end.Case.Money.Out) == 0 {
				t.Errorf("it ends with %+v, want %+v", end.Case.State, want)
			}
			told := map[string]bool{}
			for i := range p.frames {
				at := p.At(i)
				var votes [voting.Choices + 1]int
				if i > 0 && i < p.Last() {
					all := Benches(p.frames[i].scene)
					votes = all[len(all)-1].Votes
					if b := all[len(all)-1]; !b.Settled && len(at.Case.Reasons) > 0 && b.Revealed == 0 {
						t.Errorf("step %d shows reasons before votes", i)
					}
				}
				if at.Text == "" || told[at.Text] && votes == [voting.Choices + 1]int{} && !strings.Contains(at.Text, "seals") && !strings.Contains(at.Text, "drawn") {
					t.Errorf("step %d says %q again", i, at.Text)
				}
				told[at.Text] = true
			}
		})
	}
}

// TestDispute: a dispute of others has no creator and no worker, in no word of its page.
func TestDispute(t *testing.T) {
	t.Parallel()
	_, scene := played(t, casetest.Script{Name: "dispute", Judges: 7, Panel: 7, Rounds: []casetest.Plan{casetest.All(voting.Accept)}})
	open := *scene.Record.Open
	open.Value.Task.Prepaid, open.Value.Task.CounterHash = true, casefile.Digest{}
	scene.Record.Open = &open
	p := Show(voting.Key{1}, scene)
	if p.State.Word != "claim stands" || len(p.Papers) != 3 || p.Papers[1].Who != "The claimant" || p.Papers[1].Did != "claims this" || p.Papers[2].Who != "The respondent" || p.Steps[1].Name != "Claim" {
		t.Errorf("%+v %+v", p.State, p.Papers)
	}
	for _, panel := range p.Rings {
		said := panel.Ring.Worker + panel.Ring.Words
		for _, s := range panel.Ring.Seats {
			said += s.Words
		}
		if strings.Contains(said, "result") || !strings.HasPrefix(said, "The claimant") || !strings.Contains(said, "accept the claim") {
			t.Error(said)
		}
	}
	for _, m := range append(p.Money.In, p.Money.Out...) {
		if m.Who == "The creator" || m.Who == "The worker" {
			t.Errorf("%+v", m)
		}
	}
	if p.Papers[0].Bond != "" || p.Money.Total != sol(uint64(open.Value.Task.WorkerBond)+uint64(open.Value.Task.CreatorBond)+uint64(open.Value.Task.ClaimBond)) {
		t.Errorf("%q was put in", p.Money.Total)
	}
	for _, m := range moments(scene) {
		if strings.Contains(m.text, "result") || strings.Contains(m.text, "creator") || strings.Contains(m.text, "worker") {
			t.Error(m.text)
		}
	}
}
