package chair_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ojud/agent/judge/chair"
	"ojud/agent/judge/judgetest"
	"ojud/agent/judge/memory"
	"ojud/agent/model"
	"ojud/casefile"
	"ojud/voting"
)

// TestPersonas: if there are several personas, the one with the highest weight for the task's class
// judges the case, and the opinion names it.
func TestPersonas(t *testing.T) {
	url, asked := server(t)
	sums := poem
	sums.Task = `{"instruction":["Compute the total of the amounts."],"output_schema":{"text":"string"}}`
	for name, c := range map[string]struct {
		first  string
		more   []string
		papers judgetest.Papers
		says   string
	}{
		"sums":             {"", []string{"literal-reader", "recomputer"}, sums, "recomputer (calculation), for a task of the class arithmetic"},
		"a poem":           {"", []string{"recomputer", "literal-reader"}, poem, "literal-reader (specification), for a task of the class writing"},
		"alike: the first": {"cold-reader", []string{"quarantine"}, poem, "cold-reader (writing), for"},
		"one":              {"recomputer", nil, poem, "recomputer (calculation), for"},
		"none":             {"", nil, poem, ""},
	} {
		settings := settings(url)
		settings.Judge.Persona, settings.Judge.Personas = c.first, c.more
		seat, err := chair.Fill(settings, chair.Deps{Dir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		o, err := seat.Judge.Evaluate(t.Context(), judgetest.Brief(t, c.papers))
		all := fmt.Sprint(o.Findings)
		who, _, _ := strings.Cut(c.says, " ")
		if err != nil || !strings.Contains(all, c.says) || strings.Contains(all, "note/persona") != (c.says != "") || !strings.Contains(asked(), who) ||
			c.says != "" && !strings.Contains(c.says, "("+o.Dimension+")") {
			t.Errorf("%s: %v, %q, %s", name, err, o.Dimension, all)
		}
		for _, ref := range append(c.more, c.first) {
			if !strings.Contains(seat.PersonaText, ref) {
				t.Errorf("%s: %s is not among what no question may carry", name, ref)
			}
		}
		if err := seat.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestLearn: a judge's lessons from one case are in its prompt for another. Without an authority,
// or with the memory off, nothing is read or written.
func TestLearn(t *testing.T) {
	url, asked := server(t)
	for name, c := range map[string]struct {
		change func(*chair.Config, *chair.Deps)
		learns bool
	}{
		"on":           {func(*chair.Config, *chair.Deps) {}, true},
		"off":          {func(c *chair.Config, _ *chair.Deps) { c.Judge.Memory.On = false }, false},
		"no authority": {func(_ *chair.Config, d *chair.Deps) { d.Authority = casefile.Address{} }, false},
		"no folder": {func(_ *chair.Config, d *chair.Deps) {
			if err := os.WriteFile(filepath.Join(d.Dir, memory.Folder), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}, false},
	} {
		settings, deps := settings(url), chair.Deps{Dir: t.TempDir(), Authority: casefile.Address{5}}
		c.change(&settings, &deps)
		seat, err := chair.Fill(settings, deps)
		if err != nil {
			t.Fatal(err)
		}
		b := judgetest.Brief(t, poem)
		o, err := seat.Judge.Evaluate(t.Context(), b)
		if err != nil {
			t.Fatal(err)
		}
		o.Case, o.Round = casefile.Address{7}, 1
		for range 2 {
			if err := seat.Learn(t.Context(), b.Task.Value, o, casefile.Verdict(voting.ForCreator), 9); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if o, err = seat.Judge.Evaluate(t.Context(), b); err != nil {
			t.Fatal(err)
		}
		if says := fmt.Sprint(o.Findings); strings.Contains(says, "recalled 1 earlier cases") != c.learns || strings.Contains(asked(), "you voted accept, the case ended with reject") != c.learns {
			t.Errorf("%s: %s", name, says)
		}
		info, err := os.Stat(filepath.Join(deps.Dir, memory.Folder))
		if there := err == nil && info.IsDir(); there != c.learns {
			t.Errorf("%s: written: %t", name, there)
		}
		if err := seat.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestTape: a judge's requests to its model are recorded and replayed without the server, because
// the marks are the same. A recording from another folder has other marks. Only the owner can read
// the secret.
func TestTape(t *testing.T) {
	url, _ := server(t)
	tape, secrets := t.TempDir(), map[string]bool{}
	run := func(mode, dir, url string) (string, error) {
		c := settings(url)
		c.Models.Tape = model.Tape{Mode: mode, Dir: dir}
		seat, err := chair.Fill(c, chair.Deps{Dir: tape})
		if err != nil {
			return "", err
		}
		defer func() {
			if err := seat.Close(); err != nil {
				t.Error(err)
			}
		}()
		o, err := seat.Judge.Evaluate(t.Context(), judgetest.Brief(t, poem))
		return o.Model + ": " + voting.Choice(o.Choice).String(), err
	}
	for _, dir := range []string{"a", "b"} {
		if got, err := run(model.TapeRecord, dir, url); err != nil || got != "local: accept" {
			t.Fatal(got, err)
		}
		if got, err := run(model.TapeReplay, dir, "http://127.0.0.1:1/v1"); err != nil || got != "local: accept" {
			t.Errorf("%s: %s, %v", dir, got, err)
		}
		file := filepath.Join(tape, dir, "marks.secret")
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		secrets[string(raw)] = true
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
			t.Error(info.Mode(), err)
		}
	}
	if len(secrets) != 2 {
		t.Error("two recordings have one secret")
	}
	if err := os.WriteFile(filepath.Join(tape, "b", "marks.secret"), []byte(strings.Repeat("ab", 32)), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := run(model.TapeReplay, "b", "http://127.0.0.1:1/v1"); err != nil || got == "local: accept" {
		t.Errorf("other marks: %s, %v", got, err)
	}
	if err := os.WriteFile(filepath.Join(tape, "b", "marks.secret"), []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, mode := range []string{model.TapeReplay, model.TapeRecord} {
		if _, err := run(mode, "b", url); err == nil || !strings.Contains(err.Error(), "record again") {
			t.Errorf("%s: %v", mode, err)
		}
	}
}
