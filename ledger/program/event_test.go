package program

import (
	"bytes"
	"errors"
	"testing"
)

func TestEventsRoundTrip(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range sampleEvents() {
		raw := EncodeEvent(s.Event)
		e, err := DecodeEvent(raw)
		if err != nil {
			t.Errorf("%s: %v", s.name, err)
			continue
		}
		seen[e.EventName()] = true
		if !bytes.Equal(EncodeEvent(e), raw) {
			t.Errorf("%s: decoding and encoding changes the bytes", s.name)
		}
		for n := range raw {
			if _, err := DecodeEvent(raw[:n]); !errors.Is(err, errEvent) {
				t.Fatalf("%s cut to %d of %d bytes: %v", s.name, n, len(raw), err)
			}
		}
		if _, err := DecodeEvent(append(raw, 0)); !errors.Is(err, errEvent) {
			t.Errorf("%s with a byte too many: %v", s.name, err)
		}
		if len(raw)*4/3+4 > maxEventBytes {
			t.Errorf("%s has %d bytes, more than a log line may have", s.name, len(raw))
		}
	}
	for _, e := range events() {
		if !seen[e.EventName()] {
			t.Errorf("%s has no sample", e.EventName())
		}
	}
}

func TestEventsOutOfRange(t *testing.T) {
	settled := EncodeEvent(&RoundSettled{Round: 1})
	many := append(settled[:len(settled)-4:len(settled)-4], 29, 0, 0, 0)
	many = append(many, make([]byte, 29*seatSettledSize)...)
	huge := append(settled[:len(settled)-4:len(settled)-4], 0xff, 0xff, 0xff, 0xff)
	for name, raw := range map[string][]byte{
		"29 seats": many, "2^32 seats": huge,
		"round 0": EncodeEvent(&Committed{}), "round 7": EncodeEvent(&Committed{Round: 7}), "seat 28": EncodeEvent(&Committed{Round: 1, Seat: 28}),
		"choice 0": EncodeEvent(&Revealed{Round: 1}), "choice 4": EncodeEvent(&Revealed{Round: 1, Choice: 4}),
		"payment 0": EncodeEvent(&Paid{}), "payment 10": EncodeEvent(&Paid{Kind: 10}), "stake 0": EncodeEvent(&StakeMoved{}),
		"to 0": EncodeEvent(&TaskMoved{}), "to 12": EncodeEvent(&TaskMoved{To: 12}),
	} {
		if _, err := DecodeEvent(raw); !errors.Is(err, errEvent) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzDecodeEvent(f *testing.F) {
	for _, s := range sampleEvents() {
		f.Add(EncodeEvent(s.Event))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := DecodeEvent(data)
		if err == nil && !bytes.Equal(EncodeEvent(e), data) {
			t.Fatalf("%s has two encodings", e.EventName())
		}
	})
}
