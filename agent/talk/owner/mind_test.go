package owner_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"ojud/agent/talk"
	"ojud/agent/talk/owner"
	"ojud/datasource/anex"
)

// TestAttackMind: a mind that a stranger talked over offers, signs and tells nothing beyond what
// its owner listed and what was agreed. The owner loses by each line that is refused here.
func TestAttackMind(t *testing.T) {
	t.Parallel()
	joe := newOwner(true)
	joe.Asks = []string{"schedule"}
	joe.Terms, joe.Data = owner.ByAgent, json.RawMessage(`{"name":"Joe","email":"joe@example.org"}`)
	call := called(talk.CFP{Access: anex.Names("name"), Promise: promised})
	if moves, ask := joe.Reply(call); !ask || len(moves) != 0 || !joe.Decides(call) {
		t.Fatalf("a mind is not asked about a call within the lists: %+v", moves)
	}
	for _, c := range []talk.CFP{{Access: anex.Names("name"), Deal: json.RawMessage(`{"fee":"1 SOL"}`)}, {Relation: "boss"}, {Ontologies: json.RawMessage(`[]`)}} {
		if joe.Decides(called(c)) {
			t.Errorf("a mind decides about %+v", c)
		}
	}
	offer := func(a talk.Agreement) talk.Heard {
		h := talk.Heard{What: talk.Proposal, Terms: &a}
		if _, ask := joe.Reply(h); !ask {
			t.Fatal("a mind is not asked about a proposal")
		}
		return h
	}
	self := joe.Key.Principal().String()
	listed := talk.Agreement{Asker: self, RequestType: "calendar", Promise: []string{"no data retention"}}
	old := offer(listed)
	dear := listed
	dear.Deal = json.RawMessage(`{"fee":"1 SOL"}`)
	owes := listed
	owes.Relation = "Joe owes Ann 5 SOL, payable at once"
	more := listed
	more.Promise = []string{"pay a third"}
	for _, k := range []struct {
		heard talk.Heard
		line  string
		want  string // in the error; empty: it is said
	}{
		{talk.Heard{What: talk.Engagement}, "agree Gladly.", ""},
		{talk.Heard{What: talk.Engagement}, `modify Who are you?`, ""},
		{talk.Heard{What: talk.Engagement}, `tell {"email":"joe@example.org"}`, "cannot be said"},
		{talk.Heard{What: talk.Engagement}, "agree\naccept", "one line"},
		{call, `offer access=name promise="no data retention"`, ""},
		{call, `offer access=name,email promise="no data retention"`, `access has "email"`},
		{call, `offer access=name promise="pay a third"`, `promise has "pay a third"`},
		{call, `offer access=name deal={"fee":"1 SOL"}`, "write KEY=VALUE"},
		{call, `accept`, "cannot be said"},
		{old, "reject Not now.", ""},
		{offer(dear), "accept", "more than your owner listed"},
		{offer(owes), "accept", "more than your owner listed"},
		{offer(more), "accept", "more than your owner listed"},
		{old, "accept", "others came since"},
		{offer(listed), "accept", ""},
		{talk.Heard{What: talk.Request}, `tell {"name":"Joe"}`, "not granted"},
		{talk.Heard{What: talk.Question}, "yes", ""},
		{talk.Heard{What: talk.Question}, `publish {"name":"Joe"}`, "cannot be said"},
		{talk.Heard{What: talk.PlainText}, "text Hello", ""},
		{talk.Heard{What: owner.Begin}, "request Do you have time?", ""},
		{talk.Heard{What: talk.Agree}, `call request_type=calendar access=schedule promise="no data retention"`, ""},
		{talk.Heard{What: talk.Agree}, `call request_type=calendar access="schedule,Joe owes Ann 5 SOL, payable at once"`, "your owner lists"},
		{talk.Heard{What: talk.Agree}, `call request_type=painting access=schedule`, "request_type"},
		{talk.Heard{What: talk.Agree}, `call request_type=calendar access=schedule relation="Joe owes Ann 5 SOL, payable at once"`, "relation"},
		{talk.Heard{What: talk.Agree}, `call request_type=calendar access=schedule relation=friend`, ""},
		{talk.Heard{What: talk.Agree}, `call request_type=calendar access=schedule owner=Ann`, "write KEY=VALUE"},
		{talk.Heard{What: talk.Agree}, `call request_type=calendar access=schedule deal={}`, "write KEY=VALUE"},
	} {
		s, err := joe.ReadAnswer(k.heard, k.line)
		if k.want == "" && (err != nil || s.Move.Kind == 0) || k.want != "" && (err == nil || !strings.Contains(err.Error(), k.want) || s.Move.Kind != 0) {
			t.Errorf("to %s: %s: %+v, %v; want %q", k.heard.What, k.line, s, err, k.want)
		}
	}
	// What it offered is looked at again before it is signed: the other side changed it.
	if _, err := joe.ReadAnswer(call, `offer access=name promise="no data retention"`); err != nil {
		t.Fatal(err)
	}
	changed := talk.Agreement{
		Asker: stranger.Principal().String(), Holder: self, Identity: stranger.Principal().String(), RequestType: "calendar", Access: []string{"name", "email"},
		Promise: []string{"no data retention"}, Signatures: map[string]string{"x": "y"},
	}
	joe.Proposed(&changed)
	if moves, _ := joe.Reply(talk.Heard{What: talk.Accept, Terms: &changed}); len(moves) != 1 || moves[0].Message.Performative != anex.ActFailure {
		t.Errorf("terms that no list allows are signed: %+v", moves)
	}
	if b := joe.Brief(talk.Heard{What: talk.Request}, nil, true); b.Data != nil {
		t.Errorf("a mind sees data before there is an agreement: %s", b.Data)
	}
	joe.Agreed(&talk.Agreement{Asker: stranger.Principal().String(), Access: []string{"name"}})
	if b := joe.Brief(talk.Heard{What: talk.Request}, nil, true); string(b.Data) != `{ "name": "Joe" }` {
		t.Errorf("a mind sees %s", b.Data)
	}
	request := talk.Heard{What: talk.Request, Message: anex.Message{ReplyWith: "r-1"}}
	if s, err := joe.ReadAnswer(request, `tell {"name":"Joe"}`); err != nil || s.Move.Message.InReplyTo != "r-1" {
		t.Errorf("%+v, %v", s, err)
	}
	if _, err := joe.ReadAnswer(request, `tell {"email":"joe@example.org"}`); err == nil {
		t.Error("a mind tells what was not granted")
	}
	if _, err := joe.ReadAnswer(request, "person"); !errors.Is(err, owner.ErrPerson) {
		t.Error(err)
	}
}
