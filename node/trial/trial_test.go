package trial_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"ojud/agent/judge"
	"ojud/agent/judge/chair"
	"ojud/agent/model"
	"ojud/casefile"
	"ojud/node/trial"
	"ojud/voting"
)

func settings() trial.Config {
	return trial.Config{Judge: judge.DefaultConfig(), Models: model.DefaultConfig()}
}

func code(t *testing.T) *trial.Trial {
	t.Helper()
	tr, err := trial.New(settings(), t.TempDir(), trial.Deps{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// telling returns the usual options with a progress function.
func telling(progress func(trial.Step)) trial.Options {
	o := trial.DefaultOptions()
	o.Progress = progress
	return o
}

// TestExam: the configured judge hears the shipped exam, and the caller is told of each dispute.
func TestExam(t *testing.T) {
	disputes, skipped, err := trial.Disputes(nil, "")
	if err != nil || skipped != 0 {
		t.Fatal(err)
	}
	outcomes, last := map[string]int{}, 0
	r, err := code(t).Exam(t.Context(), disputes, telling(func(s trial.Step) {
		outcomes[s.Outcome]++
		if last++; s.Done != last || s.All != len(disputes) || s.ID == "" {
			t.Errorf("%+v", s)
		}
	}))
	if err != nil || r.All.Right != outcomes["right"] || r.All.Abstained != outcomes["abstained"] || r.All.Right+r.All.Abstained != len(disputes) {
		t.Errorf("%+v, %v, %v", r.All, outcomes, err)
	}
	if _, err := code(t).Exam(t.Context(), disputes, trial.Options{Parallel: 99, Limit: time.Minute}); err == nil || !strings.Contains(err.Error(), "parallel is 99") {
		t.Errorf("%v", err)
	}
}

// bad fails in every case.
type bad struct{}

func (bad) Evaluate(_ context.Context, b judge.Brief) (casefile.Opinion, error) {
	if b.Case[0]%2 == 0 {
		return casefile.Opinion{}, errors.New("no")
	}
	return casefile.Opinion{Choice: casefile.Choice(voting.Accept), Summary: "s", Model: "m"}, nil
}

// TestRedTeam: all attacks or some, by number or name, on the configured judge or another.
func TestRedTeam(t *testing.T) {
	r, err := code(t).RedTeam(t.Context(), nil, trial.DefaultOptions())
	if err != nil || len(r.Attacks) != 28 || r.Success != 0 {
		t.Errorf("%d attacks, %d, %v", len(r.Attacks), r.Success, err)
	}
	other, err := trial.New(trial.Config{}, "", trial.Deps{Log: slog.New(slog.DiscardHandler), Judge: bad{}})
	if err != nil {
		t.Fatal(err)
	}
	outcomes := map[string]int{}
	r, err = other.RedTeam(t.Context(), []string{"3", "plea"}, telling(func(s trial.Step) { outcomes[s.Outcome]++ }))
	if err != nil || len(r.Attacks) != 2 || r.Attacks[1].Name != "plea" || outcomes["no opinion"] == 0 || outcomes["right"] == 0 || outcomes["wrong"] == 0 {
		t.Errorf("%+v, %v, %v", r, outcomes, err)
	}
	if _, err := other.RedTeam(t.Context(), []string{"29"}, trial.DefaultOptions()); !errors.Is(err, trial.ErrUnknown) {
		t.Errorf("%v", err)
	}
	if _, err := trial.New(trial.Config{}, "", trial.Deps{}); err == nil {
		t.Error("a judge that is not configured")
	}
}

// TestConverted: a public set can be saved and read as an exam.
func TestConverted(t *testing.T) {
	for _, set := range trial.Sets() {
		if _, _, err := trial.Disputes(strings.NewReader("{}"), set); err == nil {
			t.Errorf("%s", set)
		}
	}
	disputes, skipped, err := trial.Disputes(strings.NewReader(`{"question":"1 + 1?","response_A":"2","response_B":"3","label":"A>B"}`), "judgebench")
	if err != nil || len(disputes) != 2 || skipped != 0 {
		t.Fatalf("%d, %d, %v", len(disputes), skipped, err)
	}
	var saved bytes.Buffer
	if err := trial.Save(&saved, disputes); err != nil {
		t.Fatal(err)
	}
	if again, _, err := trial.Disputes(&saved, ""); err != nil || len(again) != 2 {
		t.Errorf("%d, %v", len(again), err)
	}
}

func TestPersonas(t *testing.T) {
	all, err := trial.Personas()
	if err != nil || len(all) != 28 {
		t.Errorf("%d, %v", len(all), err)
	}
	for _, p := range all {
		if q, err := trial.Persona(p.Name); err != nil || q.Title != p.Title {
			t.Errorf("%s: %v", p.Name, err)
		}
	}
}

// TestDeadModel: a judge whose model is dead is not examined. The error says so before the first
// dispute.
func TestDeadModel(t *testing.T) {
	c := settings()
	c.Judge.Kind, c.Models.Retries = judge.KindModel, 0
	c.Models.Models = []model.Endpoint{{Name: "local", Provider: model.OpenAI, URL: "http://127.0.0.1:1/v1", Model: "m"}} // nothing listens there
	tr, err := trial.New(c, t.TempDir(), trial.Deps{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := tr.Close(); err != nil {
			t.Error(err)
		}
	}()
	disputes, _, err := trial.Disputes(nil, "")
	if err != nil {
		t.Fatal(err)
	}
	heard := telling(func(s trial.Step) { t.Errorf("heard %s", s.ID) })
	_, examined := tr.Exam(t.Context(), disputes, heard)
	_, attacked := tr.RedTeam(t.Context(), nil, heard)
	for _, err := range []error{examined, attacked} {
		if !errors.Is(err, chair.ErrNoModel) || !strings.Contains(err.Error(), "local: ") || !strings.Contains(err.Error(), "no connection") {
			t.Errorf("%v", err)
		}
	}
}

// counter hears disputes until it has heard as many as it may, and then ends the exam.
type counter struct {
	heard, may int
	end        context.CancelFunc
}

func (c *counter) Evaluate(context.Context, judge.Brief) (casefile.Opinion, error) {
	if c.heard == c.may {
		c.end()
		return casefile.Opinion{}, context.Canceled
	}
	c.heard++
	return casefile.Opinion{Choice: casefile.Choice(voting.Accept), Summary: "s", Model: "m"}, nil
}

// TestExamGoesOn: an exam that ended in the middle goes on where it was. Each dispute is heard
// once, also over runs that are bounded, and the report says how many of how many are heard.
func TestExamGoesOn(t *testing.T) {
	made := trial.Syllabus{Seed: "kept", Size: 10}
	disputes, made, err := trial.Fresh(made)
	if err != nil {
		t.Fatal(err)
	}
	options := trial.DefaultOptions()
	options.Parallel, options.Keep = 1, t.TempDir()
	run := func(may int) (*counter, trial.Sitting, error) {
		ctx, end := context.WithCancel(t.Context())
		defer end()
		c := &counter{may: may, end: end}
		tr, err := trial.New(settings(), "", trial.Deps{Log: slog.New(slog.DiscardHandler), Judge: c})
		if err != nil {
			t.Fatal(err)
		}
		grades, err := tr.Exam(ctx, disputes, options)
		if err != nil {
			return c, trial.Sitting{}, err
		}
		r, err := trial.Graded(grades, disputes, &made)
		return c, r, err
	}
	if c, _, err := run(3); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "3 of 10 disputes are kept") || c.heard != 3 {
		t.Errorf("%d, %v", c.heard, err)
	}
	options.Most = 4
	c, r, err := run(10)
	var text bytes.Buffer
	if err != nil || c.heard != 4 || r.All.Items != 7 || r.Of != 10 || r.Text(&text) != nil || !strings.Contains(text.String(), "7 of 10 disputes are heard") {
		t.Errorf("%d, %+v, %v, %s", c.heard, r.All, err, &text)
	}
	options.Most = 0
	if c, r, err = run(10); err != nil || c.heard != 3 || r.All.Items != 10 || r.All.Right != 5 || r.All.PaysWrongly != 5 || r.Items[0].ID != disputes[0].ID || r.Items[9].ID != disputes[9].ID {
		t.Errorf("%d, %+v, %v", c.heard, r.All, err)
	}
	if c, r, err = run(0); err != nil || c.heard != 0 || r.All.Items != 10 {
		t.Errorf("%d, %+v, %v", c.heard, r.All, err)
	}
	options.Limit = time.Minute
	if _, _, err := run(0); err == nil || !strings.Contains(err.Error(), "other settings") {
		t.Errorf("%v", err)
	}
	options.Keep, options.Most = "", 1
	if _, _, err := run(0); err == nil || !strings.Contains(err.Error(), "name a folder") {
		t.Errorf("%v", err)
	}
}
