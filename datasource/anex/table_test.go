package anex_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"ojud/datasource/anex"
)

func TestCut(t *testing.T) {
	tests := []struct {
		name, data string
		access     []string
		want       string
		lost       bool
	}{
		{"everything", `{"b":1,"a":[2]}`, []string{"*"}, `{ "b": 1, "a": [2] }`, false},
		{"a name", `{"a":1,"b":2,"c":{"a":3}}`, []string{"a"}, `{ "a": 1 }`, true},
		{"the same as a pointer", `{"a":1,"b":2}`, []string{"/a"}, `{ "a": 1 }`, true},
		{"order stays", `{"b":1,"x":0,"a":2}`, []string{"a", "b"}, `{ "b": 1, "a": 2 }`, true},
		{"inside", `{"a":{"b":1,"c":2},"d":3}`, []string{"/a/b"}, `{ "a": { "b": 1 } }`, true},
		{"every element", `{"posts":[{"id":1,"ip":"x"},{"id":2},7,[{"id":3,"ip":"y"}]]}`, []string{"/posts/id"}, `{ "posts": [{ "id": 1 }, { "id": 2 }, [{ "id": 3 }]] }`, true},
		{"a list of objects", `[{"id":1},{"id":2}]`, []string{"id"}, `[{ "id": 1 }, { "id": 2 }]`, false},
		{"of the protocol's page", `{"n":2,"posts":[{"id":1,"ip":"x"},7,[{"id":2}],{"ip":"y"}]}`, []string{"/posts/id"}, `{ "posts": [{ "id": 1 }, [{ "id": 2 }], {}] }`, true},
		{"a scalar on the way", `{"a":"secret"}`, []string{"/a/b"}, `{}`, true},
		{"null on the way", `{"a":null}`, []string{"/a/b"}, `{}`, true},
		{"an empty object on the way", `{"a":{}}`, []string{"/a/b"}, `{ "a": {} }`, false},
		{"the wider name wins", `{"a":{"b":1,"c":2}}`, []string{"/a/b", "a"}, `{ "a": { "b": 1, "c": 2 } }`, false},
		{"escaped names", `{"a/b":1,"~":2,"*":3,"":4}`, []string{"/a~1b", "/~0", "/*", "/"}, `{ "a/b": 1, "~": 2, "*": 3, "": 4 }`, false},
		{"a name in other letters", `{"\u0061":1,"A":2}`, []string{"a"}, `{ "\u0061": 1 }`, true},
		{"a scalar", `42`, []string{"a"}, `null`, true},
		{"nothing there", `null`, []string{"a"}, `null`, false},
		{"nothing agreed", `{"a":1}`, nil, `{}`, true},
		{"a string may say anything", `{"a":"\"b\":1}"}`, []string{"a"}, `{ "a": "\"b\":1}" }`, false},
	}
	for _, test := range tests {
		got, lost, err := anex.Cut([]byte(test.data), test.access)
		if err != nil || string(got) != test.want || lost != test.lost {
			t.Errorf("%s: %s, lost is %t, %v", test.name, got, lost, err)
		}
	}
	if _, _, err := anex.Cut([]byte(strings.Repeat("[", 63)+strings.Repeat("]", 63)), []string{"*"}); !errors.Is(err, anex.ErrTooLarge) {
		t.Errorf("too deep for a message: %v", err)
	}
	if _, _, err := anex.Cut([]byte(`["`+strings.Repeat("x", anex.MaxData)+`"]`), []string{"*"}); !errors.Is(err, anex.ErrTooLarge) {
		t.Errorf("too long: %v", err)
	}
	if _, _, err := anex.Cut([]byte("["+strings.Repeat("1,", 250_000)+"1]"), []string{"*"}); !errors.Is(err, anex.ErrTooLarge) {
		t.Errorf("too many values: %v", err)
	}
}

func TestNames(t *testing.T) {
	got := anex.Names("name(m)", "email(m)", "schedule", "(m)x")
	want := []anex.Name{{"name", true}, {"email", true}, {"schedule", false}, {"(m)x", false}}
	if !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
	for _, bad := range []string{"", "x(m)", " x", "x ", "x\n", "\xff", strings.Repeat("x", 129), "/a~", "/a~2", "/~~01"} {
		if _, _, err := anex.Cut([]byte("{}"), []string{bad}); err == nil {
			t.Errorf("%q is an access name", bad)
		}
	}
}

// TestTermsHash: the bytes and the hash are those of the vector in docs/protocol.md, which is for
// other languages too.
func TestTermsHash(t *testing.T) {
	terms := anex.Terms{Asker: "AgentA", Holder: "AgentB", Call: anex.Call{Identity: "unique-id", Owner: "Zoë \"Z\"\n", RequestType: "posts",
		Access: anex.Names("text(m)", "*"), DataSource: "social", Case: "7Yw", Round: 2, Judge: "4Kc"},
		Grant: anex.Proposal{Access: []string{"text", "/a/ü", "/a/b", "id"}, Promise: []string{"no data retention"}, Price: 1000}}
	const want = `{"access":["/a/b","/a/ü","id","text"],"asker":"AgentA","case":"7Yw","data_source":"social","format":"anex-terms/1",` +
		`"holder":"AgentB","identity":"unique-id","judge":"4Kc","owner":"Zoë \"Z\"\n","price":"1000","promise":["no data retention"],` +
		`"relation":"","request_type":"posts","round":2}`
	if got := string(terms.Canonical()); got != want {
		t.Errorf("%s\n%s", got, want)
	}
	if got := terms.Hash().String(); got != "0cf102cf56d6f3e44da53091030aab84493a30b92adedcaa5481d1f9e048aa86" { // as Python and Node.js have it
		t.Errorf("hash %s", got)
	}
	shuffled := terms
	shuffled.Grant.Access = []string{"id", "/a/b", "text", "/a/ü"}
	free := terms
	free.Grant.Price = 0
	if terms.Hash() != shuffled.Hash() || terms.Hash() == free.Hash() {
		t.Error("the order of the grant matters, or the price does not")
	}
}

func TestConfig(t *testing.T) {
	good := anex.DefaultConfig()
	good.Self = "a"
	if err := good.Validate(); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*anex.Config){
		"Self": func(c *anex.Config) { c.Self = "" }, "Peer": func(c *anex.Config) { c.Peer = "a" },
		"MaxMessages": func(c *anex.Config) { c.MaxMessages = 0 }, "MaxBytes": func(c *anex.Config) { c.MaxBytes = 1 },
		"MaxRequests": func(c *anex.Config) { c.MaxRequests = 0 }, "MaxBids": func(c *anex.Config) { c.MaxBids = 0 },
		"MaxModifications": func(c *anex.Config) { c.MaxModifications = -1 }, "MaxQueries": func(c *anex.Config) { c.MaxQueries = 1 << 20 },
		"Reply": func(c *anex.Config) { c.Reply = 0 }, "Decide": func(c *anex.Config) { c.Decide = 25 * time.Hour },
		"Idle": func(c *anex.Config) { c.Idle = -1 }, "Total": func(c *anex.Config) { c.Total = 0 }, "Slack": func(c *anex.Config) { c.Slack = -1 },
	} {
		c := good
		spoil(&c)
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := anex.NewHolder(c, 0); err == nil {
			t.Errorf("%s: a holder takes it", name)
		}
	}
	if _, err := anex.NewAsker(good); err == nil {
		t.Error("an asker without a peer")
	}
}

func TestBadEvents(t *testing.T) {
	call := anex.Call{Identity: "i", RequestType: "t"}
	good := anex.Start{At: began, Introduction: anex.Marker, Engagement: anex.Engagement{Request: "?"}, Call: call}
	for name, spoil := range map[string]func(*anex.Start){
		"no marker":       func(s *anex.Start) { s.Introduction = "hello" },
		"bad id":          func(s *anex.Start) { s.Conversation = "a b" },
		"past deadline":   func(s *anex.Start) { s.Deadline = 1 },
		"no text":         func(s *anex.Start) { s.Engagement.Request = "" },
		"bad details":     func(s *anex.Start) { s.Engagement.Details = json.RawMessage(`[]`) },
		"no identity":     func(s *anex.Start) { s.Call.Identity = "" },
		"bad text":        func(s *anex.Start) { s.Call.Owner = "\xff" },
		"half authority":  func(s *anex.Start) { s.Call.Round = 1 },
		"name twice":      func(s *anex.Start) { s.Call.Access = anex.Names("a", "/a(m)") },
		"no object":       func(s *anex.Start) { s.Requests = []anex.DataRequest{{"s", json.RawMessage("1")}} },
		"no source":       func(s *anex.Start) { s.Requests = []anex.DataRequest{{"", json.RawMessage("{}")}} },
		"other source":    func(s *anex.Start) { s.Call.DataSource, s.Requests = "x", requests([]string{"s:{}"}) },
		"too many":        func(s *anex.Start) { s.Requests = requests(slices.Repeat([]string{"s:{}"}, 9)) },
		"request too big": func(s *anex.Start) { s.Requests = requests([]string{`s:{"x":"` + strings.Repeat("x", 64<<10) + `"}`}) },
	} {
		s := good
		spoil(&s)
		a := newAsker(t)
		if effects, err := a.Step(s); !errors.Is(err, anex.ErrEvent) || effects != nil || anex.Blame(err) != anex.Ours {
			t.Errorf("%s: %v %v", name, effects, err)
		}
		if _, err := a.Step(good); err != nil {
			t.Errorf("%s: something has changed: %v", name, err)
		}
	}
	a := newAsker(t)
	for _, e := range []anex.Event{nil, anex.Received{At: began}, anex.TimeUp{At: began}} {
		if _, err := a.Step(e); !errors.Is(err, anex.ErrEvent) {
			t.Errorf("%T before Start: %v", e, err)
		}
	}
	if _, err := a.Step(good); err != nil {
		t.Fatal(err)
	}
	for _, e := range []anex.Event{nil, good, anex.Fetched{}, anex.ProposalDecided{Accept: true}, anex.ModificationDecided{}, anex.Tell{Content: json.RawMessage("{}")}} {
		if effects, err := a.Step(e); !errors.Is(err, anex.ErrEvent) || effects != nil {
			t.Errorf("%T: %v", e, err)
		}
	}
}

func newAsker(t testing.TB) *anex.Asker {
	t.Helper()
	cfg := anex.DefaultConfig()
	cfg.Self, cfg.Peer = "AgentA", "AgentB"
	a, err := anex.NewAsker(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return a
}
