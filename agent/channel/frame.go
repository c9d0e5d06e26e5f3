package channel

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ojud/schema"
)

// The bounds of frames and sessions.
const (
	Version   = 1
	maxBody   = 1 << 20       // bytes of a message
	MaxFrame  = maxBody + 512 // bytes of a frame
	maxWindow = 256           // messages that wait for an acknowledgement
	maxHeld   = 4 << 20       // bytes of such messages
	maxSeq    = 1<<53 - 1     // that JavaScript can count
	minName   = 22            // characters of the name of a session
	maxName   = 64
	maxReason = 500
)

// Codes of Bye.
const (
	Malformed = "form"    // the other side broke the protocol
	Outdated  = "version" // of the protocol
	Gone      = "gone"    // the session is not known any more
	Crowded   = "busy"    // no room for the session
	Ended     = "ended"   // everything was said
)

// Frame is what a connection carries: exactly one of Hello, Body, Bye, or an Ack alone.
type Frame struct {
	Hello *Hello          `json:"hello,omitempty"`
	Seq   uint64          `json:"seq,omitempty"` // of Body, from 1
	Ack   uint64          `json:"ack,omitempty"` // the last message that the reader of the sender took
	Body  json.RawMessage `json:"body,omitempty"`
	Bye   *Bye            `json:"bye,omitempty"`
}

// Hello is the first frame of each side on each connection.
type Hello struct {
	Version int    `json:"version"`
	Session string `json:"session"` // the client's word; who knows it can go on with the session
	Window  uint64 `json:"window"`  // messages that the sender takes before it acknowledges
	Seen    uint64 `json:"seen"`    // the last message that it received
	Ack     uint64 `json:"ack"`     // the last message that its reader took
	From    uint64 `json:"from"`    // the first message that it can still send
}

// Bye ends a session. Its words are for people.
type Bye struct {
	Code  string `json:"code"`
	Error string `json:"error,omitempty"`
}

// SessionFault is a Bye as an error.
type SessionFault struct {
	Bye
	Theirs bool // the other side said it
}

func (f *SessionFault) Error() string {
	if f.Theirs {
		return fmt.Sprintf("the other side ended the session: %q (%q)", f.Bye.Error, f.Code)
	}
	return fmt.Sprintf("the session is over: %s (%s)", f.Bye.Error, f.Code)
}

func fault(code, format string, args ...any) *SessionFault {
	return &SessionFault{Bye: Bye{Code: code, Error: fmt.Sprintf(format, args...)}}
}

// limits are the bounds of a frame that is read: those of any JSON here, and the size of a frame.
func limits() schema.Limits {
	l := schema.DefaultLimits()
	l.ValueBytes = MaxFrame
	return l
}

// Encode writes a frame. The body is JSON.
func (f Frame) Encode() ([]byte, error) {
	if f.Hello != nil || f.Bye != nil || f.Seq == 0 && f.Ack == 0 {
		return json.Marshal(f)
	}
	out := make([]byte, 0, len(f.Body)+64) // of a message or an acknowledgement, as json writes them
	comma := byte('{')
	if f.Seq > 0 {
		out = strconv.AppendUint(append(append(out, comma), `"seq":`...), f.Seq, 10)
		comma = ','
	}
	if f.Ack > 0 {
		out = strconv.AppendUint(append(append(out, comma), `"ack":`...), f.Ack, 10)
		comma = ','
	}
	if len(f.Body) > 0 {
		out = append(append(append(out, comma), `"body":`...), f.Body...)
	}
	return append(out, '}'), nil
}

// Decode reads a frame of a stranger. The body is not looked into, except that it is one JSON value
// without repeated members.
func Decode(raw []byte) (Frame, error) {
	var f Frame
	if len(raw) > MaxFrame {
		return f, fmt.Errorf("a frame has %d bytes; the limit is %d", len(raw), MaxFrame)
	}
	if f, ok := quickFrame(raw); ok {
		return f, nil
	}
	return slowFrame(raw)
}

// slowFrame reads any frame.
func slowFrame(raw []byte) (f Frame, err error) {
	doc, err := limits().Decode(raw)
	if err != nil {
		return f, fmt.Errorf("a frame is no JSON as it should be: %w", err)
	}
	members, ok := doc.(map[string]any)
	if !ok {
		return f, errors.New("a frame is no JSON object")
	}
	if err := known(members, "hello", "seq", "ack", "body", "bye"); err != nil {
		return f, err
	}
	for name, has := range map[string][]string{"hello": {"version", "session", "window", "seen", "ack", "from"}, "bye": {"code", "error"}} {
		if inner, there := members[name]; there {
			object, ok := inner.(map[string]any)
			if !ok {
				return f, fmt.Errorf("%s is no JSON object", name)
			}
			if err := known(object, has...); err != nil {
				return f, fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	if err := json.Unmarshal(raw, &f); err != nil {
		return f, fmt.Errorf("a frame has a member of another type: %w", err)
	}
	return f, f.valid(members)
}

// known refuses members that the protocol does not have, also those in other letters.
func known(members map[string]any, names ...string) error {
	for m := range members {
		if !slices.Contains(names, m) {
			return fmt.Errorf("the member %.40q is not known", m)
		}
	}
	return nil
}

// valid refuses combinations that no frame has.
func (f Frame) valid(members map[string]any) error {
	_, seq := members["seq"]
	_, body := members["body"]
	_, ack := members["ack"]
	switch {
	case f.Seq > maxSeq || f.Ack > maxSeq:
		return errors.New("seq or ack is greater than 9007199254740991")
	case f.Hello != nil:
		if len(members) != 1 {
			return errors.New("hello stands alone")
		}
		return f.Hello.valid()
	case f.Bye != nil:
		if len(members) != 1 || f.Bye.Code == "" || len(f.Bye.Code) > maxName || len(f.Bye.Error) > maxReason {
			return errors.New("bye stands alone, with a code of at most 64 and an error of at most 500 bytes")
		}
		return nil
	case body != seq || seq && f.Seq == 0:
		return errors.New("a message has seq from 1, and body")
	case len(f.Body) > maxBody:
		return fmt.Errorf("a message has %d bytes; the limit is %d", len(f.Body), maxBody)
	case !body && (!ack || f.Ack == 0):
		return errors.New("a frame without a message has an ack from 1, hello or bye")
	}
	return nil
}

func (h Hello) valid() error {
	switch {
	case h.Version < 1:
		return errors.New("hello has no version")
	case !ValidName(h.Session):
		return fmt.Errorf("the name of a session is %d to %d of A-Z, a-z, 0-9, - and _", minName, maxName)
	case h.Window < 1 || h.Window > maxWindow:
		return fmt.Errorf("window is %d; write 1 to %d", h.Window, maxWindow)
	case h.Seen > maxSeq || h.From > maxSeq || h.From < 1 || h.Ack > h.Seen:
		return errors.New("from is at least 1, and ack at most seen")
	}
	return nil
}

// ValidName says whether a session may have this name: 22 to 64 of A-Z, a-z, 0-9, - and _.
func ValidName(s string) bool {
	return len(s) >= minName && len(s) <= maxName && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
	})
}
