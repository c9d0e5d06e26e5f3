package node

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"ojud/node/record"
	"ojud/node/status"
	"ojud/node/why"
	"ojud/node/work"
	"ojud/p2p/directory"
	"ojud/voting"
)

// twins keeps two copies of this node from signing in one round (ADR 0013).
type twins struct {
	judge voting.Key
	grace time.Duration // how long a copy that has just started shows nothing
	cases *record.Cases
	view  func() *voting.View
	audit *status.Audit
	fail  func(error) // ends the node
	log   *slog.Logger

	mu     sync.Mutex
	began  time.Time // this run
	since  time.Time // when others could first know of this copy, or when another copy was last seen at work
	met    bool      // an older copy runs, so this one signs nothing more
	rumour string    // traces of another copy, for the state of the node
	fades  time.Time // when rumour ends if nothing renews it; zero: with this run
}

// rumourTime is how long the state of the node mentions a younger copy after its last announcement.
const rumourTime = 2 * time.Minute

func (s *twins) onTwin(t directory.Twin) {
	where := strings.Join(t.Addrs, ", ")
	if where == "" {
		where = "an unknown address"
	}
	since := t.Started.UTC().Format(time.RFC3339)
	s.mu.Lock()
	defer s.mu.Unlock()
	if !t.Elder {
		s.rumour = fmt.Sprintf("another copy of this node was started at %s (its clock) at %s; it should stop by itself; check that it did",
			since, where)
		s.fades = time.Now().Add(rumourTime)
		s.log.Error("another copy of this node runs on the same keys; this one is older and goes on", "started", since, "address", where)
		return
	}
	s.met = true
	s.fail(fmt.Errorf("%w: the other copy has run since %s (its clock) at %s; two copies that vote differently in a round lose the "+
		"whole stake, so this copy, the younger one, stops and signs nothing more; run only one copy, on one machine", ErrTwin, since, where))
}

// conflict takes a statement that carries this node's signature and is not of this run. If this
// node signed another one in the same round, the stake is lost, and the node stops. Otherwise it
// goes on to reveal the other copy's commitment, because the other copy will stop. It also goes on
// if only the RPC node reports the statement, because a lying RPC node must not be able to stop it.
func (s *twins) conflict(e voting.Conflict) error {
	if err := s.audit.Note(e.Task, why.LogEntry{Round: e.Round, Deed: why.Twin, Text: e.Evidence}); err != nil {
		return err
	}
	if e.Signed && e.Proven {
		return fmt.Errorf("%w: case %s, round %d: %s; find and stop the other copy, then start this one",
			ErrTwin, address(e.Task), e.Round, e.Evidence)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.since, s.fades = time.Now(), time.Time{}
	if !e.Proven {
		s.rumour = fmt.Sprintf("%s in round %d of case %s, says the RPC node, and nothing proves it: either it lies, so ask another one, "+
			"or this node's keys are elsewhere, too: find the other copy and stop it", e.Evidence, e.Round, address(e.Task))
		s.log.Error("the RPC node shows another commitment of this judge than its own", "case", address(e.Task), "round", e.Round)
		return nil
	}
	s.rumour = fmt.Sprintf("another copy of this node voted in round %d of case %s; this one signs nothing there: "+
		"find the other copy and stop one of them", e.Round, address(e.Task))
	s.log.Error("another copy of this node voted with the same keys; this one signs nothing in that round",
		"case", address(e.Task), "round", e.Round)
	return nil
}

// warning describes the traces of another copy; empty: none.
func (s *twins) warning() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.fades.IsZero() && time.Now().After(s.fades) {
		s.rumour = ""
	}
	return s.rumour
}

// awaitFirstContact notes when others could first know of this copy.
func (s *twins) awaitFirstContact(compared <-chan struct{}) func(context.Context) error {
	return func(ctx context.Context) error {
		select {
		case <-compared:
		case <-ctx.Done():
			return nil
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.since = time.Now()
		return nil
	}
}

// mayShow waits until another copy would have answered. It reports whether this copy may show its
// own signed statements. A node that reaches no other node waits three times as long, because no
// node could warn it.
func (s *twins) mayShow(ctx context.Context, task voting.Key) bool {
	grace := s.cases.AtMost(task, s.grace)
	for {
		left, met := s.left(grace)
		if met || left <= 0 {
			return !met
		}
		if !work.Pause(ctx, min(left, time.Second)) { // another copy may appear, or the first connection to others
			return false
		}
	}
}

func (s *twins) left(grace time.Duration) (left time.Duration, met bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.since.IsZero() {
		return time.Until(s.began.Add(3 * grace)), s.met
	}
	return time.Until(s.since.Add(grace)), s.met
}

// shown leaves out statements that must not be shown yet: this node's own ones that this run found
// in its journal. A copy may have signed another one since.
func (s *twins) shown(task voting.Key, known []voting.Known) []voting.Known {
	left, met := s.left(s.grace)
	view := s.view()
	if !met && left <= 0 || view == nil {
		return known
	}
	look, _ := view.Case(task)
	own := look.SeatOf(s.judge)
	return slices.DeleteFunc(slices.Clone(known), func(k voting.Known) bool { return k.Seat == own })
}
