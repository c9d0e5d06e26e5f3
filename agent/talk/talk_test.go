package talk_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"ojud/agent/delegation"
	"ojud/agent/talk"
	"ojud/datasource/anex"
)

type key ed25519.PrivateKey

func newKey(seed byte) key {
	return key(ed25519.NewKeyFromSeed(bytes.Repeat([]byte{seed}, ed25519.SeedSize)))
}

func (k key) Principal() delegation.Principal { return delegation.Principal(k[32:]) }
func (k key) Sign(message []byte) [64]byte {
	return [64]byte(ed25519.Sign(ed25519.PrivateKey(k), message))
}

func agreement(a, b key, deal string) talk.Agreement {
	out := talk.Agreement{
		Format: "anex-agreement/1", Conversation: "c-1", Asker: a.Principal().String(), Holder: b.Principal().String(),
		At: "2026-12-01T10:00:00Z", Identity: "x", RequestType: "painting", Access: []string{}, Promise: []string{"paint"},
	}
	if deal != "" {
		out.Deal = json.RawMessage(deal)
	}
	out.Sign(a)
	out.Sign(b)
	return out
}

// TestAgreement: both sign the same terms, and no other signature counts. Each change is found.
func TestAgreement(t *testing.T) {
	t.Parallel()
	a, b, c := newKey(1), newKey(2), newKey(3)
	good := agreement(a, b, `{"fee":"1"}`)
	if err := good.Verify(); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*talk.Agreement){
		"the deal":         func(x *talk.Agreement) { x.Deal = json.RawMessage(`{"fee":"2"}`) },
		"the promise":      func(x *talk.Agreement) { x.Promise = []string{} },
		"the time":         func(x *talk.Agreement) { x.At = "2026-12-01T10:00:01Z" },
		"the conversation": func(x *talk.Agreement) { x.Conversation = "c-2" },
		"another signer":   func(x *talk.Agreement) { x.Sign(c) },
		"one signature":    func(x *talk.Agreement) { delete(x.Signatures, x.Asker) },
		"swapped":          func(x *talk.Agreement) { x.Asker, x.Holder = x.Holder, x.Asker },
		"one party":        func(x *talk.Agreement) { x.Holder = x.Asker },
		"no key":           func(x *talk.Agreement) { x.Asker = "AgentA" },
	} {
		bad := agreement(a, b, `{"fee":"1"}`)
		change(&bad)
		if err := bad.Verify(); err == nil {
			t.Errorf("%s is changed, and it verifies", name)
		}
	}
	raw, err := good.Canonical()
	if err != nil {
		t.Fatal(err)
	}
	read, err := talk.ParseAgreement(raw)
	if err != nil || read.Verify() != nil || read.Hash() != good.Hash() {
		t.Errorf("%+v, %v", read, err)
	}
	for _, bad := range []string{"{}", "[]", strings.Replace(string(raw), "/1", "/2", 1), strings.Replace(string(raw), `"owner"`, `"Owner"`, 1)} {
		if _, err := talk.ParseAgreement([]byte(bad)); err == nil {
			t.Errorf("%.80s is read", bad)
		}
	}
}

// TestAttackSignedAgain: a party that signs the same terms again, in other bytes, cannot bring the
// dispute at another address: its terms are what was signed.
func TestAttackSignedAgain(t *testing.T) {
	t.Parallel()
	first := agreement(newKey(1), newKey(2), `{"fee":"1"}`)
	again := first
	again.Signatures = map[string]string{first.Asker: "of another nonce", first.Holder: first.Signatures[first.Holder]}
	a, err := first.Task(first.Asker, first.Holder)
	if err != nil {
		t.Fatal(err)
	}
	b, err := again.Task(again.Asker, again.Holder)
	if err != nil || !bytes.Equal(a, b) {
		t.Errorf("%v\n%s\n%s", err, a, b)
	}
	other := agreement(newKey(1), newKey(2), `{"fee":"2"}`)
	if c, err := other.Task(other.Asker, other.Holder); err != nil || bytes.Equal(a, c) {
		t.Errorf("another deal is the same dispute: %v", err)
	}
}

// pair are two machines that hear each other.
type pair struct {
	t    *testing.T
	at   int64
	both [2]*talk.Session
	last talk.Done // of the one that heard
}

func newPair(t *testing.T, caps talk.Caps) *pair {
	p := &pair{t: t, at: 1_800_000_000_000}
	for i := range p.both {
		p.both[i] = talk.New(caps, []string{"A", "B"}[i], []string{"B", "A"}[i], []string{"c", ""}[i], i == 0, p.at)
	}
	return p
}

func (p *pair) say(by int, act anex.Performative, protocol anex.Protocol, content string) *pair {
	p.t.Helper()
	return p.move(by, talk.Move{At: p.at, Kind: talk.Say, Message: anex.Message{Performative: act, Protocol: protocol, Content: json.RawMessage(content)}})
}

func (p *pair) move(by int, m talk.Move) *pair {
	p.t.Helper()
	done, err := p.both[by].Step(m)
	if err != nil {
		p.t.Fatal(err)
	}
	for _, raw := range done.Send {
		if p.last, err = p.both[1-by].Step(talk.Move{At: p.at, Kind: talk.Frame, Raw: raw}); err != nil {
			p.t.Fatal(err)
		}
		if p.last.Ended != nil && p.last.Ended.Theirs {
			p.t.Fatalf("%s: %v", raw, p.last.Ended.Err)
		}
	}
	return p
}

// bind brings a pair to an agreement.
func (p *pair) bind() *pair {
	p.t.Helper()
	return p.say(0, anex.ActRequest, anex.Handshaking, `{"message":"[PA*]"}`).say(0, anex.ActRequest, anex.Handshaking, `{"request":"x"}`).
		say(1, anex.ActAgree, anex.Handshaking, `{"response":"y"}`).
		say(0, anex.ActCFP, anex.ContractNet, `{"request":{"identity":"i","owner":"","relation":"","request_type":"t","access":["n"],"promise":[]}}`).
		say(1, anex.ActPropose, anex.ContractNet, `{"response":{"access":["n"],"promise":[]}}`).
		say(0, anex.ActAcceptProposal, anex.ContractNet, `{"response":"ok"}`)
}

// TestBackpressure: a publisher that is faster than its subscriber holds a few updates, drops the
// oldest, and says how many.
func TestBackpressure(t *testing.T) {
	t.Parallel()
	caps := talk.DefaultCaps()
	caps.Held = 3
	p := newPair(t, caps).bind().say(0, talk.ActSubscribe, talk.FIPASubscribe, `{"topic":"n","credit":1}`).
		say(1, anex.ActAgree, talk.FIPASubscribe, `{"response":"ok"}`)
	for i := range 10 {
		content, err := json.Marshal(map[string]int{"n": i})
		if err != nil {
			t.Fatal(err)
		}
		p.move(1, talk.Move{At: p.at, Kind: talk.Publish, Message: anex.Message{Content: content}})
	}
	if len(p.last.Heard) != 1 || string(p.last.Heard[0].Message.Content) != `{ "update": { "n": 0 } }` {
		t.Fatalf("%+v", p.last)
	}
	done, err := p.both[0].Step(talk.Move{At: p.at, Kind: talk.Say, Message: anex.Message{Performative: anex.ActRequest, Protocol: talk.FIPASubscribe, Content: json.RawMessage(`{"credit":2}`)}})
	if err != nil {
		t.Fatal(err)
	}
	back, err := p.both[1].Step(talk.Move{At: p.at, Kind: talk.Frame, Raw: done.Send[0]})
	if err != nil || len(back.Send) != 2 || !bytes.Contains(back.Send[0], []byte(`{ "update": { "n": 7 }, "missed": 6 }`)) {
		t.Errorf("%q, %v", back.Send, err)
	}
	// The owner cannot publish what the terms do not grant.
	if _, err := p.both[1].Step(talk.Move{Kind: talk.Publish, Message: anex.Message{Content: json.RawMessage(`{"secret":1}`)}}); err == nil {
		t.Error("an update beyond the access is sent")
	}
}

// TestTimes: a peer that does not answer ends the conversation, and so does the time of the whole.
func TestTimes(t *testing.T) {
	t.Parallel()
	p := newPair(t, talk.DefaultCaps()).say(0, anex.ActRequest, anex.Handshaking, `{"message":"[PA*]"}`).say(0, anex.ActRequest, anex.Handshaking, `{"request":"x"}`)
	at, going := p.both[0].Next()
	if !going || at != p.at+(10*time.Minute).Milliseconds()+1 {
		t.Errorf("%d, %t", at-p.at, going)
	}
	early, err := p.both[0].Step(talk.Move{At: at - 1, Kind: talk.Clock})
	if err != nil || early.Ended != nil {
		t.Errorf("%+v, %v", early, err)
	}
	late, err := p.both[0].Step(talk.Move{At: at, Kind: talk.Clock})
	if err != nil || late.Ended == nil || late.Ended.Theirs || len(late.Send) != 1 {
		t.Errorf("%+v, %v", late, err)
	}
	if at, going := p.both[1].Next(); !going || at != p.at+(15*time.Minute).Milliseconds()+1 {
		t.Errorf("the one that owes an answer waits until %d", at)
	}
}

// TestIdle: a conversation without a message ends, and sooner without the first one. Subscribers
// may wait for updates until the time of the whole is over.
func TestIdle(t *testing.T) {
	t.Parallel()
	caps := talk.DefaultCaps()
	for name, k := range map[string]struct {
		pair *pair
		want time.Duration
	}{
		"nothing said": {newPair(t, caps), 2 * time.Minute},
		"bound":        {newPair(t, caps).bind(), 15 * time.Minute},
		"subscribed": {newPair(t, caps).bind().say(0, talk.ActSubscribe, talk.FIPASubscribe, `{"topic":"t","credit":3}`).
			say(1, anex.ActAgree, talk.FIPASubscribe, `{"response":"ok"}`), 2 * time.Hour},
	} {
		at, going := k.pair.both[1].Next()
		if left := time.Duration(at-1-k.pair.at) * time.Millisecond; !going || left > k.want || left < k.want-time.Minute {
			t.Errorf("%s: it ends after %s", name, left)
		}
		done, err := k.pair.both[1].Step(talk.Move{At: at, Kind: talk.Clock})
		if err != nil || done.Ended == nil || len(done.Send) != 1 {
			t.Errorf("%s: %+v, %v", name, done, err)
		}
	}
}

// TestFlood: messages, bytes, open requests, rounds and unknown words are bounded.
func TestFlood(t *testing.T) {
	t.Parallel()
	for name, next := range map[string]func(i int) (anex.Performative, anex.Protocol, string){
		"open": func(int) (anex.Performative, anex.Protocol, string) {
			return anex.ActQueryIf, talk.FIPAQuery, `{"query":"x"}`
		},
		"unknown": func(int) (anex.Performative, anex.Protocol, string) { return "SING", anex.Handshaking, `{"a":"b"}` },
		"rounds": func(i int) (anex.Performative, anex.Protocol, string) {
			if i%2 == 0 {
				return anex.ActCFP, anex.ContractNet, `{"request":{"identity":"i","owner":"","relation":"","request_type":"t","access":["n"],"promise":[]}}`
			}
			return anex.ActRejectProposal, anex.ContractNet, `{"response":"x"}`
		},
	} {
		p := newPair(t, talk.DefaultCaps()).bind()
		ended := false
		for i := 0; i < 100 && !ended; i++ {
			act, protocol, content := next(i)
			m := anex.Message{Performative: act, Sender: "A", Receiver: "B", Content: json.RawMessage(content), Protocol: protocol, Conversation: "c", ReplyWith: "x" + string(rune('0'+i%10)) + string(rune('0'+i/10))}
			if name == "rounds" && i%2 == 1 {
				m.ReplyWith, m.InReplyTo = "", answerTo(t, p, i)
			}
			raw, err := anex.Encode(m)
			if err != nil {
				t.Fatal(err)
			}
			done, err := p.both[1].Step(talk.Move{At: p.at, Kind: talk.Frame, Raw: raw})
			if err != nil {
				t.Fatal(err)
			}
			ended = done.Ended != nil && done.Ended.Theirs
		}
		if !ended {
			t.Errorf("%s: a hundred are taken", name)
		}
	}
}

// answerTo makes the second party propose, and returns the id of its proposal.
func answerTo(t *testing.T, p *pair, _ int) string {
	t.Helper()
	done, err := p.both[1].Step(talk.Move{At: p.at, Kind: talk.Say, Message: anex.Message{Performative: anex.ActPropose, Protocol: anex.ContractNet, Content: json.RawMessage(`{"response":{"access":["n"],"promise":[]}}`)}})
	if err != nil {
		return "none"
	}
	m, err := anex.Parse(done.Send[0])
	if err != nil {
		t.Fatal(err)
	}
	return m.ReplyWith
}
