package door

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"ojud/agent/channel"
	"ojud/agent/delegation"
	"ojud/agent/host"
	"ojud/agent/host/shell"
)

// TestStreamed: over each carrier, a caller who wants pieces reads each word of the model before
// the model says the next.
func TestStreamed(t *testing.T) { onEach(t, testStreamed) }

func testStreamed(t *testing.T, way *carrier) {
	heard := make(chan string)
	done := t.Context().Done()
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, part := range []string{`{"thought":"`, "An ", "owl ", "sat.", `","action":"finish","result":"an owl"}`} {
			raw, err := json.Marshal(part)
			if err == nil {
				_, err = fmt.Fprintf(w, "data: {\"choices\":[{\"delta\":{\"content\":%s}}]}\n\n", raw)
			}
			if err == nil {
				err = http.NewResponseController(w).Flush()
			}
			if err != nil {
				t.Error(err)
				return
			}
			if strings.ContainsAny(part, "{}") {
				continue
			}
			select {
			case got := <-heard: // the model waits for the caller
				if got != part {
					t.Errorf("the caller heard %q, not %q", got, part)
				}
			case <-done:
				return
			}
		}
		if _, err := fmt.Fprint(w, "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"); err != nil {
			t.Error(err)
		}
	}))
	defer model.Close()
	file := strings.Replace(solver, "http://127.0.0.1:1/v1", model.URL+"/v1", 1)
	f := publish(t, agentsHome(t, map[string]string{"s.toml": file}), "127.0.0.1:0", shell.Means{}, way.join)
	a := Abroad{Key: f.operator, To: way.remote(f, "s/solve"), Spend: delegation.Amounts{0, 90_000, 0}}
	talk, err := a.Talk(t.Context(), channel.RunOrder{Input: json.RawMessage(`"who?"`), Chunks: true})
	if err != nil {
		t.Fatal(err)
	}
	defer talk.Close()
	for {
		m, err := talk.Receive(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if m.Chunk != nil && m.Chunk.Text != "" {
			heard <- m.Chunk.Text
		}
		if m.End == nil {
			continue
		}
		if r, attested, err := talk.End(m.End); err != nil || !attested || r.Status != host.OK || string(r.Result) != `"an owl"` {
			t.Errorf("%+v, %t, %v", r, attested, err)
		}
		return
	}
}
