package exchange

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"ojud/casefile"
	"ojud/datasource"
	"ojud/datasource/anex"
)

// TestMeter: over any time at most a burst and the rate go through, and memory is bounded.
func TestMeter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(1, 2))
		m, rate := newMeter[string](2), datasource.Rate{Requests: 5, Seconds: 10}
		var passed []time.Time
		for range 2000 {
			time.Sleep(time.Duration(rng.IntN(3000)) * time.Millisecond)
			if m.take("a", rate) {
				passed = append(passed, time.Now())
			}
		}
		for i := range passed[5:] { // the naive view: a window of twice the time has a burst and ten seconds' worth
			if i+10 < len(passed) && passed[i+10].Sub(passed[i]) < 10*time.Second {
				t.Fatalf("11 requests in %s", passed[i+10].Sub(passed[i]))
			}
		}
		if len(passed) < 1000 {
			t.Errorf("only %d passed", len(passed))
		}
		for range 5 {
			m.take("b", rate)
		}
		if m.take("c", rate) || len(m.due) != 2 {
			t.Error("a third key, while two have to wait")
		}
		time.Sleep(11 * time.Second)
		if !m.take("c", rate) || len(m.due) != 1 {
			t.Error("no room although no asker waits")
		}
	})
}

func TestTally(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		y := newTally(2)
		a, b, c := share{task: casefile.Address{1}}, share{task: casefile.Address{2}}, share{task: casefile.Address{3}}
		for i, key := range []share{a, a, b, a, c, b} {
			time.Sleep(time.Second)
			if got := y.take(key, 2); got != (i != 3) {
				t.Errorf("%d: %v", i, got)
			}
		}
		if len(y.count) != 2 || y.count[a] != nil {
			t.Error(y.count)
		}
	})
}

// TestOffered: the part of an answer that a book's terms leave is contained in the offer in ANEX's
// names.
func TestOffered(t *testing.T) {
	for text, want := range map[string]string{
		`[]`: `["*"]`, `["id","id","text"]`: `["/id","/text"]`, `["/posts/*/id"]`: `["/posts"]`, `["/posts/0"]`: `["/posts"]`, `["*"]`: `["*"]`, `["/*/x"]`: `["*"]`,
		`["a/b","~"]`: `["/a~1b","/~0"]`, `["x(m)"]`: `["*"]`, `["/a (m)/b(m)"]`: `["*"]`, `["a "]`: `["*"]`, `["/a /b"]`: `["/a /b"]`,
		`["/a/b","/a/c"]`: `["/a/b","/a/c"]`,
	} {
		var access []string
		if err := json.Unmarshal([]byte(text), &access); err != nil {
			t.Fatal(err)
		}
		if got, err := json.Marshal(offered(access)); err != nil || string(got) != want {
			t.Errorf("%s: %s, not %s, %v", text, got, want, err)
		}
	}
	rng := rand.New(rand.NewPCG(3, 4))
	names := []string{"a", "b", "*", "0", "a~1", " c ", "d(m)", ""}
	for range 3000 {
		var access []string
		for range 1 + rng.IntN(24) {
			name := names[rng.IntN(len(names)-1)]
			for i := range rng.IntN(4) {
				if i == 0 {
					name = ""
				}
				name += "/" + names[rng.IntN(len(names))]
			}
			access = append(access, name)
		}
		whole := document(rng, 4)
		left, err := datasource.Only(whole, unique(access))
		if err != nil {
			continue // it has no parts
		}
		offer := offered(unique(access))
		if len(offer) > maxFields {
			t.Fatalf("%d fields", len(offer))
		}
		if _, lost, err := anex.Cut(left, offer); err != nil || lost {
			t.Fatalf("%q of %s is %s; %q does not have it: %v", access, whole, left, offer, err)
		}
	}
}

func unique(list []string) (out []string) {
	seen := map[string]bool{}
	for _, s := range list {
		if !seen[s] {
			out = append(out, s)
		}
		seen[s] = true
	}
	return out
}

func document(rng *rand.Rand, depth int) []byte {
	var build func(int) any
	build = func(left int) any {
		switch kind := rng.IntN(3); {
		case left == 0 || kind == 0 && left < depth:
			return rng.IntN(10)
		case kind == 1:
			return []any{build(left - 1), build(left - 1)}
		}
		out := map[string]any{}
		for _, name := range []string{"a", "b", "0", "a/", " c ", "d(m)", ""} {
			if rng.IntN(2) == 0 {
				out[name] = build(left - 1)
			}
		}
		return out
	}
	raw, err := json.Marshal(build(depth))
	if err != nil {
		panic(fmt.Sprint(err))
	}
	return raw
}
