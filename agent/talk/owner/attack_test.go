package owner_test

import (
	"encoding/json"
	"strings"
	"testing"

	"ojud/agent/talk"
	"ojud/agent/talk/owner"
	"ojud/datasource/anex"
)

// duel is a conversation of a stranger, who says what it likes, with Joe's owner.
type duel struct {
	t     *testing.T
	both  [2]*talk.Session // 0 is the stranger
	joe   *owner.Owner
	heard []talk.Heard // by the stranger
	got   *talk.Agreement
	asked int // how often a person had to decide
	broke error
}

func newDuel(t *testing.T, joe *owner.Owner) *duel {
	t.Helper()
	joe.Talk = owner.Yes
	a, b := stranger.Principal().String(), joe.Key.Principal().String()
	d := &duel{t: t, joe: joe, both: [2]*talk.Session{talk.New(talk.DefaultCaps(), a, b, "c-1", true, 1), talk.New(talk.DefaultCaps(), b, a, "", false, 1)}}
	d.say(0, anex.ActRequest, anex.Handshaking, `{"message":"Hi [PA*]"}`)
	d.say(0, anex.ActRequest, anex.Handshaking, `{"request":"ok?"}`)
	return d
}

func (d *duel) say(by int, act anex.Performative, protocol anex.Protocol, content string) {
	d.t.Helper()
	d.move(by, talk.Move{At: 2, Kind: talk.Say, Message: anex.Message{Performative: act, Protocol: protocol, Content: json.RawMessage(content)}})
}

func (d *duel) move(by int, m talk.Move) {
	d.t.Helper()
	done, err := d.both[by].Step(m)
	if err != nil {
		d.t.Fatalf("side %d: %v", by, err)
	}
	d.follow(by, done)
}

// follow tells a side what its own move did, and carries the frames to the other one.
func (d *duel) follow(by int, done talk.Done) {
	d.t.Helper()
	switch {
	case done.Agreed != nil && by == 0:
		d.got = done.Agreed
	case done.Agreed != nil:
		d.joe.Agreed(done.Agreed)
	case done.Proposed != nil && by == 1:
		d.joe.Proposed(done.Proposed)
	}
	for _, raw := range done.Send {
		d.deliver(1-by, raw)
	}
}

func (d *duel) deliver(to int, raw []byte) {
	d.t.Helper()
	done, err := d.both[to].Step(talk.Move{At: 2, Kind: talk.Frame, Raw: raw})
	if err != nil {
		d.t.Fatal(err)
	}
	d.follow(to, done)
	if to == 1 && done.Ended != nil {
		d.broke = done.Ended.Err
	}
	for _, h := range done.Heard {
		if to == 0 {
			d.heard = append(d.heard, h)
			continue
		}
		moves, ask := d.joe.Reply(h)
		if ask {
			d.asked++
		}
		for _, m := range moves {
			m.At = 2
			d.move(1, m)
		}
	}
}

// sign makes the stranger accept what was proposed to it last, and says whether it got both
// signatures.
func (d *duel) sign() bool {
	d.t.Helper()
	for _, h := range d.heard {
		if h.What == talk.Proposal {
			a := *h.Terms
			d.say(0, anex.ActAcceptProposal, anex.ContractNet, `{"terms":"`+a.Hash()+`","signature":"`+a.Sign(stranger)+`"}`)
			break
		}
	}
	return d.got != nil && d.got.Verify() == nil
}

const terms = `"identity":"ID","request_type":"calendar","access":["name"],"promise":["no data retention"]`

func request(members string) string {
	return strings.ReplaceAll(`{"request":{`+members+`}}`, "ID", stranger.Principal().String())
}

// TestAttackOtherLetters: a stranger writes members of a call in other letters, so that one reader
// sees a deal and another one does not. Such a frame is refused before anybody decides about it.
func TestAttackOtherLetters(t *testing.T) {
	t.Parallel()
	frame := func(content string) []byte {
		m := anex.Message{Performative: anex.ActCFP, Sender: stranger.Principal().String(), Receiver: newOwner(false).Key.Principal().String(),
			Content: json.RawMessage(content), Protocol: anex.ContractNet, Conversation: "c-1", ReplyWith: "a9"}
		spelled, err := anex.Spell(m.Content, anex.MaxData)
		if err != nil {
			t.Fatal(err)
		}
		m.Content = spelled
		raw, err := anex.Encode(m)
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	for name, content := range map[string]string{
		"deal":       request(terms + `,"DEAL":{"instruction":["Joe owes the claimant 10 SOL."]}`),
		"Deal":       request(terms + `,"Deal":{"owes":"10 SOL"}`),
		"request":    strings.Replace(request(terms+`,"deal":{"owes":"11 SOL"}`), "request", "Request", 1),
		"ontologies": request(terms + `,"ontologies":[{"url":"https://example.org/o","SHA256":"` + strings.Repeat("00", 32) + `"}]`),
		"long s":     request(terms + `,"acce\u017fs":["*"]`),
	} {
		d := newDuel(t, newOwner(false))
		d.deliver(1, frame(content))
		if last := d.heard[len(d.heard)-1].What; d.broke == nil || last != talk.Unclear {
			t.Errorf("%s: heard %s, ended %v", name, last, d.broke)
		}
	}
	d := newDuel(t, newOwner(false))
	d.say(0, anex.ActCFP, anex.ContractNet, request(terms))
	if !d.sign() {
		t.Errorf("a good call is refused: %v", d.broke)
	}
}

// TestAttackStrangersWords: --terms yes signs no words of a stranger. What the owner did not list
// is for a person, also if none is there.
func TestAttackStrangersWords(t *testing.T) {
	t.Parallel()
	const loan = "loan: I owe the asker 10 SOL, due now"
	for name, members := range map[string]string{
		"a purpose":    strings.Replace(terms, "calendar", loan, 1),
		"a relation":   terms + `,"relation":"I, Joe, owe the asker 10 SOL"`,
		"an owner":     terms + `,"owner":"` + loan + `"`,
		"an identity":  strings.Replace(terms, "ID", loan, 1),
		"a deal":       terms + `,"deal":{"owes":"10 SOL"}`,
		"vocabularies": terms + `,"ontologies":[]`,
		"a long owner": terms + `,"owner":"Joe Smith owes Ann Lee fifty SOL, payable at once"`,
		"a path below": strings.Replace(terms, `"access":["name"]`, `"access":["/name/Joe owes the asker 50 SOL, payable at once"]`, 1),
	} {
		for _, person := range []bool{false, true} {
			d := newDuel(t, newOwner(person))
			d.say(0, anex.ActCFP, anex.ContractNet, request(members))
			if d.sign() || (d.asked == 1) != person {
				t.Errorf("%s, with a person %t: a person is asked %d times, signed: %+v", name, person, d.asked, d.got)
			}
		}
	}
	for _, members := range []string{terms, terms + `,"relation":"friend","owner":"Ammon O'Neill-Haggerty, Jr."`} {
		d := newDuel(t, newOwner(false))
		d.say(0, anex.ActCFP, anex.ContractNet, request(members))
		if !d.sign() {
			t.Errorf("what the owner listed is not signed: %s", members)
		}
	}
}

// TestAttackCountersignature: an acceptance is countersigned only if its terms are those that the
// owner proposed, and a person or the owner's flags allow all of them.
func TestAttackCountersignature(t *testing.T) {
	t.Parallel()
	joe := newOwner(true)
	mine := func(deal string) *talk.Agreement {
		a := &talk.Agreement{Format: "anex-agreement/1", Asker: stranger.Principal().String(), Holder: joe.Key.Principal().String(),
			Identity: stranger.Principal().String(), RequestType: "calendar", Access: []string{"name"}, Promise: []string{"no data retention"}}
		if deal != "" {
			a.Deal = json.RawMessage(deal)
		}
		return a
	}
	answer := func(proposed, accepted *talk.Agreement) anex.Performative {
		joe.Proposed(proposed)
		accepted.Sign(stranger)
		moves, _ := joe.Reply(talk.Heard{What: talk.Accept, Terms: accepted})
		if len(moves) != 1 {
			t.Fatalf("%+v", moves)
		}
		return moves[0].Message.Performative
	}
	for _, c := range []struct {
		name               string
		proposed, accepted *talk.Agreement
		want               anex.Performative
	}{
		{"nothing was proposed", nil, mine(""), anex.ActFailure},
		{"other terms", mine(""), mine(`{"owes":"10 SOL"}`), anex.ActFailure},
		{"terms that the flags do not allow", mine(`{"owes":"10 SOL"}`), mine(`{"owes":"10 SOL"}`), anex.ActFailure},
		{"the same", mine(""), mine(""), anex.ActInform},
	} {
		if got := answer(c.proposed, c.accepted); got != c.want {
			t.Errorf("%s: %s", c.name, got)
		}
	}
	// A person who typed the deal gets it signed.
	if _, err := joe.ReadLine(`offer access=name promise="no data retention" deal={"owes":"10 SOL"}`); err != nil {
		t.Fatal(err)
	}
	if got := answer(mine(`{"owes":"10 SOL"}`), mine(`{"owes":"10 SOL"}`)); got != anex.ActInform {
		t.Errorf("what a person typed: %s", got)
	}
}

// TestAsk: an ask that names nothing asks for all that was granted. A wrong one gets an example.
func TestAsk(t *testing.T) {
	t.Parallel()
	joe := newOwner(true)
	if s, err := joe.ReadLine("ask"); err != nil || string(s.Move.Message.Content) != "{}" {
		t.Errorf("%s, %v", s.Move.Message.Content, err)
	}
	if _, err := joe.ReadLine("ask schedule"); err == nil || !strings.Contains(err.Error(), `such as {"what":"schedule"}`) {
		t.Error(err)
	}
}

// TestAttackTypedBlind: a person, or a file of lines, who types "offer" or "accept" does not take
// over a deal or a promise of the other side without naming it.
func TestAttackTypedBlind(t *testing.T) {
	t.Parallel()
	joe := newOwner(true)
	joe.Reply(called(talk.CFP{Access: anex.Names("name"), Deal: json.RawMessage(`{"joe_pays":"100 SOL"}`)}))
	if s, err := joe.ReadLine("offer access= promise="); err == nil {
		t.Errorf("the deal of the call is taken over: %+v", s)
	}
	for line, want := range map[string]string{"offer deal=same": `{"response":{"access":[],"at":"2027-01-15T08:00:00Z","promise":[]}}`, "offer deal={} access=name": `"deal":{}`} {
		if s, err := joe.ReadLine(line); err != nil || !strings.Contains(string(s.Move.Message.Content), want) {
			t.Errorf("%s: %s, %v", line, s.Move.Message.Content, err)
		}
	}
	// Joe asks, and the holder adds something.
	for name, change := range map[string]func(*talk.Agreement){
		"nothing":         func(*talk.Agreement) {},
		"a deal":          func(a *talk.Agreement) { a.Deal = json.RawMessage(`{"asker_pays":"10 SOL"}`) },
		"another deal":    func(a *talk.Agreement) { a.Deal = json.RawMessage(`{"owl":2}`) },
		"a promise":       func(a *talk.Agreement) { a.Promise = append(a.Promise, "the asker pays 10 SOL") },
		"access":          func(a *talk.Agreement) { a.Access = []string{"the asker pays 10 SOL"} },
		"it is the asker": func(a *talk.Agreement) { a.Asker, a.Holder = a.Holder, a.Asker },
	} {
		asker := newOwner(true)
		if _, err := asker.ReadLine(`call request_type=painting promise="paint an owl" deal={"owl":1}`); err != nil {
			t.Fatal(err)
		}
		a := &talk.Agreement{Format: "anex-agreement/1", Asker: asker.Key.Principal().String(), Holder: stranger.Principal().String(), Identity: "x",
			RequestType: "painting", Access: []string{}, Promise: []string{"paint an owl"}, Deal: json.RawMessage(`{"owl":1}`)}
		change(a)
		asker.Terms = owner.Ask
		asker.Reply(talk.Heard{What: talk.Proposal, Terms: a})
		if _, err := asker.ReadLine("accept"); (err == nil) != (name == "nothing") {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := asker.ReadLine("accept 12345678"); err == nil {
			t.Errorf("%s: accepted by another hash", name)
		}
		if _, err := asker.ReadLine("accept " + a.Hash()[:8]); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestAttackAskerTellsAll: an asker with data tells a holder what it lets others get, and no more.
// Without that a person is asked.
func TestAttackAskerTellsAll(t *testing.T) {
	t.Parallel()
	for _, access := range [][]string{nil, {"name"}} {
		joe := newOwner(true)
		joe.Access, joe.Data = access, json.RawMessage(`{"name":"Joe","email":"secret@example.org"}`)
		joe.Agreed(&talk.Agreement{Asker: joe.Key.Principal().String(), Holder: stranger.Principal().String(), Access: []string{"schedule"}})
		for _, what := range []talk.What{talk.Request, talk.Subscription} {
			moves, ask := joe.Reply(talk.Heard{What: what, Message: anex.Message{Protocol: anex.DataExchange}})
			if ask != (access == nil) {
				t.Errorf("%s, access %q: a person is asked: %t", what, access, ask)
			}
			for _, m := range moves {
				if strings.Contains(string(m.Message.Content), "secret") {
					t.Errorf("%s: told %s", what, m.Message.Content)
				}
			}
		}
	}
}

// TestAttackHoldersWords: an asker that signs by code, by --terms yes or by a mind, signs no name
// of access for which it did not ask. A holder could write a debt into it, and access binds.
func TestAttackHoldersWords(t *testing.T) {
	t.Parallel()
	for _, by := range []owner.Choice{owner.Yes, owner.ByAgent} {
		for access, signs := range map[string]bool{"schedule": true, "the asker pays 10 SOL": false} {
			asker := newOwner(true)
			asker.Terms = by
			if _, err := asker.ReadLine(`call request_type=calendar access=schedule(m) promise="no data retention"`); err != nil {
				t.Fatal(err)
			}
			h := talk.Heard{What: talk.Proposal, Terms: &talk.Agreement{Format: "anex-agreement/1", Asker: asker.Key.Principal().String(), Holder: stranger.Principal().String(),
				RequestType: "calendar", Access: []string{access}, Promise: []string{"no data retention"}}}
			moves, _ := asker.Reply(h)
			signed := len(moves) == 1 && moves[0].Message.Performative == anex.ActAcceptProposal
			if by == owner.ByAgent {
				_, err := asker.ReadAnswer(h, "accept")
				signed = err == nil
			}
			if signed != signs {
				t.Errorf("%s, by %s: signed %t", access, by, signed)
			}
		}
	}
}
