package finding

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// open are results of which nothing says whether the first or the last one means what the others
// mean: one is the other but for a word.
var open = []string{
	"The battery of the Acme phone lasts two days, and the screen is sharp.",
	"The Acme phone has a sharp screen and a battery that lasts two days.",
	"With a battery lasting two days and a sharp screen, the Acme phone does well.",
	"The battery of the Acme phone lasts two days, and the lens is sharp.",
}

var names = []string{"w0", "w1", "w2", "w3"}

func prose(t testing.TB, embedding string) TaskClass {
	t.Helper()
	c, _, err := ReadClass([]byte(`{"name":"prose","about":"","meaning":[],"prose":["/why"]` + embedding + `}`))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// clusters are those of results by what evaluators wrote; "" is a document that nobody has.
func (c TaskClass) clusters(t testing.TB, texts []string, documents ...string) (out []int) {
	t.Helper()
	var works []Work
	for _, text := range texts {
		works = append(works, Work{Content: fmt.Appendf(nil, `{"why":%q}`, text), There: true, At: 5})
	}
	var said [][]int
	var opinions []Opinion
	for _, d := range documents {
		said = append(said, slices.Repeat([]int{80}, len(texts)))
		if d != "" {
			opinions = append(opinions, c.ReadOpinion([]byte(d), names))
		}
	}
	f, err := c.Assess(works, said, opinions, Scale{Pass: 50, Sigma: 10, Consensus: 6600})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range f.Facts {
		out = append(out, x.Cluster)
	}
	return out
}

const (
	truth  = `{"same":[["w0","w1","w2"]]}`
	lie    = `{"same":[["w1","w2","w3"]]}`
	all    = `{"same":[["w0","w1","w2","w3"]]}`
	nobody = `{}`
)

// TestOpinions: more than half of the evaluators that revealed, and two at least, say which results
// mean the same where code does not know it, and nowhere else. One liar of three changes nothing.
func TestOpinions(t *testing.T) {
	c := prose(t, "")
	for _, k := range []struct {
		name      string
		documents []string
		want      []int
	}{
		{"nobody says anything", []string{nobody, nobody, nobody}, []int{0, 2, 2, 0}},
		{"all are honest", []string{truth, truth, truth}, []int{1, 1, 1, 0}},
		{"one lies", []string{truth, truth, lie}, []int{1, 1, 1, 0}},
		{"one says that all is the same", []string{truth, all, truth}, []int{1, 1, 1, 0}},
		{"one is silent", []string{nobody, truth, truth}, []int{1, 1, 1, 0}},
		{"nobody has the document of one", []string{"", truth, truth}, []int{1, 1, 1, 0}},
		{"one alone says it", []string{truth, nobody, nobody}, []int{0, 2, 2, 0}},
		{"two disagree, one is silent", []string{truth, lie, nobody}, []int{0, 2, 2, 0}},
		{"two of two", []string{truth, truth}, []int{1, 1, 1, 0}},
		{"one of two", []string{truth, lie}, []int{0, 2, 2, 0}},
		{"one of one", []string{truth}, []int{0, 2, 2, 0}},
		{"two of four", []string{truth, truth, nobody, nobody}, []int{0, 2, 2, 0}},
		{"two liars of three", []string{lie, lie, truth}, []int{0, 2, 2, 2}},
		{"pairs that do not fit together", []string{`{"same":[["w0","w1"],["w1","w3"]]}`, `{"same":[["w0","w1"],["w3","w1"]]}`}, []int{1, 1, 3, 4}},
	} {
		if got := c.clusters(t, open, k.documents...); !slices.Equal(got, k.want) {
			t.Errorf("%s: %v, want %v", k.name, got, k.want)
		}
	}
	// If a cluster has the consensus by code, votes change nothing. What the guard parts stays so.
	if got := c.clusters(t, []string{open[0], open[1], open[2]}, nobody, `{"same":[["w0","w1"]]}`, `{"same":[["w0","w1"]]}`); !slices.Equal(got, []int{1, 1, 1}) {
		t.Errorf("votes against code: %v", got)
	}
	parted := []string{open[0], strings.Replace(open[1], "two", "three", 1), strings.Replace(open[2], "two", "four", 1)}
	if got := c.clusters(t, parted, all, all, all); !slices.Equal(got, []int{1, 2, 3}) {
		t.Errorf("votes against the guard: %v", got)
	}
}

// vectors is a document with the vectors of four results, whose angles are these.
func vectors(all ...[]int) string {
	raw := map[string][]int{}
	for i, v := range all {
		raw[names[i]] = v
	}
	text, err := json.Marshal(map[string]any{"vectors": raw})
	if err != nil {
		panic(err)
	}
	return string(text)
}

// TestVectors: if a class names an embedding, the median of the distances by the vectors of
// evaluators says which results are near, and the guard still parts.
func TestVectors(t *testing.T) {
	c := prose(t, `,"embedding":{"name":"m","dimensions":3,"near":1000}`)
	texts := []string{"a dog is loyal", "hounds stay with people", "cats do what they want", "canines remain at your side"}
	right := vectors([]int{100, 0, 0}, []int{99, 9, 0}, []int{0, 100, 0}, []int{98, 0, 9})
	noisy := vectors([]int{97, 5, 0}, []int{96, 2, 1}, []int{3, 90, 0}, []int{95, 3, 5})
	wrong := vectors([]int{0, 100, 0}, []int{100, 0, 0}, []int{99, 1, 0}, []int{0, 0, 100})
	for _, k := range []struct {
		name      string
		documents []string
		want      []int
	}{
		{"all have the same", []string{right, right, right}, []int{1, 1, 3, 1}},
		{"they differ a little", []string{right, noisy, noisy}, []int{1, 1, 3, 1}},
		{"one lies", []string{right, wrong, noisy}, []int{1, 1, 3, 1}},
		{"one has none", []string{right, nobody, noisy}, []int{1, 1, 3, 1}},
		{"nobody has one document", []string{right, "", noisy}, []int{1, 1, 3, 1}},
		{"two of two that differ", []string{right, wrong}, []int{1, 2, 3, 4}},
		{"one alone", []string{right, nobody, nobody}, []int{1, 2, 3, 4}},
		{"another dimension", []string{right, vectors([]int{1}, []int{1}, []int{0, 1}, []int{1}), nobody}, []int{1, 2, 3, 4}},
		{"no direction", []string{right, vectors([]int{0, 0, 0}, []int{0, 0, 0}, []int{0, 0, 0}, []int{0, 0, 0}), nobody}, []int{1, 2, 3, 4}},
		{"no integers", []string{right, `{"vectors":{"w0":[1.5,0,0],"w1":[1.5,0,0],"w3":[1.5,0,0]}}`, nobody}, []int{1, 2, 3, 4}},
		{"NaN", []string{right, `{"vectors":{"w0":[NaN,0,0],"w1":[1,0,0]}}`, nobody}, []int{1, 2, 3, 4}},
		{"too large", []string{right, vectors([]int{40000, 0, 0}, []int{40000, 0, 0}, []int{1, 0, 0}, []int{40000, 0, 0}), nobody}, []int{1, 2, 3, 4}},
		{"votes decide what vectors leave open", []string{right, `{"same":[["w0","w1","w3"]]}`, `{"same":[["w0","w1","w3"]]}`}, []int{1, 1, 3, 1}},
	} {
		if got := c.clusters(t, texts, k.documents...); !slices.Equal(got, k.want) {
			t.Errorf("%s: %v, want %v", k.name, got, k.want)
		}
	}
	denied := []string{texts[0], "hounds do not stay with people", texts[2], texts[3]}
	if got := c.clusters(t, denied, right, right, right); got[1] == got[0] {
		t.Errorf("vectors against the guard: %v", got)
	}
	// The threshold of the class is exact: 0.1 is near, and a little more is not.
	edge := func(y int) []int {
		v := vectors([]int{1000, 0, 0}, []int{1000, y, 0}, []int{0, 0, 1}, []int{0, 0, -1})
		return c.clusters(t, texts, v, v)
	}
	if near, far := edge(484), edge(485); near[1] != 1 || far[1] != 2 {
		t.Errorf("at the edge: %v, %v", near, far)
	}
}

// TestSays: what an evaluator is about to say is refused by name; a reader takes it for nothing.
func TestSays(t *testing.T) {
	plain, named := prose(t, ""), prose(t, `,"embedding":{"name":"m","dimensions":2,"near":1000}`)
	for raw, want := range map[string]string{
		`{"same":[["w0"]]}`:            "same[0] has 1 workers",
		`{"same":[["w0","w9"]]}`:       `"w9", who handed in nothing`,
		`{"same":[["w0","w0"]]}`:       `"w0" twice`,
		`{"vectors":{"w9":[1,2]}}`:     `"w9", who handed in nothing`,
		`{"vectors":{"w0":[1]}}`:       "it has 1 numbers, and the embedding of the class has 2",
		`{"vectors":{"w0":[0,0]}}`:     "no direction",
		`{"vectors":{"w0":[1,2.5]}}`:   "integers from -32768 to 32767",
		`{"vectors":{"w0":[1,"NaN"]}}`: "integers from -32768 to 32767",
		`{"same":[` + strings.Repeat(`["w0","w1"],`, 28) + `["w0","w1"]]}`: "29 groups",
	} {
		var s Says
		if err := json.Unmarshal([]byte(raw), &s); err != nil {
			t.Fatal(err)
		}
		if err := s.Check(named, names); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, not %q", raw, err, want)
		}
	}
	good := Says{Same: [][]string{{"w0", "w1"}}, Vectors: map[string]json.RawMessage{"w0": []byte(`[1,-2]`)}}
	if err := good.Check(named, names); err != nil {
		t.Error(err)
	}
	if err := good.Check(plain, names); err == nil || !strings.Contains(err.Error(), "names no embedding") {
		t.Error(err)
	}
	for embedding, want := range map[string]string{
		`{"name":"","dimensions":2,"near":1}`:                   "embedding.name",
		`{"name":"m","dimensions":0,"near":1}`:                  "embedding.dimensions is 0",
		`{"name":"m","dimensions":3073,"near":1}`:               "it is 1 to 3072",
		`{"name":"m","dimensions":2,"near":10000}`:              "embedding.near is 10000",
		`{"name":"m","dimensions":2,"near":1,"sha256":"ab"}`:    "embedding.sha256",
		`{"name":"m","dimensions":2,"near":1,"url":"http://a"}`: "unknown field",
	} {
		if _, _, err := ReadClass([]byte(`{"name":"x","about":"","meaning":[],"prose":["/why"],"embedding":` + embedding + `}`)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, not %q", embedding, err, want)
		}
	}
	if _, _, err := ReadClass([]byte(`{"name":"x","about":"","meaning":["/a"],"embedding":{"name":"m","dimensions":2,"near":1}}`)); err == nil || !strings.Contains(err.Error(), "no prose") {
		t.Error(err)
	}
}

// FuzzReadOpinion: no document of a stranger does harm, and everybody finds the same by it.
func FuzzReadOpinion(f *testing.F) {
	f.Add([]byte(truth))
	f.Add([]byte(vectors([]int{1, 2, 3}, []int{3, 2, 1})))
	f.Fuzz(func(t *testing.T, raw []byte) {
		c := prose(t, `,"embedding":{"name":"m","dimensions":3,"near":1000}`)
		one, two := c.clusters(t, open, string(raw), string(raw)), c.clusters(t, open, string(raw), string(raw))
		if !slices.Equal(one, two) {
			t.Errorf("%q: %v, then %v", raw, one, two)
		}
	})
}
