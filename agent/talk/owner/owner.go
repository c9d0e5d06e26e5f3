package owner

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
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
	Data     json.RawMessage
	Asking   bool // a person is there; without one, what a person would decide is refused
	demanded bool

	heard  *talk.Heard     // the last that may be answered
	offer  *talk.Agreement // the last that the peer proposed
	agreed *talk.Agreement
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

func (o *Owner) accept() (talk.Move, error) {
	if o.offer == nil {
		return talk.Move{}, errors.New("nothing was proposed")
	}
	a := *o.offer
	return say(anex.ActAcceptProposal, anex.ContractNet, map[string]string{"response": "Accepted.", "terms": a.Hash(), "signature": a.Sign(o.Key)}), nil
}

// Reply returns the owner's answers to a message, and whether a person has to decide.
func (o *Owner) Reply(h talk.Heard) (moves []talk.Move, ask bool) {
	switch h.What {
	case talk.Engagement, talk.Modification, talk.Call, talk.Request, talk.Question, talk.Subscription:
		o.heard = &h
	case talk.Proposal:
		o.offer = h.Terms
	}
	switch h.What {
	case talk.Engagement:
		return o.engage(h)
	case talk.Modification:
		return o.person(say(anex.ActRefuse, anex.Handshaking, one("response", "No modification is possible.")))
	case talk.Call:
		return o.bid(h)
	case talk.Proposal:
		if o.Terms == Yes && o.within(h.Terms) {
			m, err := o.accept()
			if err == nil {
				return []talk.Move{m}, false
			}
		}
		return o.person(say(anex.ActRejectProposal, anex.ContractNet, one("response", "These terms are not accepted.")))
	case talk.Accept:
		if len(h.Terms.Signatures) > 0 || has(h.Message.Content, "signature") {
			a := *h.Terms
			return []talk.Move{say(anex.ActInform, anex.ContractNet, map[string]string{"response": "Signed.", "signature": a.Sign(o.Key)})}, false
		}
	case talk.Request:
		if data, ok := o.told(""); ok {
			return []talk.Move{{Kind: talk.Say, Message: anex.Message{Performative: anex.ActInform, Protocol: h.Message.Protocol, Content: data, InReplyTo: h.Message.ReplyWith}}}, false
		}
		return o.person(say(anex.ActRefuse, h.Message.Protocol, one("response", "There is no such data.")))
	case talk.Question:
		return o.person(say(anex.ActNotUnderstood, h.Message.Protocol, one("error", "I cannot answer that.")))
	case talk.Subscription:
		agree := say(anex.ActAgree, talk.FIPASubscribe, one("response", "Subscribed."))
		data, ok := o.told(h.Topic)
		if !ok {
			return o.person(say(anex.ActRefuse, talk.FIPASubscribe, one("response", "There are no updates.")))
		}
		return []talk.Move{agree, {Kind: talk.Publish, Message: anex.Message{Content: data, InReplyTo: h.Message.ReplyWith}}}, false
	case talk.PlainText:
		return nil, true
	case talk.End:
		return []talk.Move{say(anex.ActInform, anex.Termination, one("message", "Session terminated."))}, false
	}
	return nil, false
}

// person leaves a decision to a person, or says no if there is none.
func (o *Owner) person(no talk.Move) ([]talk.Move, bool) {
	if o.Asking {
		return nil, true
	}
	return []talk.Move{no}, false
}

func (o *Owner) engage(h talk.Heard) ([]talk.Move, bool) {
	if o.Require != "" && !o.demanded && !has(h.Message.Content, "details") {
		o.demanded = true
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

// bid answers a call by what the owner allows.
func (o *Owner) bid(h talk.Heard) ([]talk.Move, bool) {
	no := func(why string) talk.Move { return say(anex.ActRefuse, anex.ContractNet, one("response", why)) }
	if o.Terms == No {
		return []talk.Move{no("No terms are offered.")}, false
	}
	var c struct {
		Request struct {
			Access  []string `json:"access"`
			Promise []string `json:"promise"`
		} `json:"request"`
	}
	if err := json.Unmarshal(h.Message.Content, &c); err != nil {
		return []talk.Move{no("The call cannot be read.")}, false
	}
	if o.Terms == Ask || has(h.Message.Content, "deal") || has(h.Message.Content, "ontologies") {
		return o.person(no("Nobody is here to decide about these terms."))
	}
	p, err := anex.Meet(anex.Call{Access: anex.Names(c.Request.Access...), Promise: anex.Names(c.Request.Promise...)},
		anex.Offer{Access: o.Access, Demand: o.Promise})
	if err != nil {
		return o.person(no(fmt.Sprintf("%.200v", err)))
	}
	return []talk.Move{o.propose(map[string]any{"access": p.Access, "promise": p.Promise})}, false
}

// within reports whether an owner that is asked for access allows these terms, or it is the one
// that asked.
func (o *Owner) within(a *talk.Agreement) bool {
	if a.Deal != nil {
		return false
	}
	if a.Asker == o.Key.Principal().String() {
		return !slices.ContainsFunc(a.Promise, func(p string) bool { return !slices.Contains(o.Promise, p) })
	}
	c := anex.Call{Access: mandatory(a.Access), Promise: mandatory(a.Promise)}
	p, err := anex.Meet(c, anex.Offer{Access: o.Access, Demand: o.Promise})
	return err == nil && anex.CheckProposal(c, p) == nil
}

// Agreed takes an agreement of the conversation.
func (o *Owner) Agreed(a *talk.Agreement) { o.agreed = a }

// told is the data that the agreement lets the owner tell; of a topic, if there is such a member.
func (o *Owner) told(topic string) (json.RawMessage, bool) {
	var all map[string]json.RawMessage
	if o.Data == nil || o.agreed == nil || json.Unmarshal(o.Data, &all) != nil {
		return nil, false
	}
	out := o.Data
	if all[topic] != nil {
		out = content(map[string]json.RawMessage{topic: all[topic]})
	}
	if o.agreed.Asker != o.Key.Principal().String() {
		kept, _, err := anex.Cut(out, o.agreed.Access)
		if err != nil {
			return nil, false
		}
		out = kept
	}
	return out, true
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
	if json.Unmarshal(content, &all) != nil {
		return false
	}
	var inner map[string]json.RawMessage
	_ = json.Unmarshal(all["request"], &inner) // the content of a CFP has one more level
	return all[name] != nil || inner[name] != nil
}
