package owner_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"ojud/agent/delegation"
	"ojud/agent/talk"
	"ojud/agent/talk/owner"
	"ojud/datasource/anex"
)

type key ed25519.PrivateKey

func (k key) Principal() delegation.Principal { return delegation.Principal(k[32:]) }
func (k key) Sign(message []byte) [64]byte {
	return [64]byte(ed25519.Sign(ed25519.PrivateKey(k), message))
}

func newOwner(asking bool) *owner.Owner {
	return &owner.Owner{
		Key: key(ed25519.NewKeyFromSeed(bytes.Repeat([]byte{1}, 32))), Name: "Joe", Now: func() time.Time { return time.Unix(1_800_000_000, 0) },
		Talk: owner.Ask, Terms: owner.Yes, Access: []string{"name"}, Promise: []string{"no data retention"}, For: []string{"calendar"}, Relation: []string{"friend"}, Asking: asking,
	}
}

var promised = anex.Names("no data retention")

// stranger is the other side.
var stranger = key(ed25519.NewKeyFromSeed(bytes.Repeat([]byte{9}, 32)))

// called is a call about a calendar.
func called(c talk.CFP) talk.Heard {
	c.Identity, c.RequestType = stranger.Principal().String(), "calendar"
	return talk.Heard{What: talk.Call, CFP: &c, Message: anex.Message{Sender: c.Identity}}
}

// TestPerson: what the owner did not decide before is left to a person, and refused if none is
// there.
func TestPerson(t *testing.T) {
	t.Parallel()
	for _, h := range []talk.Heard{
		{What: talk.Engagement}, {What: talk.Modification}, {What: talk.Request}, {What: talk.Question}, {What: talk.Subscription},
		{What: talk.Proposal, Terms: &talk.Agreement{Deal: json.RawMessage(`{"fee":"1 SOL"}`)}},
		{What: talk.Proposal, Terms: &talk.Agreement{Access: []string{"name", "email"}, Promise: []string{"no data retention"}}},
		{What: talk.Proposal, Terms: &talk.Agreement{Access: []string{"name"}, Promise: []string{}}},
		called(talk.CFP{Access: anex.Names("email"), Promise: promised}),
		called(talk.CFP{Access: anex.Names("name"), Promise: promised, Deal: json.RawMessage(`{}`)}),
		called(talk.CFP{Access: anex.Names("name"), Promise: promised, Ontologies: json.RawMessage(`[]`)}),
		called(talk.CFP{Access: anex.Names("name")}),
	} {
		if moves, ask := newOwner(true).Reply(h); !ask || len(moves) != 0 {
			t.Errorf("%s: a person is not asked: %+v", h.What, moves)
		}
		moves, ask := newOwner(false).Reply(h)
		if ask || len(moves) != 1 {
			t.Fatalf("%s: %+v, %t", h.What, moves, ask)
		}
		switch act := moves[0].Message.Performative; act {
		case anex.ActRefuse, anex.ActRejectProposal, anex.ActNotUnderstood:
		default:
			t.Errorf("%s: nobody is here, and the answer is %s", h.What, act)
		}
	}
	call := called(talk.CFP{Access: anex.Names("name(m)", "email"), Promise: anex.Names("no data retention(m)")})
	moves, ask := newOwner(true).Reply(call)
	if ask || len(moves) != 1 || string(moves[0].Message.Content) != `{"response":{"access":["name"],"at":"2027-01-15T08:00:00Z","promise":["no data retention"]}}` {
		t.Errorf("%+v, %t", moves, ask)
	}
}

// TestReadLine: each command of the help is read, and a line that is none is refused.
func TestReadLine(t *testing.T) {
	t.Parallel()
	o := newOwner(true)
	lines := 0
	for line := range strings.Lines(owner.Commands) {
		if strings.HasPrefix(line, "   ") {
			continue // the second line of a command
		}
		usage, _, _ := strings.Cut(strings.TrimSpace(line), "  ")
		for word := range strings.SplitSeq(usage, ", ") {
			if _, err := o.ReadLine(strings.Fields(word)[0] + " x"); err != nil && strings.Contains(err.Error(), "no command") {
				t.Error(err)
			}
			lines++
		}
	}
	if lines < 24 {
		t.Errorf("found %d commands: this test looks at the wrong help", lines)
	}
	const vocabulary = `[{"url":"https://example.org/o.json","sha256":"00"}]`
	if s, err := o.ReadLine("call request_type=a ontologies=" + vocabulary + " access=x"); err != nil || !strings.Contains(string(s.Move.Message.Content), vocabulary) {
		t.Errorf("%s, %v", s.Move.Message.Content, err)
	}
	for _, bad := range []string{"", "sing", "tell [1]", "tell", "credit x", "modify", "call access=a", "call x=y", `call request_type="a`, "offer deal=[1]", "accept", "call request_type=a ontologies={}", "call request_type=a deal=same", "offer deal=same"} {
		if _, err := o.ReadLine(bad); err == nil {
			t.Errorf("%q is read", bad)
		}
	}
}

// FuzzReadLine: what is typed makes a message that can be sent, or an error.
func FuzzReadLine(f *testing.F) {
	for _, line := range []string{`call request_type="a b" access=x,y promise="p, q" deal={"a":[1]} owner=z`, `offer access=a deal={}`, "subscribe t 3", `tell {"a":1}`, "credit 5", "await proposal"} {
		f.Add(line, []byte(`{"request":{"access":["name"]}}`))
	}
	f.Fuzz(func(t *testing.T, line string, content []byte) {
		o := newOwner(true)
		s, err := o.ReadLine(line)
		if err == nil && s.Move.Kind == talk.Say && !json.Valid(s.Move.Message.Content) {
			t.Errorf("%q becomes %s", line, s.Move.Message.Content)
		}
		o.Data = json.RawMessage(`{"name":"x"}`)
		o.Agreed(&talk.Agreement{Access: []string{"name"}})
		for _, what := range []talk.What{talk.Engagement, talk.Call, talk.Request, talk.Subscription} {
			o.Reply(talk.Heard{What: what, CFP: &talk.CFP{RequestType: line, Deal: content}, Message: anex.Message{Content: content}, Topic: "name"})
		}
	})
}
