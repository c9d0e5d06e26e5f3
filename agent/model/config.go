package model

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"ojud/config/bounds"
)

// Config has the settings of models.
type Config struct {
	// Models names the models in the order in which they are asked, at most 16. Without models, the
	// node judges by code alone. Each has a section [[models.list]] with these settings: name,
	// provider, url, model, key, family, prompt_price, completion_price, max_tokens, timeout,
	// schema, tools, legacy_max_tokens, think_first. docs/judges.md explains them.
	Models []Endpoint `koanf:"list"`
	// Embeddings names models that give vectors of texts, at most 16. "ojud brain" uses the one
	// that has the name of the embedding of a class. Each has a section [[models.embeddings]] with
	// these settings: name, provider, url, model, key, prompt_price, timeout. What they cost counts
	// in the budget of an agent. Other settings of a model, and retries, budget and tape here, have
	// no effect on them.
	Embeddings []Endpoint `koanf:"embeddings"`
	// Retries bounds the retries of a request at one model that is busy or down, 0 to 5.
	Retries int `koanf:"retries"`
	// Budget bounds the cost of one case.
	Budget Budget `koanf:"budget"`
	// Tape records or replays the traffic.
	Tape Tape `koanf:"tape"`
}

// Budget bounds the cost of one case, over all models and with retries.
type Budget struct {
	// Calls bounds the requests.
	Calls int `koanf:"calls"`
	// Tokens bounds prompts and answers together.
	Tokens int `koanf:"tokens"`
	// Cost bounds the money, in US dollars by the configured prices. With 0, only models without a
	// price are asked.
	Cost float64 `koanf:"cost"`
	// Time bounds the time of all requests together, also of simultaneous ones.
	Time time.Duration `koanf:"time"`
}

// Tape says whether traffic is recorded or replayed. A recording has the words of parties.
type Tape struct {
	// Mode is "record" to keep each request and its answer, "replay" to answer from these, or
	// empty.
	Mode string `koanf:"mode"`
	// Dir is the folder of recordings: one file for each request.
	Dir string `koanf:"dir"`
}

// The values of Tape.Mode.
const (
	TapeRecord = "record"
	TapeReplay = "replay"
)

const maxModels = 16

// DefaultConfig has no models. Its budget has room for a checklist of a dozen items judged twice,
// in less than a round's ten minutes.
func DefaultConfig() Config {
	return Config{Retries: 2, Budget: Budget{Calls: 80, Tokens: 400_000, Cost: 1, Time: 8 * time.Minute}}
}

// Validate returns an error that names the wrong field, its limits and the fix.
func (c Config) Validate() error {
	if err := cmp.Or(validList("list", c.Models, Endpoint.named), validList("embeddings", c.Embeddings, Endpoint.namedByClass)); err != nil {
		return err
	}
	for i, e := range c.Embeddings {
		if e.Provider == providerAnthropic {
			return fmt.Errorf("model: embeddings[%d].provider is %q, which gives no vectors; take another", i, e.Provider)
		}
	}
	return cmp.Or(bounds.Check("model: ", bounds.Of("retries", c.Retries, 0, 5)), c.Budget.Validate(), c.Tape.validate())
}

// validList says what is wrong with a list of models.
func validList(list string, all []Endpoint, named func(Endpoint) error) error {
	if len(all) > maxModels {
		return fmt.Errorf("model: %s has %d entries; write at most %d", list, len(all), maxModels)
	}
	for i, e := range all {
		if err := cmp.Or(named(e), e.validate()); err != nil {
			return fmt.Errorf("model: %s[%d].%w", list, i, err)
		}
		if slices.ContainsFunc(all[:i], func(other Endpoint) bool { return other.Name == e.Name }) {
			return fmt.Errorf("model: %s[%d].name is %q as that of another; give each its own", list, i, e.Name)
		}
	}
	return nil
}

// Validate names the field that is wrong.
func (b Budget) Validate() error {
	return bounds.Check("model: budget.",
		bounds.Of("calls", b.Calls, 1, 10_000),
		bounds.Of("tokens", b.Tokens, 1, 100_000_000),
		bounds.Of("cost", b.Cost, 0, 10_000),
		bounds.Of("time", b.Time, time.Second, 24*time.Hour),
	)
}

func (t Tape) validate() error {
	if err := bounds.Check("model: tape.", bounds.OneOf("mode", t.Mode, "", TapeRecord, TapeReplay)); err != nil {
		return err
	}
	if (t.Mode == "") != (t.Dir == "") {
		return fmt.Errorf("model: tape.mode is %q and tape.dir is %q; set both or neither", t.Mode, t.Dir)
	}
	return nil
}
