package console

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"sync"
	"time"

	"ojud/casefile"
	"ojud/casefile/picture"
	"ojud/casefile/verify"
	"ojud/voting"
)

// errOpen means that a case is not over, so that there is nothing to play again.
var errOpen = errors.New("console: the case is not over")

// shelf has the replay that was looked at last. The zero value is empty.
type shelf struct {
	making sync.Mutex // one replay is made at a time, because its file is verified

	mu     sync.Mutex
	task   voting.Key
	replay *picture.Replay
	at     time.Time
}

// staleReplay is how long a replay serves. Its file may grow when more judges sign the end.
const staleReplay = time.Minute

// now returns the replay of a case if it is here.
func (s *shelf) now(task voting.Key) *picture.Replay {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.replay == nil || s.task != task || time.Since(s.at) > staleReplay {
		return nil
	}
	return s.replay
}

func (s *shelf) put(task voting.Key, r *picture.Replay) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.task, s.replay, s.at = task, r, time.Now()
}

func (s *shelf) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replay = nil
}

// played returns the replay of a case that is over, from its case file and nothing else.
func (c *Console) played(ctx context.Context, task voting.Key) (*picture.Replay, error) {
	if r := c.replays.now(task); r != nil {
		return r, nil
	}
	c.replays.making.Lock()
	defer c.replays.making.Unlock()
	if r := c.replays.now(task); r != nil {
		return r, nil // another viewer had it made
	}
	s, err := c.scene(task)
	if err != nil {
		return nil, err
	}
	if !picture.Show(task, s).Over {
		return nil, errOpen
	}
	file, _, err := c.source.Export(ctx, task)
	if err != nil {
		return nil, err
	}
	r, err := picture.Open(file, "this node's record")
	if err != nil {
		return nil, err
	}
	r.Served = true
	r.Settle(verify.File(file))
	c.replays.put(task, r)
	return r, nil
}

// step returns the step of a replay that a request names: the last one if it names none.
func step(r *http.Request, replay *picture.Replay) int {
	last := replay.Last()
	if n, err := strconv.Atoi(r.URL.Query().Get("step")); err == nil {
		return min(max(n, 0), last)
	}
	return last
}

// replayOf returns the replay and the step that a request names.
func (c *Console) replayOf(r *http.Request) (p picture.ReplayPage, task voting.Key, err error) {
	v, err := caseView(r)
	if err != nil {
		return p, task, err
	}
	c.used()
	replay, err := c.played(r.Context(), v.key)
	if err != nil {
		return p, v.key, err
	}
	return replay.At(step(r, replay)), v.key, nil
}

// replayPage serves a case that is over step by step.
func (c *Console) replayPage(w http.ResponseWriter, r *http.Request) {
	p, task, err := c.replayOf(r)
	if err != nil {
		c.failed(w, err)
		return
	}
	c.whole(w, "replay", p, frame{Title: "Replay of case " + picture.Short(task), Page: "case", Replay: true, Back: "/case/" + casefile.Address(task).String()})
}

// replayFrame serves what is inside the page of a step, for the script.
func (c *Console) replayFrame(w http.ResponseWriter, r *http.Request) {
	p, _, err := c.replayOf(r)
	if err != nil {
		c.failed(w, err)
		return
	}
	c.part(w, "replay", p)
}
