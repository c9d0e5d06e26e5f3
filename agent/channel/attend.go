package channel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"ojud/agent"
)

// Carrier carries messages to the other side of a session. Send waits for room.
type Carrier interface {
	Send(ctx context.Context, m Body) error
	Receive(ctx context.Context) (Body, error)
}

// errCancelled is the end of a run that its client cancelled.
var errCancelled = errors.New("the client cancelled the run")

// Attend reads a run and sends what it does to its client, and gives the run what the client says.
// It closes the run, and ends with it. Outward makes the context of the run what the client may see
// of it.
func Attend(ctx context.Context, run *agent.Channel, l Carrier, chunks bool, outward func(json.RawMessage) json.RawMessage) (agent.FinalResult, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	listened := make(chan struct{})
	go func() {
		defer close(listened)
		cancel(listen(ctx, run, l))
		run.Close()
	}()
	final, err := tell(ctx, run, l, chunks, outward)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	cancel(context.Canceled)
	<-listened
	return final, err
}

// listen gives the run what its client says until ctx ends.
func listen(ctx context.Context, run *agent.Channel, l Carrier) error {
	for {
		m, err := l.Receive(ctx)
		if err != nil {
			return err
		}
		id := ""
		switch {
		case m.Cancel != nil:
			return errCancelled
		case m.Result != nil:
			id, err = m.Result.ID, run.Input(*m.Result)
		case m.Extra != nil:
			err = run.Input(agent.ExtraInput{Minion: m.Extra.Minion, Content: m.Extra.Content})
		default:
			return errors.New("the client sent a message that clients do not send now")
		}
		if err != nil {
			if err := l.Send(ctx, Body{Refused: &InputRefused{ID: short(id), Error: short(err.Error())}}); err != nil {
				return err
			}
		}
	}
}

// tell sends the events of a run.
func tell(ctx context.Context, run *agent.Channel, l Carrier, chunks bool, outward func(json.RawMessage) json.RawMessage) (agent.FinalResult, error) {
	for event, err := range run.Steps(chunks) {
		if err != nil {
			return agent.FinalResult{}, err
		}
		if r, ok := event.(*agent.StepReader); ok {
			if err := pieces(ctx, r, l); err != nil {
				return agent.FinalResult{}, err
			}
			continue
		}
		m, err := message(event, outward)
		if err != nil {
			return agent.FinalResult{}, err
		}
		if err := l.Send(ctx, m); err != nil {
			return agent.FinalResult{}, err
		}
		if final, ok := event.(agent.FinalResult); ok {
			return final, nil
		}
	}
	return agent.FinalResult{}, errors.New("the agent ended without a result")
}

// message makes a message of an event.
func message(e agent.Event, outward func(json.RawMessage) json.RawMessage) (m Body, err error) {
	switch e := e.(type) {
	case agent.Step:
		m.Step = &e
	case agent.ClientCall:
		e.Context = outward(e.Context)
		m.Call = &e
	case agent.ToolResult:
		m.Result = &e
	case agent.MinionStart:
		m.MinionStart = &e
	case agent.MinionResult:
		e.Context = outward(e.Context)
		m.MinionResult = &e
	case agent.StepEnd:
		e.Context = outward(e.Context)
		m.StepEnd = &e
	case agent.FinalResult:
		e.Context = outward(e.Context)
		m.Final = &e
	default:
		return m, fmt.Errorf("an event of type %T has no message", e)
	}
	return m, nil
}

// pieces sends a step while it is made.
func pieces(ctx context.Context, r *agent.StepReader, l Carrier) error {
	at := StepBegin{Minion: r.Minion(), N: r.N()}
	if err := l.Send(ctx, Body{Begin: &at}); err != nil {
		return err
	}
	for c := range r.Chunks() {
		if err := l.Send(ctx, Body{Chunk: &Piece{StepBegin: at, Text: c.Text, Call: c.Call, Plan: c.Plan}}); err != nil {
			return err
		}
	}
	step, err := r.Step()
	if err != nil {
		return err
	}
	return l.Send(ctx, Body{Stop: &StepStop{StepBegin: at, Fault: step.Fault, Usage: step.Usage}})
}

// short cuts a text to what the reason of a refusal may have.
func short(text string) string { return string([]rune(text)[:min(len([]rune(text)), maxReason/4)]) }
