package anex

import "fmt"

func (a *Asker) handle(m Message) error {
	switch {
	case m.Performative == ActInform && m.Protocol == Termination:
		a.terminated()
		return nil
	case len(a.awaited) > 0 && m.InReplyTo == a.awaited[0].id && a.now > a.awaited[0].by:
		return fmt.Errorf("%w: %s by %s", a.late(ErrLate), m.Performative, writeTime(a.awaited[0].by))
	case m.Performative == ActFailure && !a.expects(m, aboutData):
		a.last(m, "error", Declined, errFailed)
		return nil
	case a.expects(m, aboutEngagement) && m.Protocol == Handshaking:
		return a.engaged(m)
	case a.expects(m, aboutTerms) && m.Protocol == ContractNet:
		return a.bid(m)
	case a.expects(m, aboutData) && m.Protocol.data():
		return a.data(m)
	}
	return a.unexpected(m)
}

// expects reports whether the message answers the oldest unanswered one.
func (a *Asker) expects(m Message, what question) bool {
	return len(a.awaited) > 0 && a.awaited[0].what == what && a.awaited[0].id == m.InReplyTo
}

func (a *Asker) unexpected(m Message) error {
	return fmt.Errorf("%w: %s of %s in reply to %q", ErrOrder, m.Performative, m.Protocol, m.InReplyTo)
}

// terminated takes the holder's end of the session.
func (a *Asker) terminated() {
	if a.agreed && len(a.awaited) == 0 && len(a.todo) == 0 {
		a.end(Completed, nil)
		return
	}
	a.end(Declined, errTerminated)
}

// engage sends the engagement, in reply to a modification, and if pipelined the CFP.
func (a *Asker) engage(inReplyTo string) {
	a.post(Message{Performative: ActRequest, Protocol: Handshaking, Content: a.start.Engagement.encode(), InReplyTo: inReplyTo},
		awaited{what: aboutEngagement})
	if a.start.Pipeline {
		a.call()
	}
}

func (a *Asker) engaged(m Message) error {
	switch m.Performative {
	case ActAgree:
		if _, err := m.text("response"); err != nil {
			return err
		}
		if a.awaited = a.awaited[1:]; !a.start.Pipeline {
			a.call()
		}
		return nil
	case ActRefuse:
		return a.refused(m)
	case ActPropose:
		return a.modified(m)
	}
	return a.unexpected(m)
}

func (a *Asker) refused(m Message) error {
	r, err := readRefusal(m.Content)
	if err == nil {
		a.endWith(Ended{Outcome: Declined, Err: fmt.Errorf("%w: %.200q", ErrRefused, r.Response), Refusal: r})
	}
	return err
}

// modified takes a modification. The holder has dropped the pipelined messages.
func (a *Asker) modified(m Message) error {
	text, err := m.text("modification")
	if err != nil {
		return err
	}
	if a.changes++; a.changes > a.cfg.MaxModifications {
		return fmt.Errorf("%w: modification %d", ErrFlood, a.changes)
	}
	a.awaited, a.bids, a.proposed = nil, 0, m
	a.ask(aboutModification, AskModification{text})
	return nil
}

// modify sends the new engagement, or gives up.
func (a *Asker) modify(e ModificationDecided) error {
	if err := a.open(aboutModification); err != nil {
		return err
	}
	if e.Again == nil {
		a.cancel("no such modification")
		a.end(Declined, fmt.Errorf("%w: the modification cannot be met", ErrNoAgreement))
		return nil
	}
	again, err := e.Again.spelled()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrEvent, err)
	}
	a.asking, a.start.Engagement = nothing, again
	a.engage(a.proposed.ReplyWith)
	return nil
}
