package owner_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"slices"
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

// TestAskedData: a request that names a member of the data gets that member, as far as it was
// granted. One for another member gets nothing; one that names none gets all that was granted.
func TestAskedData(t *testing.T) {
	t.Parallel()
	for request, want := range map[string]string{
		`{"what":"schedule"}`: `{"schedule":["10:00"]}`, `{"what":"email"}`: "", `{"what":"nothing"}`: "", `{"what":7}`: `{"name":"Joe","schedule":["10:00"]}`,
		`{"question":"when?"}`: `{"name":"Joe","schedule":["10:00"]}`, `[]`: `{"name":"Joe","schedule":["10:00"]}`,
	} {
		o := newOwner(false)
		o.Data = json.RawMessage(`{"name":"Joe","schedule":["10:00"],"email":"joe@example.org"}`)
		o.Agreed(&talk.Agreement{Asker: stranger.Principal().String(), Holder: o.Key.Principal().String(), Access: []string{"name", "schedule"}})
		moves, _ := o.Reply(talk.Heard{What: talk.Request, Message: anex.Message{Protocol: anex.FIPARequest, Content: json.RawMessage(request)}})
		if len(moves) != 1 {
			t.Fatalf("%s: %+v", request, moves)
		}
		m := moves[0].Message
		if got := strings.ReplaceAll(string(m.Content), " ", ""); want == "" && m.Performative != anex.ActRefuse || want != "" && got != want {
			t.Errorf("%s: %s %s, want %q", request, m.Performative, got, want)
		}
	}
}

// TestPlain: somebody who writes plain text to a server without a person hears at once that nobody
// is there, and yes or no to a request to talk; any other text ends the conversation. A person, or
// who began the conversation, decides what to say.
func TestPlain(t *testing.T) {
	t.Parallel()
	const hello = "Hi, I'm Ann's AI assistant " + anex.Marker + ". Ok?"
	for _, k := range []struct {
		name  string
		talk  owner.Choice
		needs string // Require
		texts []string
		want  []string // that the server sends, or the beginning of a part of it
		how   string   // the conversation ends; empty: it goes on
	}{
		{"no request", owner.Yes, "", []string{"Hi, can we meet?"}, []string{"No person is here.", "CANCEL"}, "cancelled"},
		{"yes", owner.Yes, "", []string{hello}, []string{"No person is here.", "yes"}, ""},
		{"yes, and more text", owner.Yes, "", []string{hello, "When?"}, []string{"No person is here.", "yes", "CANCEL"}, "cancelled"},
		{"no", owner.No, "", []string{hello}, []string{"No person is here.", "no"}, "declined"},
		{"nobody decided", owner.Ask, "", []string{hello}, []string{"No person is here.", "no"}, "declined"},
		{"details are demanded", owner.Yes, "your email", []string{hello}, []string{"No person is here.", "no"}, "declined"},
	} {
		o := newOwner(false)
		o.Talk, o.Require = k.talk, k.needs
		s := talk.New(talk.DefaultCaps(), o.Key.Principal().String(), "plain", "c", false, 0)
		var sent []string
		how := ""
		step := func(m talk.Move) (heard []talk.Heard) {
			done, err := s.Step(m)
			if err != nil {
				t.Errorf("%s: %v", k.name, err)
			}
			for _, raw := range done.Send {
				sent = append(sent, string(raw))
			}
			if done.Ended != nil {
				how = done.Ended.How
			}
			return done.Heard
		}
		for _, text := range k.texts {
			for _, h := range step(talk.Move{Kind: talk.Frame, Raw: []byte(text)}) {
				moves, ask := o.Reply(h)
				if ask {
					t.Errorf("%s: a person is asked", k.name)
				}
				for _, m := range moves {
					step(m)
				}
			}
		}
		if how != k.how || !slices.EqualFunc(sent, k.want, strings.Contains) {
			t.Errorf("%s: it ends %q, and sends %q", k.name, how, sent)
		}
	}
	began := newOwner(false)
	began.First = true
	for _, o := range []*owner.Owner{began, newOwner(true)} {
		if moves, ask := o.Reply(talk.Heard{What: talk.PlainText, Text: hello}); !ask || len(moves) > 0 {
			t.Errorf("%+v, %t", moves, ask)
		}
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
