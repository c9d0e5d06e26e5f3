package talk

import (
	"context"
	"errors"
	"fmt"

	"ojud/agent/talk"
	"ojud/agent/talk/owner"
	"ojud/datasource/anex"
)

// think leaves a decision to the mind, if there is one and it may decide. Otherwise it returns what
// is said without a person, or asks one. Asked is false if the message needs no answer, and the
// mind is only told of it.
func (c *conversation) think(h talk.Heard, asked bool) (otherwise []talk.Move) {
	c.mu.Lock()
	no, decides := c.owner.Otherwise(), c.owner.Decides(h)
	c.mu.Unlock()
	if !asked {
		no = gaveUp()
	}
	if c.thought != nil && decides {
		select {
		case c.thought.questions <- question{h, no}:
			return nil
		default:
			c.tell("refused", fmt.Sprintf("%d messages wait for the mind; it does not hear this one", waiting), nil)
			return []talk.Move{no}
		}
	}
	if c.room.manners.alone {
		return []talk.Move{no}
	}
	c.decide()
	return nil
}

// pursues reports whether the mind is asked what comes next.
func (c *conversation) pursues(what talk.What) bool {
	return c.thought != nil && c.thought.goal != "" && c.owner.First && owner.Follows(what)
}

// gaveUp ends a conversation whose mind does not go on.
func gaveUp() talk.Move {
	return talk.Move{Kind: talk.Say, Message: message(anex.ActCancel, anex.Handshaking, map[string]string{"message": "Cancelled."})}
}

// decide asks a person.
func (c *conversation) decide() {
	c.tell("decide", fmt.Sprintf("what do you say to %s? type %d and what you say; help lists it", c.peer, c.number), nil)
}

// question is something for a mind to decide, and what is said if it does not.
type question struct {
	heard     talk.Heard
	otherwise talk.Move
}

// answer has the mind answer questions in order, until the conversation is over. A mind that begins
// one is introduced first.
func (c *conversation) answer(ctx context.Context) {
	if c.pursues(owner.Begin) {
		c.typed(ctx, "greet")
		select {
		case c.thought.questions <- question{talk.Heard{What: owner.Begin}, gaveUp()}:
		default: // the peer said much already, and the mind goes on from there
		}
	}
	for {
		var q question
		select {
		case q = <-c.thought.questions:
		case <-c.over:
			return
		case <-ctx.Done():
			return
		}
		m, err := c.decided(ctx, q)
		switch {
		case errors.Is(err, owner.ErrPerson) && !c.room.manners.alone:
			c.decide()
			continue
		case err != nil:
			c.tell("refused", err.Error(), nil)
			m = q.otherwise
		}
		if m.Kind == 0 {
			continue // there is nothing to say
		}
		select {
		case c.moves <- m:
		case <-c.over:
			return
		case <-ctx.Done():
			return
		}
	}
}

// decided asks the mind until it says something that can be said.
func (c *conversation) decided(ctx context.Context, q question) (m talk.Move, err error) {
	ctx, stop := context.WithTimeout(ctx, c.room.manners.wait)
	defer stop()
	problem := ""
	for range tries {
		c.mu.Lock()
		b := c.owner.Brief(q.heard, append(owner.Past{}, c.thought.past...), c.room.manners.alone)
		c.mu.Unlock()
		b.Peer, b.Goal, b.Error = c.peer, c.thought.goal, problem
		line, err := c.thought.ask(ctx, b)
		if err != nil {
			return m, fmt.Errorf("the mind does not answer: %w", err)
		}
		c.tell("mind", cut(line), nil)
		c.mu.Lock()
		s, err := c.owner.ReadAnswer(q.heard, line)
		c.mu.Unlock()
		if err == nil || errors.Is(err, owner.ErrPerson) {
			if a := s.Signs; a != nil && err == nil {
				if raw, bad := a.Terms(); bad == nil {
					c.tell("sign", "with "+c.peer+": "+cut(string(raw)), raw)
				}
			}
			return s.Move, err
		}
		problem = err.Error()
	}
	return m, fmt.Errorf("the mind says nothing that can be said: %s", problem)
}
