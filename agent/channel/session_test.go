package channel

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

const name = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

// vectors is testdata/frames.json, which implementations in other languages read, too.
type vectors struct {
	Frames   []vector `json:"frames"`
	Messages []vector `json:"messages"`
	Scenes   []scene  `json:"scenes"`
}

type vector struct {
	Why   string `json:"why"`
	Text  string `json:"text"`
	Valid bool   `json:"valid"`
}

type scene struct {
	Why    string `json:"why"`
	Window uint64 `json:"window"`
	Steps  []beat `json:"steps"`
}

// beat is an event, by its name, and what follows.
type beat struct {
	Event   string          `json:"event"`
	Frame   json.RawMessage `json:"frame,omitempty"`
	Body    json.RawMessage `json:"body,omitempty"`
	Send    []Frame         `json:"send,omitempty"`
	Deliver json.RawMessage `json:"deliver,omitempty"`
	Fault   string          `json:"fault,omitempty"`
}

// TestVectors: frames and messages are read or refused, and sessions do, as the shared file says.
func TestVectors(t *testing.T) {
	raw, err := os.ReadFile("testdata/frames.json")
	if err != nil {
		t.Fatal(err)
	}
	var all vectors
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	if len(all.Frames) < 25 || len(all.Messages) < 20 || len(all.Scenes) < 6 {
		t.Fatalf("only %d frames, %d messages, %d scenes", len(all.Frames), len(all.Messages), len(all.Scenes))
	}
	for _, v := range all.Frames {
		if _, err := Decode([]byte(v.Text)); (err == nil) != v.Valid {
			t.Errorf("%s: %s: %v", v.Why, v.Text, err)
		}
	}
	for _, v := range all.Messages {
		m, err := DecodeBody([]byte(v.Text))
		if (err == nil) != v.Valid {
			t.Errorf("%s: %s: %v", v.Why, v.Text, err)
		}
		if !v.Valid {
			continue
		}
		if again, err := m.Encode(); err != nil || !bytes.Equal(again, []byte(v.Text)) {
			t.Errorf("%s: %s becomes %s, %v", v.Why, v.Text, again, err)
		}
	}
	for _, v := range all.Scenes {
		v.play(t)
	}
}

func (v scene) play(t *testing.T) {
	t.Helper()
	s := NewPeerSession(name, v.Window)
	for i, b := range v.Steps {
		out := s.Step(b.event(t))
		got := beat{Event: b.Event, Frame: b.Frame, Body: b.Body, Send: out.Send, Deliver: out.Deliver}
		if out.Fault != nil {
			got.Fault = out.Fault.Code
		}
		want, have := written(t, b), written(t, got)
		if want != have {
			t.Errorf("%s, step %d:\nwant %s\nhave %s", v.Why, i+1, want, have)
		}
	}
}

func (b beat) event(t *testing.T) Occurrence {
	t.Helper()
	switch b.Event {
	case "linked":
		return Linked{}
	case "unlinked":
		return Unlinked{}
	case "posted":
		return Posted{b.Body}
	case "taken":
		return Taken{}
	case "settled":
		return Settled{}
	}
	f, err := Decode(b.Frame)
	if err != nil {
		t.Fatalf("%s: %v", b.Frame, err)
	}
	return FrameCame{f}
}

func written(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// TestEncodePlain: a text with < and & is as long in a message as its author wrote it.
func TestEncodePlain(t *testing.T) {
	raw, err := Body{Extra: &Extra{Content: json.RawMessage(`"<&>"`)}}.Encode()
	if err != nil || string(raw) != `{"extra":{"content":"<&>"}}` {
		t.Errorf("%s, %v", raw, err)
	}
}

// side is one side of a simulated session.
type side struct {
	s      *PeerSession
	posted int      // messages so far
	inbox  []string // delivered, not taken
	took   []string
	wire   []Frame // to the other side, in order
}

// world is two sides and a connection that is cut at random.
type world struct {
	*rand.Rand
	sides   [2]*side
	linked  bool
	forgets bool // the control: connections begin without hello
	fault   error
}

func (w *world) step(t *testing.T, i int, e Occurrence) {
	t.Helper()
	s := w.sides[i]
	out := s.s.Step(e)
	if out.Fault != nil && w.fault == nil {
		w.fault = fmt.Errorf("side %d: %T: %w", i, e, out.Fault)
	}
	if w.linked {
		s.wire = append(s.wire, out.Send...)
	}
	if out.Deliver != nil {
		s.inbox = append(s.inbox, string(out.Deliver))
	}
}

// act does one thing at random.
func (w *world) act(t *testing.T, cut int) {
	i := w.IntN(2)
	s, other := w.sides[i], w.sides[1-i]
	switch k := w.IntN(100); {
	case !w.linked:
		w.linked = true
		for j := range w.sides {
			w.step(t, j, Linked{})
		}
		if w.forgets {
			for _, s := range w.sides {
				s.s.open, s.s.granted = true, 1
				s.wire = nil
			}
		}
	case k < cut:
		w.linked = false
		for j, s := range w.sides {
			s.wire = nil
			w.step(t, j, Unlinked{})
		}
	case k < 35:
		body := fmt.Sprintf(`{"n":%d,"x":%q}`, s.posted+1, strings.Repeat("x", w.IntN(40)))
		if s.s.Room(len(body)) {
			s.posted++
			w.step(t, i, Posted{json.RawMessage(body)})
		}
	case k < 75:
		if len(other.wire) > 0 {
			f := other.wire[0]
			other.wire = other.wire[1:]
			w.step(t, i, FrameCame{f})
		}
	default:
		if len(s.inbox) > 0 {
			s.took = append(s.took, s.inbox[0])
			s.inbox = s.inbox[1:]
			w.step(t, i, Taken{})
		}
	}
}

// whole says whether a side took all that the other posted, each once and in order.
func (w *world) whole() error {
	if w.fault != nil {
		return w.fault
	}
	for i, s := range w.sides {
		if len(s.took) != w.sides[1-i].posted {
			return fmt.Errorf("side %d took %d of %d", i, len(s.took), w.sides[1-i].posted)
		}
		for n, body := range s.took {
			if !strings.HasPrefix(body, fmt.Sprintf(`{"n":%d,`, n+1)) {
				return fmt.Errorf("side %d took %s as message %d", i, body, n+1)
			}
		}
	}
	return nil
}

func simulate(t *testing.T, seed uint64, forgets bool) error {
	w := &world{Rand: rand.New(rand.NewPCG(seed, 1)), forgets: forgets}
	for i := range w.sides {
		w.sides[i] = &side{s: NewPeerSession(name, uint64(1+w.IntN(9)))}
	}
	for range 3000 {
		w.act(t, 4)
	}
	w.forgets = false
	for range 4000 { // without cuts, and nothing new
		for i, s := range w.sides {
			switch other := w.sides[1-i]; {
			case !w.linked:
				w.act(t, 0)
			case len(other.wire) > 0:
				f := other.wire[0]
				other.wire = other.wire[1:]
				w.step(t, i, FrameCame{f})
			case len(s.inbox) > 0:
				s.took = append(s.took, s.inbox[0])
				s.inbox = s.inbox[1:]
				w.step(t, i, Taken{})
			}
		}
	}
	return w.whole()
}

// TestCuts: connections are cut at random points, and each message arrives once and in order.
func TestCuts(t *testing.T) {
	for seed := range uint64(60) {
		if err := simulate(t, seed, false); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
}

// TestCutsControl: if a new connection begins without hello, so that nothing is sent again, the
// simulation sees it.
func TestCutsControl(t *testing.T) {
	if err := simulate(t, 1, true); err == nil {
		t.Error("lost messages are not seen")
	}
}

func isObject(doc any) bool {
	_, is := doc.(map[string]any)
	return is
}

// FuzzDecode: the quick way takes exactly what the slow way takes, and any frame and message is
// read or refused, and what was read is written and read alike.
func FuzzDecode(f *testing.F) {
	raw, err := os.ReadFile("testdata/frames.json")
	if err != nil {
		f.Fatal(err)
	}
	var all vectors
	if err := json.Unmarshal(raw, &all); err != nil {
		f.Fatal(err)
	}
	for _, v := range append(all.Frames, all.Messages...) {
		f.Add([]byte(v.Text))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if m, ok := quickBody(raw); ok {
			if slow, err := slowBody(raw); err != nil || written(t, slow) != written(t, m) {
				t.Fatalf("%s is read as %+v, and slowly as %+v, %v", raw, m, slow, err)
			}
		}
		if f, ok := quickFrame(raw); ok {
			if slow, err := slowFrame(raw); err != nil || f.Seq != slow.Seq || f.Ack != slow.Ack || !bytes.Equal(f.Body, slow.Body) {
				t.Fatalf("%s is read as %+v, and slowly as %+v, %v", raw, f, slow, err)
			}
		}
		_, quick := parse(raw, nil)
		if doc, err := limits().Decode(raw); quick != (err == nil && isObject(doc)) {
			t.Fatalf("%s is JSON as it should be: quickly %t, slowly %v", raw, quick, err)
		}
		if m, err := DecodeBody(raw); err == nil {
			if _, err := m.Encode(); err != nil && len(raw) < maxBody/8 {
				t.Errorf("%s is read, and not written: %v", raw, err)
			}
		}
		frame, err := Decode(raw)
		if err != nil {
			return
		}
		text, err := frame.Encode()
		if err != nil {
			t.Fatalf("%s is read, and not written: %v", raw, err)
		}
		if again, err := Decode(text); err != nil || written(t, again) != written(t, frame) {
			if len(text) <= MaxFrame {
				t.Errorf("%s is written as %s: %v", raw, text, err)
			}
		}
		s := NewPeerSession(name, 4)
		s.Step(Linked{})
		s.Step(FrameCame{Frame{Hello: &Hello{Version: 1, Session: name, Window: 4, From: 1}}})
		s.Step(Posted{json.RawMessage("1")})
		s.Step(FrameCame{frame})
		s.Step(Taken{})
	})
}
