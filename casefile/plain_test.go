package casefile_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"ojud/casefile"
	"ojud/casefile/canon"
	"ojud/casefile/casetest"
)

// TestPlain: which texts are taken without the library, and that the library agrees on each.
func TestPlain(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for _, c := range []struct {
		in   string
		want bool
	}{
		{`{}`, true},
		{`[]`, true},
		{`{"a":[1,-7,0,999999999999999,true,false,null],"b":{"":"x","c":"é€\n\t\\\"😂"}}`, true},
		{"\"\u2028\x7f\"", true},
		{deep(64), true},
		{deep(65), false},
		{``, false},
		{` {}`, false},
		{`{} `, false},
		{`{"a": 1}`, false},
		{`{"b":1,"a":2}`, false},
		{`{"a":1,"a":1}`, false},
		{`{"a":1,}`, false},
		{`{"a"}`, false},
		{`[1,]`, false},
		{`[1 2]`, false},
		{`[1`, false},
		{`{"é":1}`, false},
		{`{"a\n":1}`, false},
		{`"\u0041"`, false},
		{`"\/"`, false},
		{`"\`, false},
		{"\"\x1f\"", false},
		{"\"\xff\"", false},
		{`-0`, false},
		{`-`, false},
		{`01`, false},
		{`1.5`, false},
		{`1e3`, false},
		{`1000000000000000`, false}, // 16 digits: canonical, and left to the library
		{`truer`, false},
		{`nul`, false},
		{"[" + strings.Repeat("0,", 1<<18) + "0]", false},
	} {
		if got := canon.Plain([]byte(c.in)); got != c.want {
			t.Errorf("%.80s: plain is %t", c.in, got)
		}
		agrees(t, []byte(c.in))
	}
}

// agrees fails if a text is taken as plain that is not what the library makes of it.
func agrees(t *testing.T, raw []byte) {
	t.Helper()
	if !canon.Plain(raw) {
		return
	}
	if by, err := casefile.Library(raw); err != nil || !bytes.Equal(by, raw) {
		t.Fatalf("%q is plain, but the library makes %q, %v", raw, by, err)
	}
	if !json.Valid(raw) {
		t.Fatalf("%q is plain, and no JSON", raw)
	}
}

// TestPlainIsUsual: a case file is nearly all of that kind, or nothing would be gained.
func TestPlainIsUsual(t *testing.T) {
	vote := newVote(t)
	file, err := casetest.File(casetest.Scripts()[0])
	if err != nil {
		t.Fatal(err)
	}
	whole, err := canon.JSON(file, casefile.MaxBundle)
	if err != nil || !canon.Plain(vote.Raw) || !canon.Plain(whole) {
		t.Errorf("plain: the vote %t, the case file %t, %v", canon.Plain(vote.Raw), canon.Plain(whole), err)
	}
}

// TestPlainDamaged changes bytes of a real vote: if a text is still taken, the library takes it
// too.
func TestPlainDamaged(t *testing.T) {
	raw, random := newVote(t).Raw, rand.New(rand.NewPCG(1, 2))
	const letters = "\"\\{}[]:,01-. eEtrunlfas\x00\x1f\x7f\xc3"
	for range 20_000 {
		damaged := bytes.Clone(raw)
		for range 1 + random.IntN(3) {
			damaged[random.IntN(len(damaged))] = letters[random.IntN(len(letters))]
		}
		agrees(t, damaged)
	}
}

// TestSignedPart: the signed part of a vote is cut out of its bytes as it is encoded from its
// fields.
func TestSignedPart(t *testing.T) {
	raw := newVote(t).Raw
	notice, err := casefile.ParseNotice(raw)
	if err != nil {
		t.Fatal(err)
	}
	want, err := casefile.Preimage(raw)
	if err != nil || !bytes.Equal(notice.Signed, want) {
		t.Errorf("%s\nwant\n%s, %v", notice.Signed, want, err)
	}
	if !bytes.Equal(raw, newVote(t).Raw) {
		t.Error("the vote was changed")
	}
}

// TestPlainVote: a vote that is read without reflection is the one that the usual way reads, even
// if bytes of it are changed. If one is refused, the usual way refuses it too.
func TestPlainVote(t *testing.T) {
	raw, random := newVote(t).Raw, rand.New(rand.NewPCG(3, 4))
	const letters = "\"{}[]:,019aAzrj"
	taken := 0
	for n := range 5_000 {
		damaged := bytes.Clone(raw)
		if n > 0 {
			damaged[random.IntN(len(damaged))] = letters[random.IntN(len(letters))]
		}
		if sameVote(t, damaged) {
			taken++
		}
	}
	if taken < 10 || taken == 5_000 {
		t.Errorf("%d of 5,000 were votes: nothing was tried", taken)
	}
}

// sameVote fails if the two ways read a vote differently, and reports whether it is one.
func sameVote(t *testing.T, raw []byte) bool {
	t.Helper()
	quick, ok := casefile.PlainVote(raw)
	slow, err := casefile.SlowVote(raw)
	switch {
	case ok != (err == nil):
		t.Fatalf("%s: plain is %t, the usual way says %v", raw, ok, err)
	case ok && !reflect.DeepEqual(quick, slow):
		t.Fatalf("%s: %+v, the usual way reads %+v", raw, quick, slow)
	}
	return ok
}

func FuzzPlain(f *testing.F) {
	for _, s := range []string{`{"a":[1,"x\n",-3,true],"b":null}`, `""`, `[{},[]]`, `{"a":1,"b":2}`, `{"a":{"b":"\\\""}}`} {
		f.Add([]byte(s))
	}
	if vote, err := os.ReadFile(filepath.Join("testdata", "vote.json")); err == nil {
		f.Add(bytes.TrimSpace(vote))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		agrees(t, raw)
		if quick, ok := casefile.PlainVote(raw); ok {
			if slow, err := casefile.SlowVote(raw); err != nil || !reflect.DeepEqual(quick, slow) {
				t.Fatalf("%s: %+v, the usual way reads %+v, %v", raw, quick, slow, err)
			}
		}
	})
}

// BenchmarkCanonical measures how long it takes to see that a vote is canonical, and how long the
// library took.
func BenchmarkCanonical(b *testing.B) {
	raw, err := os.ReadFile(filepath.Join("testdata", "vote.json"))
	if err != nil {
		b.Fatal(err)
	}
	raw = bytes.TrimSpace(raw)
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			if err := canon.Exact(raw, casefile.MaxVote); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("library", func(b *testing.B) {
		for b.Loop() {
			if _, err := casefile.Library(raw); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("notice", func(b *testing.B) {
		for b.Loop() {
			if _, err := casefile.ParseNotice(raw); err != nil {
				b.Fatal(err)
			}
		}
	})
}
