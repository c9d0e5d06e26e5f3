package model

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"ojud/agent"
)

// TestLive asks a real server if OJUD_LLM_URL is set to the base of an OpenAI-compatible API, such
// as http://127.0.0.1:11434/v1. OJUD_LLM_MODEL names the model, and OJUD_LLM_KEY holds the key if
// the server wants one. It checks the contract and not the sense, so a model of random weights
// passes.
func TestLive(t *testing.T) {
	url, name := os.Getenv("OJUD_LLM_URL"), os.Getenv("OJUD_LLM_MODEL")
	if url == "" {
		t.Log("NOT RUN: OJUD_LLM_URL is not set, so no real model server is tried.")
		return
	}
	e := Endpoint{Name: "live", Provider: OpenAI, URL: url, Model: name, LegacyMaxTokens: true, Tools: true, Timeout: 5 * time.Minute}
	if os.Getenv("OJUD_LLM_KEY") != "" {
		e.Key = "${env:OJUD_LLM_KEY}"
	}
	live := func(t *testing.T, schema string) *Ladder {
		e.Schema = schema
		return opened(t, config(e), func(d *Deps) { d.Env = os.LookupEnv })
	}
	for _, mode := range []string{schemaJSON, schemaObject, schemaPrompt} {
		t.Run(mode, func(t *testing.T) { liveVote(t, live(t, mode), mode) })
	}
	t.Run("think first", func(t *testing.T) {
		e.ThinkFirst = true
		defer func() { e.ThinkFirst = false }()
		liveVote(t, live(t, schemaJSON), schemaJSON)
	})
	t.Run("tools", func(t *testing.T) {
		reply, err := live(t, "").Generate(soon(t, 5*time.Minute), question(withTools))
		if err != nil && !errors.Is(err, agent.ErrTools) && !errors.Is(err, agent.ErrGarbled) {
			t.Errorf("reply %+v, error %v", reply, err)
		}
		t.Logf("%+v, %v", reply, err)
	})
	t.Run("cut", func(t *testing.T) {
		p := question(func(p *agent.Prompt) {
			p.MaxTokens, p.Messages[0].Text = 8, "Write a long story about an owl. "+strings.Repeat("A very long one. ", 10)
		})
		if reply, err := live(t, "").Generate(soon(t, 5*time.Minute), p); !errors.Is(err, agent.ErrGarbled) {
			t.Errorf("reply %+v, error %v", reply, err)
		}
	})
	t.Run("late", func(t *testing.T) {
		started := time.Now()
		_, err := live(t, "").Generate(soon(t, 50*time.Millisecond), question())
		if took := time.Since(started); !errors.Is(err, context.DeadlineExceeded) || took > 5*time.Second {
			t.Errorf("error %v after %s", err, took)
		}
	})
}

// liveVote asks for a vote. If the server cannot hold the model to the schema, the vote may fail,
// but the failure must be noticed.
func liveVote(t *testing.T, l *Ladder, mode string) {
	p := question(func(p *agent.Prompt) {
		p.Schema = json.RawMessage(`{"type":"object","properties":{"accept":{"enum":["yes","no","abstain"]}},"required":["accept"],"additionalProperties":false}`)
		p.Messages[0].Text = "Is an owl a bird?"
	})
	reply, err := l.Generate(soon(t, 5*time.Minute), p)
	t.Logf("%q, %+v, %v", reply.Text, reply.Usage, err)
	if err != nil && (mode == schemaJSON || !errors.Is(err, agent.ErrGarbled)) {
		t.Fatal(err)
	}
	var vote struct{ Accept string }
	if mode == schemaJSON && (json.Unmarshal([]byte(reply.Text), &vote) != nil || vote.Accept != "yes" && vote.Accept != "no" && vote.Accept != "abstain") {
		t.Errorf("no vote: %s", reply.Text)
	}
	if reply.Usage.Prompt == 0 || reply.Usage.Completion == 0 {
		t.Errorf("usage %+v", reply.Usage)
	}
}
