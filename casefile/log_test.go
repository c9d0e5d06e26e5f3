package casefile_test

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"ojud/casefile"
	"ojud/casefile/casetest"
	"ojud/voting"
)

// events plays a script and returns its world and events.
func events(t *testing.T, s casetest.Script) (*casetest.World, []casefile.Event) {
	t.Helper()
	w, err := casetest.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	return w, w.Log.Events()
}

// emptyLog returns a log that knows the seats of a world's first round.
func emptyLog(w *casetest.World, store casefile.Store) *casefile.Log {
	l := casefile.NewLog(w.Domain, w.Task, store, nil)
	for _, j := range w.Judges {
		l.Seat(1, j.Peer(), j.Authority)
	}
	return l
}

var small = casetest.Script{Name: "small", Judges: 7, Rounds: []casetest.Plan{casetest.All(voting.Accept)}}

func TestLogRoundTrip(t *testing.T) {
	w, all := events(t, small)
	store := &casetest.Memory{}
	l := emptyLog(w, store)
	for _, e := range all {
		raw, err := e.Encode()
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := casefile.ParseEvent(raw)
		if err != nil {
			t.Fatal(err)
		}
		if added, err := l.Add(parsed); err != nil || !added {
			t.Fatalf("%t, %v", added, err)
		}
		if added, err := l.Add(parsed); err != nil || added {
			t.Fatalf("again: %t, %v", added, err)
		}
	}
	again := emptyLog(w, store)
	if err := again.Load(); err != nil {
		t.Fatal(err)
	}
	for _, log := range []*casefile.Log{l, again} {
		if !reflect.DeepEqual(log.Events(), all) || !reflect.DeepEqual(log.Heads(), w.Log.Heads()) {
			t.Error("other events than before")
		}
	}
	if !l.Has(w.Judges[0].Peer(), casefile.KindDraw, 1, voting.Key{}) || l.Has(w.Judges[0].Peer(), casefile.KindDraw, 2, voting.Key{}) {
		t.Error("Has")
	}
}

func TestLogRefuses(t *testing.T) {
	w, all := events(t, small)
	for _, c := range []struct {
		name   string
		change func(*casefile.Event)
		at     int
		class  error
	}{
		{"gap", func(*casefile.Event) {}, 1, casefile.ErrGap},
		{"signature", func(e *casefile.Event) { e.Sig[5]++ }, 0, casefile.ErrSignature},
		{"body", func(e *casefile.Event) { e.At++ }, 0, casefile.ErrSignature},
		{"case", func(e *casefile.Event) { e.Case[0]++ }, 0, casefile.ErrOtherCase},
		{"actor", func(e *casefile.Event) { e.Actor[0]++ }, 0, casefile.ErrStranger},
		{"kind", func(e *casefile.Event) { e.Kind = "hearsay" }, 0, nil},
		{"body of another kind", func(e *casefile.Event) { e.Kind = casefile.KindVote }, 0, nil},
		{"seq", func(e *casefile.Event) { e.Seq = 257 }, 0, nil},
		{"prev of the first", func(e *casefile.Event) { e.Prev[0] = 1 }, 0, nil},
	} {
		e := all[c.at]
		c.change(&e)
		added, err := emptyLog(w, &casetest.Memory{}).Add(e)
		if err == nil || added || c.class != nil && !errors.Is(err, c.class) {
			t.Errorf("%s: %t, %v", c.name, added, err)
		}
	}
	l := casefile.NewLog(w.Domain, w.Task, &casetest.Memory{}, nil)
	if _, err := l.Add(all[0]); !errors.Is(err, casefile.ErrStranger) {
		t.Errorf("before the draw: %v", err)
	}
}

// What an actor says against itself is refused by everybody.
func TestLogContradictions(t *testing.T) {
	w, err := casetest.Build(small)
	if err != nil {
		t.Fatal(err)
	}
	j, other := w.Judges[0], w.Judges[1]
	opening := voting.Opening{Choice: voting.Accept, Opinion: voting.Hash{1}, Receipts: voting.ReceiptsRoot(nil), Salt: voting.Hash{2}}
	vote := func(change func(*casefile.Ballot)) casefile.VoteBody {
		b := casefile.Ballot{Task: w.Task, Round: 1, Judge: j.Authority, Opening: opening, Model: "m"}
		change(&b)
		v, err := casefile.NewVote(w.Domain, j.Key, b)
		if err != nil {
			t.Fatal(err)
		}
		return casefile.VoteBody{Round: 1, Vote: v.Value}
	}
	honest := vote(func(*casefile.Ballot) {})
	for _, c := range []struct {
		name  string
		kind  casefile.Kind
		body  any
		class error
	}{
		{"statement not signed", casefile.KindCommit, casefile.CommitBody{Round: 1, Commitment: casefile.Digest{1}}, casefile.ErrSignature},
		{"vote of another judge", casefile.KindVote, vote(func(b *casefile.Ballot) { b.Judge = other.Authority }), casefile.ErrContradicts},
		{"vote in another case", casefile.KindVote, vote(func(b *casefile.Ballot) { b.Task[0]++ }), casefile.ErrContradicts},
		{"data without receipts", casefile.KindVote, vote(func(b *casefile.Ballot) {
			b.DataAccessed = []casefile.Access{{Tool: "twitter", Specifics: []string{}}}
		}), casefile.ErrContradicts},
		{"invented receipts", casefile.KindVote, vote(func(b *casefile.Ballot) { b.Opening.Receipts[0]++ }), casefile.ErrContradicts},
		{"round without a seat", casefile.KindOpinion, casefile.OpinionBody{Round: 3}, casefile.ErrStranger},
		{"evidence that proves nothing", casefile.KindEquivocation, casefile.EquivocationBody{Round: 1, Judge: casefile.Address(other.Authority), Peer: casefile.DID(other.Peer())}, casefile.ErrContradicts},
		{"evidence against a stranger", casefile.KindEquivocation, casefile.EquivocationBody{Round: 1}, casefile.ErrStranger},
		{"fact without a round", casefile.KindDraw, casefile.FactBody{}, nil},
	} {
		l := emptyLog(w, &casetest.Memory{})
		if _, err := l.Append(j.Key, c.kind, c.body, 1); err == nil || c.class != nil && !errors.Is(err, c.class) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	l := emptyLog(w, &casetest.Memory{})
	if _, err := l.Append(j.Key, casefile.KindOpinion, casefile.OpinionBody{Round: 1, Opinion: casefile.Digest{9}}, 1); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Append(j.Key, casefile.KindVote, honest, 2); !errors.Is(err, casefile.ErrContradicts) {
		t.Errorf("vote on another opinion: %v", err)
	}
	l = emptyLog(w, &casetest.Memory{})
	if _, err := l.Append(j.Key, casefile.KindVote, honest, 1); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Append(j.Key, casefile.KindVote, honest, 2); !errors.Is(err, casefile.ErrRepeated) {
		t.Errorf("vote again: %v", err)
	}
	if _, err := l.Append(j.Key, casefile.KindOpinion, casefile.OpinionBody{Round: 1, Opinion: casefile.Digest{9}}, 1); !errors.Is(err, casefile.ErrContradicts) {
		t.Errorf("another opinion after the vote: %v", err)
	}
}

var errDisk = errors.New("disk full")

type brokenStore struct{}

func (brokenStore) Put(casefile.Event) error                  { return errDisk }
func (brokenStore) List(voting.Key) ([]casefile.Event, error) { return nil, errDisk }

func TestLogStoreFails(t *testing.T) {
	w, all := events(t, small)
	l := emptyLog(w, brokenStore{})
	if _, err := l.Add(all[0]); !errors.Is(err, errDisk) || len(l.Events()) != 0 {
		t.Errorf("%v, %d events", err, len(l.Events()))
	}
	if err := l.Load(); !errors.Is(err, errDisk) {
		t.Error(err)
	}
}

// fork returns a second history of the judge, which begins to differ at event n.
func fork(t *testing.T, w *casetest.World, all []casefile.Event, j casetest.Judge, n int) []casefile.Event {
	t.Helper()
	l := emptyLog(w, &casetest.Memory{})
	for _, e := range all {
		if e.Actor != casefile.DID(j.Peer()) {
			continue
		}
		if int(e.Seq) < n {
			if _, err := l.Add(e); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if _, err := l.Append(j.Key, e.Kind, e.Body, e.At+int64(n)); err != nil {
			t.Fatal(err)
		}
	}
	return l.Events()
}

// shifted changes the times of events, so that fork makes others of them.
func shifted(all []casefile.Event) []casefile.Event {
	out := slices.Clone(all)
	for i := range out {
		if out[i].Seq >= 3 {
			out[i].At += 1000
		}
	}
	return out
}

// Nodes that hear of events and forks in any order end with the same events once they exchanged
// what the other lacks, but for which two of several rivals they keep.
func TestLogsConverge(t *testing.T) {
	w, all := events(t, small)
	guilty := w.Judges[3]
	pool := append(append(append([]casefile.Event{}, all...), fork(t, w, all, guilty, 3)...), fork(t, w, all, guilty, 5)...)
	pool = append(append(pool, fork(t, w, all, guilty, 4)...), fork(t, w, shifted(all), guilty, 3)...)
	for seed := range uint64(10) {
		r := rand.New(rand.NewPCG(seed, 1))
		logs := make([]*casefile.Log, 4)
		for i := range logs {
			logs[i] = emptyLog(w, &casetest.Memory{})
		}
		for range 6 {
			r.Shuffle(len(pool), func(i, k int) { pool[i], pool[k] = pool[k], pool[i] })
			for _, e := range pool {
				take(t, logs[r.IntN(len(logs))], []casefile.Event{e})
			}
		}
		for range 12 {
			for i := range logs {
				exchange(t, logs[i], logs[(i+1+r.IntN(3))%4])
			}
		}
		for i := range logs {
			if !reflect.DeepEqual(agreed(logs[i]), agreed(logs[0])) {
				t.Fatalf("seed %d: log %d has other events:\n%v\n%v", seed, i, logs[i].Heads(), logs[0].Heads())
			}
			forks := logs[i].Forks()
			if pair, ok := forks[casefile.DID(guilty.Peer())]; !ok || len(forks) != 1 || pair[0].Seq != 3 || pair[1].Seq != 3 || pair[0].Sig == pair[1].Sig {
				t.Fatalf("seed %d: forks %v", seed, forks)
			}
		}
	}
}

// agreed returns the events that no fork disputes.
func agreed(l *casefile.Log) []casefile.Event {
	forks := l.Forks()
	return slices.DeleteFunc(l.Events(), func(e casefile.Event) bool {
		pair, ok := forks[e.Actor]
		return ok && pair[0].Seq == e.Seq
	})
}

// exchange brings to a what it lacks of b, in small pieces.
func exchange(t *testing.T, a, b *casefile.Log) {
	t.Helper()
	for range 1000 {
		events, more, err := b.Since(a.Heads(), 3000)
		if err != nil {
			t.Fatal(err)
		}
		take(t, a, events)
		if !more {
			return
		}
	}
	t.Fatal("the exchange does not end")
}

func take(t *testing.T, l *casefile.Log, events []casefile.Event) {
	t.Helper()
	for _, e := range events {
		if _, err := l.Add(e); err != nil && !errors.Is(err, casefile.ErrGap) && !errors.Is(err, casefile.ErrForked) {
			t.Fatal(err)
		}
	}
}

// A node that forked its own chain says nothing more.
func TestAppendAfterFork(t *testing.T) {
	w, all := events(t, small)
	j := w.Judges[2]
	l := emptyLog(w, &casetest.Memory{})
	take(t, l, all)
	take(t, l, fork(t, w, all, j, 7))
	if _, err := l.Append(j.Key, casefile.KindDraw, casefile.RoundFactBody{Round: 2}, 1); !errors.Is(err, casefile.ErrForked) {
		t.Error(err)
	}
	events, _, err := l.Since(w.Log.Heads(), 1<<20)
	if err != nil || len(events) != 2 {
		t.Errorf("somebody without the fork gets %d events, %v", len(events), err)
	}
	if events, _, err := l.Since(l.Heads(), 1<<20); err != nil || len(events) != 0 {
		t.Errorf("somebody with everything gets %d events, %v", len(events), err)
	}
}

func FuzzEvent(f *testing.F) {
	w, err := casetest.Build(small)
	if err != nil {
		f.Fatal(err)
	}
	for _, e := range w.Log.Events()[:7] {
		raw, err := e.Encode()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	for _, raw := range dataEvents(f) {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		e, err := casefile.ParseEvent(raw)
		if err != nil {
			return
		}
		again, err := e.Encode()
		if err != nil || string(again) != string(raw) {
			t.Fatalf("%s became %s, %v", raw, again, err)
		}
		l := emptyLog(w, &casetest.Memory{})
		if _, err := l.Add(e); err == nil && e.Seq != 1 {
			t.Fatal("an event in the middle was taken")
		}
	})
}

// Whose fault an error is: the sender's, or nobody's that the sender could help.
func TestBlame(t *testing.T) {
	w, all := events(t, small)
	changed := all[0]
	changed.Sig[5]++
	_, bad := emptyLog(w, &casetest.Memory{}).Add(changed)
	_, gap := emptyLog(w, &casetest.Memory{}).Add(all[1])
	_, early := casefile.NewLog(w.Domain, w.Task, &casetest.Memory{}, nil).Add(all[0])
	_, disk := emptyLog(w, brokenStore{}).Add(all[0])
	_, noJSON := casefile.ParseEvent([]byte("{"))
	_, noEvent := casefile.ParseEvent([]byte("{}"))
	for _, c := range []struct {
		err  error
		want bool
	}{{bad, true}, {noJSON, true}, {noEvent, true}, {gap, false}, {early, false}, {disk, false}, {nil, false}} {
		if got := casefile.Blame(c.err); got != c.want {
			t.Errorf("%v: %t", c.err, got)
		}
	}
}
