package anex

import (
	"fmt"
	"strings"
)

// phase is the progress of a conversation, from the view of a holder.
type phase uint8

const (
	unknown    phase = iota // nothing came yet
	introduced              // the self-identification came
	modified                // a modification was proposed
	engaged                 // it agreed to talk
	proposed                // it made a proposal
	bound                   // the proposal was accepted
)

// Holder is the machine of the party that has data. The package comment lists its caller's duties.
type Holder struct {
	conversation
	phase        phase
	introduction string
	current      Message // the message being answered
	offered      string  // reply-with of the own PROPOSE that awaits an answer
	changes      int     // modifications proposed
	bids         int     // CFPs taken
	queries      int     // QUERY-IFs taken
	terms        Terms
	requests     int // data REQUESTs taken
	request      DataRequest
	cut          answer // data of the answer, as it will be sent
}

// NewHolder returns a machine that waits for the first message, from now on, Unix ms.
func NewHolder(cfg Config, now int64) (*Holder, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	h := &Holder{conversation: newConversation(cfg, "h", MaxMessage)}
	h.now, h.began, h.active = now, now, now
	return h, nil
}

// Step takes one event and returns the effects to execute, in order. If it returns an error, it has
// refused the event and changed nothing. The error is of class ErrEvent, ErrOwn or ErrEnded, and
// the caller's fault. Errors of the peer come as Ended.
func (h *Holder) Step(e Event) ([]Effect, error) { return h.step(e, h) }

// Next returns the time, Unix ms, of the next TimeUp, and whether there is one.
func (h *Holder) Next() (at int64, ok bool) { return h.next(), !h.ended }

func (h *Holder) next() int64 {
	at := h.began + h.cfg.Total.Milliseconds()
	if h.asking == nothing {
		return min(at, h.active+h.cfg.Idle.Milliseconds()) + 1
	}
	at = min(at, h.asked+h.cfg.Decide.Milliseconds())
	if by := h.current.ReplyBy; by != 0 {
		at = min(at, by+h.cfg.Slack.Milliseconds())
	}
	return at + 1
}

func (h *Holder) timeUp() {
	if h.asking != nothing {
		h.answer(h.current, ActFailure, say("error", "no answer in time"))
		h.end(Broken, ErrSlow)
		return
	}
	err := ErrSilent
	if h.now > h.began+h.cfg.Total.Milliseconds() {
		err = ErrDeadline
	}
	h.end(Broken, err)
}

func (h *Holder) handle(m Message) error {
	switch {
	case m.Performative == ActInform && m.Protocol == Termination:
		h.terminated()
		return nil
	case m.Performative == ActFailure:
		h.last(m, "error", Declined, errFailed)
		return nil
	case h.phase == modified && m.Performative == ActCFP:
		return nil // it was sent before the modification arrived; another one will follow
	case m.Performative == ActQueryIf && h.phase != unknown:
		return h.query(m)
	case m.InReplyTo != h.offered:
		return h.unexpected(m)
	}
	return h.proceed(m)
}

// proceed takes the message that the phase allows.
func (h *Holder) proceed(m Message) error {
	switch act, protocol := m.Performative, m.Protocol; {
	case h.phase == unknown && act == ActRequest && protocol == Handshaking:
		return h.meet(m)
	case (h.phase == introduced || h.phase == modified) && act == ActRequest && protocol == Handshaking:
		return h.engage(m)
	case h.phase == engaged && act == ActCFP && protocol == ContractNet:
		return h.called(m)
	case h.phase == proposed && protocol == ContractNet && (act == ActAcceptProposal || act == ActRejectProposal):
		return h.judged(m)
	case h.phase == bound && act == ActRequest && protocol.data():
		return h.wanted(m)
	case h.phase == bound && act == ActInform && protocol.data():
		h.emit(Told{h.terms, m.Content})
		return nil
	}
	return h.unexpected(m)
}

func (h *Holder) unexpected(m Message) error {
	return fmt.Errorf("%w: %s of %s in reply to %q", ErrOrder, m.Performative, m.Protocol, m.InReplyTo)
}

func (h *Holder) terminated() {
	if h.phase == bound {
		h.end(Completed, nil)
		return
	}
	h.end(Declined, errTerminated)
}

// advance does nothing, because a holder only answers.
func (h *Holder) advance() {}

// inTime reports whether the message can be answered. If not, the conversation ends.
func (h *Holder) inTime() bool {
	if by := h.current.ReplyBy; by != 0 && h.now > by+h.cfg.Slack.Milliseconds() {
		h.end(Broken, fmt.Errorf("%w: %s by %s", ErrSlow, h.current.Performative, writeTime(by)))
	}
	return !h.ended
}

// meet takes the self-identification.
func (h *Holder) meet(m Message) error {
	text, err := m.text("message")
	if err != nil {
		return err
	}
	if !strings.Contains(text, Marker) {
		return fmt.Errorf("%w: %.200q has no %s", ErrMarker, text, Marker)
	}
	h.phase, h.introduction = introduced, text
	return nil
}
