package exam_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"log/slog"
	"math"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ojud/agent"
	"ojud/agent/judge"
	"ojud/agent/judge/account"
	"ojud/agent/judge/class"
	"ojud/agent/judge/exam"
	"ojud/casefile"
	"ojud/voting"
)

func silence() *slog.Logger { return slog.New(slog.DiscardHandler) }

func own(t testing.TB) []exam.Item {
	t.Helper()
	items, err := exam.Own()
	if err != nil {
		t.Fatal(err)
	}
	return items
}

func examiner(t testing.TB, j judge.Judge, c exam.Config) *exam.Examiner {
	t.Helper()
	e, err := exam.New(j, c, silence())
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// opines is a judge made from a function.
type opines func(ctx context.Context, b judge.Brief) (casefile.Opinion, error)

func (f opines) Evaluate(ctx context.Context, b judge.Brief) (casefile.Opinion, error) {
	return f(ctx, b)
}

func opinion(c voting.Choice) casefile.Opinion {
	return casefile.Opinion{Choice: casefile.Choice(c), Summary: "so", Model: "test", Findings: []casefile.Finding{}}
}

// TestCode: the judge without a model never takes the wrong side in the shipped exam. It abstains
// if only a reader can judge.
func TestCode(t *testing.T) {
	told := 0
	r, err := examiner(t, judge.NewCode(judge.DefaultLimits()), exam.DefaultConfig()).Examine(t.Context(), own(t), func(exam.Attempt) { told++ })
	if err != nil {
		t.Fatal(err)
	}
	if s := r.All; s.PaysWrongly+s.RefundsWrongly+s.NoOpinion > 0 || s.Right < 8 || s.Right+s.Abstained != s.Items || told != s.Items {
		t.Errorf("%+v, told %d", s, told)
	}
	if r.Model != casefile.CodeChecks || r.Classes[class.Facts].Right < 3 {
		t.Errorf("%s %+v", r.Model, r.Classes[class.Facts])
	}
	var text bytes.Buffer
	if err := r.Text(&text); err != nil {
		t.Fatal(err)
	}
	t.Logf("\n%s", &text)
}

// TestClasses counts how often the class guessed from a task is the exam's class.
func TestClasses(t *testing.T) {
	right, all := 0, 0
	for _, i := range own(t) {
		var task casefile.Task
		if err := json.Unmarshal(i.Task, &task); err != nil {
			t.Fatal(err)
		}
		all++
		if class.Of(task) == i.Class {
			right++
		} else if strings.HasSuffix(i.ID, ".good") {
			t.Logf("%s is taken for %s", i.ID, class.Of(task))
		}
	}
	t.Logf("%d of %d", right, all)
	if right*10 < all*8 {
		t.Errorf("only %d of %d", right, all)
	}
}

// candid is a judge that gives an account of itself.
type candid struct {
	opines
	account func(b judge.Brief) account.Account
}

func (c candid) Account(ctx context.Context, b judge.Brief) (casefile.Opinion, account.Account, error) {
	o, err := c.opines(ctx, b)
	return o, c.account(b), err
}

// four returns items with the labels accept, accept, reject, reject.
func four(t testing.TB) []exam.Item {
	t.Helper()
	i := own(t)
	return []exam.Item{i[0], i[2], i[1], i[3]}
}

// TestGrade checks every number of the report against a calculation by hand.
func TestGrade(t *testing.T) {
	items := four(t)
	votes := map[voting.Key]voting.Choice{items[0].Key(): voting.Accept, items[1].Key(): voting.Reject, items[2].Key(): voting.Accept, items[3].Key(): voting.Abstain}
	sure := map[voting.Key]float64{items[0].Key(): 0.9, items[1].Key(): 0.25, items[2].Key(): 0.75, items[3].Key(): 0.5}
	j := candid{
		opines: func(_ context.Context, b judge.Brief) (casefile.Opinion, error) { return opinion(votes[b.Case]), nil },
		account: func(b judge.Brief) account.Account {
			p := sure[b.Case]
			return account.Account{Accept: &p, Swapped: 2, Flipped: int(p), Usage: agent.Usage{Calls: 1, Prompt: 100, Completion: 10, Cost: 50}}
		},
	}
	r, err := examiner(t, j, exam.DefaultConfig()).Examine(t.Context(), items, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := r.All
	if s.Items != 4 || s.Right != 1 || s.RefundsWrongly != 1 || s.PaysWrongly != 1 || s.Abstained != 1 || s.NoOpinion != 0 ||
		s.Accuracy != 0.25 || s.Decided != 1.0/3 || s.PayRate != 0.5 || s.RefundRate != 0.5 {
		t.Errorf("%+v", s)
	}
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-4 {
			t.Errorf("%s is %g, want %g", what, got, want)
		}
	}
	near("low", s.Low, 0.0456) // Wilson interval of 1 of 4 by hand
	near("high", s.High, 0.6994)
	near("Brier", r.Calibration.Brier, (0.01+0.5625+0.5625+0.25)/4)
	near("ECE", r.Calibration.ECE, (0.1+2*0.75)/3) // 0.9 sure and right; twice 0.75 sure and wrong
	if c := r.Calibration; c.Stated != 4 || len(c.Bins) != 2 || c.Bins[0] != (exam.Bin{From: 0.7, Votes: 2, Confidence: 0.75}) {
		t.Errorf("%+v", c)
	}
	if r.Order != (exam.Order{Swapped: 8}) || r.Usage.Cost != 200 || r.Usage.Calls != 4 || len(r.Items) != 4 {
		t.Errorf("%+v %+v", r.Order, r.Usage)
	}
	var text bytes.Buffer
	if err := r.Text(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Exam of test: 4 disputes", "1 of 4 (25 %)", "pays wrongly", items[1].ID + ": reject, should be accept", "0 of 8", "0.0002 USD"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is missing in\n%s", want, &text)
		}
	}
	if err := r.Text(broken{}); err == nil {
		t.Error("a report that nobody got")
	}
	if raw, err := json.Marshal(exam.Grade(nil)); err != nil || !bytes.Contains(raw, []byte(`"items":[]`)) {
		t.Errorf("%s, %v", raw, err)
	}
}

var rewrite = flag.Bool("rewrite", false, "write the files in testdata anew")

// TestText compares a report's text with testdata/report.txt. go test ./agent/judge/exam -run
// TestText -rewrite writes that file.
func TestText(t *testing.T) {
	var heard []exam.Attempt
	for n, i := range own(t) {
		h := exam.Attempt{Item: i, Opinion: opinion(voting.Choice(i.Label)), Took: time.Duration(n+1) * 500 * time.Millisecond}
		sure := []float64{0.95, 0.85, 0.6}[n%3]
		switch {
		case n%12 == 5:
			h.Opinion.Choice = casefile.Choice(voting.Abstain)
			sure = 0.5
		case n%12 == 9:
			h.Opinion.Choice = casefile.Choice(voting.Accept + voting.Reject - voting.Choice(i.Label))
			h.Opinion.Summary = "The rule was read otherwise."
		case n == 20:
			h.Opinion.Choice, h.Err = casefile.Choice(voting.Abstain), judge.ErrDeadline
			h.Opinion.Summary = "This seat abstains: no opinion before the deadline"
		}
		if h.Opinion.Choice == casefile.Choice(voting.Reject) {
			sure = 1 - sure
		}
		h.Account = account.Account{Accept: &sure, Swapped: 1, Flipped: n % 9 / 8, Usage: agent.Usage{Calls: 6, Prompt: 5000, Completion: 700, Cost: 2100}}
		heard = append(heard, h)
	}
	var text bytes.Buffer
	if err := exam.Grade(heard).Text(&text); err != nil {
		t.Fatal(err)
	}
	const file = "testdata/report.txt"
	if *rewrite {
		if err := os.WriteFile(file, text.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(file); err != nil || !bytes.Equal(want, text.Bytes()) {
		t.Errorf("%v, another text:\n%s", err, &text)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// TestBadJudges: a judge that hangs, fails, panics or gives an opinion that cannot be a vote has no
// opinion. It takes no time from the others.
func TestBadJudges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		items := four(t)
		broke := errors.New("broke")
		j := opines(func(ctx context.Context, b judge.Brief) (casefile.Opinion, error) {
			switch b.Case {
			case items[0].Key():
				<-ctx.Done()
				return casefile.Opinion{}, ctx.Err()
			case items[1].Key():
				return casefile.Opinion{}, broke
			case items[2].Key():
				panic("judge")
			}
			return casefile.Opinion{Choice: 1, Summary: strings.Repeat("x", 4000), Model: "m"}, nil
		})
		heard, err := examiner(t, j, exam.Config{Parallel: 1, Limit: time.Minute, Grace: time.Second}).Hear(t.Context(), items, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []error{judge.ErrDeadline, broke, judge.ErrPanic, judge.ErrOpinion} {
			if h := heard[i]; !errors.Is(h.Err, want) || h.Choice() != voting.Abstain {
				t.Errorf("%s: %v", h.Item.ID, h.Err)
			}
		}
		if heard[0].Took != time.Minute || heard[3].Took != 0 {
			t.Errorf("%s, %s", heard[0].Took, heard[3].Took)
		}
		if s := exam.Grade(heard).All; s.NoOpinion != 4 || s.Abstained != 0 {
			t.Errorf("%+v", s)
		}
	})
}

// TestStubborn: if a judge does not stop, the exam hears all others and then returns an error.
func TestStubborn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		items := four(t)
		j := opines(func(_ context.Context, b judge.Brief) (casefile.Opinion, error) {
			if b.Case == items[0].Key() {
				<-release
			}
			return opinion(voting.Accept), nil
		})
		heard, err := examiner(t, j, exam.Config{Parallel: 2, Limit: time.Minute, Grace: time.Second}).Hear(t.Context(), items, nil)
		if err == nil || !strings.Contains(err.Error(), "still running") || len(heard) != 4 || heard[3].Err != nil {
			t.Errorf("%v, %d", err, len(heard))
		}
		close(release)
		synctest.Wait()
	})
}

// TestOverdue: a judge that works past its deadline takes no time from the next dispute.
func TestOverdue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		items := four(t)
		j := opines(func(_ context.Context, b judge.Brief) (casefile.Opinion, error) {
			if b.Case == items[0].Key() {
				time.Sleep(time.Hour)
			}
			return opinion(voting.Accept), nil
		})
		heard, err := examiner(t, j, exam.Config{Parallel: 1, Limit: time.Minute, Grace: time.Second}).Hear(t.Context(), items, nil)
		if err == nil || len(heard) != 4 || heard[1].Took != 0 || heard[1].Err != nil {
			t.Errorf("%v: %s, %v", err, heard[1].Took, heard[1].Err)
		}
		time.Sleep(time.Hour)
	})
}

// TestParallel: the exam runs exactly the configured number of disputes at once.
func TestParallel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var now, most atomic.Int32
		j := opines(func(context.Context, judge.Brief) (casefile.Opinion, error) {
			most.Store(max(most.Load(), now.Add(1)))
			time.Sleep(time.Second)
			now.Add(-1)
			return opinion(voting.Accept), nil
		})
		begin := time.Now()
		if _, err := examiner(t, j, exam.Config{Parallel: 3, Limit: time.Minute, Grace: time.Second}).Hear(t.Context(), own(t), nil); err != nil {
			t.Fatal(err)
		}
		if most.Load() != 3 || time.Since(begin) != 24*time.Second {
			t.Errorf("%d at once, %s", most.Load(), time.Since(begin))
		}
	})
}

// TestStop: an exam ends soon after its context, and its error says so.
func TestStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithTimeout(t.Context(), 2*time.Second)
		defer stop()
		j := opines(func(ctx context.Context, _ judge.Brief) (casefile.Opinion, error) {
			<-ctx.Done()
			return casefile.Opinion{}, ctx.Err()
		})
		begin := time.Now()
		_, err := examiner(t, j, exam.DefaultConfig()).Examine(ctx, own(t), nil)
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) != 2*time.Second {
			t.Errorf("%v after %s", err, time.Since(begin))
		}
	})
}

func TestTwice(t *testing.T) {
	items := four(t)
	items[1] = items[0]
	if _, err := examiner(t, judge.NewCode(judge.DefaultLimits()), exam.DefaultConfig()).Hear(t.Context(), items, nil); !errors.Is(err, judge.ErrRepeated) {
		t.Errorf("%v", err)
	}
}

func TestConfig(t *testing.T) {
	for _, c := range []struct {
		change func(*exam.Config)
		want   string
	}{
		{func(c *exam.Config) { c.Parallel = 0 }, "parallel is 0"}, {func(c *exam.Config) { c.Parallel = 33 }, "1 to 32"},
		{func(c *exam.Config) { c.Limit = 0 }, "limit is 0s"}, {func(c *exam.Config) { c.Limit = 2 * time.Hour }, "1s to 1h"},
		{func(c *exam.Config) { c.Grace = 0 }, "grace is 0s"},
	} {
		cfg := exam.DefaultConfig()
		c.change(&cfg)
		if _, err := exam.New(nil, cfg, silence()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

// TestDown: an exam ends with the cause if the judge's models are down, but not if one of them
// answers in between.
func TestDown(t *testing.T) {
	for _, c := range []struct {
		name   string
		answer int // every n-th dispute has an answer; 0: none
		ended  bool
	}{{"dead", 0, true}, {"flaky", 3, false}} {
		t.Run(c.name, func(t *testing.T) {
			var asked atomic.Int32
			j := candid{
				opines: func(context.Context, judge.Brief) (casefile.Opinion, error) { return opinion(voting.Abstain), nil },
				account: func(judge.Brief) account.Account {
					if n := asked.Add(1); c.answer > 0 && int(n)%c.answer == 0 {
						return account.Account{Usage: agent.Usage{Calls: 1}}
					}
					return account.Account{Down: "no connection", Usage: agent.Usage{Calls: 3}}
				},
			}
			cfg := exam.DefaultConfig()
			cfg.Parallel = 1
			_, err := examiner(t, j, cfg).Examine(t.Context(), own(t), nil)
			if ended := errors.Is(err, exam.ErrDown) && strings.Contains(err.Error(), "no connection"); ended != c.ended {
				t.Errorf("%v", err)
			}
			if n := int(asked.Load()); c.ended && n != 4 || !c.ended && n != len(own(t)) {
				t.Errorf("%d disputes were heard", n)
			}
		})
	}
}
