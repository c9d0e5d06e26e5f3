package webhook

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"ojud/metrics"
)

// folder is the folder of a home that holds the queues.
const folder = "webhooks"

// Parts are what a Sender needs. Transport and LookupEnv may be nil.
type Parts struct {
	Dir          string // the home
	Court, Judge string // named in each notification
	Transport    http.RoundTripper
	LookupEnv    func(string) (string, bool)
	Log          *slog.Logger
	Metrics      prometheus.Registerer
}

// Sender posts notifications. A nil Sender tells nobody.
type Sender struct {
	parts   Parts
	giveUp  time.Duration
	lines   []*line
	ends    *prometheus.CounterVec
	tries   *prometheus.CounterVec
	waiting prometheus.Gauge
}

// line is the way to one receiver.
type line struct {
	*carrier
	queue *queue
	wake  chan struct{}
}

// NewSender opens the queues of a home.
func NewSender(h Hooks, p Parts) (*Sender, error) {
	g := metrics.New("ojud_webhook_")
	s := &Sender{
		parts: p, giveUp: h.GiveUpAfter,
		ends: g.Counters("notifications_total", "Notifications by receiver and what became of them: promised, delivered, dropped, given_up.",
			"receiver", "end"),
		tries:   g.Counters("attempts_total", "Attempts to post, by receiver and result: taken, failed.", "receiver", "result"),
		waiting: g.Gauge("waiting", "Notifications that wait for their receivers."),
	}
	for _, hook := range h.List {
		q, err := openQueue(filepath.Join(p.Dir, folder, hook.Name), h.MaxWaiting)
		if err != nil {
			return nil, err
		}
		s.lines = append(s.lines, &line{newCarrier(hook, p, h.Timeout), q, make(chan struct{}, 1)})
		s.waiting.Add(float64(q.len()))
		for _, end := range []string{"promised", "delivered", "dropped", "given_up"} {
			s.ends.WithLabelValues(hook.Name, end) // from 0, so that an alert sees the first one
		}
	}
	return s, g.Register(p.Metrics)
}

// Tell promises a notification to each receiver that wants it. What cannot be promised, because the
// queue or the disk is full, is counted and logged; judging goes on.
func (s *Sender) Tell(n Notification) {
	if s == nil || len(s.lines) == 0 {
		return
	}
	if n.ID == "" {
		n.ID = newID()
	}
	if n.At.IsZero() {
		n.At = time.Now()
	}
	n.Details.Court, n.Details.Judge = s.parts.Court, s.parts.Judge
	body, err := n.body()
	if err != nil {
		s.parts.Log.Error("a notification was not made", "event", n.Kind, "err", err)
		return
	}
	for _, l := range s.lines {
		if l.hook.wants(n.Kind) {
			s.promise(l, n, body)
		}
	}
}

func (s *Sender) promise(l *line, n Notification, body []byte) {
	added, err := l.queue.put(n.ID, body)
	switch {
	case err != nil:
		s.ended(l, "dropped")
		s.parts.Log.Error("a notification was dropped", "receiver", l.hook.Name, "event", n.Kind, "id", n.ID, "err", err)
	case added:
		s.ended(l, "promised")
		s.waiting.Inc()
		select {
		case l.wake <- struct{}{}:
		default:
		}
	}
}

func (s *Sender) ended(l *line, end string) { s.ends.WithLabelValues(l.hook.Name, end).Inc() }

// Run posts until ctx ends. A receiver that does not answer delays no other.
func (s *Sender) Run(ctx context.Context) error {
	var all sync.WaitGroup
	for _, l := range s.lines {
		all.Go(func() { s.serve(ctx, l) })
	}
	all.Wait()
	return nil
}

const (
	firstWait = 5 * time.Second
	lastWait  = time.Hour
)

// pause returns how long to wait after so many failures in a row: 5 s, 15 s, 45 s and so on, up to
// an hour, give or take a fifth.
func pause(failures int) time.Duration {
	wait := firstWait
	for range min(failures-1, 10) {
		wait *= 3
	}
	wait = min(wait, lastWait)
	return wait*4/5 + rand.N(wait*2/5)
}

// serve posts to one receiver, one notification at a time.
func (s *Sender) serve(ctx context.Context, l *line) {
	for failures := 0; ctx.Err() == nil; {
		s.expire(l)
		e, ok := l.queue.next()
		if !ok {
			select {
			case <-l.wake:
			case <-ctx.Done():
			}
			continue
		}
		wait, err := s.attempt(ctx, l, e)
		if err == nil {
			failures = 0
			continue
		}
		if ctx.Err() != nil {
			return
		}
		failures++
		wait = max(wait, pause(failures))
		s.parts.Log.Warn("a receiver of notifications did not take one; it is tried again", "receiver", l.hook.Name, "id", e.id,
			"waiting", l.queue.len(), "again_in", wait.Round(time.Second), "err", err)
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
	}
}

// expire gives up what is too old.
func (s *Sender) expire(l *line) {
	for {
		e, old := l.queue.expired(s.giveUp)
		if !old {
			return
		}
		s.parts.Log.Error("a notification was given up", "receiver", l.hook.Name, "id", e.id, "after", s.giveUp)
		s.remove(l, e, "given_up")
	}
}

func (s *Sender) remove(l *line, e entry, end string) {
	if err := l.queue.remove(e); err != nil {
		s.parts.Log.Error("a notification is told again after the next start, because its file stays", "receiver", l.hook.Name, "id", e.id, "err", err)
	}
	s.ended(l, end)
	s.waiting.Dec()
}

// attempt posts a notification once. With an error, it returns how long the receiver asks to be
// left alone.
func (s *Sender) attempt(ctx context.Context, l *line, e entry) (time.Duration, error) {
	body, err := l.queue.read(e)
	if errors.Is(err, errDamaged) {
		s.parts.Log.Error("a notification was dropped", "receiver", l.hook.Name, "id", e.id, "err", err)
		s.remove(l, e, "dropped")
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	reply, err := l.post(ctx, e.id, body)
	if err != nil {
		s.tries.WithLabelValues(l.hook.Name, "failed").Inc()
		if ofMessage(err) {
			l.queue.blame(e)
		}
		return reply.wait, err
	}
	s.tries.WithLabelValues(l.hook.Name, "taken").Inc()
	s.remove(l, e, "delivered")
	return 0, nil
}
