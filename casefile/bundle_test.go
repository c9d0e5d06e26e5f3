package casefile_test

import (
	"errors"
	"strings"
	"testing"

	"ojud/casefile"
	"ojud/casefile/casetest"
	"ojud/casefile/verify"
	"ojud/voting"
)

// One bad judge, or a party that withholds what it wrote, spoils no record: each fault is a note.
func TestOneBadJudge(t *testing.T) {
	w, all := events(t, small)
	bad := w.Judges[2]
	says := func(kind casefile.Kind, body any) func(*testing.T, *casefile.Log) {
		return func(t *testing.T, l *casefile.Log) {
			if _, err := l.Append(bad.Key, kind, body, 5); err != nil {
				t.Fatal(err)
			}
		}
	}
	honest := func(t *testing.T, l *casefile.Log) {
		for _, e := range all {
			if e.Actor == casefile.DID(bad.Peer()) {
				take(t, l, []casefile.Event{e})
			}
		}
	}
	for _, c := range []struct {
		name string
		says func(*testing.T, *casefile.Log) // what the bad judge says instead of its events
		lose func(kind casefile.Kind, hash voting.Hash) bool
		note string
	}{
		{"silent", func(*testing.T, *casefile.Log) {}, nil, "this choice rests on testimony alone"},
		{"other opening facts", says(casefile.KindOpen, casefile.FactBody{Facts: casefile.Digest{1}}), nil, ""},
		{"other draw", says(casefile.KindDraw, casefile.RoundFactBody{Round: 1, Facts: casefile.Digest{1}}), nil, ""},
		{"a draw that never was", func(t *testing.T, l *casefile.Log) {
			l.Seat(2, bad.Peer(), bad.Authority) // or the log refuses the event
			says(casefile.KindDraw, casefile.RoundFactBody{Round: 2, Facts: casefile.Digest{1}})(t, l)
		}, nil, "draw facts"},
		{"forks", func(t *testing.T, l *casefile.Log) { honest(t, l); take(t, l, fork(t, w, all, bad, 3)) }, nil, "forked its chain at event 3"},
		{"withholds an opinion", honest, func(kind casefile.Kind, _ voting.Hash) bool { return kind == casefile.KindOpinion }, "the opinion is not in the file"},
		{"the worker withholds the result", honest, func(kind casefile.Kind, _ voting.Hash) bool { return kind == "" }, "the result is not in the file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := emptyLog(w, &casetest.Memory{})
			for _, e := range all {
				if e.Actor != casefile.DID(bad.Peer()) {
					take(t, l, []casefile.Event{e})
				}
			}
			c.says(t, l)
			store := lossy{w.Store, map[voting.Hash]bool{}}
			if c.lose != nil {
				store.lost = lost(t, w, bad, c.lose)
			}
			file, missing, err := casefile.Export(l, store, verify.Panels(nil), nil, w.Judges[5].Key, 9)
			if err != nil {
				t.Fatal(err)
			}
			if len(missing) < len(store.lost) {
				t.Errorf("%d missing, %d lost", len(missing), len(store.lost))
			}
			if r := verify.File(file); !r.OK() || !strings.Contains(r.String(), c.note) {
				t.Errorf("want the note %q:\n%s", c.note, r.String())
			}
		})
	}
}

// lost names content: opinions of the bad judge, or the result.
func lost(t *testing.T, w *casetest.World, bad casetest.Judge, lose func(casefile.Kind, voting.Hash) bool) map[voting.Hash]bool {
	t.Helper()
	out := map[voting.Hash]bool{}
	result, err := casefile.ParseResult([]byte(casetest.ResultJSON))
	if err != nil {
		t.Fatal(err)
	}
	if lose("", result.Hash) {
		out[result.Hash] = true
	}
	opinion, err := casefile.NewOpinion(casetest.Opinion(w.Task, 1, bad.Authority, voting.Accept))
	if err != nil {
		t.Fatal(err)
	}
	if lose(casefile.KindOpinion, opinion.Hash) {
		out[opinion.Hash] = true
	}
	return out
}

// lossy is a store without some content.
type lossy struct {
	*casetest.Memory
	lost map[voting.Hash]bool
}

func (s lossy) Blob(hash voting.Hash) ([]byte, error) {
	if s.lost[hash] {
		return nil, casefile.ErrNoBlob
	}
	return s.Memory.Blob(hash)
}

type brokenBlobs struct{}

func (brokenBlobs) Blob(voting.Hash) ([]byte, error) { return nil, errDisk }

func TestExportFails(t *testing.T) {
	w, err := casetest.Build(small)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := casefile.Export(w.Log, brokenBlobs{}, verify.Panels(nil), nil, w.Judges[0].Key, 1); !errors.Is(err, errDisk) {
		t.Error(err)
	}
}

// Before anything was said there is a file too; it verifies nothing and says why.
func TestExportEmpty(t *testing.T) {
	w, err := casetest.Build(small)
	if err != nil {
		t.Fatal(err)
	}
	file, _, err := casefile.Export(emptyLog(w, &casetest.Memory{}), w.Store, verify.Panels(nil), nil, w.Judges[0].Key, 1)
	if err != nil {
		t.Fatal(err)
	}
	r := verify.File(file)
	if r.OK() || r.Check(verify.CheckForm).State != verify.Passed || r.Check(verify.CheckTestimony).State != verify.Failed {
		t.Error(r.String())
	}
}
