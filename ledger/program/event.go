package program

import (
	"errors"
	"fmt"
)

// errEvent is returned for bytes that are no event of the program.
var errEvent = errors.New("program: not an event of the program")

// Event is an instruction's message to the outside: a pointer to one of the types of
// events_generated.go.
type Event interface {
	layout
	// EventName is the name in the protocol, as RoundSettled.
	EventName() string
}

// DecodeEvent decodes the bytes of one sol_log_data slice; ErrEvent if they are none, or not
// exactly as long as the fields.
func DecodeEvent(data []byte) (Event, error) {
	if len(data) < 8 {
		return nil, fmt.Errorf("%w: %d bytes", errEvent, len(data))
	}
	for _, e := range events() {
		if Discriminator("event", e.EventName()) != [8]byte(data) {
			continue
		}
		w := &walk{mode: reading, data: data, pos: 8}
		e.walk(w)
		if err := w.end(); err != nil {
			return nil, fmt.Errorf("%w: %s: %w", errEvent, e.EventName(), err)
		}
		return e, nil
	}
	return nil, fmt.Errorf("%w: unknown discriminator %x", errEvent, data[:8])
}

// EncodeEvent returns the bytes that the program logs.
func EncodeEvent(e Event) []byte {
	d := Discriminator("event", e.EventName())
	return append(d[:], encode(e)...)
}

// vec walks a Borsh vector of structs of size bytes each.
func vec[T any, P interface {
	*T
	layout
}](w *walk, name, kind string, size int, v *[]T) {
	n := uint32(len(*v))
	length(w, &n)
	if w.mode == reading && w.fault != nil {
		return
	}
	many[T, P](w, name, kind, int(n), size, v)
}
