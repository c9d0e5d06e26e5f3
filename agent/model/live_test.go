package model

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"ojud/agent"
)

// TestLive asks a real server, if OJUD_LLM_URL is set: the start of an OpenAI-compatible API, such as http://127.0.0.1:11434/v1, with the model
// OJUD_LLM_MODEL and, if it wants one, the key in OJUD_LLM_KEY. It asserts the contract, not the sense: a model of random weights passes.
func TestLive(t *testing.T) {
	url, name := os.Getenv("OJUD_LLM_URL"), os.Getenv("OJUD_LLM_MODEL")
	if url == "" {
		t.Log("NOT RUN: OJUD_LLM_URL is not set, so no real model server is tried.")
		return
	}
	e := Entry{Name: "live", Provider: OpenAI, URL: url, Model: name, LegacyMaxTokens: true, Timeout: 5 * time.Minute}
	if os.Getenv("OJUD_LLM_KEY") != "" {
		e.Key = "${env:OJUD_LLM_KEY}"
	}
	l := opened(t, config(e), func(d *Deps) { d.Env = os.LookupEnv })
	p := question(func(p *agent.Prompt) {
		p.Schema = json.RawMessage(`{"type":"object","properties":{"accept":{"enum":["yes","no","abstain"]}},"required":["accept"],"additionalProperties":false}`)
	})
	reply, err := l.Generate(soon(t, 5*time.Minute), p)
	if err != nil {
		t.Fatal(err)
	}
	var vote struct{ Accept string }
	if err := json.Unmarshal([]byte(reply.Text), &vote); err != nil || vote.Accept != "yes" && vote.Accept != "no" && vote.Accept != "abstain" {
		t.Errorf("%s: %v", reply.Text, err)
	}
	if reply.Usage.Prompt == 0 || reply.Usage.Completion == 0 {
		t.Errorf("usage %+v", reply.Usage)
	}
	t.Logf("%s: %s, %+v", name, reply.Text, reply.Usage)
}
