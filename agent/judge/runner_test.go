package judge_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ojud/agent/judge"
	"ojud/agent/judge/judgetest"
	"ojud/agent/judge/places"
	"ojud/casefile"
	"ojud/voting"
)

func newRunner(t *testing.T, j judge.Judge) *judge.Runner {
	t.Helper()
	r, err := judge.NewRunner(j, judge.DefaultConfig(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func start(t *testing.T, r *judge.Runner, b judge.Brief) <-chan judge.Verdict {
	t.Helper()
	out, err := r.Start(context.Background(), b, places.Worth{})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// There is an opinion in time, however the judge behaves.
func TestRunner(t *testing.T) {
	good := judgetest.Opinion(voting.Reject)
	change := func(f func(*casefile.Opinion)) casefile.Opinion {
		o := judgetest.Opinion(voting.Accept)
		f(&o)
		return o
	}
	down := errors.New("model \u202edown\x00")
	for _, c := range []struct {
		name  string
		line  judgetest.Turn
		want  voting.Choice
		class error
		took  time.Duration
	}{
		{"an opinion", judgetest.Turn{Opinion: good, After: 2 * time.Minute}, voting.Reject, nil, 2 * time.Minute},
		{"an error", judgetest.Turn{Err: down}, voting.Abstain, down, 0},
		{"a panic", judgetest.Turn{Panic: "boom"}, voting.Abstain, judge.ErrPanic, 0},
		{"too late", judgetest.Turn{Opinion: good, After: 2 * time.Hour}, voting.Abstain, judge.ErrDeadline, time.Hour},
		{"never", judgetest.Turn{Hang: true}, voting.Abstain, judge.ErrDeadline, time.Hour},
		{"no choice", judgetest.Turn{Opinion: change(func(o *casefile.Opinion) { o.Choice = 0 })}, voting.Abstain, judge.ErrOpinion, 0},
		{"invented data", judgetest.Turn{Opinion: change(func(o *casefile.Opinion) { o.DataAccessed = []casefile.Access{{Tool: "twitter"}} })}, voting.Abstain, judge.ErrOpinion, 0},
		{"long summary", judgetest.Turn{Opinion: change(func(o *casefile.Opinion) { o.Summary = strings.Repeat("x", 1<<20) })}, voting.Abstain, judge.ErrOpinion, 0},
		{"broken text", judgetest.Turn{Opinion: change(func(o *casefile.Opinion) { o.Summary = "\xff" })}, voting.Abstain, judge.ErrOpinion, 0},
		{"many findings", judgetest.Turn{Opinion: change(func(o *casefile.Opinion) { o.Findings = make([]casefile.Finding, 1000) })}, voting.Abstain, judge.ErrOpinion, 0},
		{"no lists", judgetest.Turn{Opinion: change(func(o *casefile.Opinion) { o.Findings = nil })}, voting.Accept, nil, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRunner(t, judgetest.NewScript(t, c.line))
				b := judgetest.Brief(t, judgetest.Papers{})
				v := <-start(t, r, b)
				o := v.Opinion.Value
				if voting.Choice(o.Choice) != c.want || !errors.Is(v.Err, c.class) || v.Took != c.took {
					t.Errorf("%s after %s: %v", voting.Choice(o.Choice), v.Took, v.Err)
				}
				if o.Case != casefile.Address(b.Case) || o.Round != b.Round || o.Judge != casefile.Address(b.Judge) || len(o.DataAccessed) != 0 {
					t.Errorf("%+v", o)
				}
				if _, err := casefile.ParseOpinion(v.Opinion.Raw); err != nil || casefile.HashOf(v.Opinion.Raw) != v.Opinion.Hash {
					t.Errorf("the opinion cannot be published: %v", err)
				}
				if err := r.Close(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func TestRunnerOncePerRound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		line := judgetest.Turn{Opinion: judgetest.Opinion(voting.Accept)}
		r := newRunner(t, judgetest.NewScript(t, line, line, line))
		b := judgetest.Brief(t, judgetest.Papers{})
		<-start(t, r, b)
		synctest.Wait()
		if _, err := r.Start(context.Background(), b, places.Worth{}); !errors.Is(err, judge.ErrRepeated) {
			t.Errorf("again: %v", err)
		}
		next := b
		next.Round = 2
		<-start(t, r, next)
		r.Forget(b.Case)
		<-start(t, r, b) // as after a restart
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		if _, err := r.Start(context.Background(), next, places.Worth{}); !errors.Is(err, judge.ErrStopped) {
			t.Errorf("after Close: %v", err)
		}
	})
}

func TestRunnerStops(t *testing.T) {
	for _, c := range []struct {
		name string
		stop func(*judge.Runner, judge.Brief, context.CancelFunc)
		want error
	}{
		{"Stop", func(r *judge.Runner, b judge.Brief, _ context.CancelFunc) { r.Stop(b.Case, b.Round) }, judge.ErrStopped},
		{"Forget", func(r *judge.Runner, b judge.Brief, _ context.CancelFunc) { r.Forget(b.Case) }, judge.ErrStopped},
		{"ctx", func(_ *judge.Runner, _ judge.Brief, cancel context.CancelFunc) { cancel() }, context.Canceled},
		{"Close", func(r *judge.Runner, _ judge.Brief, _ context.CancelFunc) {
			if err := r.Close(); err != nil {
				panic(err)
			}
		}, judge.ErrStopped},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRunner(t, judgetest.NewScript(t, judgetest.Turn{Hang: true}))
				b := judgetest.Brief(t, judgetest.Papers{})
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				out, err := r.Start(ctx, b, places.Worth{})
				if err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				c.stop(r, b, cancel)
				if v := <-out; !errors.Is(v.Err, c.want) || voting.Choice(v.Opinion.Value.Choice) != voting.Abstain {
					t.Errorf("%v", v.Err)
				}
				if err := r.Close(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// Cases over the judge's limit wait. When it is too late to judge them, their abstention says so,
// long before their deadline.
func TestRunnerParallel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lines := make([]judgetest.Turn, 4)
		for i := range lines {
			lines[i] = judgetest.Turn{Opinion: judgetest.Opinion(voting.Accept), After: 40 * time.Minute}
		}
		r := newRunner(t, judgetest.NewScript(t, lines...))
		var outs []<-chan judge.Verdict
		for i := range 6 {
			b := judgetest.Brief(t, judgetest.Papers{})
			b.Case[31] = byte(i)
			outs = append(outs, start(t, r, b))
		}
		full := 0
		for _, out := range outs {
			v := <-out
			if !errors.Is(v.Err, places.ErrFull) {
				continue
			}
			if full++; v.Took > 30*time.Minute || !strings.Contains(v.Opinion.Value.Summary, "This seat abstains: no place in time: this judge works on 4 cases") {
				t.Errorf("after %s: %s", v.Took, v.Opinion.Value.Summary)
			}
		}
		if full != 2 {
			t.Errorf("%d of 6 got no place; 4 at once can be in time", full)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
}

// deaf is a judge that breaks the rule to stop when ctx is done.
type deaf struct{ free chan struct{} }

func (d deaf) Evaluate(context.Context, judge.Brief) (casefile.Opinion, error) {
	<-d.free
	return casefile.Opinion{}, nil
}

func TestRunnerDeafJudge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := deaf{make(chan struct{})}
		r := newRunner(t, d)
		v := <-start(t, r, judgetest.Brief(t, judgetest.Papers{}))
		if !errors.Is(v.Err, judge.ErrDeadline) || v.Took != time.Hour {
			t.Errorf("%v after %s", v.Err, v.Took)
		}
		if err := r.Close(); err == nil {
			t.Error("Close does not say that the judge runs on")
		}
		close(d.free)
		synctest.Wait()
	})
}

func TestConfig(t *testing.T) {
	if err := judge.DefaultConfig().Validate(); err != nil {
		t.Error(err)
	}
	if j, err := judge.New(judge.DefaultConfig()); err != nil || j == nil {
		t.Error(err)
	}
	for _, c := range []struct {
		change func(*judge.Config)
		want   string
	}{
		{func(c *judge.Config) { c.Kind = "oracle" }, `judge: kind is "oracle"; set it to "code"`},
		{func(c *judge.Config) { c.Parallel = 0 }, `judge: max_parallel_cases is 0; set it to 1 to 64`},
		{func(c *judge.Config) { c.Grace = time.Hour }, `judge: close_timeout is 1h;`},
		{func(c *judge.Config) { c.Limits.Steps = 1 }, `judge: limits.steps is 1; set it to 1000 to`},
		{func(c *judge.Config) { c.Limits.SchemaBytes = 1 << 30 }, `judge: limits.schema_bytes`},
	} {
		cfg := judge.DefaultConfig()
		c.change(&cfg)
		if err := cfg.Validate(); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
		if _, err := judge.New(cfg); err == nil {
			t.Errorf("New takes it: %s", c.want)
		}
	}
	scripted := judge.DefaultConfig()
	scripted.Kind = judge.KindScripted
	if err := scripted.Validate(); err != nil {
		t.Error(err)
	}
	if _, err := judge.New(scripted); err == nil {
		t.Error("a scripted judge was built from nothing")
	}
}

func TestNoSources(t *testing.T) {
	if _, err := (judge.NoSources{}).Ask(context.Background(), judge.Request{DataSource: "twitter"}); !errors.Is(err, judge.ErrUnavailable) {
		t.Error(err)
	}
}
