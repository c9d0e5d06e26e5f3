package talk

import (
	"context"
	"errors"
	"strings"
	"time"

	"ojud/agent/talk"
	"ojud/agent/talk/link"
	"ojud/agent/talk/owner"
)

// run runs one conversation.
func (r *room) run(ctx context.Context, f link.Frames, peer, id string, first bool, address string) error {
	m := r.manners
	c := &conversation{
		room: r, peer: peer, address: address, about: mark(peer, address, strings.HasPrefix(peer, "did:")), moves: make(chan talk.Move), over: make(chan struct{}),
		owner: &owner.Owner{
			Key: r.key, Name: m.owner, Now: time.Now, Talk: owner.Choice(m.talk), Terms: owner.Choice(m.terms), Require: m.require,
			Access: m.access, Promise: m.promise, For: m.about, Asks: m.asks, Relation: m.relation, Words: r.words, Asking: !m.alone || r.mind != nil, First: first,
		},
		session: talk.New(r.caps, r.key.Principal().String(), peer, id, first, time.Now().UnixMilli()),
	}
	r.mu.Lock()
	if r.next++; r.next == 1 {
		close(r.begun)
	}
	c.number, c.owner.Data = r.next, r.data
	r.all[c.number] = c
	r.mu.Unlock()
	how := ""
	if _, ok := f.(link.Packed); ok {
		how = ", in CBOR"
	}
	c.tell("begin", peer+" at "+address+how, nil)
	thinking, stop := context.WithCancel(ctx)
	defer stop()
	silent := make(chan struct{}) // the mind asks no more
	if r.mind != nil {
		key, err := fresh()
		if err != nil {
			return err
		}
		c.thought = &thought{thinker: r.mind, key: key, left: r.mind.turns, questions: make(chan question, waiting)}
		go func() {
			defer close(silent)
			c.answer(thinking)
		}()
	} else {
		close(silent)
	}
	go c.renew(ctx)
	err := link.Run(ctx, f, c.session, c, c.moves)
	close(c.over)
	stop()
	<-silent
	r.mu.Lock()
	delete(r.all, c.number)
	r.mu.Unlock()
	return errors.Join(err, c.close())
}
