package anex

import (
	"fmt"
	"slices"
)

// question is the machine's open question to its caller.
type question uint8

const (
	nothing question = iota
	aboutModification
	aboutProposal
	aboutEngagement
	aboutAuthority
	aboutTerms
	aboutQuery
	aboutData
	aboutReceipt
)

// conversation is common to asker and holder: the peer, the bounds, the order of messages.
type conversation struct {
	cfg      Config
	role     string // of reply-with: each side numbers its own
	longest  int    // bytes of a message that the peer may send
	out      []Effect
	now      int64 // Unix ms, the latest seen
	began    int64
	active   int64 // when the last message came
	met      bool  // the peer's name and the conversation-id are known
	peer, id string
	protocol Protocol // of the latest message either way
	messages int      // received
	bytes    int      // received
	queue    []Message
	used     []string // reply-withs of the peer
	serial   int      // of own reply-withs
	asking   question
	asked    int64 // when
	ended    bool
}

// party has the methods that differ between asker and holder.
type party interface {
	handle(Message) error // takes the next message; an error ends the conversation
	decide(Event) error   // takes an event of the caller; after an error nothing has changed
	advance()             // does the steps that have become possible
	timeUp()              // the time of Next is over
	next() int64
}

func newConversation(cfg Config, role string, longest int) conversation {
	return conversation{cfg: cfg, role: role, longest: longest, peer: cfg.Peer, protocol: Handshaking}
}

// step is Step of both.
func (c *conversation) step(e Event, p party) ([]Effect, error) {
	switch e.(type) {
	case nil:
		return nil, fmt.Errorf("%w: nil", ErrEvent)
	case Received, TimeUp, Hangup:
		if c.ended {
			return nil, nil // the message was already on its way
		}
	}
	if c.ended {
		return nil, ErrEnded
	}
	c.now, c.out = max(c.now, e.at()), nil
	if err := c.dispatch(e, p); err != nil {
		return nil, err
	}
	c.drain(p)
	p.advance()
	return c.out, nil
}

func (c *conversation) dispatch(e Event, p party) error {
	switch e := e.(type) {
	case Received:
		c.receive(e.Raw)
	case TimeUp:
		if c.now >= p.next() {
			p.timeUp()
		}
	case Hangup:
		c.end(Broken, errHangup)
	case Stop:
		c.cancel(e.Reason)
		c.end(Cancelled, fmt.Errorf("%w here: %.200q", ErrCancelled, e.Reason))
	default:
		return p.decide(e)
	}
	return nil
}

// drain hands over messages until the caller must decide something.
func (c *conversation) drain(p party) {
	for !c.ended && c.asking == nothing && len(c.queue) > 0 {
		m := c.queue[0]
		c.queue = c.queue[1:]
		err := c.expired(m)
		if err == nil {
			err = p.handle(m)
		}
		if err != nil {
			c.refuse(m, err)
		}
	}
}

// expired refuses a message whose time is over.
func (c *conversation) expired(m Message) error {
	if m.ReplyBy != 0 && c.now > m.ReplyBy+c.cfg.Slack.Milliseconds() {
		return fmt.Errorf("%w: %s by %s", errExpired, m.Performative, writeTime(m.ReplyBy))
	}
	return nil
}

func (c *conversation) ask(q question, e Effect) {
	c.asking, c.asked = q, c.now
	c.emit(e)
}

func (c *conversation) open(q ...question) error {
	if !slices.Contains(q, c.asking) {
		return fmt.Errorf("%w: nobody asked this", ErrEvent)
	}
	return nil
}

func (c *conversation) emit(e Effect) {
	if !c.ended {
		c.out = append(c.out, e)
	}
}

func (c *conversation) end(outcome Outcome, err error) { c.endWith(Ended{Outcome: outcome, Err: err}) }

func (c *conversation) endWith(e Ended) {
	e.Fault = Blame(e.Err)
	c.emit(e)
	c.ended, c.queue, c.asking = true, nil, nothing
}
