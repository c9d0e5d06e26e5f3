package shell

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"ojud/agent"
	"ojud/agent/host"
	"ojud/agent/host/attest"
	"ojud/agent/host/keep"
	"ojud/agent/host/manifest"
	"ojud/agent/host/mind"
	"ojud/casefile"
	"ojud/casefile/canon"
)

// The limits of a call.
const (
	MaxPayload     = 256 << 10
	maxCorrelation = 128
	recent         = 3 // latest calls that the mind sees in a call
	recalled       = 5 // patterns that the mind sees in a call
)

// Caller is who asks the host for something.
type Caller struct {
	ID   string // host.Operator, or an agent
	Call string // the call in which the agent asks
}

// Invoke makes a call and waits for its end, or for the end of ctx. The call goes on without its
// caller. The same caller, target and correlation id are the same call.
func (h *Host) Invoke(ctx context.Context, by Caller, order attest.Commission) (host.Invocation, error) {
	return h.invokeWith(ctx, by, order, mind.Talk{})
}

// invokeWith makes a call in which the agent sees the context and the parameters of its caller.
func (h *Host) invokeWith(ctx context.Context, by Caller, order attest.Commission, talk mind.Talk) (host.Invocation, error) {
	talk.Attend = mind.Alone
	brings := len(talk.Context)+len(talk.Params) > 0
	var with json.RawMessage
	if brings {
		var err error
		if with, err = beside(&talk, false); err != nil {
			return host.Invocation{}, err
		}
	}
	c, err := prepare(by, &order)
	if err != nil {
		return c, err
	}
	waits, err := h.grant(&c, order, with)
	if err != nil {
		return c, err
	}
	if !brings {
		return h.await(ctx, c, waits)
	}
	c.Attended = true
	end, err := enter(h, &c, waits, &talk)
	if err != nil {
		return c, err
	}
	return over(ctx, h, c, end)
}

// await makes a call that may be made, and waits for its end.
func (h *Host) await(ctx context.Context, c host.Invocation, waits bool) (host.Invocation, error) {
	end, err := enter(h, &c, waits, nil)
	if err != nil {
		return c, err
	}
	return over(ctx, h, c, end)
}

// enter makes a call that may be made. The channel gets the call when it is over. Talk is what the
// caller brings; nil: nothing.
func enter(h *Host, c *host.Invocation, waits bool, talk *mind.Talk) (<-chan host.Invocation, error) {
	end := make(chan host.Invocation, 1)
	taken, err := h.admit(c, waits, end, talk)
	if err != nil || !taken {
		h.free(*c)
	}
	return end, err
}

// over waits for the end of a call.
func over(ctx context.Context, h *Host, c host.Invocation, end <-chan host.Invocation) (host.Invocation, error) {
	select {
	case c := <-end:
		return c, nil
	case <-ctx.Done():
		return c, ctx.Err()
	case <-h.life.Done():
	}
	select { // the end may have come with the end of the host
	case c := <-end:
		return c, nil
	default:
		return c, fmt.Errorf("the agent host stops: %w", context.Cause(h.life))
	}
}

// prepare makes the call that a caller asks for.
func prepare(by Caller, order *attest.Commission) (c host.Invocation, err error) {
	malformed := func(format string, args ...any) (host.Invocation, error) {
		return c, &host.Refused{Code: host.Form, Words: fmt.Sprintf(format, args...)}
	}
	target, err := host.ParseTarget(order.Target)
	if err != nil {
		return malformed("%v", err)
	}
	if order.Correlation == "" {
		order.Correlation = words()
	}
	if len(order.Correlation) > maxCorrelation || strings.ContainsFunc(order.Correlation, func(r rune) bool { return r < '!' || r > '~' || r == '/' }) {
		return malformed("correlation_id is %.40q; write at most %d printable characters of ASCII without blanks and /", order.Correlation, maxCorrelation)
	}
	if len(order.Payload) == 0 {
		order.Payload = json.RawMessage("null")
	}
	if order.Payload, err = canon.JSON(order.Payload, MaxPayload); err != nil {
		return malformed("payload cannot be used: %v; the limit is %d bytes of JSON", err, MaxPayload)
	}
	order.Caller, order.Target = by.ID, target.String()
	c = host.Invocation{
		ID: words(), Caller: by.ID, Target: target, Correlation: order.Correlation, Payload: order.Payload, Timeout: order.Timeout, Parent: by.Call,
	}
	if c.Task, err = order.Hash(); err != nil {
		return malformed("the call cannot be used: %v", err)
	}
	return c, nil
}

// admit gives a call to the core. The channel gets the call when it is over. Taken is false if the
// call is one that was made before. What its caller brings is kept until the call is over.
func (h *Host) admit(c *host.Invocation, waits bool, end chan host.Invocation, talk *mind.Talk) (taken bool, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.broken != nil {
		return false, h.broken
	}
	if parent, ok := h.core.Open(c.Parent); ok {
		c.Depth = parent.Depth + 1
	}
	o := host.Invoked{Invocation: *c, Waits: waits, Now: now()}
	earlier, found, err := h.disk.Given(*c)
	if err != nil {
		return false, err
	}
	if found {
		o.Earlier, o.ID = &earlier, words() // it only waits for the end of the other
	} else if err := h.disk.Room(); err != nil {
		return false, &host.Refused{Code: host.Busy, Words: err.Error()}
	}
	h.waiting[o.ID] = []chan host.Invocation{end}
	if err := h.settle(o.ID, o); err != nil {
		delete(h.waiting, o.ID)
		return false, err
	}
	if _, open := h.core.Open(c.ID); open && talk != nil {
		h.talks[c.ID] = talk // before the call starts, which waits for mu
	}
	if waits && !found {
		if h.parts.Waits != nil {
			h.parts.Waits(*c)
		}
		return true, h.answered(c.ID) // a person may have answered already
	}
	return !found, nil
}

// call makes a call, and tells the core how it ended.
func (h *Host) call(ctx context.Context, w *mind.Worker, m manifest.Manifest, c host.Invocation) {
	ctx, cancel := context.WithDeadlineCause(ctx, c.Deadline(), context.DeadlineExceeded)
	defer cancel()
	by := Caller{c.Target.Agent, c.ID}
	h.mu.Lock()
	job := mind.Job{Invocation: c, Allows: toolAllowed(c), Talk: h.talks[c.ID], Purse: &mind.Purse{}}
	h.acting.purses[c.ID] = job.Purse
	job.Deploy = func(ctx context.Context, capability string, input json.RawMessage) (json.RawMessage, error) {
		return deploy(ctx, h, by, c, capability, input)
	}
	h.mu.Unlock()
	word := ""
	if m.Autonomy >= host.LevelTools {
		word = words()
		job.Tools = h.tools(by, c, m)
		h.mu.Lock()
		h.acting.by[word] = by
		job.Environ = []string{"AGENT_HOST=" + h.acting.address, "AGENT_TOKEN=" + word}
		h.mu.Unlock()
	}
	var usage agent.Usage
	h.mu.Lock()
	log, err := inner(h, c)
	h.mu.Unlock()
	if err == nil {
		err = log("called")
	}
	if err == nil {
		job.Memories, err = h.memories(c)
	}
	if err == nil {
		c.Result, usage, err = w.Do(ctx, job)
	}
	c.Status, c.Problem = outcome(ctx, err)
	var refused *host.Refused
	told := m.Thinks.Kind == manifest.Deployer && errors.As(err, &refused) // the reason is the answer
	if c.Status == host.Failed && c.Guest != "" && !told && !errors.Is(err, agent.ErrRequest) {
		h.report("an agent failed in the call of a guest", m.ID, err)
		c.Problem = agent.Words(err) // the error may name files, programs and servers of the host
	}
	if err == nil {
		c.Result, err = canon.JSON(c.Result, mind.MaxResult)
		if err != nil {
			c.Status, c.Problem, c.Result = host.Failed, "the result cannot be used: "+err.Error(), nil
		}
	}
	h.finish(m, c, usage, word)
}

// memories are what the mind of an agent sees in a call: of the calls for the same guest or for the
// operator, and what the operator taught.
func (h *Host) memories(c host.Invocation) ([]keep.Recollection, error) {
	id, known := c.Target.Agent, keep.Known(c.Behalf)
	patterns, err := h.disk.Recall(id, known, keep.Pattern, string(c.Payload), recalled)
	if err != nil {
		return nil, err
	}
	latest, err := h.disk.Recall(id, known, keep.Working, "", recent)
	all := append(patterns, latest...)
	for i := range all {
		all[i].Of = "" // the mind need not know
	}
	return all, err
}

// finish saves the end of a call, signed by the agent.
func (h *Host) finish(m manifest.Manifest, c host.Invocation, usage agent.Usage, word string) {
	h.mu.Lock()
	key := h.keys[m.ID]
	purse := h.acting.purses[c.ID]
	delete(h.acting.purses, c.ID) // what is left behind of the program spends nothing any more
	leave(h, c.ID)
	delete(h.acting.by, word)
	h.mu.Unlock()
	var used time.Duration
	if purse != nil {
		usage.Add(purse.Given())
		used = purse.CPU()
	}
	at := now()
	if key != nil {
		signed, err := attest.Sign(c, at, casefile.DID(key.Address()), func(text []byte) [64]byte { return key.Sign(text) })
		h.report("a call is not attested", m.ID, err)
		c.Attestation = signed
	}
	if c.Admitted {
		h.report("the budget of a call is not settled; the next start does it", m.ID, h.warden.Settle(c, usage.Prompt+usage.Completion, usage.Cost))
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	log, err := inner(h, c)
	if err == nil {
		err = log("ended")
	}
	h.report("the end of a call is not in the audit logs", m.ID, err)
	delete(h.acting.asked, c.ID)
	if stop := h.stops[c.ID]; stop != nil {
		stop(errStopped)
		delete(h.stops, c.ID)
	}
	if _, open := h.core.Open(c.ID); open && h.broken == nil {
		then := c.Status + " " + string(c.Result) + c.Problem
		r := keep.Recollection{Kind: keep.Working, Of: c.Circle(), When: short(c.Target.Capability + " " + string(c.Payload)), Then: short(then), At: at}
		h.report("a call is not remembered", m.ID, h.disk.Learn(m.ID, r, m.Quota.Memories))
	}
	h.report("the end of a call is not saved", m.ID, h.step(host.Ended{
		Call: c.ID, Status: c.Status, Problem: c.Problem, Result: c.Result, Attestation: c.Attestation,
		Tokens: usage.Prompt + usage.Completion, Micros: usage.Cost, CPU: used.Milliseconds(), Now: at,
	}))
}

// outcome returns the status and the problem of an error.
func outcome(ctx context.Context, err error) (status, problem string) {
	switch cause := context.Cause(ctx); {
	case err == nil:
		return host.OK, ""
	case errors.Is(cause, context.DeadlineExceeded) || errors.Is(err, agent.ErrTime):
		return host.TimedOut, "the time of the call is over"
	case cause != nil:
		return host.Cancelled, cause.Error()
	}
	return host.Failed, short(err.Error())
}

// short cuts a text to what a memory or an error may have.
func short(text string) string {
	text = strings.ToValidUTF8(text, "?")
	if len(text) > keep.MaxMemory {
		text = strings.ToValidUTF8(text[:keep.MaxMemory-4], "") + "…"
	}
	return text
}
