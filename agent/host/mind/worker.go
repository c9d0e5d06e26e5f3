package mind

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"path/filepath"
	"slices"

	"ojud/agent"
	"ojud/agent/crew"
	"ojud/agent/host"
	"ojud/agent/host/keep"
	"ojud/agent/host/manifest"
	"ojud/agent/model"
	"ojud/datasource/kind"
	"ojud/ledger/journal/durable"
)

// MaxResult bounds the result of a call, in bytes.
const MaxResult = 512 << 10

// Supplies are what workers need from outside.
type Supplies struct {
	Work      string // folder of the working folders of agents
	LookupEnv func(string) (string, bool)
	Transport http.RoundTripper // to models; nil: the network
	Log       *slog.Logger
}

// Worker is an open agent: it has what its file names. Many goroutines may use it.
type Worker struct {
	m       manifest.Manifest
	dir     string
	parts   Supplies
	ladder  *model.Ladder            // of a mind with a model
	servers map[string]kind.Upstream // of a mind that is an MCP server, by capability
	tools   []agent.Tool
	opened  []kind.Upstream
}

// Open opens an agent. It starts the servers that answer calls, and waits for them.
func Open(ctx context.Context, m manifest.Manifest, parts Supplies) (w *Worker, err error) {
	w = &Worker{m: m, dir: filepath.Join(parts.Work, m.ID), parts: parts, servers: map[string]kind.Upstream{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.Close())
		}
	}()
	if err := durable.MakeDir(w.dir); err != nil {
		return w, err
	}
	switch m.Thinks.Kind {
	case manifest.Executable, manifest.Speaker:
		_, err = w.program(m.Thinks.Launch)
	case manifest.Server:
		err = w.connect(ctx)
	case manifest.Deployer:
	default:
		w.ladder, err = model.New(m.Models, model.Deps{Env: parts.LookupEnv, Dir: m.Dir, Transport: parts.Transport, Log: parts.Log})
	}
	if err != nil {
		return w, err
	}
	for _, t := range m.Tools {
		tool, err := w.instrument(t)
		if err != nil {
			return w, fmt.Errorf("tool %s: %w", t.Name, err)
		}
		w.tools = append(w.tools, tool)
	}
	return w, nil
}

// connect opens the MCP server of each capability.
func (w *Worker) connect(ctx context.Context) error {
	for name, s := range w.m.Thinks.Servers {
		up, err := w.upstream(s)
		if err != nil {
			return err
		}
		w.servers[name] = up
		if d, ok := up.(kind.Describer); ok {
			if _, err := d.Describe(ctx); err != nil && !errors.Is(err, errors.ErrUnsupported) {
				return err
			}
		}
	}
	return nil
}

// Check asks the servers that answer the calls of an agent whether they are there. That starts one
// again whose program ended.
func (w *Worker) Check(ctx context.Context) (err error) {
	for _, name := range slices.Sorted(maps.Keys(w.servers)) {
		if d, ok := w.servers[name].(kind.Describer); ok {
			if _, e := d.Describe(ctx); e != nil && !errors.Is(e, errors.ErrUnsupported) {
				err = errors.Join(err, fmt.Errorf("capability %s: %w", name, e))
			}
		}
	}
	return err
}

// upstream opens the settings of a server, with the limits of the agent if it is a program.
func (w *Worker) upstream(s kind.Settings) (kind.Upstream, error) {
	if m, ok := s.(*kind.MCP); ok && m.Command != "" {
		limited := *m
		run := w.limited(append([]string{m.Command}, m.Args...), false, w.m.Quota.CPU)
		limited.Command, limited.Args = run[0], run[1:]
		s = &limited
	}
	up, err := kind.Open(s, kind.Env{Log: w.parts.Log, Dir: w.m.Dir, Work: w.dir, MaxBytes: MaxResult, LookupEnv: w.parts.LookupEnv})
	if err == nil {
		w.opened = append(w.opened, up)
	}
	return up, err
}

// instrument makes a tool of the agent.
func (w *Worker) instrument(t manifest.Instrument) (agent.Tool, error) {
	if t.Upstream == nil {
		if _, err := w.program(t.Launch); err != nil {
			return nil, err
		}
		return agent.NewTool(t.Repr, func(ctx context.Context, c agent.Call) (agent.Answer, error) {
			out, context, err := w.tool(ctx, t.Launch, c)
			return agent.Answer{Output: out, Context: context}, told(err)
		}), nil
	}
	up, err := w.upstream(t.Upstream)
	if err != nil {
		return nil, err
	}
	return agent.NewTool(t.Repr, func(ctx context.Context, c agent.Call) (agent.Answer, error) {
		out, err := up.Answer(kind.WithContext(ctx, Outward(c.Context)), c.Input)
		return agent.Answer{Output: out}, told(err)
	}), nil
}

// told lets an agent read an error. Errors of tools have no secrets.
func told(err error) error {
	if err == nil {
		return nil
	}
	return errors.Join(agent.Failure(err.Error()), err)
}

// Close ends everything that the worker started.
func (w *Worker) Close() (err error) {
	for _, up := range w.opened {
		err = errors.Join(err, up.Close())
	}
	if w.ladder != nil {
		err = errors.Join(err, w.ladder.Close())
	}
	return err
}

// Job is a call to make.
type Job struct {
	host.Invocation
	Memories []keep.Recollection
	Tools    []agent.Tool           // of the host
	Environ  []string               // by which a program reaches the host
	Allows   func(tool string) bool // what the delegation of the call allows
	Talk     *Talk                  // nil: nobody takes part in the call
	Purse    *Purse                 // which Do fills
	// Deploy makes a copy of an agent, or ends one: the capability of a deployer.
	Deploy func(ctx context.Context, capability string, input json.RawMessage) (json.RawMessage, error)
}

// Talk is a call that a client takes part in: it reads the steps and runs tools of its own.
type Talk struct {
	Context, Params json.RawMessage
	Tools, Minions  []agent.Repr
	// Attend reads the run to its end. Outward makes a context of the run what the client gave, as
	// tools changed it: the client sees neither memories nor the rest of the background.
	Attend func(ctx context.Context, run *agent.Channel, outward func(json.RawMessage) json.RawMessage) (agent.FinalResult, error)
}

// Do makes a call, and returns its result and what it cost, also if it fails.
func (w *Worker) Do(ctx context.Context, j Job) (json.RawMessage, agent.Usage, error) {
	at := slices.IndexFunc(w.m.Capabilities, func(c host.Capability) bool { return c.Name == j.Target.Capability })
	if at < 0 {
		return nil, agent.Usage{}, fmt.Errorf("agent %s has no capability %s", w.m.ID, j.Target.Capability)
	}
	if w.m.Capabilities[at].Params == nil && j.Talk != nil && len(j.Talk.Params) > 0 && string(j.Talk.Params) != "null" {
		return nil, agent.Usage{}, fmt.Errorf("%w: %s has no parameters; leave them out", agent.ErrRequest, j.Target.Name())
	}
	w.fill(j)
	ctx = withMeter(ctx, &j.Purse.meter)
	a, err := w.agent(w.m.Capabilities[at], j)
	if err != nil {
		return nil, agent.Usage{}, err
	}
	talk := j.Talk
	if talk == nil {
		talk = &Talk{Attend: Alone}
	}
	behind, err := json.Marshal(background{Call: j.ID, Caller: j.Caller, Target: j.Target.String(), Memories: j.Memories, Client: talk.Context})
	if err != nil {
		return nil, agent.Usage{}, err
	}
	local := j.Tools
	if w.crewed() {
		local = nil // they are its worker's
	}
	channel, err := a.Run(ctx, agent.Request{
		Input: j.Payload, Context: behind, Params: talk.Params, LocalTools: local, Tools: talk.Tools, Minions: talk.Minions, Inward: inward,
	})
	if err != nil {
		return nil, agent.Usage{}, err
	}
	defer channel.Close()
	final, err := talk.Attend(ctx, channel, Outward)
	return final.Output, channel.Usage(), err
}

// Alone reads a run in which nobody takes part.
func Alone(_ context.Context, run *agent.Channel, _ func(json.RawMessage) json.RawMessage) (agent.FinalResult, error) {
	for event, err := range run.Steps(false) {
		if err != nil {
			return agent.FinalResult{}, err
		}
		if final, ok := event.(agent.FinalResult); ok {
			return final, nil
		}
	}
	return agent.FinalResult{}, errors.New("the agent ended without a result")
}

// shown is a tool in a call. A guest does not read the errors of programs and servers, but for the
// kind of an error that the agent made; the log has them.
func (w *Worker) shown(t agent.Tool, guest string) agent.Tool {
	if guest == "" {
		return t
	}
	return agent.NewTool(t.Repr(), func(ctx context.Context, c agent.Call) (agent.Answer, error) {
		a, err := t.Use(ctx, c)
		if err != nil {
			w.parts.Log.Warn("a tool failed in the call of a guest", "agent", w.m.ID, "tool", c.Name, "err", err)
			words := "the tool failed; the log of its host says why"
			if errors.Is(err, kind.ErrRequest) {
				words = "the tool does not take this input"
			}
			err = agent.Failure(words)
		}
		return a, err
	})
}

// given are the parameters that a program gets: nil if the capability has none.
func given(c host.Capability, r *agent.Run) json.RawMessage {
	if c.Params == nil {
		return nil
	}
	return r.Params()
}

// crewed reports whether the mind is a model that takes several roles.
func (w *Worker) crewed() bool { return slices.Contains(crew.Kinds(), w.m.Thinks.Kind) }

// agent makes the agent that answers one call.
func (w *Worker) agent(c host.Capability, j Job) (agent.Agent, error) {
	anything := json.RawMessage(`{}`)
	in := c.Input
	if len(in) == 0 {
		in = anything
	}
	cfg := agent.DefaultConfig()
	cfg.Time, cfg.ResultBytes, cfg.TotalBytes = w.m.Quota.Time, 64<<10, 4<<20
	setup := agent.Setup{
		Repr:   agent.Repr{Name: c.Name, Description: cmp.Or(c.Description, w.m.Description, c.Name), InputSchema: in, OutputSchema: c.Output},
		Config: cfg, Log: w.parts.Log,
	}
	switch w.m.Thinks.Kind {
	case manifest.Executable, manifest.Server, manifest.Deployer:
		setup.Alone = true
	}
	if w.m.Thinks.Program() {
		setup.Forms.Params = c.Params
	}
	switch w.m.Thinks.Kind {
	case manifest.Executable:
		return agent.New(setup, func(ctx context.Context, r *agent.Run) (json.RawMessage, error) {
			order, err := json.Marshal(struct {
				Payload json.RawMessage `json:"payload"`
				Context json.RawMessage `json:"context"`
				Params  json.RawMessage `json:"params,omitempty"`
			}{r.Input(), r.Context(), given(c, r)})
			if err != nil {
				return nil, err
			}
			return w.run(ctx, w.m.Thinks.Launch, order, j.Environ)
		})
	case manifest.Deployer:
		return agent.New(setup, func(ctx context.Context, r *agent.Run) (json.RawMessage, error) {
			return j.Deploy(ctx, c.Name, r.Input())
		})
	case manifest.Server:
		return agent.New(setup, func(ctx context.Context, r *agent.Run) (json.RawMessage, error) {
			return w.servers[c.Name].Answer(kind.WithContext(ctx, Outward(r.Context())), r.Input())
		})
	}
	for _, t := range w.tools {
		if j.Allows(t.Repr().Name) {
			setup.Tools = append(setup.Tools, w.shown(t, j.Guest))
		}
	}
	if w.m.Thinks.Kind == manifest.Speaker {
		setup.Config.Steps, setup.Config.Calls, setup.Config.Repeats = 200, 1000, 100 // its framework has bounds of its own
		return agent.New(setup, func(ctx context.Context, r *agent.Run) (json.RawMessage, error) {
			return w.converse(ctx, r, c, j)
		})
	}
	mind := agent.ModelSetup{Model: j.Purse.models, Instructions: w.m.Thinks.Instructions}
	switch {
	case w.crewed():
		setup.Tools = append(setup.Tools, j.Tools...) // of its worker
		return crew.New(w.m.Thinks.Kind, setup, mind)
	case w.m.Thinks.Kind == manifest.Planner:
		return agent.NewPlanner(setup, mind)
	}
	return agent.NewReAct(setup, mind)
}
