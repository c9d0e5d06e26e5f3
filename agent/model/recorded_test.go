package model

import (
	"encoding/json"
	"errors"
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	"ojud/agent"
)

var rewrite = flag.Bool("rewrite", false, "record testdata/ollama again, from the server at OJUD_LLM_URL with the model OJUD_LLM_MODEL")

// TestRecorded replays answers of a real server (Ollama 0.6.8 with SmolLM2-135M-Instruct Q4_1): a
// vote that its grammar held to the schema, an answer that it cut, and tools that it refused. To
// record it again:
//
//	OJUD_LLM_URL=http://127.0.0.1:11434/v1 OJUD_LLM_MODEL=judge \
//	  go test ./agent/model -run TestRecorded -rewrite
func TestRecorded(t *testing.T) {
	const dir = "testdata/ollama"
	e := Endpoint{Name: "smollm2", Provider: ollama, URL: "http://nowhere.invalid/v1", Model: "judge", Tools: true, Timeout: 5 * time.Minute}
	mode := TapeReplay
	if *rewrite {
		mode, e.URL, e.Model = TapeRecord, os.Getenv("OJUD_LLM_URL"), os.Getenv("OJUD_LLM_MODEL")
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
	l := opened(t, taped(config(e), mode, dir))
	owl := func(p *agent.Prompt) { p.Messages[0].Text, p.Seed = "Is an owl a bird?", 7 }
	reply, err := l.Generate(soon(t, 5*time.Minute), question(owl, withSchema))
	var vote struct{ Accept *bool }
	if err != nil || json.Unmarshal([]byte(reply.Text), &vote) != nil || vote.Accept == nil || strings.TrimSpace(reply.Text) != reply.Text {
		t.Errorf("reply %+v, error %v", reply, err)
	}
	if reply.Usage.Prompt < 10 || reply.Usage.Completion < 5 {
		t.Errorf("usage %+v", reply.Usage)
	}
	t.Logf("%q, %+v", reply.Text, reply.Usage)
	if reply, err = l.Generate(soon(t, 5*time.Minute), question(owl, func(p *agent.Prompt) { p.MaxTokens = 3 })); !errors.Is(err, agent.ErrGarbled) {
		t.Errorf("reply %+v, error %v", reply, err)
	}
	if reply, err = l.Generate(soon(t, 5*time.Minute), question(owl, withTools)); !errors.Is(err, agent.ErrTools) {
		t.Errorf("reply %+v, error %v", reply, err)
	}
}
