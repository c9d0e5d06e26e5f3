package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"runtime/debug"

	"ojud/schema"
)

// Setup describes an agent, except for its Body.
type Setup struct {
	Repr    Repr
	Forms   Forms
	Tools   []Tool
	Minions []Agent
	// Lend gives the client's tools and minions also to the agent's minions.
	Lend bool
	// Alone says that the body reads no extra inputs and calls no tools: a run refuses those that a
	// client gives, instead of dropping them.
	Alone  bool
	Config Config
	Log    *slog.Logger // gets panics and errors of tools, which others must not read

	reserved []string // names that tools and minions must not have
}

// Body does the agent's work. It works through its Run, from one goroutine, and returns the result.
// It returns soon after ctx ends.
type Body func(ctx context.Context, r *Run) (json.RawMessage, error)

// New makes an agent from a body. The error is ErrRequest if a description, a schema or a name
// cannot be used.
func New(s Setup, body Body) (Agent, error) {
	if err := s.Config.Validate(); err != nil {
		return nil, err
	}
	s.Log = cmp.Or(s.Log, slog.New(slog.DiscardHandler))
	a := &made{Setup: s, body: body, kit: kit{}}
	self, err := newOffer(s.Repr, s.Config.Schema)
	if err != nil {
		return nil, err
	}
	a.self = self
	if a.context, err = schema.Compile(s.Forms.Context, s.Config.Schema); err != nil {
		return nil, bad("its context schema: %w", err)
	}
	if a.params, err = schema.Compile(s.Forms.Params, s.Config.Schema); err != nil {
		return nil, bad("its params schema: %w", err)
	}
	if err := a.kit.add(s.Config.Schema, s.Tools, s.Minions); err != nil {
		return nil, err
	}
	return a, a.size(a.kit)
}

// made is an agent from New.
type made struct {
	Setup
	body            Body
	self            *offer
	context, params *schema.Schema
	kit             kit
}

func (a *made) Repr() Repr { return a.Setup.Repr }

func (a *made) Forms() Forms { return a.Setup.Forms }

// size refuses too many tools and minions, and reserved names.
func (a *made) size(k kit) error {
	if len(k) > a.Config.Offers {
		return bad("%d tools and minions; at most %d", len(k), a.Config.Offers)
	}
	for _, name := range a.reserved {
		if k[name] != nil {
			return bad("the name %s is the agent's own word", name)
		}
	}
	return nil
}

func (a *made) Run(ctx context.Context, q Request) (*Channel, error) {
	if err := a.accepts(ctx, &q); err != nil {
		return nil, err
	}
	k, err := a.equip(q)
	if err != nil {
		return nil, err
	}
	ctx, err = deeper(ctx, a.Config.Depth)
	if err != nil {
		return nil, err
	}
	c := newChannel(ctx, a.Config)
	c.extras.none = a.Alone
	r := &Run{
		agent: a, ch: c, request: q, kit: k, context: q.Context, bytes: a.Config.TotalBytes, calls: a.Config.Calls,
		seen: map[string]int{}, garbled: map[string]string{}, made: map[string]ToolResult{}, own: map[string]int{},
	}
	c.wait.Go(func() { a.work(r) })
	return c, nil
}

// accepts checks a request against the agent's schemas.
func (a *made) accepts(ctx context.Context, q *Request) error {
	for _, part := range []struct {
		name string
		raw  *json.RawMessage
		form *schema.Schema
	}{{"input", &q.Input, a.self.in}, {"context", &q.Context, a.context}, {"parameters", &q.Params, a.params}} {
		if len(*part.raw) == 0 {
			*part.raw = json.RawMessage("null")
		}
		if len(*part.raw) > a.Config.InputBytes {
			return bad("the %s: %d bytes; at most %d", part.name, len(*part.raw), a.Config.InputBytes)
		}
		if err := holds(ctx, part.form, *part.raw); err != nil {
			return bad("the %s: %w", part.name, err)
		}
	}
	return nil
}

// equip returns the tools and minions of a run: the agent's own, those of the request, and those of
// the client.
func (a *made) equip(q Request) (kit, error) {
	if a.Alone && len(q.Tools)+len(q.Minions) > 0 {
		return nil, bad("%s calls no tools and no minions of its client; leave them out", a.Setup.Repr.Name)
	}
	own := maps.Clone(a.kit)
	if err := own.add(a.Config.Schema, q.LocalTools, q.LocalMinions); err != nil {
		return nil, err
	}
	all := maps.Clone(own)
	if err := all.addClient(a.Config.Schema, own, q.Tools, q.Minions); err != nil {
		return nil, err
	}
	return all, a.size(all)
}

// depth is the key of a context value: the number of nested runs.
type depth struct{}

func deeper(ctx context.Context, most int) (context.Context, error) {
	n, _ := ctx.Value(depth{}).(int)
	if n > most {
		return nil, fmt.Errorf("%w: minions in minions, %d deep", ErrLimit, n)
	}
	return context.WithValue(ctx, depth{}, n+1), nil
}

// work runs the body and publishes its end.
func (a *made) work(r *Run) {
	out, err := a.contained(r.ch.ctx, r)
	if err == nil {
		err = r.Check(out)
	}
	if err != nil && r.ch.ctx.Err() != nil {
		err = context.Cause(r.ch.ctx)
	}
	r.ch.end(FinalResult{Output: out, Context: r.context, Steps: r.steps, Usage: r.ch.Usage()}, err)
}

// contained turns a panic into an error. The stack goes to the log.
func (a *made) contained(ctx context.Context, r *Run) (out json.RawMessage, err error) {
	defer func() {
		if p := recover(); p != nil {
			a.Log.Error("agent panicked", "agent", a.Setup.Repr.Name, "panic", p, "stack", string(debug.Stack()))
			err = ErrPanic
		}
	}()
	return a.body(ctx, r)
}
