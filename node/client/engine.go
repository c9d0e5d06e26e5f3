package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"ojud/ledger"
	"ojud/ledger/law"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/voting"
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

// Trust is an engine on a worker's list, and the terms on which the worker takes its word. The
// creator writes the terms, not the engine, so that a good engine can have bad terms.
type Trust struct {
	Decider
	// Agent is who may get its fee. Zero: anybody.
	Agent onchain.Address
	// Fee is its highest fee. Nil: a tenth of the lowest reward.
	Fee *Lamports
	// Seconds is the least time that it has. 0: as long as the court has to commit and to reveal.
	Seconds uint32
	// AnyTerms takes all terms.
	AnyTerms bool
}

// engineShare is the part of the lowest reward that an engine's fee may be.
const engineShare = 10

// leastTime is the time below which an engine is silent because it had no time.
func leastTime(p program.Params) uint32 { return p.CommitSeconds + p.RevealSeconds }

// refuses says why these terms of the engine are too bad for the worker, and is empty if they are
// not.
func (e Trust) refuses(t *program.Task, p program.Params) string {
	fee, seconds := Lamports(t.RewardMin/engineShare), cmp.Or(e.Seconds, leastTime(p))
	if e.Fee != nil {
		fee = *e.Fee
	}
	switch {
	case e.AnyTerms:
	case Lamports(t.EngineFee) > fee:
		return fmt.Sprintf("its fee is %s, and you allow %s at most", Lamports(t.EngineFee), fee)
	case !e.Agent.IsZero() && !t.EngineAgent.IsZero() && t.EngineAgent != e.Agent:
		return fmt.Sprintf("its fee goes to the agent %s, and you allow only %s", t.EngineAgent, e.Agent)
	case t.EngineSeconds < seconds:
		return fmt.Sprintf("it has %s to decide, and you demand %s at least", span(t.EngineSeconds), span(seconds))
	case t.OnSilence == program.EndByTerm && t.OnUndecided == voting.RefundCreator:
		return "if it says nothing in its time, the creator has your work for nothing"
	}
	return ""
}

// refusal says why a worker should not take a task that somebody else than the court decides, and
// what to do. It is empty if the engine and its terms are as one of trusted says. Anybody may make
// a group, so to trust a program is not to trust every group that it serves.
func refusal(t *program.Task, p program.Params, trusted []Trust) (why, fix string) {
	by := deciderOf(t)
	if by.Program.IsZero() {
		return "", ""
	}
	why = fmt.Sprintf("not the court but the engine %s decides a dispute about this task, and it is not on your list", by)
	fix = fmt.Sprintf("see who that is: ojud engine show; if you trust it: ojud task claim --allow-engine %s", by)
	for _, e := range trusted {
		if e.Decider != by {
			continue
		}
		bad := e.refuses(t, p)
		if bad == "" {
			return "", ""
		}
		why = fmt.Sprintf("the engine %s is on your list, but not on these terms: %s", by, bad)
		fix = "ask the creator for other terms; if you accept these: ojud task claim --allow-engine-terms"
	}
	return why, fix
}

// accepts refuses a task whose engine, or the engine's terms, are not as one of trusted says.
func (c *court) accepts(ctx context.Context, t *program.Task, trusted []Trust) error {
	if t.Engine.IsZero() {
		return nil
	}
	rules, err := law.Version(ctx, c.chain, t.Rules)
	if err != nil {
		return err
	}
	if why, fix := refusal(t, rules.Params, trusted); why != "" {
		return fmt.Errorf("%w: %s; %s", errNotNow, why, fix)
	}
	return nil
}

func span(seconds uint32) time.Duration { return time.Duration(seconds) * time.Second }

// EngineView is who decides a task instead of the court, and by which terms.
type EngineView struct {
	Engine  string   `json:"engine"` // PROGRAM or PROGRAM/GROUP
	Fee     Lamports `json:"fee"`    // from the loser's bond
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
