package casefile_test

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"ojud/casefile"
	"ojud/casefile/canon"
	"ojud/casefile/casetest"
)

// kinds are the types that a case file is made of, and some others.
func kinds() []reflect.Type {
	return []reflect.Type{
		reflect.TypeFor[casefile.Bundle](), reflect.TypeFor[casefile.Event](), reflect.TypeFor[casefile.VoteBody](), reflect.TypeFor[casefile.Opinion](),
		reflect.TypeFor[casefile.OpenFact](), reflect.TypeFor[casefile.DrawFact](), reflect.TypeFor[casefile.SettleFact](), reflect.TypeFor[casefile.OutcomeFact](),
		reflect.TypeFor[casefile.Task](), reflect.TypeFor[casefile.Objection](), reflect.TypeFor[casefile.Receipt](), reflect.TypeFor[casefile.DataBody](),
		reflect.TypeFor[casefile.SecondRules](), reflect.TypeFor[[]casefile.Event](),
	}
}

// bothWays reads a text as every type in one pass and slowly. Values and errors must be the same.
// It returns as how many types the text was read, and as how many of them in one pass.
func bothWays(t *testing.T, raw []byte, types []reflect.Type) (read, once int) {
	t.Helper()
	for _, k := range types {
		quick, slow := reflect.New(k), reflect.New(k)
		quickly, slowly := casefile.Read(raw, quick.Interface()), casefile.ReadSlowly(raw, slow.Interface())
		if (quickly == nil) != (slowly == nil) || slowly != nil && quickly.Error() != slowly.Error() {
			t.Fatalf("%.500s as %s: %v, slowly %v", raw, k, quickly, slowly)
		}
		if slowly == nil && !reflect.DeepEqual(quick.Interface(), slow.Interface()) {
			t.Fatalf("%.500s as %s: %+v, slowly %+v", raw, k, quick.Elem(), slow.Elem())
		}
		if slowly == nil {
			read++
		}
		filled := reflect.New(k)
		if casefile.Filled(raw, filled.Interface()) {
			once++
		} else if !filled.Elem().IsZero() {
			t.Fatalf("%.500s as %s: refused, and left %+v", raw, k, filled.Elem())
		}
	}
	return read, once
}

// texts are the canonical texts of real case files: a bundle, its events, bodies and documents.
func texts(t testing.TB) [][]byte {
	t.Helper()
	var out [][]byte
	for _, script := range casetest.Scripts()[:2] {
		file, err := casetest.File(script)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := canon.JSON(file, casefile.MaxBundle)
		if err != nil {
			t.Fatal(err)
		}
		b, err := casefile.ParseBundle(whole)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, whole)
		for _, e := range b.Events {
			raw, err := e.Encode()
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, raw, e.Body)
		}
		for _, content := range b.Blobs {
			if canon.Exact(content, casefile.MaxDocument) == nil {
				out = append(out, content)
			}
		}
	}
	return out
}

// TestOnePass: what is read in one pass is what is read slowly, with real documents and such with
// changed bytes; nearly all real ones are read in one pass.
func TestOnePass(t *testing.T) {
	t.Parallel()
	all, random := texts(t), rand.New(rand.NewPCG(5, 6))
	read, once, damaged := 0, 0, 0
	for _, raw := range all {
		r, o := bothWays(t, raw, kinds())
		read, once = read+r, once+o
		if len(raw) > 8<<10 {
			continue // it takes long
		}
		for range 3 {
			bad := bytes.Clone(raw)
			switch at := random.IntN(len(bad)); random.IntN(3) {
			case 0:
				bad[at] = "\"\\{}[]:,01-n eazZ\x7f\xc3"[random.IntN(19)]
			case 1:
				bad = append(bad[:at], bad[at+1:]...)
			case 2:
				bad = append(bad[:at], append([]byte("\"\\{}[]:,01-n eaz"[random.IntN(16):][:1]), bad[at:]...)...)
			}
			if len(bad) > 0 && canon.Exact(bad, casefile.MaxBundle) == nil {
				damaged++
				bothWays(t, bad, kinds())
			}
		}
	}
	if read < len(all)*3/5 || once < read*49/50 || damaged < len(all)/20 {
		t.Errorf("of %d texts, %d were read, %d of them in one pass; %d damaged ones were JSON", len(all), read, once, damaged)
	}
}

// TestPlainly: the id of an event that is written without the library is the one that the library
// gives, and what looks like an event and is none is left to it.
func TestPlainly(t *testing.T) {
	t.Parallel()
	whole, err := canon.JSON(firstFile(t), casefile.MaxBundle)
	if err != nil {
		t.Fatal(err)
	}
	b, err := casefile.ParseBundle(whole)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range b.Events {
		sameID(t, e, true)
	}
	e := b.Events[0]
	for body, plain := range map[string]bool{
		`{}`: true, `"x"`: true, `1`: true, `{"a":1,"b":[null]}`: true, ``: false, `{"b":1,"a":2}`: false, `{"a":1.5}`: false,
		`1,"bz":2`: false, ` {}`: false, `{"a":"\u003c"}`: false, `{"é":1}`: false, "\"\xff\"": false, `{`: false,
		deepBody(63): true, deepBody(64): false,
		`"` + strings.Repeat("<", 30_000) + `"`: true,
	} {
		odd := e
		odd.Body = []byte(body)
		sameID(t, odd, plain)
	}
	for kind, plain := range map[casefile.Kind]bool{"": true, "new_kind": true, `a","x":"b`: false, "a\\": false, "é": false, "a<": false} {
		odd := e
		odd.Kind = kind
		sameID(t, odd, plain)
	}
	for at, plain := range map[int64]bool{-1: true, 0: true, 1<<53 - 1: false, 1 << 60: false, 999_999_999_999_999: true} {
		odd := e
		odd.At = at
		sameID(t, odd, plain)
	}
}

// sameID compares the id of an event with the one that the library gives.
func sameID(t *testing.T, e casefile.Event, plain bool) {
	t.Helper()
	got, err := e.ID()
	want, wantErr := casefile.SlowID(e)
	if got != want || (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() {
		t.Errorf("%+v: %s, %v; slowly %s, %v", e, got, err, want, wantErr)
	}
	if casefile.Plainly(e) != plain {
		t.Errorf("%+v: written without the library is %t", e, !plain)
	}
}

// deepBody is a body of so many arrays in each other. An event of it is one deeper.
func deepBody(n int) string {
	return string(bytes.Repeat([]byte("["), n)) + string(bytes.Repeat([]byte("]"), n))
}

// TestSealedPart: what the exporter signs is cut out of a bundle's bytes as it is encoded from its
// fields.
func TestSealedPart(t *testing.T) {
	t.Parallel()
	for _, script := range casetest.Scripts()[:6] {
		file, err := casetest.File(script)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := canon.JSON(file, casefile.MaxBundle)
		if err != nil {
			t.Fatal(err)
		}
		b, err := casefile.ParseBundle(whole)
		if err != nil {
			t.Fatal(err)
		}
		if cut, encoded, err := casefile.Sealed(b, whole); err != nil || !bytes.Equal(cut, encoded) {
			t.Errorf("%s: cut %x, encoded %x, %v", script.Name, cut, encoded, err)
		}
		if err := b.VerifySeal(whole); err != nil {
			t.Errorf("%s: %v", script.Name, err)
		}
		if err := b.VerifySeal(append([]byte(" "), whole...)); err == nil {
			t.Errorf("%s: other bytes are sealed, too", script.Name)
		}
		for _, raw := range [][]byte{nil, []byte(`{}`), whole[:len(whole)-1]} {
			if err := b.VerifySeal(raw); err == nil {
				t.Errorf("%s: %.20s is sealed", script.Name, raw)
			}
		}
	}
}

// firstFile is a case file.
func firstFile(t testing.TB) []byte {
	t.Helper()
	file, err := casetest.File(casetest.Scripts()[0])
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// FuzzOnePass reads texts both ways.
func FuzzOnePass(f *testing.F) {
	for i, raw := range texts(f) {
		if i%40 == 1 && len(raw) < 8<<10 {
			f.Add(raw)
		}
	}
	types := kinds()
	f.Fuzz(func(t *testing.T, raw []byte) {
		if canon.Exact(raw, casefile.MaxDocument) == nil {
			bothWays(t, raw, types)
		}
	})
}
