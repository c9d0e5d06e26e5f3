package talk

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ojud/datasource/anex"
)

// verb is what a message does.
type verb struct {
	protocol anex.Protocol
	act      anex.Performative
}

// known are the protocols of the table.
var known = []anex.Protocol{anex.Handshaking, anex.ContractNet, anex.DataExchange, anex.FIPARequest, anex.Termination, FIPASubscribe, FIPAQuery}

// answers are the messages that answer one, in its own protocol.
func answers(what What) []verb {
	switch what {
	case Engagement, Modification:
		return []verb{{anex.Handshaking, anex.ActAgree}, {anex.Handshaking, anex.ActRefuse}, {anex.Handshaking, anex.ActPropose}, {anex.Handshaking, anex.ActRequest}}
	case Call:
		return []verb{{anex.ContractNet, anex.ActPropose}, {anex.ContractNet, anex.ActRefuse}}
	case Proposal:
		return []verb{{anex.ContractNet, anex.ActPropose}, {anex.ContractNet, anex.ActAcceptProposal}, {anex.ContractNet, anex.ActRejectProposal}}
	case Accept:
		return []verb{{anex.ContractNet, anex.ActInform}}
	case Request:
		return []verb{{anex.DataExchange, anex.ActInform}, {anex.DataExchange, anex.ActRefuse}, {anex.DataExchange, anex.ActAgree},
			{anex.FIPARequest, anex.ActInform}, {anex.FIPARequest, anex.ActRefuse}, {anex.FIPARequest, anex.ActAgree}}
	case Subscription:
		return []verb{{FIPASubscribe, anex.ActAgree}, {FIPASubscribe, anex.ActRefuse}, {FIPASubscribe, anex.ActInform}}
	}
	return nil
}

// anyway reports whether a message answers one whatever its protocol is.
func anyway(what What, m anex.Message) bool {
	switch m.Performative {
	case anex.ActFailure, anex.ActNotUnderstood:
		return true
	case anex.ActInform:
		return what == Question && m.Protocol != anex.Termination && has(m.Content, "answer")
	case anex.ActRefuse:
		return what == Question
	case anex.ActCancel:
		return what == Subscription
	}
	return false
}

// apply is the table: it checks a message of a side, and follows it.
func (s *Session) apply(by int, m anex.Message) (Heard, error) {
	h := Heard{Message: m, Act: m.Performative}
	if m.Conversation != s.conv {
		return h, fmt.Errorf("%w: conversation %q", anex.ErrParty, m.Conversation)
	}
	if !m.Performative.Known() && m.Performative != ActSubscribe || !slices.Contains(known, m.Protocol) {
		return h, fmt.Errorf("%w: %.40q of %.40q", anex.ErrUnknown, m.Performative, m.Protocol)
	}
	if m.ReplyWith != "" {
		if s.used[by][m.ReplyWith] {
			return h, fmt.Errorf("%w: reply-with %q was there before", anex.ErrOrder, m.ReplyWith)
		}
	}
	if s.phase == ending && (s.closer == by || m.Performative != anex.ActInform || m.Protocol != anex.Termination) && m.Performative != anex.ActFailure && m.Performative != anex.ActNotUnderstood {
		return h, errPhase
	}
	all := map[string]json.RawMessage{}
	if err := json.Unmarshal(m.Content, &all); err != nil {
		return h, fmt.Errorf("%w: %w", anex.ErrMalformed, err)
	}
	h, err := s.follow(by, m, all, h)
	if err == nil && m.ReplyWith != "" {
		s.used[by][m.ReplyWith] = true
	}
	return h, err
}

// take returns the open message of the other side that m answers.
func (s *Session) take(by int, m anex.Message, what ...What) *pending {
	for _, p := range s.open {
		if p.by != by && p.id == m.InReplyTo && slices.Contains(what, p.what) {
			return p
		}
	}
	return nil
}

// drop closes an open message.
func (s *Session) drop(p *pending) {
	s.open = slices.DeleteFunc(s.open, func(q *pending) bool { return q == p })
}

// await opens a message.
func (s *Session) await(by int, m anex.Message, what What) (*pending, error) {
	n := 0
	for _, p := range s.open {
		if p.by == by {
			n++
		}
		if p.by == by && p.id == m.ReplyWith && p.id == "" {
			return nil, fmt.Errorf("%w: without reply-with only one message may wait for an answer", anex.ErrOrder)
		}
	}
	if n >= s.caps.Open {
		return nil, errBound
	}
	p := &pending{what: what, by: by, id: m.ReplyWith, until: m.ReplyBy}
	if p.until == 0 {
		p.until = s.now + s.caps.Reply.Milliseconds()
	}
	s.open = append(s.open, p)
	return p, nil
}

// replace closes one message and opens another that answers it.
func (s *Session) replace(by int, m anex.Message, what What, old *pending) error {
	if s.spent.rounds >= s.caps.Rounds*2 {
		return errBound
	}
	if old != nil {
		s.drop(old)
	}
	if _, err := s.await(by, m, what); err != nil {
		if old != nil {
			s.open = append(s.open, old)
		}
		return err
	}
	s.spent.rounds++
	return nil
}

// negotiating reports whether a call, a proposal or an acceptance is open.
func (s *Session) negotiating() bool {
	return slices.ContainsFunc(s.open, func(p *pending) bool { return p.what == Call || p.what == Proposal || p.what == Accept })
}

func (s *Session) follow(by int, m anex.Message, all map[string]json.RawMessage, h Heard) (Heard, error) {
	switch {
	case m.Performative == anex.ActCancel:
		return s.cancelled(by, m, all, h)
	case m.Performative == anex.ActFailure || m.Performative == anex.ActNotUnderstood:
		return s.failed(by, m, all, h)
	case m.Performative == anex.ActQueryIf:
		text, err := words(all, "query")
		if err == nil && s.phase == begins {
			err = errPhase
		}
		if err == nil {
			_, err = s.await(by, m, Question)
		}
		h.What, h.Text = Question, text
		return h, err
	case m.Performative == anex.ActRefuse && s.take(by, m, Question) != nil:
		s.drop(s.take(by, m, Question))
		h.What, h.Text = Refuse, text(all, "response")
		return h, nil
	case m.Performative == anex.ActInform && all["answer"] != nil && s.take(by, m, Question) != nil:
		s.drop(s.take(by, m, Question))
		h.What, h.Text = Answer, text(all, "answer")
		return h, nil
	}
	switch m.Protocol {
	case anex.Handshaking:
		return s.shake(by, m, all, h)
	case anex.ContractNet:
		return s.negotiate(by, m, all, h)
	case anex.DataExchange, anex.FIPARequest:
		return s.exchange(by, m, all, h)
	case FIPASubscribe:
		return s.subscribe(by, m, all, h)
	case anex.Termination:
		return s.terminate(by, m, all, h)
	}
	return h, fmt.Errorf("%w: %s of %s", errPhase, m.Performative, m.Protocol)
}

func (s *Session) cancelled(by int, m anex.Message, all map[string]json.RawMessage, h Heard) (Heard, error) {
	h.What, h.Text = Cancel, text(all, "message")
	for _, p := range s.open {
		if p.what == Subscription && p.id == m.InReplyTo && (p.id != "" || m.Protocol == FIPASubscribe) {
			h.Topic = p.topic
			s.drop(p)
			return h, nil
		}
	}
	s.end("cancelled", fmt.Errorf("talk: cancelled: %.200q", h.Text), false)
	return h, nil
}

func (s *Session) failed(by int, m anex.Message, all map[string]json.RawMessage, h Heard) (Heard, error) {
	h.What, h.Text = Failure, text(all, "error")
	if m.Performative == anex.ActNotUnderstood {
		h.What = Unclear
	}
	p := s.take(by, m, Request, Question, Subscription, Accept, Call, Proposal)
	if p == nil {
		s.end("broken", fmt.Errorf("talk: the peer reports %.200q", h.Text), false)
		return h, nil
	}
	h.Topic = p.topic
	s.drop(p)
	return h, nil
}

func (s *Session) shake(by int, m anex.Message, all map[string]json.RawMessage, h Heard) (Heard, error) {
	asked := s.take(by, m, Engagement, Modification)
	switch {
	case m.Performative == anex.ActRequest && all["message"] != nil:
		introduction, err := words(all, "message")
		if err == nil && !strings.Contains(introduction, anex.Marker) {
			err = anex.ErrMarker
		}
		if err == nil && (by == 0 && s.phase != begins || by == 1 && s.phase != met) {
			err = errPhase
		}
		if err != nil {
			return h, err
		}
		if by == 0 {
			s.phase = met
		}
		h.What, h.Text = Introduction, introduction
		return h, nil
	case m.Performative == anex.ActRequest && by == 0 && s.phase == met && (asked != nil && asked.what == Modification || !s.shaking()):
		request, err := words(all, "request")
		if err == nil {
			err = s.replace(by, m, Engagement, asked)
		}
		h.What, h.Text = Engagement, request
		return h, err
	case m.Performative == anex.ActPropose && asked != nil:
		change, err := words(all, "modification")
		if err == nil {
			err = s.replace(by, m, Modification, asked)
		}
		h.What, h.Text = Modification, change
		return h, err
	case m.Performative == anex.ActAgree && asked != nil:
		s.drop(asked)
		s.phase = willing
		h.What, h.Text = Agree, text(all, "response")
		return h, nil
	case m.Performative == anex.ActRefuse && asked != nil:
		h.What, h.Text = Refuse, text(all, "response")
		s.end("declined", fmt.Errorf("talk: refused: %.200q", h.Text), false)
		return h, nil
	}
	return h, fmt.Errorf("%w: %s of %s", errPhase, m.Performative, m.Protocol)
}

func (s *Session) shaking() bool {
	return slices.ContainsFunc(s.open, func(p *pending) bool { return p.what == Engagement || p.what == Modification })
}

func (s *Session) exchange(by int, m anex.Message, all map[string]json.RawMessage, h Heard) (Heard, error) {
	if s.phase != bound && s.phase != ending {
		return h, fmt.Errorf("%w: data before an agreement", errPhase)
	}
	asked := s.take(by, m, Request)
	switch {
	case m.Performative == anex.ActRequest:
		_, err := s.await(by, m, Request)
		h.What = Request
		return h, err
	case m.Performative == anex.ActInform && (asked != nil || m.InReplyTo == ""):
		if err := s.within(by, m.Content); err != nil {
			return h, err
		}
		if asked != nil {
			s.drop(asked)
		}
		h.What = Data
		return h, nil
	case m.Performative == anex.ActAgree && asked != nil:
		h.What, h.Text = Agree, text(all, "response")
		return h, nil
	case m.Performative == anex.ActRefuse && asked != nil:
		s.drop(asked)
		h.What, h.Text = Refuse, text(all, "response")
		return h, nil
	}
	return h, fmt.Errorf("%w: %s of %s", errPhase, m.Performative, m.Protocol)
}

// within holds the data of the party that grants access to what it granted.
func (s *Session) within(by int, content json.RawMessage) error {
	if s.agreed.Asker == [2]string{s.self, s.peer}[(by+s.side)%2] {
		return nil
	}
	_, lost, err := anex.Cut(content, s.agreed.Access)
	if err == nil && lost {
		err = errAccess
	}
	return err
}

func (s *Session) terminate(by int, m anex.Message, all map[string]json.RawMessage, h Heard) (Heard, error) {
	if m.Performative != anex.ActInform || s.phase == begins {
		return h, fmt.Errorf("%w: %s of %s", errPhase, m.Performative, m.Protocol)
	}
	h.What, h.Text = End, text(all, "message")
	if s.phase == ending {
		how, err := "completed", error(nil)
		if s.agreed == nil {
			how, err = "declined", errors.New("talk: no agreement")
		}
		s.end(how, err, false)
		return h, nil
	}
	s.phase, s.closer, s.open = ending, by, nil
	s.until = min(s.until, s.now+s.caps.Reply.Milliseconds())
	return h, nil
}

// words reads a text for people that has to be there.
func words(all map[string]json.RawMessage, field string) (string, error) {
	var out string
	if json.Unmarshal(all[field], &out) != nil || len(out) == 0 || len(out) > maxText {
		return "", fmt.Errorf("%w: content: field %q: a text of 1 to %d bytes is needed", anex.ErrMalformed, field, maxText)
	}
	return out, nil
}

// text reads a text for people, or nothing.
func text(all map[string]json.RawMessage, field string) string {
	out, err := words(all, field)
	if err != nil {
		return ""
	}
	return out
}
