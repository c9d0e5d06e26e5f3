// Package chair seats the judge that settings describe: code alone, or a model behind code, that looks at cases in the way of a persona.
//
// What a caller must do: Close what Fill returned when the judge is no longer asked.
package chair

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"ojud/agent"
	"ojud/agent/judge"
	"ojud/agent/judge/persona"
	"ojud/agent/model"
)

// Config is what an operator sets.
type Config struct {
	Judge  judge.Config
	Models model.Config
}

// Validate names the field that is wrong and what to do.
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

// Deps are what a chair needs of the node.
type Deps struct {
	Dir     string                // where relative paths of secrets, recordings and personas begin
	Log     *slog.Logger          // nil: silence
	Metrics prometheus.Registerer // nil: none
}

// Chair is a judge with what stands behind it.
type Chair struct {
	Judge judge.Judge
	// Manner is the text of its persona; empty without one.
	Manner string
	// Family names the families of its models for others to see, at most 64 bytes: "code" if there is none.
	Family string
	ladder *model.Ladder
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
	manner, err := mannerOf(c.Judge.Persona, d.Dir)
	if err != nil {
		return nil, err
	}
	ladder, err := model.New(c.Models, model.Deps{Dir: d.Dir, Log: d.Log, Metrics: d.Metrics})
	if err != nil {
		return nil, err
	}
	j, err := judge.NewReasoner(judge.NewCode(c.Judge.Limits), c.Judge.Reasoning, manner, func() agent.Model { return ladder.Case(ladder.Budget()) })
	if err != nil {
		return nil, err
	}
	family := strings.Join(ladder.Families(), "+")
	return &Chair{Judge: j, Manner: manner, Family: strings.ToValidUTF8(family[:min(len(family), 64)], ""), ladder: ladder}, nil
}

// mannerOf is the text of a persona that is shipped, or of an owner's file.
func mannerOf(ref, dir string) (string, error) {
	if ref == "" {
		return "", nil
	}
	if strings.HasSuffix(ref, ".toml") && !filepath.IsAbs(ref) {
		ref = filepath.Join(dir, ref)
	}
	p, err := persona.Find(ref)
	if err != nil {
		return "", fmt.Errorf("chair: judge.persona: %w", err)
	}
	return p.Text(), nil
}

// Probe asks every model something tiny; nothing without models. It costs what models cost.
func (c *Chair) Probe(ctx context.Context) []model.Report {
	if c.ladder == nil {
		return nil
	}
	return c.ladder.Probe(ctx)
}

// Close ends what speaks to models.
func (c *Chair) Close() error {
	if c == nil || c.ladder == nil {
		return nil
	}
	return c.ladder.Close()
}
