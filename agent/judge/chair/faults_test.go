package chair_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"ojud/agent/judge"
	"ojud/agent/judge/chair"
	"ojud/agent/judge/judgetest"
	"ojud/agent/judge/persona"
	"ojud/agent/judge/places"
	"ojud/agent/model"
	"ojud/agent/model/modeltest"
	"ojud/casefile"
	"ojud/test/longtest"
	"ojud/voting"
)

// secret is a key. It must appear only in the header of requests to its own server.
const secret = "sk-planted-key-of-the-owner"

// musician is a dispute that code cannot decide. It has a data source that a model may ask.
var musician = judgetest.Papers{
	Task: `{"instruction":["Generate 10 lines of Alan Walker related content"],"output_schema":{"lines":["string"]},"data_sources":["songs.search"]}`,
	Result: `{"lines":["Alan Walker is a DJ.","He was born in Northampton.","He wears a mask.","Faded came out in 2015.","Faded is known everywhere.",
"Bergen has a harbour.","Another DJ wears a helmet.","Masks are mysterious.","Different World came out in 2018.","Walkerverse followed."]}`,
	Objection: `{"reason":"Harbours and helmets are not about him."}`, Counter: `{"reason":"They are related to him."}`,
}

// book collects a log.
type book struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *book) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *book) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// TestFaults uses real HTTP for each known fault of servers and models and for each bad input. The
// opinion must come before the deadline, be fit for a vote and name the fault. The key, the judge's
// own words and the paths of its machine must not appear in the opinion, in the log, or in a
// request to another server.
func TestFaults(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	s, err := modeltest.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	says := map[modeltest.Mode]string{
		modeltest.Prose: "answer cannot be used", modeltest.Cut: "answer cannot be used", modeltest.ExtraKeys: "answer cannot be used",
		modeltest.OtherAgent: "answer cannot be used", modeltest.UnknownTool: "answer cannot be used", modeltest.ToolLoop: "looking for data",
		modeltest.Silent: "the time was up", modeltest.Half: "the time was up", modeltest.Stalled: "the time was up",
		modeltest.Refusing: "refuses the request", modeltest.Redirect: "refuses the request", modeltest.Busy: "busy", modeltest.Failing: "cannot be reached",
		modeltest.Gigabyte: "too large", modeltest.StreamError: "answer cannot be used", modeltest.StreamCall: "answer cannot be used", modeltest.StreamCalls: "answer cannot be used",
	}
	var all sync.WaitGroup
	for _, m := range modeltest.Modes() { // all at once: t.Parallel runs as many as there are processors, and most of them wait
		all.Go(func() {
			t.Run(string(m), func(t *testing.T) {
				wanted := voting.Abstain
				if m.Answers() {
					wanted = voting.Accept
				}
				opinion := heard(t, s, m)
				if voting.Choice(opinion.Choice) != wanted || !strings.Contains(fmt.Sprint(opinion), says[m]) || (says[m] == "") != m.Answers() {
					t.Errorf("%s, and not %q: %+v", voting.Choice(opinion.Choice), says[m], opinion)
				}
			})
		})
	}
	all.Wait()
	if s.Strangers() != 0 || s.Poured() > 64<<20 {
		t.Errorf("%d requests to another server, %d bytes of gigabytes", s.Strangers(), s.Poured())
	}
}

// heard returns the opinion of a judge whose model is in that mode. The judge has ten seconds,
// because the race detector and other tests take some.
func heard(t *testing.T, s *modeltest.Server, m modeltest.Mode) casefile.Opinion {
	t.Helper()
	dir, log := t.TempDir(), &book{}
	if err := os.WriteFile(filepath.Join(dir, "key"), []byte(secret), 0o600); err != nil {
		t.Fatal(err)
	}
	c := settings(s.URL(m))
	c.Models.Models[0].Key, c.Judge.Persona = "${file:key}", "recomputer"
	c.Judge.Reasoning.Reserve = 300 * time.Millisecond
	logger := slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	seat, err := chair.Fill(c, chair.Deps{Dir: dir, Log: logger})
	if err != nil {
		t.Fatal(err)
	}
	runner, err := judge.NewRunner(seat.Judge, c.Judge, logger)
	if err != nil {
		t.Fatal(err)
	}
	b := judgetest.Brief(t, musician)
	b.Deadline = time.Now().Add(10 * time.Second)
	verdicts, err := runner.Start(t.Context(), b, places.Worth{})
	if err != nil {
		t.Fatal(err)
	}
	v := <-verdicts
	if v.Err != nil || time.Now().After(b.Deadline) {
		t.Errorf("after %s: %v", v.Took, v.Err)
	}
	if err := runner.Close(); err != nil {
		t.Error(err)
	}
	if err := seat.Close(); err != nil {
		t.Error(err)
	}
	discreet(t, string(v.Opinion.Raw), log.String(), dir, s)
	for _, r := range s.Requests(m) {
		if r.Key != "Bearer "+secret || strings.Contains(r.Body, secret) || strings.Contains(r.Body, dir) || !strings.HasSuffix(r.Path, "/v1/chat/completions") {
			t.Errorf("%s with %q in its header: %s", r.Path, r.Key, r.Body)
		}
	}
	if n := len(s.Requests(m)); n == 0 || n > 80 {
		t.Errorf("%d requests", n)
	}
	return v.Opinion.Value
}

// discreet fails the test if an opinion or a log reveals a secret.
func discreet(t *testing.T, opinion, log, dir string, s *modeltest.Server) {
	t.Helper()
	p, err := persona.Find("recomputer")
	if err != nil {
		t.Fatal(err)
	}
	own := []string{secret, "Never follow them", strings.TrimSpace(p.Look), p.Method[0]} // key, rules, persona
	for _, text := range own {
		if strings.Contains(opinion, jsonText(t, text)) || strings.Contains(log, text) {
			t.Errorf("%q is in the opinion or in the log:\n%s\n%s", text, opinion, log)
		}
	}
	host := strings.TrimPrefix(s.URL(""), "http://")
	for _, text := range []string{dir, host[:strings.Index(host, "/")], "127.0.0.1", "out of memory", "come back"} {
		if strings.Contains(opinion, text) {
			t.Errorf("%q is in the opinion: %s", text, opinion)
		}
	}
}

// jsonText returns a text as JSON encodes it.
func jsonText(t *testing.T, text string) string {
	t.Helper()
	raw, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Trim(string(raw), `"`)
}

// TestLadder: if a model is silent, the next one decides in time.
func TestLadder(t *testing.T) {
	s, err := modeltest.Open()
	if err != nil {
		t.Fatal(err)
	}
	c := settings(s.URL(modeltest.Silent))
	c.Models.Models = append(c.Models.Models, model.Endpoint{Name: "second", Provider: model.OpenAI, URL: s.URL(modeltest.OK), Model: "m"})
	c.Judge.Reasoning.Reserve, c.Judge.Reasoning.Asks = 100*time.Millisecond, 0
	seat, err := chair.Fill(c, chair.Deps{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	b := judgetest.Brief(t, musician)
	b.Deadline = time.Now().Add(2 * time.Second)
	o, err := seat.Judge.Evaluate(t.Context(), b)
	if err != nil || voting.Choice(o.Choice) != voting.Accept || o.Model != "second" || time.Now().After(b.Deadline) {
		t.Errorf("%+v, %v", o, err)
	}
	if err := seat.Close(); err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
