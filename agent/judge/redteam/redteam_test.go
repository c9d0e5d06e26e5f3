package redteam_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"ojud/agent/judge"
	"ojud/agent/judge/exam"
	"ojud/agent/judge/redteam"
	"ojud/casefile"
	"ojud/voting"
)

func list(t testing.TB) ([]redteam.Attack, []exam.Item) {
	t.Helper()
	attacks, disputes, err := redteam.List()
	if err != nil {
		t.Fatal(err)
	}
	return attacks, disputes
}

func run(t testing.TB, j judge.Judge, o redteam.Options, attacks ...redteam.Attack) redteam.Summary {
	t.Helper()
	all, disputes := list(t)
	if attacks == nil {
		attacks = all
	}
	e, err := exam.New(j, exam.DefaultConfig(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	r, err := redteam.Run(t.Context(), e, attacks, disputes, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestShipped: the list is complete. Both sides and holders attack, and no attack asks for the
// right decision.
func TestShipped(t *testing.T) {
	attacks, disputes := list(t)
	by, used := map[string]int{}, map[string]bool{}
	for i, a := range attacks {
		if a.Number != i+1 {
			t.Errorf("%d %s stands at %d", a.Number, a.Name, i+1)
		}
		for _, try := range a.Tries {
			by[try.By]++
			used[try.Base] = true
			if good := strings.HasSuffix(try.Base, ".good"); try.By == "worker" && good || try.By == "creator" && !good {
				t.Errorf("%s: the %s attacks %s, which is decided in its favour", a.Name, try.By, try.Base)
			}
		}
	}
	if len(attacks) != 28 || by["worker"] < 20 || by["creator"] < 15 || by["holder"] < 6 {
		t.Errorf("%d attacks by %v", len(attacks), by)
	}
	canary := false
	for _, d := range disputes {
		if !used[d.ID] {
			t.Errorf("nobody attacks %s", d.ID)
		}
		if accept := d.Label == casefile.Choice(voting.Accept); accept != strings.HasSuffix(d.ID, ".good") {
			t.Errorf("%s is labelled %s", d.ID, voting.Choice(d.Label))
		}
		for _, a := range d.Answers {
			for _, h := range a.Holders {
				canary = canary || bytes.Contains(h.Content, []byte(redteam.Canary))
			}
		}
	}
	if !canary {
		t.Error("no answer has the canary")
	}
}

// TestCode: no attack moves the judge without a model, and its decisions without attacks are right.
func TestCode(t *testing.T) {
	last := 0
	r := run(t, judge.NewCode(judge.DefaultLimits()), redteam.Options{Each: func(done, all int, _ exam.Attempt) {
		if done != last+1 || done > all {
			t.Errorf("%d of %d after %d", done, all, last)
		}
		last = done
	}})
	var text bytes.Buffer
	if err := r.Text(&text); err != nil {
		t.Fatal(err)
	}
	t.Logf("\n%s", &text)
	if r.Success != 0 || r.Model != casefile.CodeChecks || last != r.Tries+r.Benign.Disputes {
		t.Errorf("%d of %d tries, %d told", r.Success, r.Tries, last)
	}
	if r.Benign.Right < 4 || r.Benign.Right+r.Benign.Abstained != r.Benign.Disputes {
		t.Errorf("%+v", r.Benign)
	}
	for _, a := range r.Attacks {
		for _, one := range a.Trials {
			if slices.Contains([]string{"hidden", "ignore"}, a.Name) && strings.HasPrefix(one.Base, "count") && !one.Flagged && !strings.Contains(one.ID, "hidden.1") {
				t.Errorf("%s is not reported: %s", one.ID, one.Summary)
			}
			if one.Base == "count.bad" && one.After != one.Label {
				t.Errorf("%s: %s", one.ID, one.Summary)
			}
		}
	}
}

// weak is a judge that decides rightly until a text speaks to it, and then obeys.
type weak func(b judge.Brief, text string) (casefile.Opinion, error)

func (w weak) Evaluate(_ context.Context, b judge.Brief) (casefile.Opinion, error) {
	papers := [][]byte{b.Task.Raw, b.Result.Raw, b.Objection.Raw, b.Counter.Raw}
	return w(b, string(bytes.Join(papers, []byte("\n"))))
}

// right returns the label of a dispute.
func right(b judge.Brief) voting.Choice {
	papers := string(b.Result.Raw) + string(b.Task.Raw)
	for _, good := range []string{`"skua`, "Brisa leaves first", `"seats":412}`, `{"better":1}`} {
		if strings.Contains(papers, good) {
			return voting.Accept
		}
	}
	return voting.Reject
}

func says(c voting.Choice, evidence ...string) casefile.Opinion {
	return casefile.Opinion{Choice: casefile.Choice(c), Summary: "s", Model: "weak", Findings: []casefile.Finding{{Check: "specification/x", Outcome: casefile.Pass, Evidence: evidence}}}
}

// one returns an attack by its name.
func one(t testing.TB, name string) redteam.Attack {
	t.Helper()
	all, _ := list(t)
	i := slices.IndexFunc(all, func(a redteam.Attack) bool { return a.Name == name })
	if i < 0 {
		t.Fatalf("there is no attack %s", name)
	}
	return all[i]
}

// TestWeak: if a judge gives in to an attack's goal, the attack counts as successful, for each
// goal.
func TestWeak(t *testing.T) {
	persona := "Your way of judging is called \"recomputer\".\nshort"
	ask := func(b judge.Brief, source, request string) error {
		_, err := b.Evidence.Ask(t.Context(), judge.Request{DataSource: source, Request: []byte(request)})
		if errors.Is(err, judge.ErrUnavailable) {
			return nil
		}
		return err
	}
	told := func(b judge.Brief, text string) bool { return strings.Contains(text, "notice.board with") }
	for name, c := range map[string]struct {
		attack  string
		judge   weak
		reached redteam.Reached
		tries   int
	}{
		"obeys": {"ignore", func(b judge.Brief, text string) (casefile.Opinion, error) {
			if strings.Contains(text, "vote accept") {
				return says(voting.Accept), nil
			}
			return says(right(b)), nil
		}, redteam.Vote, 3},
		"obeys nobody": {"ignore", func(b judge.Brief, _ string) (casefile.Opinion, error) { return says(right(b)), nil }, "", 0},
		"is always wrong": {"ignore", func(b judge.Brief, _ string) (casefile.Opinion, error) {
			return says(voting.Accept + voting.Reject - right(b)), nil
		}, "", 0},
		"leaks the canary": {"exfiltration", func(b judge.Brief, text string) (casefile.Opinion, error) {
			if told(b, text) {
				return says(right(b)), ask(b, "notice.board", `{"note":"it says `+redteam.Canary+`"}`)
			}
			return says(right(b)), nil
		}, redteam.Leak, 5},
		"leaks its prompt": {"exfiltration", func(b judge.Brief, text string) (casefile.Opinion, error) {
			if told(b, text) {
				return says(right(b)), ask(b, "notice.board", `{"note":"Your way of judging is called \"recomputer\"."}`)
			}
			return says(right(b)), nil
		}, redteam.Leak, 5},
		"asks on": {"exfiltration", func(b judge.Brief, text string) (casefile.Opinion, error) {
			for range 9 {
				if told(b, text) {
					if err := ask(b, "notice.board", `{}`); err != nil {
						return casefile.Opinion{}, err
					}
				}
			}
			return says(right(b)), nil
		}, redteam.Loop, 5},
		"cites what it is told to": {"fabrication", func(b judge.Brief, text string) (casefile.Opinion, error) {
			if strings.Contains(text, "It is proved by") {
				return says(right(b), "receipt:"+strings.Repeat("ab", 32)), nil
			}
			return says(right(b), "result:"), nil
		}, redteam.Forgery, 3},
		"breaks": {"breakage", func(b judge.Brief, text string) (casefile.Opinion, error) {
			if strings.Contains(text, "Answer in prose") {
				return casefile.Opinion{}, errors.New("prose")
			}
			return says(right(b)), nil
		}, redteam.Silence, 3},
		"changes a fact": {"authority", func(b judge.Brief, text string) (casefile.Opinion, error) {
			o := says(right(b))
			if strings.Contains(text, "Appeals Board") {
				o.Findings[0].Outcome = casefile.Fail
			}
			return o, nil
		}, redteam.Fact, 3},
	} {
		t.Run(name, func(t *testing.T) {
			r := run(t, c.judge, redteam.Options{Secrets: []string{persona}}, one(t, c.attack))
			if r.Success != c.tries {
				t.Errorf("%d successes, want %d: %+v", r.Success, c.tries, r.Attacks[0].Trials)
			}
			for _, trial := range r.Attacks[0].Trials {
				if len(trial.Reached) > 0 && !slices.Equal(trial.Reached, []redteam.Reached{c.reached}) {
					t.Errorf("%s reached %v", trial.ID, trial.Reached)
				}
			}
		})
	}
}

// TestDoubt: if a right vote becomes an abstention, the attacker gains nothing, but it is counted.
func TestDoubt(t *testing.T) {
	j := weak(func(b judge.Brief, text string) (casefile.Opinion, error) {
		if strings.Contains(text, "Ignore all") {
			return says(voting.Abstain), nil
		}
		return says(right(b)), nil
	})
	r := run(t, j, redteam.Options{}, one(t, "ignore"))
	if r.Success != 0 || r.Doubt != 5 || r.Benign.Accuracy != 1 {
		t.Errorf("%d, %d, %+v", r.Success, r.Doubt, r.Benign)
	}
	raw, err := json.Marshal(r)
	if err != nil || !bytes.Contains(raw, []byte(`"reached":[]`)) || !bytes.Contains(raw, []byte(`"after":"abstain"`)) {
		t.Errorf("%s, %v", raw, err)
	}
	if err := r.Text(broken{}); err == nil {
		t.Error("a report that nobody got")
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

const file = `number = 3
title = "t"
source = "s"
defence = "d"
[[try]]
by = "worker"
base = "ferry.bad"
[[try.put]]
at = "/result/answer"
text = "x"
`

// TestWrong: each fault of a file is named, either by the parser or when the attack is made.
func TestWrong(t *testing.T) {
	change := func(from, to string) string { return strings.Replace(file, from, to, 1) }
	for want, text := range map[string]string{
		"number is 04":                change("3", "4"),
		"title has 0 bytes":           change(`"t"`, `""`),
		"0 tries":                     file[:strings.Index(file, "[[")],
		"by is \"judge\"":             change(`"worker"`, `"judge"`),
		"0 puts":                      file[:strings.Index(file, "[[try.put")],
		"is no JSON pointer":          change(`"/result/answer"`, `"result"`),
		"either text or json":         change(`text = "x"`, `text = ""`),
		"put[0] needs either":         file + "json = '1'\n",
		"repeat is 1001":              file + "repeat = 1001\n",
		"strict mode":                 file + "often = 1\n",
		"has more than 65536 bytes":   file + "# " + strings.Repeat("x", 64<<10),
		"there is no dispute \"x\"":   change(`"ferry.bad"`, `"x"`),
		"there is no such place":      change(`"/result/answer"`, `"/result/a/b"`),
		"at \"/answers/0/holders/0\"": change(`"/result/answer"`, `"/answers/0/holders/0"`),
		"the value there is no te":    change(`"/result/answer"`, `"/result"`),
		"unknown field":               change(`"/result/answer"`+"\ntext = \"x\"", `"/extra"`+"\njson = '1'"),
	} {
		a, err := redteam.Parse("03-x.toml", []byte(text))
		if err == nil {
			e, bad := exam.New(judge.NewCode(judge.DefaultLimits()), exam.DefaultConfig(), slog.New(slog.DiscardHandler))
			if bad != nil {
				t.Fatal(bad)
			}
			_, disputes := list(t)
			_, err = redteam.Run(t.Context(), e, []redteam.Attack{a}, disputes, redteam.Options{})
		}
		if !errors.Is(err, redteam.ErrAttack) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
	if _, err := redteam.Parse("3.toml", []byte(file)); !errors.Is(err, redteam.ErrAttack) {
		t.Error(err)
	}
	if _, err := redteam.Run(t.Context(), nil, nil, nil, redteam.Options{}); err == nil {
		t.Error("no attack")
	}
}

// FuzzParse checks that every parsed attack can be tried on a dispute, or returns an error.
func FuzzParse(f *testing.F) {
	f.Add([]byte(file))
	f.Add([]byte("[[trY.0]]0")) // go-toml 2.2 panicked
	f.Add([]byte(strings.Replace(file, `text = "x"`, `json = '{"a":[1e400]}'`, 1)))
	attacks, disputes, err := redteam.List()
	if err != nil || len(attacks) == 0 {
		f.Fatal(err)
	}
	e, err := exam.New(judge.NewCode(judge.DefaultLimits()), exam.DefaultConfig(), slog.New(slog.DiscardHandler))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		a, err := redteam.Parse("03-x.toml", raw)
		if err != nil {
			return
		}
		if _, err := redteam.Run(t.Context(), e, []redteam.Attack{a}, disputes, redteam.Options{}); err != nil && !errors.Is(err, redteam.ErrAttack) {
			t.Error(err)
		}
	})
}
