package client

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
)

// Decider is who decides a dispute instead of the court: a program, and one of the groups that it
// serves, if it serves several. Its text is PROGRAM or PROGRAM/GROUP.
type Decider struct{ Program, Group onchain.Address }

// ParseDecider reads PROGRAM or PROGRAM/GROUP.
func ParseDecider(text string) (d Decider, err error) {
	name, group, grouped := strings.Cut(strings.TrimSpace(text), "/")
	if d.Program, err = onchain.ParseAddress(name); err == nil && grouped {
		d.Group, err = onchain.ParseAddress(group)
	}
	if err != nil || d.Program.IsZero() || grouped && d.Group.IsZero() {
		return Decider{}, fmt.Errorf("client: %q names no engine; write the address of its program, or PROGRAM/GROUP as \"ojud engine create\" prints it", text)
	}
	return d, nil
}

// String is what ParseDecider reads.
func (d Decider) String() string {
	if d.Group.IsZero() {
		return d.Program.String()
	}
	return d.Program.String() + "/" + d.Group.String()
}

func deciderOf(t *program.Task) Decider { return Decider{t.Engine, t.EngineGroup} }

// accepts refuses a task that somebody else than the court decides, unless it is one of trusted.
// Anybody may make a group, so to trust a program is not to trust every group that it serves.
func accepts(t *program.Task, trusted []Decider) error {
	by := deciderOf(t)
	if t.Engine.IsZero() || slices.Contains(trusted, by) {
		return nil
	}
	return fmt.Errorf("%w: not the court but the engine %s decides a dispute about this task, and it is not on your list; see who that is: "+
		"ojud engine show; if you trust it: ojud task claim --allow-engine %s", errNotNow, by, by)
}

// EngineView is who decides a task instead of the court, and by which terms.
type EngineView struct {
	Engine  string   `json:"engine"` // PROGRAM or PROGRAM/GROUP
	Fee     Lamports `json:"fee"`    // half from each bond
	Agent   string   `json:"agent,omitempty"`
	Seconds uint32   `json:"seconds"`    // from the counter-objection on
	Silence string   `json:"on_silence"` // who decides then: court or term
}

func viewEngine(t *program.Task) *EngineView {
	if t.Engine.IsZero() {
		return nil
	}
	return &EngineView{
		Engine: deciderOf(t).String(), Fee: Lamports(t.EngineFee), Agent: address(t.EngineAgent), Seconds: t.EngineSeconds,
		Silence: map[program.OnSilence]string{program.CourtDecides: "court", program.EndByTerm: "term"}[t.OnSilence],
	}
}

// waits reports whether another program decides the task, or was silent in its time.
func waits(t *program.Task) bool { return t.Status == program.Judiciary && t.Deadline != 0 }

// SettleByEngine ends a task by the verdict of the program that its terms name. If that program was
// silent, it opens a case or ends the task by its own term, as its terms say. Anyone may do it.
func SettleByEngine(ctx context.Context, c *Client, task onchain.Address) (TaskDone, error) {
	if c.key == nil {
		return TaskDone{}, errNoKey
	}
	t, err := c.task(ctx, task)
	if err != nil {
		return TaskDone{}, err
	}
	if t.Resolution == program.ByEngine || t.Resolution == program.ByEngineSilence {
		return c.taskDone(ctx, task, Sent{Result: ledger.AlreadyDone.String()}, nil)
	}
	now, err := c.chain.Now(ctx)
	switch {
	case err != nil:
		return TaskDone{}, err
	case !waits(t):
		return TaskDone{}, fmt.Errorf("%w: no engine decides this task now; %s", errNotNow, turn(t, now.Unix).sentence())
	case now.Unix >= t.Deadline && t.OnSilence == program.EndByTerm:
		return c.Expire(ctx, task)
	}
	d := action{name: "settle the task", purpose: "engine:" + task.String(), done: c.when(task, func(t *program.Task) bool { return !waits(t) })}
	if now.Unix >= t.Deadline {
		d.name, d.instructions = "open the case", []onchain.Instruction{c.program.OpenCase(c.self, task, t.Rules)}
	} else {
		if err := c.said(ctx, task, t); err != nil {
			return TaskDone{}, err
		}
		d.instructions = []onchain.Instruction{c.program.SettleByEngine(task, t)}
	}
	sent, err := c.landed(ctx, d)
	return c.taskDone(ctx, task, sent, err)
}

// engineChain reads accounts of another program.
type engineChain struct {
	chain
	engine onchain.Address
}

// Program is the one whose accounts are read.
func (e engineChain) Program() program.Program { return program.New(e.engine) }

// said says why the verdict of a task's engine cannot be used yet.
func (c *court) said(ctx context.Context, task onchain.Address, t *program.Task) error {
	at := program.EngineVerdict(t.Engine, t.EngineGroup, task)
	v, _, err := ledger.Read(ctx, engineChain{c.chain, t.Engine}, at, program.DecodeVerdictAccount)
	switch {
	case errors.Is(err, ledger.ErrNotFound):
		return fmt.Errorf("%w: the engine %s has not decided: there is no account %s", errNotNow, deciderOf(t), at)
	case err != nil:
		return fmt.Errorf("client: the verdict of the engine %s: %w", deciderOf(t), err)
	case v.IsFinal == 0:
		return fmt.Errorf("%w: the engine %s has not decided: its verdict at %s may still change", errNotNow, deciderOf(t), at)
	}
	return nil
}
