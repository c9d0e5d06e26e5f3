package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// decision is the meaning of a model's answer: an action, native calls of tools, or a fault.
type decision struct {
	action
	said  string     // the answer in the conversation
	asked []ToolCall // native calls, as the model made them
	fault string     // why the answer cannot be used; the model sees it
	wrong error      // the class of the fault
	usage Usage
}

func (d decision) calls() []ToolCall {
	switch {
	case d.fault != "" || d.Verb != doCall:
		return nil
	case len(d.asked) > 0:
		return d.asked
	}
	return []ToolCall{{Name: d.Tool, Input: d.Input}}
}

// ask asks the model for an action that is allowed. Note stands at the end of the prompt and is
// not kept. An error is the model's, and means that there is no answer. H hears the answer; it may
// be nil.
func (t *talk) ask(ctx context.Context, allowed []verb, note string, h *hearing) (decision, error) {
	reply, err := t.generate(ctx, allowed, note, h)
	if errors.Is(err, ErrTools) && t.native {
		t.native = false
		t.run.ch.spend(reply.Usage)
		reply, err = t.generate(ctx, allowed, note, h)
	}
	if ctx.Err() != nil {
		t.run.ch.spend(reply.Usage)
		return decision{}, context.Cause(ctx)
	}
	if errors.Is(err, ErrGarbled) {
		return decision{fault: "it was cut off, or is not JSON as the schema says", wrong: ErrGarbled, usage: reply.Usage}, nil
	}
	if err != nil {
		t.run.ch.spend(reply.Usage)
		return decision{}, fmt.Errorf("agent: asking %s: %w", plain(t.mind.Model.Name(), 128), err)
	}
	return t.understand(reply, allowed), nil
}

// generate writes the prompt and gets an answer.
func (t *talk) generate(ctx context.Context, allowed []verb, note string, h *hearing) (Reply, error) {
	messages, err := t.messages(note)
	if err != nil {
		return Reply{}, err
	}
	p := Prompt{System: t.system(), Messages: messages, MaxTokens: t.how.MaxTokens, Temperature: t.how.Temperature, Seed: t.how.Seed}
	if h != nil {
		h.native = t.native
		p.Heard = h.hear
	}
	output, tools := t.run.agent.Setup.Repr.OutputSchema, t.run.Tools()
	if !t.native {
		if p.Schema, err = form(allowed, tools, output); err != nil {
			return Reply{}, fmt.Errorf("agent: the schema of an action: %w", err)
		}
		return t.mind.Model.Generate(ctx, p)
	}
	if slices.Contains(allowed, doCall) {
		p.Tools = slices.Clone(tools)
	}
	p.Tools = append(p.Tools, controls(allowed, output)...)
	return t.mind.Model.Generate(ctx, p)
}

// understand makes a decision from an answer.
func (t *talk) understand(reply Reply, allowed []verb) decision {
	d := decision{said: reply.Text, asked: reply.Calls, usage: reply.Usage}
	var err error
	if len(reply.Calls) > 0 {
		d.action, err = t.fromCalls(reply.Calls, allowed)
		d.Thought = reply.Text
	} else {
		d.action, err = decodeAction(reply.Text, allowed, t.run.agent.Config.Schema)
	}
	if err != nil {
		return d.faulty(ErrGarbled, err)
	}
	if d.Verb == doFinish {
		if err := t.run.Check(d.Result); err != nil {
			return d.faulty(ErrOutput, err)
		}
	}
	return d
}

func (d decision) faulty(class, err error) decision {
	d.wrong, d.fault = class, plain(reason(err), 2*maxWords)
	return d
}

// fromCalls reads native calls: one call of a verb, or calls of tools.
func (t *talk) fromCalls(calls []ToolCall, allowed []verb) (action, error) {
	for _, c := range calls {
		do := verb(c.Name)
		if _, isVerb := keys[do]; !isVerb || do == doCall {
			continue
		}
		if len(calls) > 1 || !slices.Contains(allowed, do) {
			return action{}, fmt.Errorf("%s is not called together with others, and not now", do)
		}
		return t.fromVerb(do, c)
	}
	if !slices.Contains(allowed, doCall) {
		return action{}, fmt.Errorf("no tool can be called now, only %s", list(allowed))
	}
	return action{Verb: doCall}, nil
}

func (t *talk) fromVerb(do verb, c ToolCall) (action, error) {
	doc, err := t.run.agent.Config.Schema.Decode(c.Input)
	fields, ok := doc.(map[string]any)
	if err != nil || !ok {
		return action{}, fmt.Errorf("the input of %s is not a JSON object", do)
	}
	return fill(do, fields)
}

// excuse counts a fault and tells the model about it. The error says that there were too many.
func (t *talk) excuse(d decision) error {
	t.faults++
	if t.faults > t.run.agent.Config.Repairs {
		return fmt.Errorf("%w: %d answers of the model could not be used, the last because %s", d.wrong, t.faults, d.fault)
	}
	t.tell("Your answer cannot be used. Answer again.\n" + t.mind.quote("what is wrong with it", jsonText(d.fault)))
	return nil
}
