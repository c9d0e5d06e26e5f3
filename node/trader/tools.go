package trader

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os/exec"
	"path/filepath"
	"strings"

	"ojud/agent"
	"ojud/agent/judge"
	"ojud/agent/model"
	"ojud/casefile/proof"
)

// Tools are what a trader makes and checks results with: a judge, and models if settings name some.
type Tools struct {
	*Judges
	dir string
	log *slog.Logger
}

// errNoModel says that a skill needs a model, and the settings name none.
var errNoModel = errors.New("trader: the settings name no model")

// OpenTools opens them by the settings of a judge and of its models. Paths in settings begin at
// dir. The caller must close them.
func OpenTools(j judge.Config, m model.Config, dir string, log *slog.Logger) (*Tools, error) {
	if err := errors.Join(j.Validate(), m.Validate()); err != nil {
		return nil, err
	}
	t := &Tools{&Judges{code: judge.NewCode(j.Limits), reasoning: j.Reasoning}, dir, cmp.Or(log, slog.New(slog.DiscardHandler))}
	if len(m.Models) == 0 {
		return t, nil
	}
	var err error
	t.ladder, err = model.New(m, model.Deps{Dir: dir, Log: log})
	return t, err
}

// Prover returns what runs check programs for the judge. Traders may share it.
func (t *Tools) Prover() *proof.Prover { return t.code.Prover() }

// Close closes the connections to models, and what runs check programs. No check may be under way.
func (t *Tools) Close() error {
	err := t.Prover().Close(context.Background())
	if t.ladder == nil {
		return err
	}
	return errors.Join(err, t.ladder.Close())
}

// Makers returns what makes the results of each skill.
func (t *Tools) Makers(plan WorkPlan) (map[string]Maker, error) {
	out := map[string]Maker{}
	for name, d := range plan.Duties {
		by, err := t.Thinker(d)
		if err != nil {
			if !errors.Is(err, errNoModel) {
				return nil, fmt.Errorf("skill %q: %w", name, err)
			}
			return nil, fmt.Errorf("%w, and the skill %q has no command and no agent; add [[models.list]] to ojud.toml in %s, or a command or an agent to the skill", err, name, t.dir)
		}
		out[name] = maker{by}
	}
	return out, nil
}

// Judge has an agent of a host judge the results that code cannot.
func (t *Tools) Judge(by Employed) (err error) {
	if by.Address != "" {
		t.adviser, err = t.employ(by, opinionTime)
	}
	return err
}

// Thinker returns what does a duty. Without a command and an agent it is a model, which the
// settings have to name.
func (t *Tools) Thinker(d Duty) (Thinker, error) {
	if len(d.Command) > 0 {
		command := append([]string{}, d.Command...)
		if strings.HasPrefix(command[0], "./") || strings.HasPrefix(command[0], "../") {
			command[0] = filepath.Join(t.dir, command[0])
		}
		if _, err := exec.LookPath(command[0]); err != nil {
			return nil, fmt.Errorf("the command cannot be run: %w", err)
		}
		return byProgram{Command: command, Dir: t.dir, Time: d.Time, CPU: d.CPU, Memory: d.Memory}, nil
	}
	if d.Agent.Address != "" {
		return t.employ(d.Agent, d.Time)
	}
	if t.ladder == nil {
		return nil, errNoModel
	}
	return byModel{Model: func() agent.Model { return t.ladder.Session(t.ladder.Budget()) }, Instructions: d.Instructions, Time: d.Time}, nil
}
