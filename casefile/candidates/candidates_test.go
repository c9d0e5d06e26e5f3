package candidates_test

import (
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"ojud/casefile"
	"ojud/casefile/candidates"
	"ojud/voting"
)

// facts are those of a draw from these entries of the Roster, of which the first 28 were drawn.
func facts(indices ...uint16) casefile.DrawFact {
	f := casefile.DrawFact{Round: 1, PanelSeats: 28, MinSeats: 7}
	for _, i := range indices {
		c := casefile.Candidate{Index: i, Weight: 1<<40 + casefile.Amount(i)}
		for _, key := range [][]byte{c.Judge[:], c.Peer[:], c.Operator[:]} {
			for at := range key {
				key[at] = 0xff // in base58 no key is longer
			}
			binary.LittleEndian.PutUint16(key, i)
		}
		if f.Candidates = append(f.Candidates, c); len(f.Seats) < voting.MaxSeats {
			f.Seats, f.Weights = append(f.Seats, i), append(f.Weights, c.Weight)
		}
	}
	return f
}

// entries are those from first to last of the Roster, every so many.
func entries(first, last, every int) (out []uint16) {
	for i := first; i <= last; i += every {
		out = append(out, uint16(i))
	}
	return out
}

// content keeps lists by their hashes.
type content map[casefile.Digest][]byte

func (c content) keep(list []byte) casefile.Digest {
	hash := casefile.Digest(casefile.HashOf(list))
	c[hash] = list
	return hash
}

func (c content) get(hash casefile.Digest) ([]byte, error) {
	if list, ok := c[hash]; ok {
		return list, nil
	}
	return nil, casefile.ErrNoBlob
}

// TestDraw: all candidates come back, whatever their number, and a document has room for the facts.
func TestDraw(t *testing.T) {
	for _, c := range []struct {
		name    string
		indices []uint16
		lists   int
	}{
		{"a panel", entries(0, 27, 1), 0},
		{"as many as the facts name", entries(0, 10230, 10), 0},
		{"one more", entries(0, 1024, 1), 1},
		{"a court with gaps", entries(2049, 10239, 2), 4},
		{"nobody in a part of the Roster", append(entries(0, 2000, 1), entries(9000, 10000, 1)...), 2},
		{"the largest court", entries(0, voting.MaxJudges-1, 1), casefile.MaxLists},
	} {
		f, kept := facts(c.indices...), content{}
		doc, lists, err := candidates.Draw(f)
		if err != nil || len(lists) != c.lists || len(doc.Value.Lists) != c.lists {
			t.Errorf("%s: %d lists, %v", c.name, len(lists), err)
			continue
		}
		for _, list := range lists {
			if kept.keep(list); len(list) > casefile.MaxDocument {
				t.Errorf("%s: a list of %d bytes", c.name, len(list))
			}
		}
		if got, err := candidates.Of(doc.Value, kept.get); err != nil || !slices.Equal(got, f.Candidates) {
			t.Errorf("%s: %d candidates, %v", c.name, len(got), err)
		}
	}
}

// TestSharedLists: a judge that comes or goes changes the list of its part of the Roster alone.
func TestSharedLists(t *testing.T) {
	_, before, err := candidates.Draw(facts(entries(0, 10239, 1)...))
	_, after, bad := candidates.Draw(facts(append(entries(0, 4999, 1), entries(5001, 10239, 1)...)...))
	if err != nil || bad != nil {
		t.Fatal(err, bad)
	}
	for i := range before {
		if same := slices.Equal(before[i], after[i]); same != (i != 2) {
			t.Errorf("list %d: %v", i, same)
		}
	}
}

// TestAttackWrongLists: lists have one form, so that all judges name the same, and they cannot have
// another candidate than the facts.
func TestAttackWrongLists(t *testing.T) {
	doc, lists, err := candidates.Draw(facts(entries(0, 4999, 1)...))
	if err != nil {
		t.Fatal(err)
	}
	const row = 106
	at := func(list, i int) []byte { return lists[list][i*row : (i+1)*row] }
	with := func(list, i int, change func(row []byte)) [][]byte {
		out := slices.Clone(lists)
		out[list] = slices.Clone(lists[list])
		change(out[list][i*row : (i+1)*row])
		return out
	}
	for name, wrong := range map[string][][]byte{
		"none":                   {},
		"an empty one":           {lists[0], {}, lists[1], lists[2]},
		"cut":                    {lists[0], lists[1], lists[2][:50]},
		"two in one":             {append(slices.Clone(lists[0]), lists[1]...), lists[2]},
		"out of order":           {lists[1], lists[0], lists[2]},
		"twice":                  {lists[0], lists[0], lists[1], lists[2]},
		"one in two":             {lists[0][:row], lists[0][row:], lists[1], lists[2]},
		"an entry elsewhere":     {slices.Concat(lists[0], at(1, 0)), lists[1][row:], lists[2]},
		"rows out of order":      {slices.Concat(lists[0][:row*100], at(0, 101), at(0, 100), lists[0][row*102:]), lists[1], lists[2]},
		"too few for lists":      {lists[0][:row*1000]},
		"another judge drawn":    with(0, 3, func(row []byte) { row[20]++ }),
		"without one drawn":      {slices.Concat(lists[0][:row*3], lists[0][row*4:]), lists[1], lists[2]},
		"no weight":              with(1, 3, func(row []byte) { clear(row[2:10]) }),
		"too much weight":        with(1, 3, func(row []byte) { row[9] = 1 }),
		"beyond the largest one": with(2, 903, func(row []byte) { row[1] = 0xff }),
	} {
		kept := content{}
		f := doc.Value
		f.Lists = nil
		for _, list := range wrong {
			f.Lists = append(f.Lists, kept.keep(list))
		}
		got, err := candidates.Of(f, kept.get)
		if name == "none" { // they are the candidates that the facts name
			if err != nil || !slices.Equal(got, f.Candidates) {
				t.Error(name, err)
			}
			continue
		}
		if err == nil || errors.Is(err, casefile.ErrNoBlob) {
			t.Errorf("%s: %d candidates, %v", name, len(got), err)
		}
	}
	if _, err := candidates.Of(doc.Value, content{}.get); !errors.Is(err, casefile.ErrNoBlob) {
		t.Error(err)
	}
}

func FuzzOf(f *testing.F) {
	doc, lists, err := candidates.Draw(facts(entries(1000, 2100, 1)...))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(lists[0], lists[1])
	f.Add(lists[1], lists[0])
	f.Add(lists[0][:106], lists[1][5:])
	f.Fuzz(func(t *testing.T, a, b []byte) {
		kept, facts := content{}, doc.Value
		facts.Lists = []casefile.Digest{kept.keep(a), kept.keep(b)}
		all, err := candidates.Of(facts, kept.get)
		if err != nil {
			return
		}
		facts.Candidates, facts.Lists = all, nil
		_, again, err := candidates.Draw(facts)
		if err != nil || len(again) != 2 || !slices.Equal(again[0], a) || !slices.Equal(again[1], b) {
			t.Fatalf("%d candidates are written in another way: %v", len(all), err)
		}
	})
}
