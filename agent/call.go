package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
)

type job struct {
	call    ToolCall
	offer   *offer
	pending *pending    // the client makes it
	made    *ToolResult // the body made it
	refused string      // why it is not made
}

// make makes the calls of a step. Calls of the client go out first and all at once, because they
// take long. The others run one after the other. Results come out in the order of the calls.
func (r *Run) make(calls []ToolCall) ([]ToolResult, error) {
	var jobs []*job
	for i, c := range calls {
		j, err := r.job(i, c)
		if err != nil {
			return nil, err
		}
		jobs = append(jobs, j)
	}
	for _, j := range jobs {
		if err := r.send(j); err != nil {
			return nil, err
		}
	}
	var out []ToolResult
	for _, j := range jobs {
		result, err := r.finish(j)
		if err != nil {
			return nil, err
		}
		out = append(out, result)
	}
	return out, nil
}

// job prepares a call. The error is ErrLoop if the call was repeated too often.
func (r *Run) job(i int, c ToolCall) (*job, error) {
	if result, made := r.made[c.ID]; made {
		delete(r.made, c.ID)
		return &job{call: c, made: &result}, nil
	}
	j := &job{call: c, offer: r.kit[c.Name]}
	cfg := r.agent.Config
	input, err := cfg.Schema.Decode(c.Input)
	if err != nil {
		return nil, fmt.Errorf("agent: call %s: %w", c.ID, err)
	}
	if j.refused = r.garbled[c.ID]; j.offer == nil {
		j.refused = fmt.Sprintf("there is no tool %q", plain(c.Name, maxName))
	}
	times, err := r.repeated(c.Name, input)
	if err != nil {
		return nil, err
	}
	switch {
	case j.refused != "":
	case times > cfg.Repeats:
		j.refused = fmt.Sprintf("you have made this very call %d times; its result is above, do something else", cfg.Repeats)
	case i >= cfg.StepCalls:
		j.refused = fmt.Sprintf("a step makes at most %d calls", cfg.StepCalls)
	case r.calls == 0:
		j.refused = fmt.Sprintf("no more calls: you have made %d; finish with what you know", cfg.Calls)
	default:
		r.calls--
		j.refused = r.unfit(j)
	}
	return j, nil
}

// repeated counts equal calls, including those that were not made. Numbers and names are compared
// as written; the order of members does not matter.
func (r *Run) repeated(name string, input any) (int, error) {
	key, err := json.Marshal([]any{name, input})
	if err != nil {
		return 0, fmt.Errorf("agent: a call of %s: %w", name, err)
	}
	r.seen[string(key)]++
	times := r.seen[string(key)]
	if times > r.agent.Config.Repeats+1 {
		return times, fmt.Errorf("%w: %q", ErrLoop, plain(name, maxName))
	}
	return times, nil
}

// unfit says how the input of a call violates its schema.
func (r *Run) unfit(j *job) string {
	if err := holds(r.ch.ctx, j.offer.in, j.call.Input); err != nil {
		return "the input is not as the tool's schema says: " + plain(err.Error(), 2*maxWords)
	}
	return ""
}

// send gives a call to the client if the client runs the tool.
func (r *Run) send(j *job) error {
	if j.refused != "" || j.made != nil || j.offer.tool != nil || j.offer.agent != nil {
		return nil
	}
	j.pending = r.ch.ask(j.call.ID, j.offer.minion)
	return r.ch.emit(ClientCall{ToolCall: j.call, Minion: j.offer.minion, Context: r.context})
}

// finish gets the result of a call and gives it to the client.
func (r *Run) finish(j *job) (ToolResult, error) {
	switch {
	case j.refused != "":
		return r.tell(j, ToolResult{Error: j.refused})
	case j.made != nil:
		return r.tell(j, *j.made)
	case j.offer.agent != nil:
		return r.minion(j)
	case j.pending != nil:
		return r.asked(j)
	}
	a, err := r.use(j)
	if err := r.ch.ctx.Err(); err != nil {
		return ToolResult{}, context.Cause(r.ch.ctx)
	}
	if err == nil && a.Context != nil {
		err = r.SetContext(a.Context)
	}
	if err != nil {
		r.agent.Log.Warn("a tool failed", "agent", r.agent.Setup.Repr.Name, "tool", j.call.Name, "error", err)
		return r.tell(j, ToolResult{Error: Words(err)})
	}
	return r.tell(j, ToolResult{Output: a.Output})
}

// asked waits for the client's answer.
func (r *Run) asked(j *job) (ToolResult, error) {
	select {
	case in := <-j.pending.answer:
		switch in := in.(type) {
		case ToolResult:
			return r.tell(j, r.changed(in))
		case MinionChannel:
			return r.follow(j, in.Channel)
		}
		return ToolResult{}, fmt.Errorf("%w: an answer of type %T", ErrRequest, in)
	case <-r.ch.ctx.Done():
		return ToolResult{}, context.Cause(r.ch.ctx)
	}
}

// changed takes the context of a result of the client.
func (r *Run) changed(in ToolResult) ToolResult {
	theirs := in.Context
	in.Context = nil
	if len(theirs) == 0 || in.Error != "" {
		return in
	}
	var err error
	if r.request.Inward != nil {
		theirs, err = r.request.Inward(r.context, theirs)
	}
	if err == nil {
		err = r.SetContext(theirs)
	}
	if err != nil {
		r.agent.Log.Warn("the context of a client is not taken", "agent", r.agent.Setup.Repr.Name, "error", err)
		return ToolResult{Error: "its context cannot be used: " + Words(err)}
	}
	return in
}

// use runs a tool. It returns when the run ends, even if the tool does not.
func (r *Run) use(j *job) (Answer, error) {
	type outcome struct {
		answer Answer
		err    error
	}
	out := make(chan outcome, 1)
	call := Call{j.call, r.context}
	r.ch.wait.Go(func() {
		a, err := r.contained(j.offer.tool, call)
		out <- outcome{a, err}
	})
	select {
	case o := <-out:
		return o.answer, o.err
	case <-r.ch.ctx.Done():
		return Answer{}, context.Cause(r.ch.ctx)
	}
}

// contained turns a panic of a tool into an error. The stack goes to the log.
func (r *Run) contained(t Tool, c Call) (a Answer, err error) {
	defer func() {
		if p := recover(); p != nil {
			r.agent.Log.Error("a tool panicked", "agent", r.agent.Setup.Repr.Name, "tool", c.Name, "panic", p, "stack", string(debug.Stack()))
			err = ErrPanic
		}
	}()
	return t.Use(r.ch.ctx, c)
}

// tell gives the client the result of a tool's call, or of a minion's that did not begin.
func (r *Run) tell(j *job, result ToolResult) (ToolResult, error) {
	result, err := r.settle(j, result)
	if err != nil {
		return result, err
	}
	if j.offer != nil && j.offer.minion {
		return result, r.ch.emit(MinionResult{ToolResult: result})
	}
	return result, r.ch.emit(result)
}

// settle makes a result for the agent: within bounds, valid by the schema, on one line.
func (r *Run) settle(j *job, result ToolResult) (ToolResult, error) {
	result.ID, result.Name, result.Error = j.call.ID, plain(j.call.Name, maxName), plain(result.Error, 2*maxWords)
	if result.Error == "" {
		result.Output, result.Error = r.fit(j, result.Output)
	}
	if result.Error != "" {
		result.Output = nil
	}
	return result, r.spend(len(result.Output) + len(result.Error))
}

// fit checks an output against its bounds and its schema.
func (r *Run) fit(j *job, output json.RawMessage) (json.RawMessage, string) {
	if most := r.agent.Config.ResultBytes; len(output) > most {
		return nil, fmt.Sprintf("the answer has %d bytes, more than %d; ask for less", len(output), most)
	}
	if len(output) == 0 {
		output = json.RawMessage("null")
	}
	if j.offer != nil {
		if err := holds(r.ch.ctx, j.offer.out, output); err != nil {
			return nil, "the answer is not as the tool's schema says: " + plain(err.Error(), maxWords)
		}
	}
	line, err := compacted(output)
	if err != nil {
		return nil, "the answer is not JSON"
	}
	return line, ""
}
