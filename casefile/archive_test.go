package casefile_test

import (
	"errors"
	"testing"

	"ojud/casefile"
	"ojud/casefile/casetest"
	"ojud/casefile/reading"
	"ojud/casefile/verify"
	"ojud/voting"
)

// TestArchive: the file of every script can be written again from the store alone, and verifies.
func TestArchive(t *testing.T) {
	large := casetest.Script{Name: "large", Judges: 1025, Rounds: []casetest.Plan{casetest.All(voting.Accept)}}
	for _, s := range append(casetest.Scripts(), large) {
		t.Run(s.Name, func(t *testing.T) {
			w, err := casetest.Build(s)
			if err != nil {
				t.Fatal(err)
			}
			log, err := reading.Archive(w.Domain, w.Task, w.Store, w.Store)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := len(log.Events()), len(w.Log.Events()); got != want {
				t.Fatalf("%d events, want %d", got, want)
			}
			file, missing, err := casefile.Export(log, w.Store, verify.Panels(nil), nil, w.Judges[0].Key, 1)
			if err != nil || len(missing) > 0 {
				t.Fatal(missing, err)
			}
			if r := verify.File(file); !r.OK() {
				t.Error(r.String())
			}
		})
	}
}

// TestArchiveOfLiar: a seat that names facts of another draw does not change who sat.
func TestArchiveOfLiar(t *testing.T) {
	w, all := events(t, small)
	var lie casefile.DrawFact
	for _, e := range all {
		if e.Kind != casefile.KindDraw || lie.Round != 0 {
			continue
		}
		content, err := w.Store.Blob(casefile.Named(e))
		if err != nil {
			t.Fatal(err)
		}
		lie = casefile.ReadDraw(content)
	}
	for i := range lie.Candidates {
		lie.Candidates[i].Judge = casefile.Address(casetest.Key("stranger %d", i))
	}
	doc, err := casefile.NewDraw(lie)
	if err != nil {
		t.Fatal(err)
	}
	store := &casetest.Memory{}
	liar := w.Judges[2]
	forged := emptyLog(w, store)
	if _, err := forged.Append(liar.Key, casefile.KindDraw, casefile.RoundFactBody{Round: 1, Facts: w.Store.Keep(doc.Raw)}, 1); err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		if e.Actor == casefile.DID(liar.Peer()) {
			continue
		}
		if _, err := forged.Add(e); err != nil {
			t.Fatal(err)
		}
	}
	log, err := reading.Archive(w.Domain, w.Task, store, w.Store)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := len(log.Events()), len(forged.Events()); got != want {
		t.Errorf("%d events, want %d", got, want)
	}
}

// TestArchiveOfNothing: without events, or without the facts of any draw, there is no case.
func TestArchiveOfNothing(t *testing.T) {
	w, all := events(t, small)
	if _, err := reading.Archive(w.Domain, voting.Key{9}, w.Store, w.Store); !errors.Is(err, casefile.ErrNoCase) {
		t.Error(err)
	}
	for _, e := range all {
		if e.Kind == casefile.KindDraw {
			w.Store.Lose(casefile.Named(e))
		}
	}
	if _, err := reading.Archive(w.Domain, w.Task, w.Store, w.Store); !errors.Is(err, casefile.ErrNoCase) {
		t.Error(err)
	}
}
