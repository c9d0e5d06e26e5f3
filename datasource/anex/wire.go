package anex

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
)

// receive takes a frame: counts, parses, and queues it unless it ends the conversation at once.
func (c *conversation) receive(raw []byte) {
	m, err := c.accept(raw)
	switch {
	case err != nil:
		c.refuse(m, err)
	case m.Performative == ActCancel:
		c.last(m, "message", Cancelled, ErrCancelled)
	case m.Performative == ActNotUnderstood:
		c.last(m, "error", Broken, errNotUnderstood)
	default:
		c.queue, c.active, c.protocol = append(c.queue, m), c.now, m.Protocol
	}
}

// last ends the conversation with the peer's last message.
func (c *conversation) last(m Message, field string, outcome Outcome, why error) {
	text, err := m.text(field)
	if err != nil {
		c.refuse(m, err)
		return
	}
	c.end(outcome, fmt.Errorf("%w by the peer: %.200q", why, text))
}

// accept checks a frame, and returns the known parts of a message that has an error.
func (c *conversation) accept(raw []byte) (Message, error) {
	c.messages++
	c.bytes += min(len(raw), c.cfg.MaxBytes+1)
	if c.messages > c.cfg.MaxMessages || c.bytes > c.cfg.MaxBytes || len(c.queue) >= c.cfg.MaxRequests+8 {
		return Message{}, fmt.Errorf("%w: %d messages of %d bytes, %d not yet answered", ErrFlood, c.messages, c.bytes, len(c.queue))
	}
	if len(raw) > c.longest {
		return Message{}, fmt.Errorf("%w: %d bytes; at most %d", ErrTooLarge, len(raw), c.longest)
	}
	m, err := Parse(raw)
	if err != nil {
		return m, err
	}
	if err := c.belongs(m); err != nil {
		return m, err
	}
	if !m.Performative.Known() || !m.Protocol.Known() {
		return m, fmt.Errorf("%w: %.40q of %.40q", ErrUnknown, m.Performative, m.Protocol)
	}
	return m, nil
}

// belongs refuses messages of other conversations, and repeated reply-withs. The first message
// tells a holder the names of the conversation.
func (c *conversation) belongs(m Message) error {
	if !c.met && m.Receiver == c.cfg.Self && m.Sender != c.cfg.Self && (c.peer == "" || c.peer == m.Sender) {
		c.met, c.peer, c.id = true, m.Sender, m.Conversation
	}
	if !c.met || m.Sender != c.peer || m.Receiver != c.cfg.Self || m.Conversation != c.id {
		return fmt.Errorf("%w: from %.60q to %.60q, conversation %q", ErrParty, m.Sender, m.Receiver, m.Conversation)
	}
	if m.ReplyWith == "" {
		return nil
	}
	if slices.Contains(c.used, m.ReplyWith) {
		return fmt.Errorf("%w: reply-with %q was there before", ErrOrder, m.ReplyWith)
	}
	c.used = append(c.used, m.ReplyWith)
	return nil
}

func (c *conversation) send(m Message) {
	m.Sender, m.Receiver, m.Conversation = c.cfg.Self, c.peer, c.id
	raw, err := Encode(m)
	if err != nil {
		c.end(Broken, fmt.Errorf("%w: %w", ErrOwn, err))
		return
	}
	c.protocol = m.Protocol
	m.Content = slices.Clip(m.Content)
	c.emit(Send{m, raw})
}

func (c *conversation) answer(to Message, act Performative, content json.RawMessage) {
	c.send(Message{Performative: act, Protocol: to.Protocol, Content: content, InReplyTo: to.ReplyWith})
}

// ticket returns a new reply-with, or none in a conversation of seven fields.
func (c *conversation) ticket() string {
	if c.id == "" {
		return ""
	}
	c.serial++
	return c.role + strconv.Itoa(c.serial)
}

// refuse says what was not understood, unless that could go on forever, and ends it all.
func (c *conversation) refuse(m Message, err error) {
	last := m.Performative == ActFailure || m.Performative == ActCancel || m.Performative == ActNotUnderstood || m.Protocol == Termination
	if c.met && !last {
		protocol := m.Protocol
		if !protocol.Known() {
			protocol = c.protocol
		}
		act := ActNotUnderstood
		if errors.Is(err, errExpired) {
			act = ActFailure
		}
		c.send(Message{Performative: act, Protocol: protocol, InReplyTo: m.ReplyWith, Content: say("error", plain(err))})
	}
	c.end(Broken, err)
}

// cancel tells the peer to stop.
func (c *conversation) cancel(reason string) {
	if c.met {
		c.send(Message{Performative: ActCancel, Protocol: c.protocol, Content: say("message", reason)})
	}
}
