package owner

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"ojud/agent/delegation"
	"ojud/agent/talk"
	"ojud/datasource/anex"
)

// Choice is what an owner does about something.
type Choice string

// The choices.
const (
	Yes Choice = "yes"
	No  Choice = "no"
	Ask Choice = "ask" // a person decides
)

// Owner speaks in one conversation. Its fields are what the owner said before.
type Owner struct {
	Key  delegation.Signer
	Name string // of the person for whom the agent speaks
	Now  func() time.Time

	Talk     Choice   // to agents that ask whether we talk to them
	Terms    Choice   // to calls and proposals within Access and Promise
	Require  string   // a modification that is demanded of each engagement without details
	Access   []string // what others may get
	Promise  []string // what they may be promised, and what they have to promise
	For      []string // the purposes (request_type) of others about which terms are agreed without a person
	Asks     []string // names for which a mind may ask others
	Relation []string // the relations that they may name then; none is always right
	Data     json.RawMessage
	Words    Vocabularies // that the owner has
	Asking   bool         // a person or a mind is there; without one, what a person would decide is refused
	First    bool         // the owner began the conversation

	// A modification was demanded; who writes plain text knows that no person is here; a person
	// typed the last proposal; what is said to the last that was heard if nobody decides.
	did struct {
		demanded, noticed, typed bool
		otherwise                talk.Move
		agreed                   *talk.Agreement
		subscribers              []subscriber // whose subscription was agreed without a person
	}

	heard    *talk.Heard     // the last that may be answered
	offer    *talk.Agreement // the last that the peer proposed
	proposed *talk.Agreement // the last that we proposed
	called   *talk.CFP       // the last call that a person typed
}

// subscriber is somebody who hears what becomes new of a topic.
type subscriber struct {
	id, topic string
	last      [sha256.Size]byte // hash of what was told last
}

// Renew takes the data after a change, and returns an update for each subscription to which other
// data may now be told than before. The updates have what the agreement grants, and no more.
func (o *Owner) Renew(data json.RawMessage) (moves []talk.Move) {
	o.Data = data
	for i := range o.did.subscribers {
		s := &o.did.subscribers[i]
		told, ok := o.told(s.topic)
		if sum := sha256.Sum256(told); ok && (s.topic == "" || has(told, s.topic)) && sum != s.last {
			s.last = sum
			moves = append(moves, talk.Move{Kind: talk.Publish, Message: anex.Message{Content: told, InReplyTo: s.id}})
		}
	}
	return moves
}

// Greeting is the self-identification.
func (o *Owner) Greeting() string {
	if o.Name == "" {
		return "Hi, I'm an AI assistant " + anex.Marker + "."
	}
	return "Hi, I'm " + o.Name + "'s AI assistant " + anex.Marker + "."
}

// asked is the protocol of what was heard last.
func (o *Owner) asked() anex.Protocol {
	if o.heard == nil {
		return anex.Handshaking
	}
	return o.heard.Message.Protocol
}

func (o *Owner) propose(terms map[string]any) talk.Move {
	for _, k := range []string{"access", "promise"} {
		if terms[k] == nil {
			terms[k] = []string{}
		}
	}
	terms["at"] = o.Now().UTC().Format(time.RFC3339)
	return say(anex.ActPropose, anex.ContractNet, map[string]any{"response": terms})
}

// accept signs what the peer proposed.
func (o *Owner) accept() (talk.Move, error) {
	if o.offer == nil {
		return talk.Move{}, errors.New("nothing was proposed")
	}
	a := *o.offer
	return say(anex.ActAcceptProposal, anex.ContractNet, map[string]string{"response": "Accepted.", "terms": a.Hash(), "signature": a.Sign(o.Key)}), nil
}

// leastHash is how much of a hash names terms.
const leastHash = 8

// acceptTyped accepts as a person typed it. Terms with more than the person named before are
// accepted only by their hash, which stands below them.
func (o *Owner) acceptTyped(hash string) (talk.Move, error) {
	if o.offer == nil {
		return talk.Move{}, errors.New("nothing was proposed")
	}
	whole := o.offer.Hash()
	switch more := o.beyond(o.offer); {
	case hash != "" && (len(hash) < leastHash || !strings.HasPrefix(whole, hash)):
		return talk.Move{}, fmt.Errorf("the terms are not %.64q; look at them and type: accept %s", hash, whole[:leastHash])
	case hash == "" && more != "":
		return talk.Move{}, fmt.Errorf("the terms have %s; if you want to sign that, type: accept %s", more, whole[:leastHash])
	}
	return o.accept()
}

// beyond says what is in terms that the person did not name.
func (o *Owner) beyond(a *talk.Agreement) string {
	if a.Asker != o.Key.Principal().String() {
		return "words of the other side"
	}
	var deal json.RawMessage
	named := o.Promise
	if o.called != nil {
		deal, named = o.called.Deal, append(anex.Texts(o.called.Promise), named...)
	}
	for _, p := range a.Promise {
		if !slices.Contains(named, p) {
			return fmt.Sprintf("a promise that you did not name, %.128q", p)
		}
	}
	if name := o.unasked(a.Access); name != "" {
		return fmt.Sprintf("an access that you did not name, %.128q", name)
	}
	own := *a
	own.Deal = deal
	if a.Deal != nil && own.Hash() != a.Hash() {
		return "a deal that you did not name"
	}
	return ""
}

// Reply returns the owner's answers to a message, and whether a person has to decide.
func (o *Owner) Reply(h talk.Heard) (moves []talk.Move, ask bool) {
	switch h.What {
	case talk.Engagement, talk.Modification, talk.Call, talk.Request, talk.Question, talk.Subscription:
		o.heard = &h
	case talk.Proposal:
		o.offer = h.Terms
	}
	if h.What == talk.Call {
		o.offer, o.proposed, o.called = nil, nil, nil
	}
	switch h.What {
	case talk.Engagement:
		return o.engage(h)
	case talk.Modification:
		return o.person(say(anex.ActRefuse, anex.Handshaking, one("response", "No modification is possible.")))
	case talk.Call:
		return o.bid(h)
	case talk.Proposal:
		if err := o.Words.Deal(h.Terms.Ontologies, h.Terms.Deal); err != nil {
			return []talk.Move{say(anex.ActRejectProposal, anex.ContractNet, one("response", clip(err.Error(), 500)))}, false
		}
		if o.Terms == Yes && o.allows(h.Terms) {
			m, err := o.accept()
			if err == nil {
				return []talk.Move{m}, false
			}
		}
		return o.person(say(anex.ActRejectProposal, anex.ContractNet, one("response", "These terms are not accepted.")))
	case talk.Accept:
		if len(h.Terms.Signatures) == 0 {
			return nil, false // it binds in the conversation, and nothing is signed
		}
		// The whole is looked at again: what a person proposed, or what the owner allows.
		if o.proposed == nil || o.proposed.Hash() != h.Terms.Hash() || !o.did.typed && !o.allows(h.Terms) {
			return []talk.Move{say(anex.ActFailure, anex.ContractNet, one("error", "These terms are not signed."))}, false
		}
		a := *h.Terms
		return []talk.Move{say(anex.ActInform, anex.ContractNet, map[string]string{"response": "Signed.", "signature": a.Sign(o.Key)})}, false
	case talk.Request:
		what := asked(h.Message.Content)
		if data, ok := o.told(what); ok && (what == "" || has(data, what)) {
			return []talk.Move{{Kind: talk.Say, Message: anex.Message{Performative: anex.ActInform, Protocol: h.Message.Protocol, Content: data, InReplyTo: h.Message.ReplyWith}}}, false
		}
		return o.person(say(anex.ActRefuse, h.Message.Protocol, one("response", "There is no such data.")))
	case talk.Question:
		return o.person(say(anex.ActNotUnderstood, h.Message.Protocol, one("error", "I cannot answer that.")))
	case talk.Subscription:
		agree := say(anex.ActAgree, talk.FIPASubscribe, one("response", "Subscribed."))
		data, ok := o.told(h.Topic)
		if !ok || h.Topic != "" && !has(data, h.Topic) {
			return o.person(say(anex.ActRefuse, talk.FIPASubscribe, one("response", "There are no updates.")))
		}
		o.did.subscribers = append(o.did.subscribers, subscriber{h.Message.ReplyWith, h.Topic, sha256.Sum256(data)})
		return []talk.Move{agree, {Kind: talk.Publish, Message: anex.Message{Content: data, InReplyTo: h.Message.ReplyWith}}}, false
	case talk.PlainText:
		return o.plain(h.Text)
	case talk.End:
		return []talk.Move{say(anex.ActInform, anex.Termination, one("message", "Session terminated."))}, false
	}
	return nil, false
}

// Otherwise is what the owner says to what was heard last if nobody decides about it.
func (o *Owner) Otherwise() talk.Move { return o.did.otherwise }

// person leaves a decision to a person, or says no if there is none.
func (o *Owner) person(no talk.Move) ([]talk.Move, bool) {
	if o.did.otherwise = no; o.Asking {
		return nil, true
	}
	return []talk.Move{no}, false
}

func (o *Owner) engage(h talk.Heard) ([]talk.Move, bool) {
	if o.Require != "" && !o.did.demanded && !has(h.Message.Content, "details") {
		o.did.demanded = true
		return []talk.Move{say(anex.ActPropose, anex.Handshaking, one("modification", o.Require))}, false
	}
	no := say(anex.ActRefuse, anex.Handshaking, one("response", "I do not engage with unknown agents."))
	switch o.Talk {
	case Yes:
		return []talk.Move{say(anex.ActAgree, anex.Handshaking, one("response", "Proceeding."))}, false
	case No:
		return []talk.Move{no}, false
	}
	return o.person(no)
}

// notice is what somebody who writes plain text hears if no person is here.
const notice = "No person is here. I speak ANEX (anex.v1)."

// plain answers a plain text if no person is here: one that asks to talk hears yes or no and may go
// on with ANEX, and any other ends the conversation. A text cannot bring the details of Require.
func (o *Owner) plain(text string) (moves []talk.Move, ask bool) {
	gone := say(anex.ActCancel, anex.Handshaking, one("message", "No person is here."))
	if o.did.otherwise = gone; o.Asking || o.First {
		return nil, true
	}
	write := func(text string) talk.Move { return talk.Move{Kind: talk.Write, Raw: []byte(text)} }
	asks := !o.did.noticed && strings.Contains(text, anex.Marker)
	if !o.did.noticed {
		o.did.noticed, moves = true, append(moves, write(notice))
	}
	switch {
	case asks && o.Talk == Yes && o.Require == "":
		return append(moves, write("yes")), false
	case asks:
		return append(moves, write("no")), false
	}
	return append(moves, gone), false
}

// bid answers a call by what the owner allows.
func (o *Owner) bid(h talk.Heard) ([]talk.Move, bool) {
	no := func(why string) talk.Move { return say(anex.ActRefuse, anex.ContractNet, one("response", why)) }
	if o.Terms == No {
		return []talk.Move{no("No terms are offered.")}, false
	}
	c := h.CFP
	if c == nil {
		return []talk.Move{no("The call cannot be read.")}, false
	}
	if err := o.Words.Deal(c.Ontologies, c.Deal); err != nil {
		return []talk.Move{no(clip(err.Error(), 500))}, false
	}
	if o.Terms != Yes || !o.known(c, h.Message.Sender) {
		return o.person(no("Nobody is here to decide about these terms."))
	}
	o.did.typed = false
	p, err := anex.Meet(anex.Call{Access: c.Access, Promise: c.Promise}, anex.Offer{Access: o.Access, Demand: o.Promise})
	if err != nil {
		return o.person(no(fmt.Sprintf("%.200v", err)))
	}
	if !o.listed(p.Access) {
		return o.person(no("Nobody is here to decide about these names; ask for those that are listed."))
	}
	return []talk.Move{o.propose(map[string]any{"access": p.Access, "promise": p.Promise})}, false
}

// Proposed takes the terms of an own proposal that was sent.
func (o *Owner) Proposed(a *talk.Agreement) { o.proposed = a }

// Agreed takes an agreement of the conversation.
func (o *Owner) Agreed(a *talk.Agreement) { o.did.agreed = a }

// told is the data that the agreement lets the owner tell; of a topic, if there is such a member.
func (o *Owner) told(topic string) (json.RawMessage, bool) {
	var all map[string]json.RawMessage
	if o.Data == nil || o.did.agreed == nil || json.Unmarshal(o.Data, &all) != nil {
		return nil, false
	}
	out := o.Data
	if all[topic] != nil {
		out = content(map[string]json.RawMessage{topic: all[topic]})
	}
	granted := o.did.agreed.Access
	if o.did.agreed.Asker == o.Key.Principal().String() {
		// The agreement is about the data of the other side. Of its own, an asker tells what its
		// owner lets others get.
		if granted = o.Access; len(granted) == 0 {
			return nil, false
		}
	}
	kept, _, err := anex.Cut(out, granted)
	return kept, err == nil && o.Words.Data(o.did.agreed, kept) == nil
}

// asked is the member of the data that a request names ("what"), or "" if it names none.
func asked(content json.RawMessage) string {
	var request map[string]json.RawMessage
	var what string
	if json.Unmarshal(content, &request) != nil || json.Unmarshal(request["what"], &what) != nil {
		return ""
	}
	return what
}

func mandatory(names []string) []anex.Name {
	out := anex.Names(names...)
	for i := range out {
		out[i].Mandatory = true
	}
	return out
}

func has(content json.RawMessage, name string) bool {
	var all map[string]json.RawMessage
	return json.Unmarshal(content, &all) == nil && all[name] != nil
}
