package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"ojud/agent/model"
	"ojud/agent/model/modeltest"
	"ojud/casefile"
	"ojud/test/longtest"
)

// minds starts a server of models that ends with the test. It returns one model of the given mode
// for each judge.
func minds(t *testing.T, modes ...modeltest.Mode) []model.Endpoint {
	t.Helper()
	s, err := modeltest.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	var out []model.Endpoint
	for _, m := range modes {
		out = append(out, model.Endpoint{Name: "fake", Provider: model.OpenAI, URL: s.URL(m), Model: "m"})
	}
	return out
}

// TestJudgesStory: judges of seven personas ask models about a question that code cannot decide.
// They disagree, the case is settled, and the report has each judge's words, reason and costs. A
// judge with a talkative model abstains.
func TestJudgesStory(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	cfg := testConfig(t).Reasoned(minds(t, modeltest.OK, modeltest.OK, modeltest.OK, modeltest.OK, modeltest.OK, modeltest.OK, modeltest.Prose)...)
	c, l := begin(t, cfg)
	r := playOn(t, c)
	if r.Verdict != "accept" || r.Rounds != 1 || len(r.Voices) != 7 || r.Seconds > 1200 {
		t.Fatalf("%+v", r)
	}
	choices, personas := map[string]int{}, map[string]bool{}
	for _, v := range r.Voices {
		choices[v.Choice]++
		personas[v.Persona] = true
		if v.Reason == "" || v.Dimension == "" || (v.Model == "fake") != (v.Choice != "abstain") {
			t.Errorf("%+v", v)
		}
	}
	if choices["accept"] != 5 || choices["reject"] != 1 || choices["abstain"] != 1 || len(personas) != 7 {
		t.Errorf("%v by %v", choices, personas)
	}
	if m := r.Models; m == nil || m.Calls != 14 || m.Answered != 12 || m.Failed["garbled"] != 2 || m.Prompt != 14*100 || m.Completion == 0 || m.Seconds <= 0 {
		t.Errorf("%+v", m)
	}
	var text strings.Builder
	if _, err := r.WriteTo(&text); err != nil {
		t.Fatal(err)
	}
	for _, says := range []string{"persona", "dimension", "exclusion-reader", "specification", "facts", "is what was asked for", "is not what was asked for", "14 calls, 12 answered, failed: 2 garbled"} {
		if !strings.Contains(text.String(), says) {
			t.Errorf("no %q in\n%s", says, text.String())
		}
	}
	revealed := l.of("Revealed")
	if !slices.ContainsFunc(revealed, func(line Line) bool { return strings.Contains(line.Text, "(facts), reveals: reject") }) || len(revealed) != 7 {
		t.Errorf("%+v", revealed)
	}
}

// TestModelSeats checks that only the first judges ask models, and how long they may take.
func TestModelSeats(t *testing.T) {
	t.Parallel()
	cfg := DefaultConfig().Fast().Reasoned(model.Endpoint{Name: "a", Provider: model.OpenAI, URL: "http://127.0.0.1:1/v1", Model: "m"})
	cfg.Dir, cfg.ModelSeats = t.TempDir(), 3
	if err := cfg.Validate(); err != nil {
		t.Fatal(err)
	}
	third, err := cfg.node(3)
	if err != nil || third.Judge.Kind != "model" || third.Judge.Persona == "" || third.Models.Models[0].Timeout != 7*time.Minute {
		t.Errorf("%+v, %v", third.Models, err)
	}
	fourth, err := cfg.node(4)
	if p, bad := cfg.manner(4); err != nil || bad != nil || fourth.Judge.Kind != "code" || len(fourth.Models.Models) != 0 || p.Name != "" {
		t.Errorf("%+v, %+v, %v, %v", fourth.Judge, p, err, bad)
	}
	for says, change := range map[string]func(*Config){
		"has no models": func(c *Config) { c.Models = nil },
		"model_seats":   func(c *Config) { c.ModelSeats = 29 },
		"belong to":     func(c *Config) { c.Story = StoryEleptiger },
		"no reference": func(c *Config) {
			c.Models = []model.Endpoint{{Name: "a", Provider: model.OpenAI, Model: "m", Key: "sk-123"}}
		},
	} {
		wrong := cfg
		change(&wrong)
		if err := wrong.Validate(); err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "sk-123") {
			t.Errorf("%s: %v", says, err)
		}
	}
}

// TestReasonOf checks that the reason is the finding that made the choice, without the requirement,
// which all opinions repeat.
func TestReasonOf(t *testing.T) {
	t.Parallel()
	met := casefile.Finding{Check: "instruction/instruction[0]", Outcome: casefile.Pass, Detail: "met (2 of 2 samples): \"Write \\\"10\\\" lines\": they are\nabout him"}
	schema := casefile.Finding{Check: "specification/schema", Outcome: casefile.Pass, Detail: "it satisfies the schema"}
	for name, c := range map[string]struct {
		opinion casefile.Opinion
		want    string
	}{
		"accepted":  {casefile.Opinion{Choice: 1, Summary: "s", Findings: []casefile.Finding{schema, met}}, "met (2 of 2 samples): they are about him"},
		"by code":   {casefile.Opinion{Choice: 1, Summary: "all holds", Findings: []casefile.Finding{schema}}, "all holds"},
		"rejected":  {casefile.Opinion{Choice: 2, Summary: "s", Findings: []casefile.Finding{met, {Check: "specification/schema", Outcome: casefile.Fail, Detail: "7 lines"}}}, "7 lines"},
		"abstained": {casefile.Opinion{Choice: 3, Summary: strings.Repeat("é", 150), Findings: []casefile.Finding{met}}, strings.Repeat("é", 100) + "…"},
	} {
		if got := reasonOf(c.opinion); got != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestLiveCourt has a real model decide: one of 28 judges asks the server at OJUD_LLM_URL (the
// start of an OpenAI-compatible API, with OJUD_LLM_MODEL and, if it wants a key, OJUD_LLM_KEY). The
// others ask a simulated one. Its checks hold for any model, however weak and slow: every vote is
// in time, valid and with evidence, the model was asked and ended each answer, and the case file
// verifies. A small model sometimes talks until its tokens are spent, so whether an answer can be
// used is only logged; TestLive of agent/model shows that a real server keeps to a form.
func TestLiveCourt(t *testing.T) {
	url, name := os.Getenv("OJUD_LLM_URL"), os.Getenv("OJUD_LLM_MODEL")
	if url == "" {
		t.Log("NOT RUN: OJUD_LLM_URL is not set, so no court with a real model is tried.")
		return
	}
	live := model.Endpoint{Name: "live", Provider: model.OpenAI, URL: url, Model: name, LegacyMaxTokens: true}
	if os.Getenv("OJUD_LLM_KEY") != "" {
		live.Key = "${env:OJUD_LLM_KEY}"
	}
	t.Logf("the models of %s: %s", url, served(t, url))
	const seats = 1 // two calls of 600 tokens: small models make 6 a second on a busy machine
	models := minds(t, slices.Repeat([]modeltest.Mode{modeltest.OK}, 28)...)
	for i := range seats {
		models[i] = live
	}
	cfg := DefaultConfig().Fast().Reasoned(models...).Rounds(8*time.Minute, 0)
	cfg.Dir, cfg.Chain.RPC, cfg.Chain.WS = t.TempDir(), "127.0.0.1:0", "127.0.0.1:0"
	cfg.Node.Judge.Reasoning.Tokens = 600
	c, l := begin(t, cfg)
	r := playOn(t, c)
	if r.Verdict != "accept" && r.Verdict != "reject" || r.Rounds != 1 || len(r.Voices) != 28 || benchOf(r, "absent").Seats != 0 || len(l.of("Revealed")) != 28 {
		t.Errorf("%+v", r)
	}
	heard := 0
	for _, v := range r.Voices {
		if slices.ContainsFunc(c.Members()[:seats], func(m *Member) bool { return m.Name() == v.Judge }) {
			t.Logf("%+v", v)
			if v.Model == live.Name {
				heard++
			}
		}
	}
	answered := 0
	for _, m := range c.Members()[:seats] {
		s := Spent{Failed: map[string]int{}}
		if err := s.add(m.metrics); err != nil || s.Calls < 2 || s.Answered+s.Failed["garbled"] != s.Calls {
			t.Errorf("%s: %+v, %v", m.Name(), s, err)
		}
		answered += s.Answered
	}
	t.Logf("%d answers were in the form that was asked for", answered)
	t.Logf("%d of %d opinions are of the model", heard, seats)
	t.Logf("%s by %+v in %.0f s; %s", r.Verdict, r.Tally, r.Seconds, r.Models)
}

// served returns a server's description of the weights that it has.
func served(t *testing.T, url string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/models", nil)
	if err != nil {
		t.Fatal(err)
	}
	if key := os.Getenv("OJUD_LLM_KEY"); key != "" {
		request.Header.Set("Authorization", "Bearer "+key)
	}
	web := &http.Client{Timeout: time.Minute, Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := web.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	var list struct {
		Data []struct {
			ID   string          `json:"id"`
			Meta json.RawMessage `json:"meta"`
		} `json:"data"`
	}
	if err := errors.Join(json.NewDecoder(io.LimitReader(answer.Body, 1<<20)).Decode(&list), answer.Body.Close()); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s", list.Data)
}
