package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"ojud/agent/judge"
	"ojud/agent/judge/persona"
	"ojud/agent/model"
	"ojud/ledger/program"
	"ojud/node"
)

// Reasoned returns a court in which the judges of StoryJudges ask these models in turn. It sets the
// main network's time to commit, because models are slow. Call Rounds after it to change that. A
// round still ends when all have voted. Each judge asks twice, once with either side first. Judges
// ask no data sources.
func (c Config) Reasoned(models ...model.Endpoint) Config {
	c.Story, c.Models = StoryJudges, models
	c.Params.CommitSeconds = max(c.Params.CommitSeconds, program.DefaultParams().CommitSeconds)
	r := &c.Node.Judge.Reasoning
	r.Samples, r.Asks, r.Tokens = 2, 0, 600
	return c.limits(0, 0)
}

// Asking adds a model. url is the start of an OpenAI-compatible API, and name the server's name of
// the model. key refers to its key ("${env:NAME}" or "${file:PATH}"), or is empty. Opinions name
// the model; judges that share a model are one family.
func (c Config) Asking(url, name, key string) Config {
	called := strings.NewReplacer("@", "-", "+", "-").Replace(name)
	called = called[:min(len(called), 64)]
	e := model.Endpoint{Name: called, Provider: model.OpenAI, URL: url, Model: name, Key: key, Family: called}
	c.Models = append(slices.Clone(c.Models), e)
	return c
}

// asks reports whether the judge with that number (from 1) asks a model.
func (c Config) asks(number int) bool {
	return c.Story == StoryJudges && (c.ModelSeats == 0 || number <= c.ModelSeats)
}

// manner returns the persona of that judge. Each judge has another of the shipped personas, in the
// order of their list.
func (c Config) manner(number int) (persona.Persona, error) {
	if !c.asks(number) {
		return persona.Persona{}, nil
	}
	all, err := persona.List()
	if err != nil {
		return persona.Persona{}, fmt.Errorf("cluster: %w", err)
	}
	return all[(number-1)%len(all)], nil
}

// node returns the settings of that judge's node. A request to a model may take the whole time to
// commit, because 28 judges at one server wait for each other.
func (c Config) node(number int) (node.Config, error) {
	cfg := c.Node
	if !c.asks(number) {
		return cfg, nil
	}
	p, err := c.manner(number)
	if err != nil {
		return cfg, err
	}
	commit := time.Duration(c.Params.CommitSeconds) * time.Second
	e := c.Models[(number-1)%len(c.Models)]
	if e.Timeout == 0 {
		e.Timeout = min(max(commit, time.Second), 10*time.Minute)
	}
	cfg.Judge.Kind, cfg.Judge.Persona = judge.KindModel, p.Name
	cfg.Models.Models, cfg.Models.Budget.Time = []model.Endpoint{e}, max(commit, cfg.Models.Budget.Time)
	return cfg, nil
}

func (c Config) checkModels() error {
	switch {
	case c.Story != StoryJudges && (len(c.Models) > 0 || c.ModelSeats != 0):
		return fmt.Errorf("cluster: models and model_seats belong to the story %q", StoryJudges)
	case c.Story == StoryJudges && len(c.Models) == 0:
		return fmt.Errorf("cluster: the story %q has no models, name one at least", StoryJudges)
	case c.ModelSeats < 0 || c.ModelSeats > c.Nodes:
		return fmt.Errorf("cluster: model_seats is %d, set it to 0 (all) to %d, the nodes", c.ModelSeats, c.Nodes)
	}
	for i := range c.Models {
		cfg, err := c.node(i%max(c.Nodes, 1) + 1)
		if err == nil {
			err = cfg.Models.Validate()
		}
		if err != nil {
			return fmt.Errorf("cluster: models[%d]: %w", i, err)
		}
	}
	return nil
}

// ErrNoModel means that a model does not answer. A court would wait for it until the time limit.
var ErrNoModel = errors.New("cluster: the model does not answer")

// Probe sends each model a tiny request, at the model's price, and returns the results. The error
// is ErrNoModel for the first that failed.
func (c Config) Probe(ctx context.Context) (out []model.Health, err error) {
	for i := range c.Models {
		cfg, err := c.node(i + 1)
		if err != nil {
			return out, err
		}
		ladder, err := model.New(cfg.Models, model.Deps{})
		if err != nil {
			return out, fmt.Errorf("cluster: %w", err)
		}
		out = append(out, ladder.Probe(ctx)...)
		if err := ladder.Close(); err != nil {
			return out, fmt.Errorf("cluster: %w", err)
		}
		if last := out[len(out)-1]; last.Err != nil {
			return out, fmt.Errorf("%w: %s: %w", ErrNoModel, last.Name, last.Err)
		}
	}
	return out, nil
}
