package anex

import "fmt"

// advance sends data REQUESTs after the agreement, and ends the session after the last answer.
func (a *Asker) advance() {
	if !a.agreed || a.ended {
		return
	}
	for len(a.todo) > 0 && (a.start.Pipeline || len(a.awaited) == 0) {
		r := a.todo[0]
		a.todo = a.todo[1:]
		a.post(Message{Performative: ActRequest, Protocol: DataExchange, Content: r.encode()},
			awaited{what: aboutData, index: a.requests, request: r})
		a.requests++
	}
	if len(a.awaited) == 0 && !a.keep {
		a.terminate()
		a.end(Completed, nil)
	}
}

// terminate sends the last message that the seed defines.
func (a *Asker) terminate() {
	a.send(Message{Performative: ActInform, Protocol: Termination, Content: say("message", terminated)})
}

func (a *Asker) more(requests []DataRequest) error {
	spelled, err := a.checkRequests(requests, a.start.Call.DataSource)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrEvent, err)
	}
	a.todo = append(a.todo[:len(a.todo):len(a.todo)], spelled...)
	return nil
}

// tell sends the asker's own data.
func (a *Asker) tell(e Tell) error {
	if !a.agreed {
		return fmt.Errorf("%w: tell before there is agreement", ErrEvent)
	}
	content, err := Spell(e.Content, MaxMessage-maxHead)
	if err != nil {
		return fmt.Errorf("%w: tell: %w", ErrEvent, err)
	}
	if content[0] != '{' {
		return fmt.Errorf("%w: tell: content is no object", ErrEvent)
	}
	a.send(Message{Performative: ActInform, Protocol: DataExchange, Content: content})
	return nil
}

// data takes the answer to the oldest data REQUEST.
func (a *Asker) data(m Message) error {
	head := a.awaited[0]
	switch m.Performative {
	case ActFailure:
		reason, err := m.text("error")
		if err != nil {
			return err
		}
		a.emit(Failed{head.index, head.request, reason})
	case ActInform:
		got, err := a.received(m)
		if err != nil {
			return err
		}
		a.emit(Deliver{head.index, a.terms, head.request, got.data, got.receipt})
	default:
		return a.unexpected(m)
	}
	a.awaited = a.awaited[1:]
	return nil
}

// received reads an answer and refuses one with a field outside the agreement.
func (a *Asker) received(m Message) (answer, error) {
	got, err := readAnswer(m.Content)
	if err != nil {
		return got, err
	}
	if _, lost, err := Cut(got.data, a.terms.Grant.Access); err != nil || lost {
		return got, fmt.Errorf("%w: data has fields that were not agreed, which are %q", ErrBreach, a.terms.Grant.Access)
	}
	return got, nil
}
