package model

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"ojud/agent"
)

const maxCalls = 32 // of tools in one answer

// Why servers stop, in lower case. With other words, or none, the answer counts as complete.
var (
	stopsCut     = []string{"length", "max_tokens", "model_length", "model_context_window_exceeded", "pause_turn", "error"}
	stopsRefused = []string{"content_filter", "refusal", "safety", "prohibited_content", "blocklist", "recitation"}
)

// read makes a reply from langchaingo's answer.
func (c *call) read(d dialect, response *llms.ContentResponse) (agent.Reply, *fault) {
	var reply agent.Reply
	cut := false
	for _, choice := range response.Choices {
		stop := strings.ToLower(choice.StopReason)
		cut = cut || slices.Contains(stopsCut, stop)
		if slices.Contains(stopsRefused, stop) {
			return reply, &fault{class: agent.ErrRefused, what: "the model declines to answer", asked: true}
		}
		reply.Text += choice.Content
		for _, made := range choice.ToolCalls {
			if f := c.add(d, &reply, made); f != nil {
				return reply, f
			}
		}
	}
	if cut && !c.free && !c.closed(reply) {
		return reply, garbled("the answer is cut off")
	}
	return c.whole(reply)
}

// closed reports whether a truncated answer was complete. Grammars allow space after the last
// brace, and small models continue with it until their tokens are used up.
func (c *call) closed(reply agent.Reply) bool {
	text, err := value(reply.Text)
	return c.schema != "" && len(reply.Calls) == 0 && err == nil && (text[0] == '{' || text[0] == '[')
}

// whole checks that there is an answer, and that it is JSON if required.
func (c *call) whole(reply agent.Reply) (agent.Reply, *fault) {
	if len(reply.Calls) > 0 {
		return reply, nil
	}
	if strings.TrimSpace(reply.Text) == "" {
		return reply, garbled("the answer is empty")
	}
	if c.schema == "" {
		return reply, nil
	}
	text, err := value(reply.Text)
	if err != nil {
		return reply, garbled("the answer is not one JSON value: " + err.Error())
	}
	reply.Text = text
	return reply, nil
}

// add adds a call of a tool. Each gets its own id instead of the server's.
func (c *call) add(d dialect, reply *agent.Reply, made llms.ToolCall) *fault {
	if made.FunctionCall == nil || len(c.prompt.Tools) == 0 {
		return garbled("it calls a tool, and has none")
	}
	if len(reply.Calls) == maxCalls {
		return garbled("it calls more than " + strconv.Itoa(maxCalls) + " tools at once")
	}
	input, name := d.input(made.FunctionCall.Arguments), c.names.read(made.FunctionCall.Name)
	if err := object(input); err != nil || name == "" || len(name) > 128 {
		return garbled("it calls a tool with what is no JSON object, or without a name")
	}
	id := plainID(made.ID)
	if made.ID == "" || slices.ContainsFunc(reply.Calls, func(other agent.ToolCall) bool { return other.ID == id }) {
		id = plainID(made.ID + "#" + strconv.Itoa(len(reply.Calls)))
	}
	reply.Calls = append(reply.Calls, agent.ToolCall{ID: id, Name: name, Input: json.RawMessage(strings.TrimSpace(string(input)))})
	return nil
}
