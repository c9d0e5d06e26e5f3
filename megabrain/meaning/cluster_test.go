package meaning

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

func decoded(t *testing.T, raw string) any {
	t.Helper()
	var v any
	d := json.NewDecoder(strings.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

// TestFields: results with equal values in the fields that carry the meaning are one cluster,
// however they are written and whatever else they say.
func TestFields(t *testing.T) {
	results := []any{
		decoded(t, `{"answer": 1.0, "list": ["a"], "note": "x"}`),
		decoded(t, `{"note": "y", "list": ["\u0061"], "answer": 1}`),
		decoded(t, `{"answer": "1", "list": ["a"]}`),
		decoded(t, `{"answer": null, "list": ["a"]}`),
		decoded(t, `{"list": ["a"]}`),
		decoded(t, `7`),
	}
	got, err := Fields{Meaning: []string{"/answer", "/list/0"}}.Clusters(results)
	if want := []int{0, 0, 2, 3, -1, -1}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v %v, want %v", got, err, want)
	}
}

func TestClass(t *testing.T) {
	for _, k := range []struct {
		class Fields
		want  string
	}{
		{Fields{}, "0 fields"},
		{Fields{Meaning: make([]string, 17)}, "17 fields"},
		{Fields{Meaning: []string{"answer"}}, "class:"},
		{Fields{Meaning: []string{"/a"}, Prose: []string{"/a"}}, "twice"},
		{Fields{Meaning: []string{"/a"}, Near: []int{4000, 6000}}, "no prose"},
		{Fields{Prose: []string{"/a"}, Near: []int{4000}}, "two numbers"},
		{Fields{Prose: []string{"/a"}, Near: []int{6000, 4000}}, "two numbers"},
		{Fields{Prose: []string{"/a"}, Near: []int{2999, 4000}}, "from 3000 to 7000"},
		{Fields{Prose: []string{"/a"}, Near: []int{4000, 7001}}, "from 3000 to 7000"},
	} {
		if err := k.class.Validate(); err == nil || !strings.Contains(err.Error(), k.want) {
			t.Errorf("%+v: %v, want %q", k.class, err, k.want)
		}
	}
	long := []any{map[string]any{"a": strings.Repeat("x", maxProse+1)}}
	if _, err := (Fields{Prose: []string{"/a"}}).Clusters(long); err == nil {
		t.Error("a text beyond the limit is read")
	}
}

// names are so many, beginning with one of them.
func names(n, first int) string {
	out := make([]string, n)
	for i := range out {
		out[i] = "N" + strings.Repeat("x", 1+(i+first)%n)
	}
	return strings.Join(out, " and ")
}

// TestGuard has a pair for each reason to part two texts, and pairs that are not parted.
func TestGuard(t *testing.T) {
	for _, k := range []struct{ a, b, want string }{
		{"It was built on March 5, 2020.", "It was built on 2020-03-05.", ""},
		{"It was built on March 5, 2020.", "It was built on May 5, 2020.", "numbers or dates differ"},
		{"The bill was 1,200.50 euros.", "They paid a bill of 1200.5 euros.", ""},
		{"She has twenty-five cats.", "Her cats are 25.", ""},
		{"She has five hundred and two cats.", "Her cats are 502.", ""},
		{"five six", "11", "numbers or dates differ"},
		{"The door is open.", "The door isn't open.", "one denies more than the other"},
		{"In May, prices rose sharply.", "Prices fell a lot in May.", "they have opposite words"},
		{"The winner was Ada.", "The winner was Bob.", "names differ"},
		{"Ada paid Bob.", "Bob paid Ada.", "names have other roles"},
		{"Ada paid Bob.", "Bob was paid by Ada.", ""},
		{"Ada paid Bob.", "Ada was paid by Bob.", "names have other roles"},
		{"It is for " + names(40, 0) + ".", "It is for " + names(40, 1) + ".", "they have too many names or numbers to compare"},
		{"It is for " + names(40, 0) + ".", "It is for " + names(40, 0), ""},
		{"Seven are for " + names(40, 0) + ".", "Eight are for " + names(40, 0) + ".", "numbers or dates differ"},
		{"It is for " + names(40, 0) + ".", "It is not for " + names(40, 0) + ".", "one denies more than the other"},
		{"Approval came late.", "It was approved late.", ""},
	} {
		a, b := prepare(k.a), prepare(k.b)
		if got := parted(&a, &b); got != k.want {
			t.Errorf("%q and %q: %q, want %q", k.a, k.b, got, k.want)
		}
	}
	for _, k := range []struct {
		a, b string
		want bool
	}{
		{"the cat chased the dog", "the dog chased the cat", true},
		{"in May she won the race", "she won the race in May", false},
		{"a b c d e f g h", "a b c d e f g h", false},
		{"a b c d e f g h", "a b x d e f g h", true},
		{"a b c d e f g h", "a b d e f g h", true},
		{"a b c d e f g h", "b a x y e g h f", false},
	} {
		a, b := prepare(k.a), prepare(k.b)
		budget, none := 1000, 0
		if retouched(&a, &b, &budget) != k.want || retouched(&b, &a, &budget) != k.want {
			t.Errorf("%q and %q: want %t", k.a, k.b, k.want)
		}
		if k.want && !retouched(&a, &b, &none) {
			t.Errorf("%q and %q are joined without a budget", k.a, k.b)
		}
	}
}

// TestEdits compares the banded distance with the whole table.
func TestEdits(t *testing.T) {
	whole := func(a, b []uint32) int {
		d := make([][]int, len(a)+1)
		for i := range d {
			d[i] = make([]int, len(b)+1)
			for j := range d[i] {
				switch {
				case i == 0 || j == 0:
					d[i][j] = i + j
				case a[i-1] == b[j-1]:
					d[i][j] = d[i-1][j-1]
				default:
					d[i][j] = 1 + min(d[i-1][j-1], d[i-1][j], d[i][j-1])
				}
			}
		}
		return d[len(a)][len(b)]
	}
	r := rand.New(rand.NewPCG(1, 1))
	for range 20_000 {
		a, b := make([]uint32, r.IntN(9)), make([]uint32, r.IntN(9))
		for i := range a {
			a[i] = r.Uint32N(3)
		}
		for i := range b {
			b[i] = r.Uint32N(3)
		}
		if most := 1 + r.IntN(4); edits(a, b, most) != (whole(a, b) <= most) {
			t.Fatalf("%v and %v, at most %d: the whole table says %d", a, b, most, whole(a, b))
		}
	}
}

// TestComplete compares chains of nearest neighbours with the slow way: merge the nearest two
// clusters until none are near.
func TestComplete(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	for range 300 {
		n := 1 + r.IntN(12)
		d := make([]uint16, n*n)
		order := r.Perm(10_000)
		for i := range n {
			for j := range i {
				d[i*n+j] = uint16(order[0])
				d[j*n+i], order = d[i*n+j], order[1:]
			}
		}
		clusters := make([][]int, n)
		for i := range clusters {
			clusters[i] = []int{i}
		}
		for {
			x, y, least := -1, -1, uint16(near+1)
			for i := range clusters {
				for j := range i {
					far := uint16(0)
					for _, a := range clusters[i] {
						for _, b := range clusters[j] {
							far = max(far, d[a*n+b])
						}
					}
					if far < least {
						x, y, least = j, i, far
					}
				}
			}
			if x < 0 {
				break
			}
			clusters[x] = append(clusters[x], clusters[y]...)
			clusters = slices.Delete(clusters, y, y+1)
		}
		want := make([]int, n)
		for i, c := range clusters {
			for _, m := range c {
				want[m] = i
			}
		}
		if got := complete(n, slices.Clone(d)); !reflect.DeepEqual(renamed(got), renamed(want)) {
			t.Fatalf("%v, want %v", renamed(got), renamed(want))
		}
	}
}

// thousand are results of 4 KiB about four subjects.
func thousand() []any {
	r := rand.New(rand.NewPCG(4, 1))
	words := make([]string, 1200)
	for i := range words {
		for range 4 + r.IntN(6) {
			words[i] += string(rune('a' + r.IntN(26)))
		}
	}
	results := make([]any, 1000)
	for i := range results {
		var text strings.Builder
		for text.Len() < 4096 {
			fmt.Fprintf(&text, "%s ", words[300*(i%4)+int(float64(300)*r.Float64()*r.Float64())])
		}
		results[i] = map[string]any{"answer": text.String()}
	}
	return results
}

// TestThousand: 1,000 results of 4 KiB fall into their four subjects.
func TestThousand(t *testing.T) {
	results, start := thousand(), time.Now()
	got, err := Fields{Prose: []string{"/answer"}}.Clusters(results)
	t.Logf("%v", time.Since(start))
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range got {
		if l != i%4 {
			t.Fatalf("result %d is in cluster %d", i, l)
		}
	}
}

// TestHostile: texts that differ as little as the guard looks at take no hours. 1,000 of them take
// 3 s of processor time.
func TestHostile(t *testing.T) {
	results := make([]any, 300)
	for i := range results {
		words := strings.Fields(strings.Repeat("lorem ipsum dolor ", 450) + names(32, i%32))
		for k := range 8 {
			words[(i*7+k*31)%1300] = fmt.Sprintf("w%d", i)
		}
		results[i] = map[string]any{"answer": strings.Join(words, " ")}
	}
	start := time.Now()
	if _, err := (Fields{Prose: []string{"/answer"}}).Clusters(results); err != nil {
		t.Fatal(err)
	}
	t.Log(time.Since(start))
}

func BenchmarkThousand(b *testing.B) {
	results := thousand()
	for b.Loop() {
		if _, err := (Fields{Prose: []string{"/answer"}}).Clusters(results); err != nil {
			b.Fatal(err)
		}
	}
}
