package finding

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// texts is a model that answers with one vector for each text, and keeps what it was asked.
type texts struct {
	asked   []string
	vectors map[string][]float32
	err     error
}

func (m *texts) Embed(_ context.Context, all []string) (out [][]float32, err error) {
	m.asked = append(m.asked, all...)
	for _, t := range all {
		out = append(out, m.vectors[t])
	}
	return out, m.err
}

// TestEmbedVectors: the prose of each result is embedded, its fields in the order of the class, and
// what has none is left out. What the model gives is an evaluation that a desk takes.
func TestEmbedVectors(t *testing.T) {
	class, _, err := ReadClass([]byte(`{"about":"","name":"x","meaning":["/year"],"prose":["/why","/how"],"embedding":{"name":"small","dimensions":2,"near":3000}}`))
	if err != nil {
		t.Fatal(err)
	}
	m := &texts{vectors: map[string][]float32{"a\nb": {0.5, -1}, "c\nd": {0, 1e-9}}}
	results := map[string][]byte{
		"ada": []byte(`{"how":"b","why":"a","year":1}`), "bob": []byte(`{"how":"d","why":"c","year":1}`),
		"cyd": []byte(`{"why":"a","year":1}`), "dan": []byte(`{"how":" ","why":"\n","year":1}`), "eve": []byte(`[`),
	}
	got, err := class.Vectors(t.Context(), m, results)
	if err != nil || string(got["ada"]) != "[16384,-32767]" || string(got["bob"]) != "[0,32767]" || len(got) != 2 || !slices.Equal(m.asked, []string{"a\nb", "c\nd"}) {
		t.Errorf("%s, %v, asked %q", got, err, m.asked)
	}
	if err := (Says{Vectors: got}).Check(class, []string{"ada", "bob"}); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(*texts, *TaskClass){
		"names no embedding": func(_ *texts, c *TaskClass) { c.Embedding = nil },
		"has 3":              func(_ *texts, c *TaskClass) { c.Embedding = &Embedding{Name: "small", Dimensions: 3, Near: 3000} },
		"has no direction":   func(m *texts, _ *TaskClass) { m.vectors["c\nd"] = []float32{0, 0} },
		"it is down":         func(m *texts, _ *TaskClass) { m.err = errors.New("it is down") },
	} {
		of, bad := class, &texts{vectors: map[string][]float32{"a\nb": {0.5, -1}, "c\nd": {0, 1}}}
		change(bad, &of)
		if _, err := of.Vectors(t.Context(), bad, results); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	if got, err := class.Vectors(t.Context(), m, map[string][]byte{"cyd": results["cyd"]}); err != nil || got != nil {
		t.Errorf("no prose: %s, %v", got, err)
	}
}

// TestIntegers: whole numbers keep the direction, so that distances by them are those of the model.
func TestIntegers(t *testing.T) {
	m := &texts{vectors: map[string][]float32{"east": {1e-7, 0}, "north-east": {3, 3}, "west": {-0.001, 0}}}
	distances, dimensions, err := Distances(t.Context(), m, []string{"east", "north-east", "west"})
	if err != nil || dimensions != 2 || fmt.Sprint(distances) != "[[] [2929] [10000 10000]]" {
		t.Errorf("%v, %d, %v", distances, dimensions, err)
	}
	largest := make([]float32, maxDimensions)
	for i := range largest {
		largest[i] = -3e38
	}
	raw, err := json.Marshal(integers(largest))
	if err != nil || 8*len(raw) > 200<<10 {
		t.Errorf("eight vectors have %d bytes, %v", 8*len(raw), err)
	}
	if v := integers([]float32{0, 0}); v[0] != 0 || v[1] != 0 {
		t.Errorf("no direction: %v", v)
	}
	if _, _, err := Distances(t.Context(), &texts{vectors: map[string][]float32{"a": make([]float32, maxDimensions+1)}}, []string{"a"}); err == nil {
		t.Error("too many numbers")
	}
	if _, _, err := Distances(t.Context(), &texts{vectors: map[string][]float32{"a": {1, 0}, "b": {1}}}, []string{"a", "b"}); err == nil || !strings.Contains(err.Error(), "several lengths") {
		t.Errorf("vectors of two lengths: %v", err)
	}
}
