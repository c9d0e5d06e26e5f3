package model

import (
	"strings"
	"testing"

	"ojud/agent"
)

// FuzzPieces: whatever a server streams, an answer in pieces is refused, or is one in the form of
// the API that has what was heard.
func FuzzPieces(f *testing.F) {
	f.Add(false, "data: {\"choices\":[{\"delta\":{\"content\":\"An owl\"}}]}\n\ndata: {\"choices\":[{\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":1}}\n\ndata: [DONE]\n")
	f.Add(false, "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]},\"finish_reason\":\"tool_calls\"}]}\n")
	f.Add(true, "event: x\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"An\"}}\n"+
		"data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"text\":\" owl\"}}\ndata: {\"type\":\"message_stop\"}\n")
	f.Add(true, "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"name\":\"f\"}}\n"+
		"data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"partial_json\":\"{}\"}}\ndata: {\"type\":\"message_stop\"}\n")
	f.Fuzz(func(t *testing.T, anthropic bool, text string) {
		var d dialect = openaiDialect{}
		if anthropic {
			d = anthropicDialect{}
		}
		heard := ""
		x := &exchange{dialect: d, key: &key{}, call: &call{prompt: agent.Prompt{Heard: func(text string) { heard += text }}}}
		raw, err := x.listen(strings.NewReader(text))
		if err != nil {
			return
		}
		if _, err := d.tidy(raw); err != nil {
			t.Errorf("%q becomes %s, which is in no form of the API: %v", text, raw, err)
		}
	})
}
