package meeting

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ojud/datasource/anex"
)

// pipe is one end of a connection that keeps a frame until it is read.
type pipe struct {
	in, out chan []byte
	gone    chan struct{}
	once    *sync.Once
}

func newPipe() (a, b pipe) {
	x, y, gone, once := make(chan []byte), make(chan []byte), make(chan struct{}), &sync.Once{}
	return pipe{x, y, gone, once}, pipe{y, x, gone, once}
}

func (p pipe) hangup() { p.once.Do(func() { close(p.gone) }) }

func (p pipe) Read(ctx context.Context) ([]byte, error) {
	select {
	case raw := <-p.in:
		return raw, nil
	case <-p.gone:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p pipe) Write(ctx context.Context, frame []byte) error {
	select {
	case p.out <- frame:
		return nil
	case <-p.gone:
		return io.EOF
	case <-ctx.Done():
		return ctx.Err()
	}
}

// seat is an owner that answers what it hears, and remembers it.
type seat struct {
	mu      sync.Mutex
	heard   []Noted
	refused []error
	full    error
	moves   chan Move
	say     func(h Noted) Move
}

func (s *seat) Entry(_ []byte, h Noted) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.heard = append(s.heard, h)
	if s.say != nil {
		if m := s.say(h); m != nil {
			go func() { s.moves <- m }()
		}
	}
	return s.full
}

func (s *seat) Refused(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refused = append(s.refused, err)
}

func (s *seat) whats() (out []What) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, h := range s.heard {
		out = append(out, h.What)
	}
	return out
}

func plain(x anex.Message) Move {
	return func(*Minutes) (anex.Message, error) { return x, nil }
}

// hall is a meeting under way.
type hall struct {
	t     *testing.T
	table *Table
	owner *seat
	over  chan error
	wait  sync.WaitGroup
}

func newHall(ctx context.Context, t *testing.T, members ...key) *hall {
	t.Helper()
	o := Opening{Topic: "A trip", Until: time.Now().Add(time.Hour).UTC().Format("2006-01-02T15:04:05Z")}
	for _, k := range members {
		o.Members = append(o.Members, k.did())
	}
	h := &hall{t: t, owner: &seat{}, over: make(chan error, 1)}
	var err error
	if h.table, err = Convene(newKey(1), o, h.owner, time.Now()); err != nil {
		t.Fatal(err)
	}
	go func() { h.over <- h.table.Run(ctx) }()
	return h
}

// serve connects a key.
func (h *hall) serve(ctx context.Context, k key) (end pipe, served chan error) {
	a, b := newPipe()
	served = make(chan error, 1)
	h.wait.Go(func() {
		served <- h.table.Serve(ctx, k.did(), a)
		a.hangup()
	})
	return b, served
}

// join lets a member take part.
func (h *hall) join(ctx context.Context, k key, s *seat) chan error {
	s.moves = make(chan Move)
	end, _ := h.serve(ctx, k)
	joined := make(chan error, 1)
	h.wait.Go(func() {
		joined <- Join(ctx, end, k, newKey(1).did(), "Hi, I'm an AI assistant [PA*].", s, s.moves)
		end.hangup()
	})
	return joined
}

// TestMeeting: two members and the convener agree, and all have the same minutes.
func TestMeeting(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		a, b := newKey(2), newKey(3)
		h := newHall(ctx, t, a, b)
		m := &meet{t: t, keys: []key{newKey(1), a, b}}
		sign := func(by int) func(x Noted) Move {
			return func(x Noted) Move {
				if x.What == Proposed {
					return plain(m.yes(by, *x.Terms))
				}
				return nil
			}
		}
		ann, bob := &seat{say: sign(1)}, &seat{}
		bob.say = func(x Noted) Move {
			if x.What != Joined || x.From != b.did() {
				return sign(2)(x)
			}
			return func(at *Minutes) (anex.Message, error) {
				m.all = []*Minutes{at}
				raw, err := json.Marshal(map[string]any{"terms": m.terms(2, 1, 2)})
				return message(anex.ActPropose, anex.ContractNet, string(raw)), err
			}
		}
		first := h.join(ctx, a, ann)
		synctest.Wait()
		second := h.join(ctx, b, bob)
		synctest.Wait()
		if err := h.table.Say(words("Good.")); err != nil {
			t.Error(err)
		}
		if err := h.table.Close("Session terminated."); err != nil {
			t.Error(err)
		}
		if err := errors.Join(<-first, <-second, <-h.over); err != nil {
			t.Error(err)
		}
		h.wait.Wait()
		want := []What{Opened, Joined, Joined, Proposed, Accepted, Accepted, Spoke, Closed}
		for _, s := range []*seat{ann, bob, h.owner} {
			if !slices.Equal(s.whats(), want) || s.heard[5].Agreed == nil || len(s.refused) != 0 {
				t.Errorf("%v, refused %v", s.whats(), s.refused)
			}
		}
	})
}

// TestAttackHostileMember: whatever one member does, it is removed, and the others go on.
func TestAttackHostileMember(t *testing.T) {
	t.Parallel()
	for name, attack := range map[string]func(ctx context.Context, p pipe){
		"hangs up":      func(_ context.Context, p pipe) { p.hangup() },
		"says junk":     func(ctx context.Context, p pipe) { _, _ = p.Read(ctx); _ = p.Write(ctx, []byte("{")) },
		"never reads":   func(ctx context.Context, _ pipe) { <-ctx.Done() },
		"reads no more": func(ctx context.Context, p pipe) { _, _ = p.Read(ctx); <-ctx.Done() },
		"floods": func(ctx context.Context, p pipe) {
			go func() {
				for {
					if _, err := p.Read(ctx); err != nil {
						return
					}
				}
			}()
			for p.Write(ctx, []byte(strings.Repeat("x", MaxFrame+1))) == nil {
			}
		},
		"speaks for another": func(ctx context.Context, p pipe) {
			m := newMinutes(newKey(1).did())
			raw, _ := p.Read(ctx)
			if _, err := m.Add(raw, time.Now().UnixMilli(), ""); err != nil {
				return
			}
			said, err := m.Say(newKey(2), message(anex.ActRequest, anex.Handshaking, `{"message":"[PA*]"}`))
			if err == nil {
				_ = p.Write(ctx, said)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, stop := context.WithCancel(t.Context())
				a, liar := newKey(2), newKey(3)
				h := newHall(ctx, t, a, liar)
				ann := &seat{}
				joined := h.join(ctx, a, ann)
				end, served := h.serve(ctx, liar)
				hostile, over := context.WithCancel(ctx)
				go attack(hostile, end)
				time.Sleep(2 * writeTime)
				synctest.Wait()
				select {
				case <-served:
				default:
					t.Error("the connection is still there")
				}
				if _, again := h.serve(ctx, liar); <-again == nil {
					t.Error("it comes again")
				}
				ann.moves <- plain(words("Where is she?"))
				synctest.Wait()
				if got := ann.whats(); !slices.Contains(got, Removed) || got[len(got)-1] != Spoke {
					t.Errorf("%v", got)
				}
				over()
				stop()
				<-joined
				<-h.over
				h.wait.Wait()
			})
		})
	}
}

// TestAttackSilentConvener: a member does not wait for ever for a convener that says nothing, does
// not carry what it said, or does not end.
func TestAttackSilentConvener(t *testing.T) {
	t.Parallel()
	for name, k := range map[string]struct {
		entries int
		after   time.Duration
		want    error
	}{"says nothing": {0, carryTime, errRule}, "does not carry": {1, carryTime, errChain}, "does not end": {2, time.Hour + slack, errRule}} {
		synctest.Test(t, func(t *testing.T) {
			ctx := t.Context()
			a := newKey(2)
			convener := newMinutes(newKey(1).did())
			o := Opening{Topic: "A trip", Members: []string{a.did()}, Until: time.Now().Add(time.Hour).UTC().Format("2006-01-02T15:04:05Z")}
			content, err := json.Marshal(map[string]Opening{"opening": o})
			if err != nil {
				t.Fatal(err)
			}
			here, there := newPipe()
			over := make(chan error, 1)
			began := time.Now()
			go func() { over <- Join(ctx, there, a, newKey(1).did(), "[PA*]", &seat{}, nil) }()
			for i := range k.entries {
				said, from := []byte(nil), newKey(1)
				if i == 0 {
					said, err = convener.Say(from, message(anex.ActInform, protocol, string(content)))
				} else {
					from = a
					said, err = here.Read(ctx)
				}
				if err != nil {
					t.Fatal(err)
				}
				raw, _, err := convener.Order(newKey(1), from.did(), said, time.Now().UnixMilli())
				if err == nil {
					err = here.Write(ctx, raw)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			if k.entries == 1 {
				if _, err := here.Read(ctx); err != nil { // and nothing comes of it
					t.Fatal(err)
				}
			}
			err = <-over
			if took := time.Since(began); !errors.Is(err, k.want) || took > k.after+time.Second {
				t.Errorf("%s: after %s: %v", name, took, err)
			}
			here.hangup()
		})
	}
}

// TestLimits: a meeting ends at its time, and when its convener cannot store an entry.
func TestLimits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		a := newKey(2)
		h := newHall(ctx, t, a)
		ann := &seat{}
		joined := h.join(ctx, a, ann)
		if err := errors.Join(<-joined, <-h.over); err != nil || ann.whats()[2] != Closed {
			t.Errorf("%v, %v", ann.whats(), err)
		}
		h.wait.Wait()
		h = newHall(ctx, t, a)
		ann = &seat{}
		joined = h.join(ctx, a, ann)
		synctest.Wait()
		h.owner.mu.Lock()
		h.owner.full = errors.New("no space left on the disk")
		h.owner.mu.Unlock()
		ann.moves <- plain(words("Is anybody there?"))
		if err := <-h.over; err == nil || !strings.Contains(err.Error(), "no space left") {
			t.Error(err)
		}
		<-joined
		h.wait.Wait()
		if slices.Contains(ann.whats(), Spoke) {
			t.Error("a remark was carried that the convener did not store")
		}
	})
	o := Opening{Topic: "x", Members: []string{newKey(2).did()}, Until: "2026-12-01T10:00:00Z"}
	for _, now := range []time.Time{time.UnixMilli(start), time.UnixMilli(start).Add(-MaxTime - time.Second)} {
		if _, err := Convene(newKey(1), o, &seat{}, now); err == nil {
			t.Error(fmt.Errorf("a meeting of %s", now))
		}
	}
}
