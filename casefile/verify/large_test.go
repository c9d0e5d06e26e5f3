package verify_test

import (
	"crypto/ed25519"
	"slices"
	"testing"

	"ojud/casefile"
	"ojud/casefile/casetest"
	"ojud/casefile/verify"
	"ojud/voting"
)

// large is a case of a court with so many judges.
func large(judges int) casetest.Script {
	return casetest.Script{Name: "large", Judges: judges, Rounds: []casetest.Plan{casetest.All(voting.Accept)}}
}

// drawIn returns the draw facts of the first round of a case.
func drawIn(t *testing.T, file []byte) casefile.Doc[casefile.DrawFact] {
	t.Helper()
	b := bundle(t, file)
	for _, e := range b.Events {
		if e.Kind == casefile.KindDraw {
			return drawn(t, b.Blobs[e.Names()[0]])
		}
	}
	t.Fatal("no event names a draw")
	return casefile.Doc[casefile.DrawFact]{}
}

// TestVerifyLargeCourt: the file of a case of the largest court is written, and verifies. Up to
// 1,024 candidates stand in the facts of the draw, and more stand in lists.
func TestVerifyLargeCourt(t *testing.T) {
	for judges, lists := range map[int]int{1024: 0, 1025: 1, voting.MaxJudges: 5} {
		w, err := casetest.Build(large(judges))
		if err != nil {
			t.Fatal(err)
		}
		file, missing, err := casefile.Export(w.Log, w.Store, verify.Panels(nil), nil, w.Judges[0].Key, 9)
		if err != nil || len(missing) > 0 {
			t.Fatal(missing, err)
		}
		if r := verify.File(file); !r.OK() {
			t.Errorf("%d judges:\n%.600s", judges, r.String())
		}
		if d := drawIn(t, file); len(d.Value.Lists) != lists || len(d.Raw) > casefile.MaxDocument {
			t.Errorf("%d judges: %d lists, %d bytes", judges, len(d.Value.Lists), len(d.Raw))
		}
		t.Logf("%d judges: a file of %d bytes", judges, len(file))
	}
}

// TestAttackLargeDraw: a file that leaves out a list is not verified, and neither is one whose
// lists give another draw.
func TestAttackLargeDraw(t *testing.T) {
	s := large(5000)
	file, err := casetest.File(s)
	if err != nil {
		t.Fatal(err)
	}
	b, key := bundle(t, file), casetest.NodeKey("0")
	lists := drawIn(t, file).Value.Lists
	delete(b.Blobs, lists[1])
	r := verify.File(reseal(t, b, key))
	if c := r.Check(verify.CheckDraw); r.OK() || c.State != verify.Skipped {
		t.Errorf("without a list: %+v", c)
	}
	b = bundle(t, file)
	b.Blobs[casefile.Digest(casefile.HashOf([]byte("junk")))] = casefile.Content("junk")
	r = verify.File(reseal(t, b, key))
	if c := r.Check(verify.CheckBlobs); c.State != verify.Failed {
		t.Errorf("with content that nobody names: %+v", c)
	}
	for name, change := range map[string]func(*casefile.DrawFact){
		"lighter":  func(f *casefile.DrawFact) { f.Candidates[4000].Weight /= 2 },
		"left out": func(f *casefile.DrawFact) { f.Candidates = f.Candidates[1:] },
		"twice":    func(f *casefile.DrawFact) { f.Candidates[7].Peer = f.Candidates[8].Peer },
	} {
		s.Forge.Draw = change
		file, err := casetest.File(s)
		if err != nil {
			t.Fatal(err)
		}
		r := verify.File(file)
		if c := r.Check(verify.CheckDraw); c.State != verify.Failed {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

// TestAttackListsOfLiar: a seat that names facts of another draw, with lists, takes no room of the
// file with these lists.
func TestAttackListsOfLiar(t *testing.T) {
	w, err := casetest.Build(large(1025))
	if err != nil {
		t.Fatal(err)
	}
	lie := casefile.DrawFact{}
	liar := w.Judges[0]
	all := w.Log.Events()
	for _, e := range all {
		if e.Kind == casefile.KindDraw {
			content, err := w.Store.Blob(voting.Hash(e.Names()[0]))
			if err != nil {
				t.Fatal(err)
			}
			lie = drawn(t, content).Value
			break
		}
	}
	for _, c := range lie.Candidates {
		for _, j := range w.Judges {
			if c.Judge == casefile.Address(j.Authority) {
				liar = j
			}
		}
	}
	lie.Lists = nil
	for i := range casefile.MaxLists {
		lie.Lists = append(lie.Lists, w.Store.Keep(append(make([]byte, casefile.MaxDocument-1), byte(i))))
	}
	doc, err := casefile.NewDraw(lie)
	if err != nil {
		t.Fatal(err)
	}
	l := casefile.NewLog(w.Domain, w.Task, &casetest.Memory{}, nil)
	for _, j := range w.Judges {
		l.Seat(1, j.Peer(), j.Authority)
	}
	if _, err := l.Append(liar.Key, casefile.KindDraw, casefile.RoundFactBody{Round: 1, Facts: w.Store.Keep(doc.Raw)}, 1); err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		if e.Actor != casefile.DID(liar.Peer()) {
			if _, err := l.Add(e); err != nil {
				t.Fatal(err)
			}
		}
	}
	file, _, err := casefile.Export(l, w.Store, verify.Panels(nil), nil, w.Judges[0].Key, 9)
	if err != nil {
		t.Fatal(err)
	}
	b := bundle(t, file)
	if b.Blobs[casefile.Digest(doc.Hash)] == nil {
		t.Error("the false facts are not in the file: this test tests nothing")
	}
	for _, list := range lie.Lists {
		if b.Blobs[list] != nil {
			t.Errorf("list %s has room", list)
		}
	}
	r := verify.File(file)
	if c := r.Check(verify.CheckDraw); c.State == verify.Failed {
		t.Errorf("%+v", c)
	}
}

// drawn reads the facts of a draw.
func drawn(t *testing.T, content []byte) casefile.Doc[casefile.DrawFact] {
	t.Helper()
	doc, err := casefile.ReadFact[casefile.DrawFact](casefile.KindDraw, content)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// TestAttackWithoutLists: whoever leaves the lists out of a file makes it accuse no judge. Whether
// a holder that was not drawn had a stake is not known then. With the lists, a claim that is false
// is noted.
func TestAttackWithoutLists(t *testing.T) {
	for _, staked := range []bool{true, false} {
		s := large(1025)
		s.Rounds = []casetest.Plan{func(seat int) casetest.Act {
			if seat != 0 {
				return casetest.Act{Choice: voting.Accept}
			}
			return casetest.Act{Choice: voting.Accept, Ask: true, Holders: 1, Strange: true, Claims: casefile.StakedHolder}
		}}
		s.Forge.Draw = func(f *casefile.DrawFact) {
			for i := range f.Candidates {
				if staked && !slices.Contains(f.Seats, f.Candidates[i].Index) {
					f.Candidates[i].Peer = casefile.DID(casetest.NodeKey("stranger:0").Public().(ed25519.PublicKey))
					break
				}
			}
		}
		file, err := casetest.File(s)
		if err != nil {
			t.Fatal(err)
		}
		if n := accused(file); n > 0 == staked {
			t.Errorf("staked %v: %d notes", staked, n)
		}
		b := bundle(t, file)
		for _, list := range drawIn(t, file).Value.Lists {
			delete(b.Blobs, list)
		}
		if n := accused(reseal(t, b, casetest.NodeKey("0"))); n > 0 {
			t.Errorf("staked %v, without lists: %d notes", staked, n)
		}
	}
}

// accused counts the notes about data.
func accused(file []byte) (n int) {
	for _, note := range verify.File(file).Notes {
		if note.Kind == verify.NoteData {
			n++
		}
	}
	return n
}
