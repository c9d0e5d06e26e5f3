package channel

import (
	"encoding/json"
	"slices"
)

// PeerSession is one side of a channel. It survives connections: what was not acknowledged is sent
// again on the next one, and what comes twice is taken once. It is not safe for concurrent use.
type PeerSession struct {
	name   string
	window uint64 // of this side
	open   bool   // both sides have greeted on this connection

	// What this side says.
	sent    []Frame // after acked
	last    uint64  // message
	acked   uint64  // by the other side
	weight  int     // bytes of sent
	granted uint64  // the window of the other side

	// What this side hears.
	seen   uint64 // received
	taken  uint64 // by the reader
	told   uint64 // acknowledged
	held   []int  // bytes of messages between taken and seen
	load   int    // bytes of held
	untold int    // bytes of messages between told and taken
}

// NewPeerSession makes a session by its name.
func NewPeerSession(name string, window uint64) *PeerSession {
	return &PeerSession{name: name, window: window, granted: 1}
}

// Occurrence is something that happens to a session.
type Occurrence interface{ occurrence() }

type (
	// Linked is a new connection. The last one is forgotten.
	Linked struct{}
	// Unlinked is the end of the connection.
	Unlinked struct{}
	// FrameCame is a frame of the other side.
	FrameCame struct{ Frame Frame }
	// Posted is a message for the other side. There must be room for it.
	Posted struct{ Body json.RawMessage }
	// Taken says that the reader took the oldest message that was delivered.
	Taken struct{}
	// Settled acknowledges all that the reader took.
	Settled struct{}
)

func (Linked) occurrence()    {}
func (Unlinked) occurrence()  {}
func (FrameCame) occurrence() {}
func (Posted) occurrence()    {}
func (Taken) occurrence()     {}
func (Settled) occurrence()   {}

// Reaction is what to do: send frames in this order, and give a message to the reader. After a
// fault the session is over, and the other side is to be told, unless it was that side which said
// it.
type Reaction struct {
	Send    []Frame
	Deliver json.RawMessage
	Fault   *SessionFault
}

// Step does what follows from an occurrence.
func (s *PeerSession) Step(e Occurrence) Reaction {
	switch e := e.(type) {
	case Linked:
		s.open = false
		s.told, s.untold = s.taken, 0
		return Reaction{Send: []Frame{{Hello: &Hello{
			Version: Version, Session: s.name, Window: s.window, Seen: s.seen, Ack: s.taken, From: s.acked + 1,
		}}}}
	case Unlinked:
		s.open = false
	case FrameCame:
		return s.hear(e.Frame)
	case Posted:
		return s.post(e.Body)
	case Taken:
		return s.take()
	case Settled:
		return s.acknowledge(1)
	}
	return Reaction{}
}

// Room says whether a message of n bytes may be posted now.
func (s *PeerSession) Room(n int) bool {
	return s.last-s.acked < s.granted && (len(s.sent) == 0 || s.weight+n <= maxHeld)
}

// Unheard is the number of messages that the other side has not acknowledged.
func (s *PeerSession) Unheard() uint64 { return s.last - s.acked }

func (s *PeerSession) post(body json.RawMessage) Reaction {
	if len(body) > maxBody || !s.Room(len(body)) || s.last == maxSeq {
		return Reaction{Fault: fault(Malformed, "a message of %d bytes has no room", len(body))}
	}
	s.last++
	f := Frame{Seq: s.last, Body: body}
	s.sent = append(s.sent, f)
	s.weight += len(body)
	if !s.open {
		return Reaction{}
	}
	return Reaction{Send: []Frame{s.stamp(f)}}
}

// stamp adds the acknowledgement to a message.
func (s *PeerSession) stamp(f Frame) Frame {
	f.Ack = s.taken
	s.told, s.untold = s.taken, 0
	return f
}

func (s *PeerSession) hear(f Frame) Reaction {
	switch {
	case f.Bye != nil:
		return Reaction{Fault: &SessionFault{Bye: *f.Bye, Theirs: true}}
	case f.Hello != nil:
		return s.greet(*f.Hello)
	case !s.open:
		return Reaction{Fault: fault(Malformed, "the first frame is no hello")}
	}
	if p := s.confirm(f.Ack); p != nil {
		return Reaction{Fault: p}
	}
	switch {
	case f.Seq == 0 || f.Seq <= s.seen: // it was taken before
		return Reaction{}
	case f.Seq > s.seen+1:
		return Reaction{Fault: fault(Malformed, "message %d comes after message %d", f.Seq, s.seen)}
	case s.seen-s.taken >= s.window || s.load > 0 && s.load+len(f.Body) > maxHeld:
		return Reaction{Fault: fault(Malformed, "message %d is beyond the window", f.Seq)}
	}
	s.seen++
	s.held = append(s.held, len(f.Body))
	s.load += len(f.Body)
	return Reaction{Deliver: f.Body}
}

// confirm forgets what the other side has taken.
func (s *PeerSession) confirm(ack uint64) *SessionFault {
	if ack > s.last {
		return fault(Malformed, "message %d is acknowledged, and the last was %d", ack, s.last)
	}
	for s.acked < ack {
		s.weight -= len(s.sent[0].Body)
		s.sent = slices.Delete(s.sent, 0, 1)
		s.acked++
	}
	return nil
}

// Knows says whether a hello is of the session that this side remembers.
func (s *PeerSession) Knows(h Hello) bool {
	return h.Seen <= s.last && h.Seen >= s.acked && h.From <= s.seen+1
}

// greet begins to use a connection.
func (s *PeerSession) greet(h Hello) Reaction {
	switch {
	case h.Version != Version:
		return Reaction{Fault: fault(Outdated, "the version is %d; this side speaks %d", h.Version, Version)}
	case h.Session != s.name || s.open:
		return Reaction{Fault: fault(Malformed, "this is not the hello of this connection")}
	case !s.Knows(h):
		return Reaction{Fault: fault(Gone, "the two sides do not remember the same session")}
	}
	if p := s.confirm(h.Ack); p != nil {
		return Reaction{Fault: p}
	}
	s.open, s.granted = true, h.Window
	var out Reaction
	for _, f := range s.sent {
		if f.Seq > h.Seen {
			out.Send = append(out.Send, s.stamp(f))
		}
	}
	out.Send = append(out.Send, s.acknowledge(1).Send...)
	return out
}

func (s *PeerSession) take() Reaction {
	if len(s.held) == 0 {
		return Reaction{Fault: fault(Malformed, "nothing is there to be taken")}
	}
	n := s.held[0]
	s.held = slices.Delete(s.held, 0, 1)
	s.load -= n
	s.untold += n
	s.taken++
	if s.untold >= maxHeld/4 {
		return s.acknowledge(1)
	}
	return s.acknowledge(max(1, s.window/4))
}

// acknowledge tells the other side what was taken, if that is at least so many messages.
func (s *PeerSession) acknowledge(least uint64) Reaction {
	if !s.open || s.taken-s.told < least {
		return Reaction{}
	}
	s.told, s.untold = s.taken, 0
	return Reaction{Send: []Frame{{Ack: s.taken}}}
}
