package reading_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ojud/casefile"
	"ojud/casefile/canon"
	"ojud/casefile/casetest"
	"ojud/casefile/reading"
	"ojud/voting"
)

// errDown is what a store that does not work returns.
var errDown = errors.New("down")

// small is a case of one round that is decided. The first seat equivocates and the second one asks
// for data.
func small(t testing.TB) *casetest.World {
	t.Helper()
	plan := func(i int) casetest.Act {
		return casetest.Act{Choice: voting.Accept, Equivocate: i == 0, Ask: i == 1, Holders: 2 * i}
	}
	w, err := casetest.Build(casetest.Script{Name: "reading", Judges: 7, Rounds: []casetest.Plan{plan}})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// read reads the whole record of a case.
func read(t testing.TB, w *casetest.World) reading.Record {
	t.Helper()
	r, err := reading.Log(w.Log, w.Store)
	if err != nil || r.Open == nil || r.Rounds[0].Draw == nil || r.Rounds[0].Settle == nil || r.Outcome == nil {
		t.Fatalf("%+v, %v", r, err)
	}
	return r
}

// forged is a bundle that someone writes by hand: nothing of it is signed.
type forged struct{ casefile.Bundle }

func forge(r reading.Record) *forged {
	return &forged{casefile.Bundle{Network: r.Network, Program: r.Program, Case: r.Case, Blobs: map[casefile.Digest]casefile.Content{}, Events: []casefile.Event{}, Panels: []casefile.Panel{}}}
}

// keep adds content and returns its hash.
func (f *forged) keep(content []byte) casefile.Digest {
	hash := casefile.Digest(casefile.HashOf(content))
	f.Blobs[hash] = content
	return hash
}

// draw lets actors name facts of the draw of a round.
func (f *forged) draw(actors []casefile.DID, round uint8, facts casefile.Digest) {
	for i, actor := range actors {
		body := fmt.Appendf(nil, `{"facts":"%s","round":%d}`, facts, round)
		f.Events = append(f.Events, casefile.Event{Actor: actor, Case: f.Case, Kind: casefile.KindDraw, Body: body, Seq: uint32(len(f.Events) + i + 1)})
	}
}

// seatsOf returns the node keys of the seats of a draw.
func seatsOf(d casefile.DrawFact) (out []casefile.DID) {
	for _, index := range d.Seats {
		out = append(out, d.Candidates[slices.IndexFunc(d.Candidates, func(c casefile.Candidate) bool { return c.Index == index })].Peer)
	}
	return out
}

func (f *forged) read(t *testing.T) reading.Record {
	t.Helper()
	file, err := json.Marshal(f.Bundle)
	if err != nil {
		t.Fatal(err)
	}
	r, err := reading.File(file)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestFileAndLog: a file says what its log says.
func TestFileAndLog(t *testing.T) {
	w := small(t)
	log, file := read(t, w), func() reading.Record {
		raw, err := w.Export()
		if err != nil {
			t.Fatal(err)
		}
		r, err := reading.File(raw)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}()
	if log.Network != file.Network || log.Program != file.Program || log.Case != file.Case || log.Events() != file.Events() {
		t.Errorf("%d events of %s, %d of %s", log.Events(), log.Case, file.Events(), file.Case)
	}
	if log.Open.Hash != file.Open.Hash || log.Rounds[0].Draw.Hash != file.Rounds[0].Draw.Hash ||
		log.Rounds[0].Settle.Hash != file.Rounds[0].Settle.Hash || log.Outcome.Hash != file.Outcome.Hash {
		t.Error("the facts differ")
	}
	if file.Rounds[1] != (reading.Round{}) {
		t.Errorf("a round that was not drawn: %+v", file.Rounds[1])
	}
}

// TestFactsOfDraw: of the facts that seats name, the record takes those that more than half of them
// name and that can be read: canonical, of this case and of this round.
func TestFactsOfDraw(t *testing.T) {
	r := read(t, small(t))
	good := r.Rounds[0].Draw.Raw
	seats := seatsOf(r.Rounds[0].Draw.Value)
	most, few := seats[:4], seats[4:]
	other := *r.Rounds[0].Draw
	other.Value.Slot++
	second, err := casefile.NewDraw(other.Value)
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := other.Value
	elsewhere.Case = casefile.Address{9}
	foreign, err := casefile.NewDraw(elsewhere)
	if err != nil {
		t.Fatal(err)
	}
	extra := append([]byte(`{"a":1,`), good[1:]...)
	missing := casefile.Digest{7}
	strangers := []casefile.DID{{1}, {2}, {3}, {4}, {5}, {6}, {7}, {8}}
	for name, c := range map[string]struct {
		write func(f *forged)
		want  []byte // nil: no facts
	}{
		"nothing":    {func(*forged) {}, nil},
		"all seats":  {func(f *forged) { f.draw(seats, 1, f.keep(good)) }, good},
		"most seats": {func(f *forged) { f.draw(most, 1, f.keep(good)) }, good},
		"few seats":  {func(f *forged) { f.draw(few, 1, f.keep(good)) }, nil},
		"one seat that speaks often": {func(f *forged) {
			f.draw([]casefile.DID{seats[0], seats[0], seats[0], seats[0], seats[0]}, 1, f.keep(good))
		}, nil},
		"strangers":                     {func(f *forged) { f.draw(strangers, 1, f.keep(good)) }, nil},
		"a space":                       {func(f *forged) { f.draw(seats, 1, f.keep(append([]byte(" "), good...))) }, nil},
		"a line at the end":             {func(f *forged) { f.draw(seats, 1, f.keep(append(slices.Clone(good), '\n'))) }, nil},
		"an unknown field":              {func(f *forged) { f.draw(seats, 1, f.keep(extra)) }, nil},
		"cut":                           {func(f *forged) { f.draw(seats, 1, f.keep(good[:len(good)-1])) }, nil},
		"no JSON":                       {func(f *forged) { f.draw(seats, 1, f.keep([]byte("?"))) }, nil},
		"empty content":                 {func(f *forged) { f.draw(seats, 1, f.keep(nil)) }, nil},
		"facts of another kind":         {func(f *forged) { f.draw(seats, 1, f.keep(r.Open.Raw)) }, nil},
		"of another case":               {func(f *forged) { f.draw(seats, 1, f.keep(foreign.Raw)) }, nil},
		"an event of another round":     {func(f *forged) { f.draw(seats, 2, f.keep(good)) }, nil},
		"a round that no case has":      {func(f *forged) { f.draw(seats, casefile.MaxRound+1, f.keep(good)) }, nil},
		"the content is not there":      {func(f *forged) { f.draw(seats, 1, missing) }, nil},
		"the content has another hash":  {func(f *forged) { f.Blobs[missing] = good; f.draw(seats, 1, missing) }, nil},
		"most name others":              {func(f *forged) { f.draw(few, 1, f.keep(good)); f.draw(most, 1, f.keep(second.Raw)) }, second.Raw},
		"few name others":               {func(f *forged) { f.draw(most, 1, f.keep(good)); f.draw(few, 1, f.keep(second.Raw)) }, good},
		"as many of both":               {func(f *forged) { f.draw(most[:3], 1, f.keep(good)); f.draw(few, 1, f.keep(second.Raw)) }, nil},
		"few name what is not there":    {func(f *forged) { f.draw(few, 1, missing); f.draw(most, 1, f.keep(good)) }, good},
		"strangers name another case's": {func(f *forged) { f.draw(strangers, 1, f.keep(foreign.Raw)); f.draw(most, 1, f.keep(good)) }, good},
		"another round does not count":  {func(f *forged) { f.draw(seats, 2, f.keep(second.Raw)); f.draw(most, 1, f.keep(good)) }, good},
	} {
		f := forge(r)
		c.write(f)
		got := f.read(t)
		doc := got.Rounds[0].Draw
		if (doc == nil) != (c.want == nil) || doc != nil && !bytes.Equal(doc.Raw, c.want) {
			t.Errorf("%s: %+v", name, doc)
		}
		if got.Events() != len(f.Events) || got.Open != nil || got.Outcome != nil || got.Rounds[0].Settle != nil || got.Rounds[1].Draw != nil {
			t.Errorf("%s: the record has more than its facts: %+v", name, got)
		}
	}
}

// TestMissingPieces: without one piece of content the record has what can be established without
// it: nothing without the panel, and no end without the settlement.
func TestMissingPieces(t *testing.T) {
	have := func(r reading.Record) [4]bool {
		return [4]bool{r.Open != nil, r.Rounds[0].Draw != nil, r.Rounds[0].Settle != nil, r.Outcome != nil}
	}
	for i, lost := range []func(r reading.Record) voting.Hash{
		func(r reading.Record) voting.Hash { return r.Open.Hash }, func(r reading.Record) voting.Hash { return r.Rounds[0].Draw.Hash },
		func(r reading.Record) voting.Hash { return r.Rounds[0].Settle.Hash }, func(r reading.Record) voting.Hash { return r.Outcome.Hash },
	} {
		w := small(t)
		w.Store.Lose(lost(read(t, w)))
		want := [...][4]bool{{false, true, true, true}, {}, {true, true, false, false}, {true, true, true, false}}[i]
		if r, err := reading.Log(w.Log, w.Store); err != nil || have(r) != want {
			t.Errorf("%v, want %v: %v", have(r), want, err)
		}
	}
}

// TestSaid: a judge's statements are its own, of that round alone.
func TestSaid(t *testing.T) {
	w := small(t)
	r := read(t, w)
	draw := r.Rounds[0].Draw.Value
	seat := func(n int) casefile.DID {
		i := slices.IndexFunc(draw.Candidates, func(c casefile.Candidate) bool { return c.Index == draw.Seats[n] })
		return draw.Candidates[i].Peer
	}
	if s := r.Said(seat(0), 1); len(s.Shown) == 0 || s.Shown[0].Peer != seat(0) {
		t.Errorf("what proves that a judge equivocated is not shown: %+v", s)
	}
	honest := r.Said(seat(2), 1)
	if len(honest.Committed) != 1 || honest.Vote == nil || honest.Vote.AgentID != seat(2) || honest.VotedAt == 0 || honest.Opinion == nil || len(honest.Shown) > 0 {
		t.Errorf("%+v", honest)
	}
	for name, s := range map[string]reading.Statements{"another round": r.Said(seat(2), 2), "a stranger": r.Said(casefile.DID{9}, 1)} {
		if len(s.Committed)+len(s.Failures)+len(s.Shown) > 0 || s.Vote != nil || s.Opinion != nil {
			t.Errorf("%s: %+v", name, s)
		}
	}
	w.Store.Lose(voting.Hash(honest.Vote.OpinionHash))
	if s := read(t, w).Said(seat(2), 1); s.Vote == nil || s.Opinion != nil {
		t.Errorf("without the opinion: %+v", s)
	}
}

// TestUnreadable: the error of a file that cannot be read says why.
func TestUnreadable(t *testing.T) {
	raw, err := small(t).Export()
	if err != nil {
		t.Fatal(err)
	}
	var field *casefile.FieldError
	for name, c := range map[string]struct {
		file []byte
		is   func(error) bool
	}{
		"nothing":          {nil, func(err error) bool { return errors.Is(err, canon.ErrNotJSON) }},
		"cut":              {raw[:len(raw)/2], func(err error) bool { return errors.Is(err, canon.ErrNotJSON) }},
		"two files":        {append(slices.Clone(raw), raw...), func(err error) bool { return errors.Is(err, canon.ErrNotJSON) }},
		"too large":        {[]byte(`"` + strings.Repeat("a", casefile.MaxBundle) + `"`), func(err error) bool { return errors.Is(err, canon.ErrTooLarge) }},
		"a list":           {[]byte("[]"), func(err error) bool { return errors.As(err, &field) }},
		"an unknown field": {append([]byte(`{"a":1,`), raw[1:]...), func(err error) bool { return errors.As(err, &field) && strings.Contains(err.Error(), "a") }},
	} {
		if _, err := reading.File(c.file); err == nil || !c.is(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// broken is a store that does not work.
type broken struct{}

func (broken) Blob(voting.Hash) ([]byte, error)          { return nil, errDown }
func (broken) Put(casefile.Event) error                  { return errDown }
func (broken) List(voting.Key) ([]casefile.Event, error) { return nil, errDown }

// TestBrokenStore: an error of the store is no missing piece.
func TestBrokenStore(t *testing.T) {
	w := small(t)
	if _, err := reading.Log(w.Log, broken{}); !errors.Is(err, errDown) {
		t.Errorf("a log without blobs: %v", err)
	}
	if _, err := reading.Archive(w.Domain, w.Task, broken{}, w.Store); !errors.Is(err, errDown) {
		t.Errorf("an archive without events: %v", err)
	}
	if _, err := reading.Archive(w.Domain, w.Task, w.Store, broken{}); !errors.Is(err, errDown) {
		t.Errorf("an archive without blobs: %v", err)
	}
}

// FuzzFile: any file is read or refused. What the record has as a fact is canonical, of this case
// and of its round, and the record has events.
func FuzzFile(f *testing.F) {
	w := small(f)
	r := read(f, w)
	bundle := forge(r)
	seats := seatsOf(r.Rounds[0].Draw.Value)
	bundle.draw(seats[:4], 1, bundle.keep(r.Rounds[0].Draw.Raw))
	bundle.draw(seats[4:5], 1, bundle.keep([]byte("?")))
	bundle.draw(seats[:1], 2, casefile.Digest{7})
	seed, err := json.Marshal(bundle.Bundle)
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range [][]byte{seed, []byte(`{}`), []byte(`[]`), nil} {
		f.Add(file)
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		r, err := reading.File(file)
		if err != nil {
			return
		}
		check := func(raw []byte, stamp casefile.Stamp, round, want uint8) {
			if again, err := canon.JSON(raw, casefile.MaxDocument); err != nil || !bytes.Equal(again, raw) {
				t.Errorf("facts are not canonical: %v", err)
			}
			if stamp.Case != r.Case || round != want || r.Events() == 0 {
				t.Errorf("facts of round %d of %s stand in round %d of %s", round, stamp.Case, want, r.Case)
			}
		}
		if d := r.Open; d != nil {
			check(d.Raw, d.Value.Stamp, 0, 0)
		}
		for i, round := range r.Rounds {
			if d := round.Draw; d != nil {
				check(d.Raw, d.Value.Stamp, d.Value.Round, uint8(i+1))
			}
			if d := round.Settle; d != nil {
				check(d.Raw, d.Value.Stamp, d.Value.Round, uint8(i+1))
			}
		}
		if d := r.Outcome; d != nil {
			check(d.Raw, d.Value.Stamp, 0, 0)
		}
		r.Said(casefile.DID{1}, 1)
	})
}
