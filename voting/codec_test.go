package voting

import (
	"bytes"
	"errors"
	"reflect"
	"testing"
)

// anyVote takes every object that is not "bad" and remembers nothing of it.
func anyVote(json []byte) (Vote, error) {
	if string(json) == "bad" {
		return Vote{}, errors.New("bad JSON")
	}
	return Vote{Task: fill(3), Round: 1, Judge: fill(4)}, nil
}

func testCommit() Commit {
	n := Commit{Task: fill(3), Round: 2, Judge: fill(4), Signed: Signed{Commitment: fill(5)}}
	for i := range n.Signature {
		n.Signature[i] = byte(i)
	}
	return n
}

func TestCommitRoundTrip(t *testing.T) {
	b := testCommit().Encode()
	if len(b) != commitSize {
		t.Fatalf("%d bytes", len(b))
	}
	got, err := DecodeNotice(b, anyVote)
	if err != nil || got != Notice(testCommit()) {
		t.Errorf("%+v, %v", got, err)
	}
}

// The layout of protocol section 9, field by field.
func TestCommitLayout(t *testing.T) {
	b := testCommit().Encode()
	task, judge, commitment := fill(3), fill(4), fill(5)
	for _, c := range []struct {
		name     string
		from, to int
		want     []byte
	}{
		{"kind", 0, 1, []byte{1}}, {"task", 1, 33, task[:]}, {"round", 33, 34, []byte{2}}, {"judge", 34, 66, judge[:]},
		{"commitment", 66, 98, commitment[:]}, {"signature", 98, 162, b[98:]},
	} {
		if !bytes.Equal(b[c.from:c.to], c.want) {
			t.Errorf("%s is %x", c.name, b[c.from:c.to])
		}
	}
	if b[98] != 0 || b[161] != 63 {
		t.Errorf("signature %x", b[98:])
	}
}

func TestVoteRoundTrip(t *testing.T) {
	wire := append([]byte{2}, "{}"...)
	n, err := DecodeNotice(wire, anyVote)
	if err != nil {
		t.Fatal(err)
	}
	v := n.(Vote)
	if string(v.Raw) != "{}" || !bytes.Equal(v.Encode(), wire) {
		t.Errorf("%q", v.Raw)
	}
	wire[1] = 'x'
	if string(v.Raw) != "{}" {
		t.Error("the vote shares the bytes that it was read from")
	}
	task, round, judge := v.Seat()
	if task != fill(3) || round != 1 || judge != fill(4) {
		t.Error("wrong seat")
	}
}

func TestDecodeNoticeRefuses(t *testing.T) {
	for name, b := range map[string][]byte{
		"nothing":        nil,
		"unknown kind":   {3},
		"kind 0":         make([]byte, commitSize),
		"short commit":   testCommit().Encode()[:161],
		"long commit":    append(testCommit().Encode(), 0),
		"empty vote":     {2},
		"bad vote":       []byte("\x02bad"),
		"vote of 8193":   append([]byte{2}, make([]byte, MaxVote+1)...),
		"more than 8300": append([]byte{2}, make([]byte, MaxNotice)...),
	} {
		if _, err := DecodeNotice(b, anyVote); !errors.Is(err, errNotice) || Classify(err) != GossipReject {
			t.Errorf("%s: %v, gossip %d", name, err, Classify(err))
		}
	}
	if _, err := DecodeNotice(append([]byte{2}, make([]byte, MaxVote)...), anyVote); err != nil {
		t.Errorf("the longest vote: %v", err)
	}
}

func FuzzDecodeNotice(f *testing.F) {
	f.Add(testCommit().Encode())
	f.Add([]byte("\x02{}"))
	f.Add(Relay{Commit: testCommit()}.Encode())
	f.Add(Relay{Commit: testCommit(), Sealed: sealedOf(1)}.Encode())
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		n, err := DecodeNotice(b, anyVote)
		if err != nil {
			if n != nil {
				t.Fatal("a notice and an error")
			}
			return
		}
		if !bytes.Equal(n.Encode(), b) {
			t.Fatalf("%x became %x", b, n.Encode())
		}
	})
}

func testRecords() []Record {
	o := Opening{Choice: Reject, Opinion: fill(5), Receipts: fill(6), Salt: fill(7)}
	return []Record{
		Born{At: 1_800_000_000},
		Born{At: -1},
		Cast{At: 5, Commit: testCommit(), Opening: o, Vote: []byte("{}")},
		Cast{At: 5, Commit: testCommit(), Opening: o, Vote: make([]byte, MaxVote)},
		Cast{At: 5, Commit: testCommit(), Opening: o},
		Recovered{At: 6, Task: fill(3), Round: 3, Opening: o, Vote: []byte("{}")},
		Foreign{At: 7, Commit: testCommit()},
		Heard{At: 8, Commit: testCommit()},
		HeardVote{At: 9, Task: fill(1), Round: 2, Judge: fill(3), Opening: Opening{Choice: Reject}, Vote: []byte("{}")},
		Proof{At: 9, Evidence: Evidence{
			Task: fill(3), Round: 1, Judge: fill(4), Peer: fill(8), A: testCommit().Signed, B: Signed{Commitment: fill(9)},
		}},
	}
}

func TestRecordRoundTrip(t *testing.T) {
	for _, r := range testRecords() {
		b := r.Encode()
		if len(b) > MaxRecord {
			t.Errorf("%s: %d bytes", r, len(b))
		}
		got, err := DecodeRecord(b)
		if err != nil || !reflect.DeepEqual(got, r) {
			t.Errorf("%s: %+v, %v", r, got, err)
		}
		if len(r.Key()) != RecordKeySize || !bytes.Equal(got.Key(), r.Key()) {
			t.Errorf("%s: key %x", r, r.Key())
		}
	}
}

// Records of different kinds, rounds, judges and tasks never share a place in the journal.
func TestRecordKeysDiffer(t *testing.T) {
	seen := make(map[string]Record)
	other := testCommit()
	other.Round = 1
	records := append(testRecords()[1:3:3], testRecords()[5:]...)
	for _, r := range append(records, Foreign{Commit: other}, Heard{Commit: other}, Cast{Commit: other}) {
		if old, ok := seen[string(r.Key())]; ok {
			t.Errorf("%s and %s share a key", r, old)
		}
		seen[string(r.Key())] = r
	}
}

func TestDecodeRecordRefuses(t *testing.T) {
	cast := testRecords()[2].Encode()
	set := func(i int, x byte) []byte { b := bytes.Clone(cast); b[i] = x; return b }
	for name, b := range map[string][]byte{
		"nothing":         nil,
		"version 2":       set(0, 2),
		"unknown kind":    set(1, 99),
		"round 0":         set(42, 0),
		"round 7":         set(42, 7),
		"cut":             cast[:200],
		"choice 9":        set(10+161, 9),
		"born too long":   append(Born{}.Encode(), 0),
		"foreign short":   testRecords()[6].Encode()[:100],
		"proof too long":  append(testRecords()[9].Encode(), 0),
		"vote too long":   append(testRecords()[3].Encode(), 0),
		"longer than any": make([]byte, MaxRecord+1),
	} {
		if r, err := DecodeRecord(b); !errors.Is(err, errRecord) || r != nil {
			t.Errorf("%s: %v, %v", name, r, err)
		}
	}
}

func FuzzDecodeRecord(f *testing.F) {
	for _, r := range testRecords() {
		f.Add(r.Encode())
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := DecodeRecord(b)
		if err != nil {
			return
		}
		if !bytes.Equal(r.Encode(), b) {
			t.Fatalf("%x became %x", b, r.Encode())
		}
		_ = r.String() // must not panic
	})
}

func FuzzParsePlain(f *testing.F) {
	f.Add(Opening{Choice: Accept}.Plain())
	f.Fuzz(func(t *testing.T, b []byte) {
		if o, err := ParsePlain(b, fill(7)); err == nil && (!bytes.Equal(o.Plain(), b) || o.Salt != fill(7)) {
			t.Fatalf("%x became %x", b, o.Plain())
		}
	})
}

// FuzzParseChoice: a choice has one spelling.
func FuzzParseChoice(f *testing.F) {
	for c := NoChoice; c <= Abstain; c++ {
		f.Add(c.String())
	}
	f.Fuzz(func(t *testing.T, text string) {
		if c, err := ParseChoice(text); err == nil && (c.String() != text || c == NoChoice) || err != nil && c != NoChoice {
			t.Fatalf("%q is %v, %v", text, c, err)
		}
	})
}
