package model

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ojud/agent"
)

func taped(c Config, mode, dir string) Config {
	c.Tape = Tape{mode, dir}
	return c
}

// TestTape: a recording is replayed without server and key: samples in their order, a refused
// schema, and tools.
func TestTape(t *testing.T) {
	for provider, behaviours := range map[string][]behaviour{
		OpenAI:            {says("one"), says("two"), failure(400, "no response_format"), says(`{"accept":true}`), calls("posts_read", `"{}"`)},
		providerAnthropic: {claude(`[{"type":"text","text":"one"}]`, "end_turn"), claude(`[{"type":"text","text":"two"}]`, "end_turn"), failure(400, "no format"), claude(`[{"type":"text","text":"{\"accept\":true}"}]`, "end_turn"), claude(`[{"type":"tool_use","id":"a","name":"posts_read","input":{}}]`, "tool_use")},
	} {
		t.Run(provider, func(t *testing.T) {
			dir := t.TempDir()
			e := entry(serve(t, behaviours...), canCall, func(e *Endpoint) { e.Provider = provider })
			run := func(l *Ladder) string {
				var all []agent.Reply
				for _, p := range []agent.Prompt{question(), question(), question(withSchema), question(withTools)} {
					reply := ask(t, l, p)
					reply.Usage.Time = 0
					all = append(all, reply)
				}
				return encode(t, all)
			}
			recorded := run(opened(t, taped(config(e), TapeRecord, dir)))
			e.URL = "https://nowhere.invalid/v1"
			keyless := func(d *Deps) { d.Env = func(string) (string, bool) { return "", false } }
			same(t, "replay", run(opened(t, taped(config(e), TapeReplay, dir), keyless)), recorded)
		})
	}
}

// TestTapeIsStrict: a prompt that was not recorded gets no answer, even if a similar one has one.
// The same holds for another rung.
func TestTapeIsStrict(t *testing.T) {
	dir := t.TempDir()
	e := entry(serve(t, says("yes")))
	ask(t, opened(t, taped(config(e), TapeRecord, dir)), question())
	l := opened(t, taped(config(e), TapeReplay, dir))
	ask(t, l, question())
	for name, p := range map[string]agent.Prompt{
		"again": question(), "other text": question(func(p *agent.Prompt) { p.System += "!" }), "other seed": question(func(p *agent.Prompt) { p.Seed = 1 }),
		"schema": question(withSchema),
	} {
		_, err := l.Generate(soon(t, 20*time.Second), p)
		if !errors.Is(err, ErrUnrecorded) || !errors.Is(err, agent.ErrDown) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if l.Reports()[0].Resting {
		t.Error("a gap in the recording is taken for a fault of the server")
	}
	other := e
	other.Name = "other"
	if _, err := opened(t, taped(config(other), TapeReplay, dir)).Generate(soon(t, 20*time.Second), question()); !errors.Is(err, ErrUnrecorded) {
		t.Error(err)
	}
	// If a model was skipped while recording, the replay skips it, too.
	same(t, "model", ask(t, opened(t, taped(config(other, e), TapeReplay, dir)), question()).Model, "m")
}

// TestTapeKeepsAnswersAlone: a server that was busy answers in the replay. A new run replaces the
// last recording.
func TestTapeKeepsAnswersAlone(t *testing.T) {
	dir := t.TempDir()
	flaky := config(entry(serve(t, failure(500, "x"), failure(429, "x"), says("yes"))))
	flaky.Retries = 2
	ask(t, opened(t, taped(flaky, TapeRecord, dir)), question())
	reply := ask(t, opened(t, taped(flaky, TapeReplay, dir)), question())
	same(t, "calls", reply.Usage.Calls, 1)
	flaky.Models[0].URL = serve(t, says("no")).URL + "/v1"
	ask(t, opened(t, taped(flaky, TapeRecord, dir)), question())
	l := opened(t, taped(flaky, TapeReplay, dir))
	same(t, "text", ask(t, l, question()).Text, "no")
	if _, err := l.Generate(soon(t, 20*time.Second), question()); !errors.Is(err, ErrUnrecorded) {
		t.Error(err)
	}
}

// TestTapeFiles: a recording is readable and private. A failure to write or read it is an error.
func TestTapeFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tape")
	e := entry(serve(t, raw("\xff\xfe"), says("yes")))
	l := opened(t, taped(config(e), TapeRecord, dir))
	if _, err := l.Generate(soon(t, 20*time.Second), question()); !errors.Is(err, agent.ErrGarbled) {
		t.Error(err)
	}
	if text := files(t, dir); !strings.Contains(text, `"text": "Well?"`) && !strings.Contains(text, `"content": "Well?"`) || !strings.Contains(text, `"base64": true`) {
		t.Error(text)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Fatal(entries, err)
	}
	info, err := entries[0].Info()
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info.Mode(), err)
	}
	for _, broken := range []string{"", "{", `{"answers":[{"status":7}]}`, `{"answers":[{"status":200,"base64":true,"body":"%"}]}`, `{"surprise":1}`} {
		if err := os.WriteFile(filepath.Join(dir, entries[0].Name()), []byte(broken), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := opened(t, taped(config(e), TapeReplay, dir)).Generate(soon(t, 20*time.Second), question()); !errors.Is(err, ErrUnrecorded) {
			t.Errorf("%s: %v", broken, err)
		}
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Generate(soon(t, 20*time.Second), question()); !errors.Is(err, agent.ErrDown) || !strings.Contains(err.Error(), "recording") {
		t.Error(err)
	}
	if _, err := New(taped(config(e), TapeReplay, dir), Deps{}); err == nil {
		t.Error("there is nothing to replay")
	}
}

// FuzzTake: every file that is read as a recording can be played to its end.
func FuzzTake(f *testing.F) {
	f.Add([]byte(`{"model":"m","path":"/v1","request":{},"answers":[{"status":200,"body":"eA==","base64":true},{"status":400,"body":"x"}]}`))
	f.Add([]byte(`{"answers":[{"status":99}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		kept, err := decodeTake(raw)
		if err != nil {
			return
		}
		for _, s := range kept.Answers {
			answer, err := s.response(nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := answer.Body.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := json.Marshal(kept); err != nil {
			t.Error(err)
		}
	})
}
