package talk

import (
	"encoding/json"
	"fmt"

	"ojud/datasource/anex"
)

// maxCredit is the most updates that a subscriber may allow ahead.
const maxCredit = 1024

// subscribe follows FIPA-Subscribe: SUBSCRIBE {"topic", "credit"}, AGREE, INFORM {"update"} as far
// as there is credit, REQUEST {"credit"} for more, and CANCEL.
func (s *Session) subscribe(by int, m anex.Message, all map[string]json.RawMessage, h Heard) (Heard, error) {
	if s.phase != bound {
		return h, fmt.Errorf("%w: a subscription before an agreement", errPhase)
	}
	asked := s.take(by, m, Subscription)
	h.What = Subscription
	switch {
	case m.Performative == ActSubscribe:
		topic, err := words(all, "topic")
		credit, creditErr := count(all, "credit", maxCredit)
		if err == nil {
			err = creditErr
		}
		if err != nil {
			return h, err
		}
		p, err := s.await(by, m, Subscription)
		if err == nil {
			p.topic, p.credit = topic, credit
		}
		h.Topic = topic
		return h, err
	case m.Performative == anex.ActAgree && asked != nil && !asked.active:
		asked.active, asked.until = true, 0
		h.What, h.Topic = Agree, asked.topic
		return h, nil
	case m.Performative == anex.ActRefuse && asked != nil && !asked.active:
		s.drop(asked)
		h.What, h.Topic, h.Text = Refuse, asked.topic, text(all, "response")
		return h, nil
	case m.Performative == anex.ActInform && asked != nil && asked.active:
		var update map[string]json.RawMessage
		if err := json.Unmarshal(all["update"], &update); err != nil || update == nil {
			return h, fmt.Errorf("%w: content of INFORM: field %q: an object is needed", anex.ErrMalformed, "update")
		}
		if asked.credit == 0 {
			return h, errCredit
		}
		if err := s.within(by, all["update"]); err != nil {
			return h, err
		}
		asked.credit--
		h.What, h.Topic = Update, asked.topic
		return h, nil
	case m.Performative == anex.ActRequest:
		more, err := count(all, "credit", maxCredit)
		for _, p := range s.open {
			if err == nil && p.by == by && p.what == Subscription && p.id == m.InReplyTo && p.active {
				p.credit = min(p.credit+more, maxCredit)
				h.What, h.Topic = Credit, p.topic
				return h, nil
			}
		}
		if err != nil {
			return h, err
		}
	}
	return h, fmt.Errorf("%w: %s of %s", errPhase, m.Performative, m.Protocol)
}

// publish sends an update to those who subscribed, or holds it until they give credit.
func (s *Session) publish(m anex.Message) error {
	update, err := anex.Spell(m.Content, anex.MaxData)
	if err != nil {
		return err
	}
	if err := s.within(s.side, update); err != nil {
		return err
	}
	for _, p := range s.open {
		if p.what != Subscription || p.by == s.side || !p.active || m.InReplyTo != "" && p.id != m.InReplyTo {
			continue
		}
		if len(p.held) >= s.caps.Held {
			p.held, p.missed = p.held[1:], p.missed+1
		}
		p.held = append(p.held, update)
	}
	s.flush()
	return nil
}

// flush sends what is held, as far as there is credit.
func (s *Session) flush() {
	for _, p := range s.open {
		for p.what == Subscription && p.by != s.side && p.active && p.credit > 0 && len(p.held) > 0 && s.phase == bound {
			content, err := json.Marshal(struct {
				Update json.RawMessage `json:"update"`
				Missed int             `json:"missed,omitempty"`
			}{p.held[0], p.missed})
			if err != nil || s.spent.messages >= s.caps.Messages {
				return
			}
			m := anex.Message{Performative: anex.ActInform, Sender: s.self, Receiver: s.peer, Content: content, Protocol: FIPASubscribe, Conversation: s.conv, InReplyTo: p.id}
			raw, err := anex.Encode(m)
			if err != nil {
				p.held, p.missed = p.held[1:], p.missed+1 // too large for one message
				continue
			}
			s.out.Send = append(s.out.Send, raw)
			p.held, p.missed = p.held[1:], 0
			p.credit, s.spent.messages = p.credit-1, s.spent.messages+1
		}
	}
}

// count reads a whole number from 1 to most.
func count(all map[string]json.RawMessage, field string, most int) (int, error) {
	var n int
	if json.Unmarshal(all[field], &n) != nil || n < 1 || n > most {
		return 0, fmt.Errorf("%w: content: field %q: a whole number from 1 to %d is needed", anex.ErrMalformed, field, most)
	}
	return n, nil
}
