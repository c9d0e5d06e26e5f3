package memory

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"ojud/agent/judge/class"
	"ojud/agent/likeness"
	"ojud/casefile"
	"ojud/voting"
)

var (
	me    = casefile.Address{1}
	other = casefile.Address{2}
)

func open(t testing.TB, home string, change func(*Config), who ...casefile.Address) *Learned {
	t.Helper()
	c := DefaultConfig()
	if change != nil {
		change(&c)
	}
	s, err := Open(home, append(who, me)[0], c, Deps{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// shows returns the value of a metric of the store.
func shows(t *testing.T, s *Learned, name string) float64 {
	t.Helper()
	reg := prometheus.NewRegistry()
	reg.MustRegister(s.metrics.entries, s.metrics.recalled)
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == name {
			return f.GetMetric()[0].GetGauge().GetValue() + f.GetMetric()[0].GetCounter().GetValue()
		}
	}
	t.Fatalf("no metric %s", name)
	return 0
}

func entry(n byte, round uint8, text string) Lesson {
	return Lesson{
		Case: casefile.Address{100, n}, Round: round, Class: class.Writing, Choice: casefile.Choice(voting.Reject), Verdict: casefile.Verdict(voting.ForCreator),
		Lines: []Point{{Outcome: casefile.Fail, Agree: 3, Of: 4}}, Embedding: likeness.Draw(text), At: int64(n),
	}
}

func learn(t testing.TB, s *Learned, all ...Lesson) {
	t.Helper()
	for _, e := range all {
		if err := s.Learn(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
}

// recall returns the recollections as case and round.
func recall(t testing.TB, s *Learned, c Search) string {
	t.Helper()
	found, err := s.Recall(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	out := ""
	for _, m := range found {
		out += fmt.Sprintf("%d.%d ", m.Case[1], m.Round)
	}
	return strings.TrimSpace(out)
}

const (
	owl  = "Write a poem about an owl in the old oak."
	owls = "Write a short poem about two owls in an oak."
	tax  = "Compute the tax on the invoice total and give it in euros."
)

// TestRecall: similar cases of the same class come back, the most similar first, with the last
// round of each. A case is never recalled into itself.
func TestRecall(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	facts := entry(9, 1, owl)
	facts.Class = class.Facts
	learn(t, s, entry(1, 1, owls), entry(1, 2, owls), entry(2, 1, tax), entry(3, 1, owl), facts)
	for _, c := range []struct {
		cue  Search
		want string
	}{
		{Search{Class: class.Writing, Text: owl}, "3.1 1.2"},
		{Search{Case: casefile.Address{100, 3}, Class: class.Writing, Text: owl}, "1.2"},
		{Search{Class: class.Writing, Text: tax}, "2.1"},
		{Search{Class: class.Facts, Text: owl}, "9.1"},
		{Search{Class: class.Code, Text: owl}, ""},
		{Search{Class: class.Writing, Text: "Translate 夜 and nothing else"}, ""},
		{Search{Class: class.Writing, Text: "?! --"}, ""},
		{Search{Class: class.Writing}, ""},
	} {
		if got := recall(t, s, c.cue); got != c.want {
			t.Errorf("%+v: %q, want %q", c.cue, got, c.want)
		}
	}
	one := open(t, filepath.Dir(filepath.Dir(s.Dir())), func(c *Config) { c.Recall = 1 })
	none := open(t, filepath.Dir(filepath.Dir(s.Dir())), func(c *Config) { c.Recall = 0 })
	strict := open(t, filepath.Dir(filepath.Dir(s.Dir())), func(c *Config) { c.Least = 0.99 })
	for want, s := range map[string]*Learned{"3.1": one, "": none, "3.1 ": strict} {
		if got := recall(t, s, Search{Class: class.Writing, Text: owl}); got != strings.TrimSpace(want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if n := shows(t, s, "ojud_memory_recalled_total"); n != 5 {
		t.Errorf("%g recalls are counted", n)
	}
}

// TestIsolation: a judge does not know the lessons of another judge of the same home (seed 004).
func TestIsolation(t *testing.T) {
	home := t.TempDir()
	mine, theirs := open(t, home, nil), open(t, home, nil, other)
	learn(t, mine, entry(1, 1, owl))
	if got := recall(t, theirs, Search{Class: class.Writing, Text: owl}); got != "" {
		t.Errorf("another judge recalls %q", got)
	}
	if n, err := theirs.Clear(t.Context()); n != 0 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if got := recall(t, mine, Search{Class: class.Writing, Text: owl}); got != "1.1" {
		t.Errorf("%q", got)
	}
}

// TestLearn: a round is learned once, the oldest are dropped first, and lessons survive a restart.
func TestLearn(t *testing.T) {
	home := t.TempDir()
	s := open(t, home, func(c *Config) { c.Keep = 3 })
	again := entry(4, 1, tax)
	again.Case = entry(1, 1, owl).Case
	learn(t, s, entry(1, 1, owl), again, entry(5, 1, tax), entry(3, 1, owls), entry(2, 1, owl))
	for name, s := range map[string]*Learned{"same": s, "opened again": open(t, home, nil)} {
		all, broken, err := s.List(t.Context())
		if err != nil || len(broken) != 0 || len(all) != 3 || all[0].Case[1] != 2 || all[1].Case[1] != 3 || all[2].Case[1] != 5 {
			t.Errorf("%s: %v, %v, %+v", name, err, broken, all)
		}
		if n := shows(t, s, "ojud_memory_entries"); n != 3 {
			t.Errorf("%s: %g entries are counted", name, n)
		}
	}
	for name, change := range map[string]func(*Lesson){
		"round": func(e *Lesson) { e.Round = 0 }, "class": func(e *Lesson) { e.Class = "x" }, "choice": func(e *Lesson) { e.Choice = 0 }, "lines": func(e *Lesson) { e.Lines = nil },
		"outcome": func(e *Lesson) { e.Lines[0].Outcome = "x" }, "samples": func(e *Lesson) { e.Lines[0].Of = 1 },
	} {
		e := entry(8, 1, owl)
		change(&e)
		if err := s.Learn(t.Context(), e); !errors.Is(err, errLesson) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestForget: if another process forgets a lesson, the judge no longer knows it.
func TestForget(t *testing.T) {
	home := t.TempDir()
	s, tool := open(t, home, nil), open(t, home, nil)
	learn(t, s, entry(1, 1, owl), entry(1, 2, owl), entry(2, 1, owls))
	if n, err := tool.Forget(t.Context(), entry(1, 1, owl).Case); n != 2 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if got := recall(t, s, Search{Class: class.Writing, Text: owl}); got != "2.1" {
		t.Errorf("%q", got)
	}
	if _, err := tool.Forget(t.Context(), other); !errors.Is(err, ErrNoCase) {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(s.Dir(), entry(3, 1, owl).file()), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if n, err := tool.Clear(t.Context()); n != 2 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if left, err := os.ReadDir(s.Dir()); err != nil || len(left) != 0 {
		t.Errorf("%v, %v", left, err)
	}
}

// TestBroken: if a kill or a disk damaged a file, the damage is reported and left out, and the rest
// counts. Open fails if the memory is not a folder.
func TestBroken(t *testing.T) {
	home := t.TempDir()
	s := open(t, home, nil)
	learn(t, s, entry(1, 1, owl), entry(2, 1, owl), entry(3, 1, owl), entry(4, 1, owl))
	whole, err := os.ReadFile(filepath.Join(s.Dir(), entry(1, 1, owl).file()))
	if err != nil {
		t.Fatal(err)
	}
	for n, text := range map[byte]string{2: string(whole[:len(whole)/2]), 3: string(whole), 4: strings.Repeat(" ", maxEntry+1)} {
		if err := os.WriteFile(filepath.Join(s.Dir(), entry(n, 1, owl).file()), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{entry(5, 1, owl).file() + ".new", "notes.txt"} {
		if err := os.WriteFile(filepath.Join(s.Dir(), name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s = open(t, home, nil)
	all, broken, err := s.List(t.Context())
	if err != nil || len(all) != 1 || len(broken) != 3 {
		t.Errorf("%d, %v, %v", len(all), broken, err)
	}
	if got := recall(t, s, Search{Class: class.Writing, Text: owl}); got != "1.1" {
		t.Errorf("%q", got)
	}
	home = t.TempDir()
	if err := os.WriteFile(filepath.Join(home, Folder), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(home, me, DefaultConfig(), Deps{}); err == nil {
		t.Error("a file is no memory")
	}
}

// TestAlike prints how alike tasks are. The least likeness was chosen from these numbers: go test
// ./agent/judge/memory -run Alike -v.
func TestAlike(t *testing.T) {
	c := DefaultConfig()
	for _, pair := range []struct {
		a, b string
		like bool
	}{
		{owl, owl, true}, {owl, owls, true}, {owl, "Compose a poem on an owl.", true},
		{"Summarise the article in three sentences for a child.", "Summarise this article in five sentences.", true},
		{"Extract all e-mail addresses from the text.", "Extract every e-mail address and phone number from the letter.", true},
		{"Add up the amounts in the table and give the total in euros.", tax, true},
		{owl, tax, false}, {owls, "Sort the names alphabetically, one a line.", false},
		{"Write a function in Go that reverses a list.", owl, false}, {"Summarise the article in three sentences for a child.", "Extract all e-mail addresses from the text.", false},
	} {
		cosine := 0.0
		a, _ := likeness.Draw(pair.a).Vector()
		b, _ := likeness.Draw(pair.b).Vector()
		for i := range a {
			cosine += float64(a[i]) * float64(b[i])
		}
		t.Logf("%.2f %5t %q, %q", cosine, pair.like, pair.a, pair.b)
		if pair.like != (cosine >= c.Least) {
			t.Errorf("%.2f, the least is %.2f: %q, %q", cosine, c.Least, pair.a, pair.b)
		}
	}
}

func TestConfig(t *testing.T) {
	if err := DefaultConfig().Validate(); err != nil {
		t.Fatal(err)
	}
	for field, change := range map[string]func(*Config){"max_recalled_cases": func(c *Config) { c.Recall = 9 }, "max_rounds": func(c *Config) { c.Keep = 0 }, "min_similarity": func(c *Config) { c.Least = 2 }} {
		c := DefaultConfig()
		change(&c)
		if _, err := Open(t.TempDir(), me, c, Deps{}); err == nil || !strings.Contains(err.Error(), "memory: "+field+" is") {
			t.Errorf("%s: %v", field, err)
		}
	}
	reg := prometheus.NewRegistry()
	for again := range 2 {
		if _, err := Open(t.TempDir(), me, DefaultConfig(), Deps{Metrics: reg}); (err != nil) != (again == 1) {
			t.Errorf("registered %d times before: %v", again, err)
		}
	}
	with := entry(1, 1, owl)
	if without := (Lesson{Choice: casefile.Choice(voting.Abstain), Verdict: casefile.Verdict(voting.Undecided)}); !with.With() || without.With() {
		t.Error("who was with the court")
	}
}

// FuzzDecode checks that a decoded lesson can be written, found and read again.
func FuzzDecode(f *testing.F) {
	e := entry(1, 1, owl)
	raw, err := e.encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw)
	f.Add([]byte(`{"case":"","round":1}`))
	f.Add(raw[:len(raw)-20])
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, err := decode(e.file(), raw)
		if err != nil {
			if !errors.Is(err, errLesson) {
				t.Error(err)
			}
			return
		}
		again, err := got.encode()
		if err != nil {
			t.Fatal(err)
		}
		if twice, err := decode(e.file(), again); err != nil || fmt.Sprint(twice) != fmt.Sprint(got) {
			t.Errorf("%v: %+v, %+v", err, got, twice)
		}
	})
}

// BenchmarkRecall measures a search through the default number of kept rounds.
func BenchmarkRecall(b *testing.B) {
	s := open(b, b.TempDir(), nil)
	for i := range DefaultConfig().Keep {
		e := entry(byte(i), 1, fmt.Sprintf("%s %d times", owl, i))
		e.Case[2] = byte(i >> 8)
		if err := s.add(b.Context(), e); err != nil {
			b.Fatal(err)
		}
		raw, err := e.encode()
		if err != nil {
			b.Fatal(err)
		}
		if err := errors.Join(os.MkdirAll(s.Dir(), 0o700), os.WriteFile(filepath.Join(s.Dir(), e.file()), raw, 0o600)); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if _, err := s.Recall(b.Context(), Search{Class: class.Writing, Text: owl}); err != nil {
			b.Fatal(err)
		}
	}
}
