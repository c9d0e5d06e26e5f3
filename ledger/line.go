package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"

	"ojud/ledger/onchain"
)

// line keeps a websocket open and subscribed to the program's logs and the chain's clock.
type line struct {
	*Watcher
	queue chan *told
	kick  chan struct{} // the stream has to be compared with the node's index now
	state condition
}

// told is a transaction as logsSubscribe tells of it.
type told struct {
	Occurred
	failed bool
}

// never is a time that does not come while a connection lasts.
const never = 100 * 24 * time.Hour

func newLine(w *Watcher) *line {
	return &line{
		Watcher: w, queue: make(chan *told, w.cfg.Buffer), kick: make(chan struct{}, 1),
		state: condition{log: w.log, what: "the websocket"},
	}
}

// run opens the websocket again and again.
func (l *line) run(ctx context.Context) error {
	url, err := l.client.cfg.socketURL()
	if err != nil || url == "" {
		return err
	}
	for n := 0; ; n++ {
		err := l.connect(ctx, url)
		if l.up.Swap(false) {
			n = 0
		}
		l.metrics.socket.Set(0)
		if ctx.Err() != nil {
			return nil
		}
		l.state.set(err)
		if wait(ctx, backoff(n, l.client.cfg.Calls.BackoffMin, l.cfg.ReconnectMax)) != nil {
			return nil
		}
	}
}

// connect holds one connection until it breaks.
func (l *line) connect(ctx context.Context, url string) error {
	s, err := openSocket(ctx, url, l.client.http, l.cfg.MaxMessage, l.client.cfg.Calls.Timeout)
	if err != nil {
		l.metrics.dials.WithLabelValues("failed").Inc()
		return err
	}
	l.metrics.dials.WithLabelValues("ok").Inc()
	s.garbled = l.metrics.garbled.Inc
	s.setStall(l.cfg.Stall)
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return s.run(ctx) })
	group.Go(func() error { return s.watch(ctx) })
	group.Go(func() error { return s.ping(ctx, l.cfg.Ping) })
	group.Go(func() error { return l.subscribe(ctx, s) })
	return errors.Join(group.Wait(), s.close())
}

// subscribe asks for what is needed. Then gaps are looked for: the time without a websocket is over.
func (l *line) subscribe(ctx context.Context, s *socket) error {
	options := map[string]any{"commitment": l.client.cfg.Commitment}
	err := s.subscribe(ctx, &subscription{
		method: "logsSubscribe", params: []any{map[string]any{"mentions": []any{l.client.program.ID()}}, options}, deliver: l.onLogs,
	})
	if err != nil {
		return err
	}
	if err := l.heartbeat(ctx, s); err != nil {
		return err
	}
	l.up.Store(true)
	l.metrics.socket.Set(1)
	l.state.set(nil)
	l.gap()
	return nil
}

// heartbeat asks for the chain's clock, which moves every slot; or for slots, if the node does not tell of accounts; else only
// pings show that the other side is there.
func (l *line) heartbeat(ctx context.Context, s *socket) error {
	err := s.subscribe(ctx, &subscription{
		method:  "accountSubscribe",
		params:  []any{onchain.ClockAccount(), map[string]any{"commitment": l.client.cfg.Commitment, "encoding": "base64"}},
		deliver: l.onClock,
	})
	if errors.Is(err, ErrRefused) {
		err = s.subscribe(ctx, &subscription{method: "slotSubscribe", deliver: func(json.RawMessage) {}})
	}
	if errors.Is(err, ErrRefused) {
		s.setStall(never)
		return nil
	}
	return err
}

// onLogs takes a logsNotification. The case is looked at at once; the transaction itself may wait for its turn.
func (l *line) onLogs(raw json.RawMessage) {
	var n contexted[struct {
		Signature onchain.Signature `json:"signature"`
		Err       json.RawMessage   `json:"err"`
		Logs      []string          `json:"logs"`
	}]
	if json.Unmarshal(raw, &n) != nil || n.Value.Signature.IsZero() {
		l.metrics.garbled.Inc()
		return
	}
	t := &told{failed: failed(n.Value.Err)}
	if t.failed {
		t.Slot, t.Signature = n.Context.Slot, n.Value.Signature
	} else {
		t.Occurred = l.client.occurred(n.Context.Slot, n.Value.Signature, 0, n.Value.Logs)
		l.looker.hear(t.Occurred)
	}
	select {
	case l.queue <- t:
	default:
		l.metrics.dropped.Inc()
		l.gap()
	}
}

// onClock takes an accountNotification of the Clock sysvar.
func (l *line) onClock(raw json.RawMessage) {
	var n contexted[*rawAccount]
	if json.Unmarshal(raw, &n) != nil || n.Value == nil {
		l.metrics.garbled.Inc()
		return
	}
	if m, err := l.client.tell(n.Value.as(onchain.ClockAccount()), n.Context.Slot); err == nil {
		l.box.putTime(m)
	} else {
		l.metrics.garbled.Inc()
	}
}

// gap has the stream compared with the node's index.
func (l *line) gap() {
	select {
	case l.kick <- struct{}{}:
	default:
	}
}
