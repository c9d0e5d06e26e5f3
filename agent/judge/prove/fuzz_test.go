package prove

import (
	"context"
	"encoding/json"
	"testing"

	"ojud/agent"
	"ojud/casefile/proof"
)

// FuzzAnswer hands in anything that a model may write. Nothing but a program that holds on its
// controls is accepted, and the model learns nothing of the result.
func FuzzAnswer(f *testing.F) {
	f.Add(`{"point":"I1","program":"result.n === 1","right":{"n":1},"wrong":{"n":2}}`)
	f.Add(`{"point":"I1","program":"true","right":null,"wrong":7}`)
	f.Add(`{"program":7}`)
	var p proof.Prover
	f.Cleanup(func() {
		if err := p.Close(context.Background()); err != nil {
			f.Error(err)
		}
	})
	f.Fuzz(func(t *testing.T, input string) {
		if len(input) > 1<<12 {
			return
		}
		s := Setup{Text: 100, Points: map[string]string{"I1": "x"}, Prover: &p, Fits: func(json.RawMessage) string { return "" },
			Papers: proof.Papers{Task: []byte(`{"instruction":["x"],"output_schema":{}}`), Result: []byte(`{"n":3}`)}}
		out := Proved{}
		reply := s.answer(t.Context(), agent.ClientCall{ToolCall: agent.ToolCall{ID: "1", Name: tool, Input: json.RawMessage(input)}}, &out)
		if (reply.Error == "") != (len(out.Proposals) > 0) {
			t.Errorf("%+v, %+v", reply, out)
		}
		for _, accepted := range out.Proposals {
			if field, problem := accepted.Problem(); problem != "" {
				t.Errorf("%s %s", field, problem)
			}
		}
		if _, err := s.shown(); err != nil {
			t.Error(err)
		}
	})
}
