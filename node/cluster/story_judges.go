package cluster

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"ojud/agent/judge"
	"ojud/agent/judge/persona"
	"ojud/agent/model"
	"ojud/ledger/program"
	"ojud/node"
	"ojud/node/homes"
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

// manner returns the persona of that judge if it asks a model: that of the file of judges, or
// another of the shipped personas for each, in the order of their list.
func (c Config) manner(number int) (persona.Persona, error) {
	switch {
	case number <= len(c.Judges) && len(c.Judges[number-1].Models) > 0:
		return c.Judges[number-1].Persona, nil
	case len(c.Judges) > 0 || !c.asks(number):
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
func (c Config) node(number int) (cfg node.Config, err error) {
	cfg = c.Node
	switch {
	case number <= len(c.Judges):
		if cfg, err = c.Judges[number-1].Settings(cfg); err != nil {
			return cfg, err
		}
	case len(c.Judges) == 0 && c.asks(number):
		p, err := c.manner(number)
		if err != nil {
			return cfg, err
		}
		cfg.Judge.Kind, cfg.Judge.Persona = judge.KindModel, p.Name
		cfg.Models.Models = []model.Endpoint{c.Models[(number-1)%len(c.Models)]}
	default:
		return cfg, nil
	}
	commit := time.Duration(c.Params.CommitSeconds) * time.Second
	for i := range cfg.Models.Models {
		if e := &cfg.Models.Models[i]; e.Timeout == 0 {
			e.Timeout = min(max(commit, time.Second), 10*time.Minute)
		}
		cfg.Models.Budget.Time = max(commit, cfg.Models.Budget.Time)
	}
	return cfg, nil
}

// stake returns what that judge stakes.
func (c Config) stake(number int) uint64 {
	if number <= len(c.Judges) && c.Judges[number-1].Stake != nil {
		return uint64(*c.Judges[number-1].Stake)
	}
	return c.Stake
}

func (c Config) checkModels() error {
	switch {
	case c.Story != StoryJudges && (len(c.Models) > 0 || c.ModelSeats != 0):
		return fmt.Errorf("cluster: models and model_seats belong to the story %q", StoryJudges)
	case len(c.Judges) > 0 && (len(c.Judges) != c.Nodes || len(c.Models) > 0):
		return fmt.Errorf("cluster: the file has %d judges, set nodes to that, and name no models beside it", len(c.Judges))
	case c.Story == StoryJudges && len(c.Models)+len(c.Judges) == 0:
		return fmt.Errorf("cluster: the story %q has no models, name one at least", StoryJudges)
	case c.ModelSeats < 0 || c.ModelSeats > c.Nodes:
		return fmt.Errorf("cluster: model_seats is %d, set it to 0 (all) to %d, the nodes", c.ModelSeats, c.Nodes)
	}
	for i := range max(len(c.Models), len(c.Judges)) {
		cfg, err := c.node(i%max(c.Nodes, 1) + 1)
		err = cmp.Or(err, cfg.Models.Validate())
		if least := c.Params.MinStake; err == nil && c.stake(i+1) < least {
			err = fmt.Errorf("stake is %d lamports, set it to at least the court's min_stake, %d", c.stake(i+1), least)
		}
		if err != nil {
			return fmt.Errorf("cluster: models[%d]: %w", i, err)
		}
	}
	return nil
}

// Probe sends each model a tiny request, at its price, and returns the results. The error is
// homes.ErrNoModel for the first that failed.
func (c Config) Probe(ctx context.Context) ([]model.Health, error) {
	all := make([]model.Config, max(len(c.Models), len(c.Judges)))
	for i := range all {
		cfg, err := c.node(i + 1)
		if err != nil {
			return nil, err
		}
		all[i] = cfg.Models
	}
	return homes.Probe(ctx, all)
}
