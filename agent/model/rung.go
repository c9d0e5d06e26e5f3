package model

import (
	"context"
	"crypto/sha256"
	"errors"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"

	"ojud/agent"
)

// rung is one model of the ladder.
type rung struct {
	entry   Endpoint
	dialect dialect
	over    http.RoundTripper
	key     *key
	retries int
	wait    func(ctx context.Context, d time.Duration) error
	log     *slog.Logger
	metrics *counts
	pace    pace
	tally   tally

	mu      sync.Mutex
	fixed   bool                // the server refused a temperature
	quiet   bool                // it refused to answer in pieces, or is recorded
	mute    bool                // the server refused tools
	lowered map[[32]byte]string // weaker ways to enforce schemas, after refusals
}

const (
	firstPause  = 500 * time.Millisecond
	longPause   = 30 * time.Second // if a server wants more, other models are asked
	keptSchemas = 64
	adaptations = 4 // of one request to the server's limits
)

// generate asks until there is an answer, or no point in asking. The reply's usage is always set.
func (r *rung) generate(ctx context.Context, p agent.Prompt, m *meter) (agent.Reply, error) {
	if !r.thinks(p) {
		return r.send(ctx, r.call(p), m)
	}
	p, before, err := r.think(ctx, p, m)
	if err != nil {
		return agent.Reply{Usage: before}, err
	}
	reply, err := r.send(ctx, r.call(p), m)
	reply.Usage.Add(before)
	return reply, err
}

// send sends a request, without the parts that the server refuses.
func (r *rung) send(ctx context.Context, c *call, m *meter) (agent.Reply, error) {
	var used agent.Usage
	for range adaptations {
		reply, x, err := r.persist(ctx, c, m)
		used.Add(reply.Usage)
		reply.Usage = used
		if err == nil {
			r.learn(c)
			return reply, nil
		}
		f := (*fault)(nil)
		if !errors.As(err, &f) || !f.unable() || !r.adapt(c, x.says) {
			return reply, r.final(c, x, err)
		}
	}
	return agent.Reply{Usage: used}, &fault{class: agent.ErrRefused, what: "it refuses every form of the request", asked: true}
}

// call makes a request for a prompt, with the known limits of this server.
func (r *rung) call(p agent.Prompt) *call {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := &call{prompt: p, tokens: min(p.MaxTokens, r.entry.MaxTokens), fixed: r.fixed, quiet: r.quiet || p.Heard == nil, names: newNames(p.Tools)}
	switch {
	case p.Schema == nil:
	case len(p.Tools) > 0:
		c.schema = schemaPrompt // a server that samples by a schema cannot call a tool
	default:
		c.schema = r.entry.Schema
		if lowered := r.lowered[sha256.Sum256(p.Schema)]; lowered != "" {
			c.schema = lowered
		}
	}
	return c
}

// adapt removes the part that the server seems to refuse, and reports whether there was one.
func (r *rung) adapt(c *call, says string) bool {
	switch {
	case !c.fixed && strings.Contains(says, "temperature"):
		c.fixed = true
	case !c.quiet && strings.Contains(says, "stream"):
		c.quiet = true
	case len(c.prompt.Tools) > 0 && strings.Contains(says, "tool"):
		return false
	case c.schema == schemaJSON && r.entry.Provider != providerAnthropic: // its API has nothing in between
		c.schema = schemaObject
	case c.schema == schemaJSON || c.schema == schemaObject:
		c.schema = schemaPrompt
	default:
		return false
	}
	return true
}

// learn remembers the limits of the server after it answered without the rest.
func (r *rung) learn(c *call) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fixed = r.fixed || c.fixed
	r.quiet = r.quiet || c.quiet && c.prompt.Heard != nil
	if c.schema == "" || c.schema == r.entry.Schema || len(c.prompt.Tools) > 0 {
		return
	}
	if len(r.lowered) >= keptSchemas {
		clear(r.lowered)
	}
	r.lowered[sha256.Sum256(c.prompt.Schema)] = c.schema
}

// final says that a request with tools was refused for its tools, if the server says so.
func (r *rung) final(c *call, x *exchange, err error) error {
	f := (*fault)(nil)
	if !errors.As(err, &f) || !f.unable() || len(c.prompt.Tools) == 0 || !strings.Contains(x.says, "tool") {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.mute = true
	return &fault{class: agent.ErrTools, what: f.what, detail: f.detail, asked: true}
}

// canCall reports whether the model can call tools, as far as known.
func (r *rung) canCall() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.entry.Tools && !r.mute
}

// persist repeats a request while the server is busy or down and time is left.
func (r *rung) persist(ctx context.Context, c *call, m *meter) (agent.Reply, *exchange, error) {
	var used agent.Usage
	for c.attempt = 0; ; c.attempt++ {
		reply, x, err := r.once(ctx, c, m)
		used.Add(reply.Usage)
		reply.Usage = used
		f := (*fault)(nil)
		if err == nil || !errors.As(err, &f) {
			return reply, x, err
		}
		delay := max(f.wait, backoff(c.attempt))
		if f.again && c.attempt < r.retries && delay <= longPause && fits(ctx, delay) && r.wait(ctx, delay) == nil {
			continue
		}
		if f.rests() && ctx.Err() == nil {
			r.pace.struck(time.Now(), f.wait)
		}
		return reply, x, err
	}
}

// fits reports whether so much time is left.
func fits(ctx context.Context, d time.Duration) bool {
	end, ok := ctx.Deadline()
	return !ok || time.Until(end) > d
}

// backoff doubles, with a random half, so that refused judges do not return together.
func backoff(attempt int) time.Duration {
	d := firstPause << attempt
	return d/2 + rand.N(d/2+1)
}

// once makes one request within the budget.
func (r *rung) once(ctx context.Context, c *call, m *meter) (agent.Reply, *exchange, error) {
	prompt := estimate(size(c.prompt))
	aside, err := m.reserve(agent.Usage{Calls: 1, Prompt: prompt, Completion: c.tokens, Cost: r.entry.cost(prompt, c.tokens), Time: r.entry.Timeout})
	if err != nil {
		return agent.Reply{}, nil, err
	}
	limited, cancel := context.WithTimeout(ctx, aside.Time)
	defer cancel()
	x := &exchange{call: c, dialect: r.dialect, over: r.over, key: r.key}
	reply, f := x.ask(limited, r.entry)
	m.settle(aside, reply.Usage)
	r.note(ctx, c, reply.Usage, f)
	if f != nil {
		return agent.Reply{Usage: reply.Usage}, x, f
	}
	return reply, x, nil
}

func (r *rung) note(ctx context.Context, c *call, u agent.Usage, f *fault) {
	r.metrics.request(r.entry.Name, result(f), u)
	r.tally.add(result(f), f == nil, u)
	attributes := []any{"model", r.entry.Name, "attempt", c.attempt + 1, "schema", c.schema, "prompt_tokens", u.Prompt,
		"completion_tokens", u.Completion, "cost_micros", u.Cost, "took", u.Time}
	if f == nil {
		r.pace.answered(time.Now(), u.Time)
		r.log.DebugContext(ctx, "a model answered", attributes...)
		return
	}
	if errors.Is(f.class, agent.ErrDown) && !f.free && !f.again && !errors.Is(ctx.Err(), context.Canceled) {
		r.pace.late(time.Now(), u.Time)
	}
	r.log.WarnContext(ctx, "a model did not answer", append(attributes, "error", f.Error(), "detail", f.detail)...)
}
