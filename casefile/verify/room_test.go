package verify_test

import (
	"math/rand/v2"
	"testing"

	"ojud/casefile"
	"ojud/casefile/casetest"
	"ojud/casefile/verify"
	"ojud/voting"
)

// TestAttackFilledFile: a judge whose node key sorts first names more junk, as answers that it
// gave, than a file has room for. The facts, the documents and the opinions of all are in the file
// all the same, and it verifies.
func TestAttackFilledFile(t *testing.T) {
	w, err := casetest.Build(small)
	if err != nil {
		t.Fatal(err)
	}
	all := w.Log.Events()
	honest, missing, err := casefile.Export(w.Log, w.Store, verify.Panels(nil), nil, w.Judges[0].Key, 9)
	if err != nil || len(missing) > 0 {
		t.Fatal(missing, err)
	}
	first, other := all[0].Actor, all[len(all)-1].Actor
	var liar, asker casetest.Judge
	for _, j := range w.Judges {
		switch casefile.DID(j.Peer()) {
		case first:
			liar = j
		case other:
			asker = j
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	junk := func() casefile.Digest {
		content := make([]byte, 1<<20-16)
		for i := range content[:64] {
			content[i] = byte(random.Uint32())
		}
		return w.Store.Keep(content)
	}
	l := casefile.NewLog(w.Domain, w.Task, &casetest.Memory{}, nil)
	for _, j := range w.Judges {
		l.Seat(1, j.Peer(), j.Authority)
	}
	for i := range 12 {
		receipt, err := casefile.Receipt{
			Network: casefile.Digest(w.Domain.Network), Program: casefile.Address(w.Domain.Program), Case: casefile.Address(w.Task), Round: 1,
			Judge: casefile.Address(asker.Authority), Asker: other, Source: "site.post", Request: junk(), Response: junk(), Terms: junk(),
			FetchedAt: int64(i + 1), At: int64(i + 1),
		}.Sign(liar.Key)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l.Append(liar.Key, casefile.KindReceipt, casefile.ReceiptBody{Receipt: receipt}, 5); err != nil {
			t.Fatal(err)
		}
	}
	for _, e := range all {
		if e.Actor != first {
			if _, err := l.Add(e); err != nil {
				t.Fatal(err)
			}
			continue
		}
		body, err := e.ParsedBody()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l.Append(liar.Key, e.Kind, body, e.At); err != nil {
			t.Fatal(err)
		}
	}
	file, missing, err := casefile.Export(l, w.Store, verify.Panels(nil), nil, w.Judges[0].Key, 9)
	if err != nil {
		t.Fatal(err)
	}
	if r := verify.File(file); !r.OK() || voting.Verdict(r.Verdict) != voting.ForWorker {
		t.Errorf("%d bytes, %d contents have no room:\n%.600s", len(file), len(missing), r.String())
	}
	if len(missing) < 10 || len(missing) >= 36 {
		t.Errorf("%d of 36 contents of junk have no room", len(missing))
	}
	filled, whole := bundle(t, file), bundle(t, honest)
	for hash := range whole.Blobs {
		if filled.Blobs[hash] == nil {
			t.Errorf("%s has no room", hash)
		}
	}
}
