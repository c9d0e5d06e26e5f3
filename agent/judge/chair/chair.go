// Package chair makes the judge that settings describe: only code, or code with a model and
// personas.
//
// The caller must close a Chair when its judge is no longer needed.
package chair

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"ojud/agent"
	"ojud/agent/judge"
	"ojud/agent/judge/memory"
	"ojud/agent/model"
	"ojud/casefile"
)

// Config has the settings of a judge and of its models.
type Config struct {
	Judge  judge.Config
	Models model.Config
}

// Validate returns an error that names the wrong field and the fix.
func (c Config) Validate() error {
	if err := c.Judge.Validate(); err != nil {
		return err
	}
	if err := c.Models.Validate(); err != nil {
		return err
	}
	if c.Judge.Kind == judge.KindModel && len(c.Models.Models) == 0 {
		return fmt.Errorf("chair: judge.kind is %q, and models.list is empty; name a model, or set judge.kind to %q", judge.KindModel, judge.KindCode)
	}
	return nil
}

// Deps are a chair's dependencies in the node.
type Deps struct {
	Dir     string                // the base of relative paths of secrets, recordings and personas
	Log     *slog.Logger          // nil: no log
	Metrics prometheus.Registerer // nil: none
	// Transport carries requests to models; nil: own connections. Tests use one without sockets.
	Transport http.RoundTripper
	// Authority is the judge whose memory is used; zero: no memory, as in an exam.
	Authority casefile.Address
}

// Chair is a judge with its models and its memory.
type Chair struct {
	Judge judge.Judge
	// PersonaText is the text of its personas, one after the other. It is empty without personas.
	PersonaText string
	// Family names the families of its models, at most 64 bytes, or "code" without models.
	Family string
	// Dimension is that of its first persona, at most 32 bytes; empty without personas.
	Dimension string
	with      Config
	ladder    *model.Ladder
	memory    *memory.Learned // nil: no memory
}

// Fill makes the judge.
func Fill(c Config, d Deps) (*Chair, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if c.Judge.Kind != judge.KindModel {
		j, err := judge.New(c.Judge)
		return &Chair{Judge: j, Family: c.Judge.Kind}, err
	}
	who, err := personas(c.Judge, d.Dir)
	if err != nil {
		return nil, err
	}
	marks, err := marks(c.Models.Tape, d.Dir)
	if err != nil {
		return nil, err
	}
	ladder, err := model.New(c.Models, model.Deps{Dir: d.Dir, Log: d.Log, Metrics: d.Metrics, Transport: d.Transport})
	if err != nil {
		return nil, err
	}
	means := judge.ReasonerDeps{Model: func() agent.Model { return ladder.Session(ladder.Budget()) }, Persona: weighed(who), Marks: marks}
	memory := recollect(c.Judge, d)
	if memory != nil {
		means.Memory = memory
	}
	j, err := judge.NewReasoner(judge.NewCode(c.Judge.Limits), c.Judge.Reasoning, means)
	if err != nil {
		return nil, err
	}
	family := strings.Join(ladder.Families(), "+")
	return &Chair{Judge: j, PersonaText: texts(who), Family: strings.ToValidUTF8(family[:min(len(family), 64)], ""), Dimension: dimension(who), with: c, ladder: ladder, memory: memory}, nil
}

// Cost guesses what an opinion costs, in lamports, at the price of the first model. It is 0 without
// models, and if the settings have no price of a SOL.
func (c *Chair) Cost(b judge.Brief) uint64 {
	if c.ladder == nil || c.with.Judge.SOL <= 0 || len(c.with.Models.Models) == 0 {
		return 0
	}
	const lamports = 1e9 // of a SOL
	prompt, completion := c.with.Judge.Reasoning.Expect(b)
	first := c.with.Models.Models[0]
	dollars := (float64(prompt)*first.PromptPrice + float64(completion)*first.CompletionPrice) / 1e6
	return uint64(min(dollars/c.with.Judge.SOL*lamports, math.MaxInt64))
}

// Probe asks every model a tiny question, which costs as much as any call.
func (c *Chair) Probe(ctx context.Context) []model.Health {
	if c == nil || c.ladder == nil {
		return nil
	}
	return c.ladder.Probe(ctx)
}

// Models returns the states of the models by earlier calls, without a question.
func (c *Chair) Models() []model.Health {
	if c == nil || c.ladder == nil {
		return nil
	}
	return c.ladder.Reports()
}

// Down returns the models whose last call failed, with fixed words about it.
func (c *Chair) Down() map[string]string {
	if c == nil || c.ladder == nil {
		return nil
	}
	out := map[string]string{}
	for _, name := range c.ladder.Down() {
		out[name] = "its last call failed"
	}
	return out
}

// ErrNoModel says that no model of the judge answers.
var ErrNoModel = errors.New("chair: no model answers")

// Ready asks the models a tiny question. If none answers, it returns an ErrNoModel with each model
// and its fault. A judge without models is always ready, and so is one that replays a recording.
func (c *Chair) Ready(ctx context.Context) error {
	var faults []string
	for _, r := range c.Probe(ctx) {
		if r.Err == nil || errors.Is(r.Err, model.ErrUnrecorded) {
			return nil
		}
		faults = append(faults, fmt.Sprintf("%s: %s", r.Name, strings.TrimPrefix(r.Fault, "agent: ")))
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if len(faults) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %s; check that its server runs and that models.list has its url, name and key", ErrNoModel, strings.Join(faults, "; "))
}

// Close closes the connections to models.
func (c *Chair) Close() error {
	if c == nil || c.ladder == nil {
		return nil
	}
	return c.ladder.Close()
}
