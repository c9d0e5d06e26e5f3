package model

import (
	"context"
	"errors"
	"slices"
	"strings"

	"ojud/agent"
)

// What a model that thinks first is told. The first stands at the end of the prompt in both calls,
// so that a server reads what is before it once.
const (
	thinkWords = "Do not answer in the form yet. First think, in plain text and at most 300 words: go through what you are asked, point by point, " +
		"and say what speaks for and against each. After that you will be asked for the form."
	formWords = "Now answer in the form that was asked for, and with nothing else."
)

// maxThought bounds what a model is shown of its own thoughts, in bytes.
const maxThought = 16 << 10

// think asks for free text first, and returns the prompt with it. A form leaves a model no room to
// think before it answers. A thought that is cut off is enough, because it decides nothing.
func (r *rung) think(ctx context.Context, p agent.Prompt, m *meter) (agent.Prompt, agent.Usage, error) {
	last := len(p.Messages) - 1
	p.Messages = slices.Clone(p.Messages)
	p.Messages[last].Text += "\n\n" + thinkWords
	free := p
	free.Schema, free.Heard = nil, nil
	c := r.call(free)
	c.free = true
	reply, err := r.send(ctx, c, m)
	thought := strings.TrimSpace(reply.Text)
	if err == nil && thought == "" || errors.Is(err, agent.ErrGarbled) {
		thought, err = "I have nothing to add.", nil
	}
	p.Messages = append(p.Messages, agent.Message{Role: agent.Assistant, Text: strings.ToValidUTF8(thought[:min(len(thought), maxThought)], "")},
		agent.Message{Role: agent.User, Text: formWords})
	return p, reply.Usage, err
}

// thinks reports whether a prompt is one that the model thinks about first: it asks for a form, and
// the user speaks last.
func (r *rung) thinks(p agent.Prompt) bool {
	return r.entry.ThinkFirst && p.Schema != nil && len(p.Tools) == 0 && p.Messages[len(p.Messages)-1].Role == agent.User
}
