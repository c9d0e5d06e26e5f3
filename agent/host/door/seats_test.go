package door

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"ojud/agent/channel"
	"ojud/agent/host"
	"ojud/agent/host/shell"
)

// TestAttackAllSessions: over each carrier, a delegate begins session after session and reads the
// end of none, so that each lives on. It gets its share, hears why it gets no more, and another
// delegate is served.
func TestAttackAllSessions(t *testing.T) { onEach(t, testAttackAllSessions) }

func testAttackAllSessions(t *testing.T, way *carrier) {
	f := publish(t, sleepHome(t), "127.0.0.1:0", shell.Means{}, func(f *farHost) { f.out.guests.most = 20 }, way.join)
	mallory, carol := freshKey(t), freshKey(t)
	greedy := Abroad{Key: mallory, Chain: f.allow(mallory.Principal(), "/e/echo", 0), To: way.remote(f, "e/echo")}
	for range 3 {
		talk, err := greedy.Talk(t.Context(), channel.RunOrder{Input: json.RawMessage("1")})
		if err != nil {
			t.Fatal(err)
		}
		defer talk.Close()
	}
	held := func() int {
		f.out.guests.mu.Lock()
		defer f.out.guests.mu.Unlock()
		return f.out.guests.all
	}
	refused := 0
	for n := 0; refused == 0 && n < 20; n++ {
		talk, err := greedy.Talk(t.Context(), channel.RunOrder{Input: json.RawMessage("1")})
		if err != nil {
			t.Fatal(err)
		}
		defer talk.Close()
		before := held()
		for held() == before && refused == 0 { // until the host has decided
			m, err := talk.Receive(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var why *host.Refused
			if _, _, err := talk.End(m.End); m.End != nil && errors.As(err, &why) && strings.Contains(why.Words, "sessions") {
				refused++
			} else if m.End != nil {
				break
			}
		}
	}
	if refused == 0 || held() > 4 {
		t.Errorf("one delegate has %d sessions, and was refused %d times", held(), refused)
	}
	good := Abroad{Key: carol, Chain: f.allow(carol.Principal(), "/e/echo", 0), To: way.remote(f, "e/echo")}
	if r, _, err := good.Invoke(t.Context(), 0, json.RawMessage("2")); err != nil || r.Status != host.OK {
		t.Errorf("another delegate is not served: %+v, %v", r, err)
	}
}

// TestSeats: a delegate has at most a quarter of the seats that are left, and a seat that is given
// back is free again. The operator is bounded by all alone.
func TestSeats(t *testing.T) {
	t.Parallel()
	s := &seats{most: 40}
	fill := func(delegate string) (all []func()) {
		for {
			leave, err := s.take(delegate)
			if err != nil {
				return all
			}
			all = append(all, leave)
		}
	}
	mallory := fill("m")
	if n := len(mallory); n != 8 {
		t.Errorf("one delegate has %d of 40 seats", n)
	}
	if n := len(fill("c")); n != 6 {
		t.Errorf("the next has %d", n)
	}
	if n := len(fill("")); n != 26 {
		t.Errorf("the operator has %d", n)
	}
	if _, err := s.take("d"); err == nil {
		t.Error("there are too many sessions")
	}
	for _, leave := range mallory {
		leave()
		leave()
	}
	if s.all != 32 || len(fill("d")) != 1 {
		t.Errorf("%d sessions, %v", s.all, s.of)
	}
}
