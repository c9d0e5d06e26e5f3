package exchange

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"ojud/datasource"
	"ojud/datasource/anex"
)

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
