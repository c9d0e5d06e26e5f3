package brain

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ojud/cmd/ojud/cli"
	"ojud/test/longtest"
)

// run runs a command line, and returns what it writes.
func run(args ...string) (string, error) {
	var out, faults bytes.Buffer
	cmd := Command(cli.New(nil, &out, &faults))
	cmd.SetArgs(args)
	err := cmd.Execute()
	return out.String(), err
}

// settled settles the example after a replacement.
func settled(t *testing.T, old, changed string) (string, error) {
	t.Helper()
	text, err := run("example")
	if err != nil || !strings.Contains(text, old) {
		t.Fatalf("%v: the example has no %q: %s", err, old, text)
	}
	name := filepath.Join(t.TempDir(), "task.json")
	if err := os.WriteFile(name, []byte(strings.ReplaceAll(text, old, changed)), 0o600); err != nil {
		t.Fatal(err)
	}
	return run("settle", name)
}

// TestExample: the example has a copy, a result outside the cluster, and an outlier.
func TestExample(t *testing.T) {
	text, err := settled(t, "ada", "ada")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"settled", "copied the result of ada", "outside the dominant cluster", "far from what the others agree on", "exceptional"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
}

// TestHostileName: names from a stranger do not reach the terminal as they are.
func TestHostileName(t *testing.T) {
	text, err := settled(t, `"ada"`, `"\u001b[2J\u202eada\nfake line"`)
	if err != nil || strings.ContainsAny(text, "\x1b\u202e") || strings.Contains(text, "\nfake line") {
		t.Errorf("%v: %q", err, text)
	}
}

// TestSim: the simulation prints its figures and a picture, and refuses what it cannot play.
func TestSim(t *testing.T) {
	longtest.Only(t)
	play := func(args ...string) (string, error) {
		var out, faults bytes.Buffer
		cmd := Sim(cli.New(nil, &out, &faults))
		cmd.SetArgs(args)
		err := cmd.Execute()
		return out.String(), err
	}
	picture := filepath.Join(t.TempDir(), "brain.svg")
	text, err := play("--tasks", "2000", "--svg", picture)
	if err != nil || !strings.Contains(text, "copying workers") || !strings.Contains(text, "PROMISES") {
		t.Errorf("%v:\n%s", err, text)
	}
	if raw, err := os.ReadFile(picture); err != nil || !strings.HasPrefix(string(raw), "<svg") {
		t.Errorf("%v: %.40s", err, raw)
	}
	if _, err := play("--tasks", "1"); err == nil || !strings.Contains(err.Error(), "100 to 1000000") {
		t.Errorf("%v", err)
	}
}

// TestReputation: a log of events is played, and an event that cannot be is named.
func TestReputation(t *testing.T) {
	name := filepath.Join(t.TempDir(), "log.json")
	play := func(score string) (string, error) {
		stamps := strings.Repeat(`{"at":1,"agent":"eve\u001b[2J","role":"evaluator","class":"maths","seen":[{"right":true,"score":85},{"right":false,"score":`+score+`}]},`, 4)
		log := `{"events":[{"at":0,"agent":"eve\u001b[2J","role":"evaluator","vouched_by":"ada","stake":"5000000000","share_bps":1000},` +
			`{"at":0,"agent":"eve\u001b[2J","role":"evaluator","agrees_with":"ada"},` + stamps + `{"at":2,"agent":"ada","role":"worker","class":"maths","passed":true}]}`
		if err := os.WriteFile(name, []byte(log), 0o600); err != nil {
			t.Fatal(err)
		}
		return run("reputation", name)
	}
	text, err := play("85")
	if err != nil || strings.Contains(text, "\x1b") {
		t.Fatalf("%v: %q", err, text)
	}
	for _, want := range []string{"1970-01-31", "LOST BY", "5 SOL", "REPUTATION"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
	if text, err := play("20"); err != nil || strings.Contains(text, "LOST BY") {
		t.Errorf("control: one that tells is frozen: %v\n%s", err, text)
	}
	if _, err := play("101"); err == nil || !strings.Contains(err.Error(), "events[2].seen has a score") {
		t.Errorf("%v", err)
	}
}

// TestRefused: the error says what is wrong with a file.
func TestRefused(t *testing.T) {
	if _, err := settled(t, `"score": 92`, `"score": 101`); err == nil || !strings.Contains(err.Error(), "evaluations[0].score is 101; it is 0 to 100") {
		t.Errorf("%v", err)
	}
}
