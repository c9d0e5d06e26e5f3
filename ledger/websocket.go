package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"

	"ojud/ledger/looks"
	"ojud/ledger/onchain"
	"ojud/ledger/rpc"
)

// feed keeps a websocket open and subscribed to the program's logs and the chain's clock.
type feed struct {
	*Watcher
	queue chan *notified
	kick  chan struct{} // the stream has to be compared with the node's index now
	state rpc.Condition
}

// notified is a transaction as logsSubscribe tells of it.
type notified struct {
	Occurred
	failed bool
}

// never is a time that does not come while a connection lasts.
const never = 100 * 24 * time.Hour

func newFeed(w *Watcher) *feed {
	return &feed{
		Watcher: w, queue: make(chan *notified, w.cfg.Buffer), kick: make(chan struct{}, 1),
		state: rpc.Condition{Log: w.log, What: "the websocket"},
	}
}

// run opens the websocket again and again.
func (l *feed) run(ctx context.Context) error {
	for n := 0; ; n++ {
		url, err := l.client.cfg.socketURL(l.client.caller.Preferred())
		if err != nil || url == "" {
			return err
		}
		err = l.connect(ctx, url)
		if l.up.Swap(false) {
			n = 0
		}
		l.metrics.socket.Set(0)
		if ctx.Err() != nil {
			return nil
		}
		l.state.Set(err)
		if rpc.Wait(ctx, rpc.Backoff(n, l.client.cfg.Calls.BackoffMin, l.cfg.ReconnectMax)) != nil {
			return nil
		}
	}
}

// connect holds one connection until it breaks.
func (l *feed) connect(ctx context.Context, url string) error {
	s, err := rpc.OpenSocket(ctx, url, l.client.http, l.cfg.MaxMessage, l.client.cfg.Calls.Timeout, l.metrics.garbled.Inc)
	if err != nil {
		l.metrics.dials.WithLabelValues("failed").Inc()
		return err
	}
	l.metrics.dials.WithLabelValues("ok").Inc()
	s.SetStall(l.cfg.Stall)
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return s.Serve(ctx, l.cfg.Ping) })
	group.Go(func() error { return l.subscribe(ctx, s) })
	return errors.Join(group.Wait(), s.Close())
}

// subscribe asks for logs and a heartbeat. Then the stream looks for gaps, because there was a time
// without a websocket.
func (l *feed) subscribe(ctx context.Context, s *rpc.Socket) error {
	options := map[string]any{"commitment": l.client.cfg.Commitment}
	err := s.Subscribe(ctx, &rpc.Subscription{
		Method: "logsSubscribe", Params: []any{map[string]any{"mentions": []any{l.client.program.ID()}}, options}, Deliver: l.onLogs,
	})
	if err != nil {
		return err
	}
	if err := l.heartbeat(ctx, s); err != nil {
		return err
	}
	l.up.Store(true)
	l.metrics.socket.Set(1)
	l.state.Set(nil)
	l.gap()
	return nil
}

// heartbeat asks for the chain's clock, which moves every slot; or for slots, if the node does not
// tell of accounts; else only pings show that the other side is there.
func (l *feed) heartbeat(ctx context.Context, s *rpc.Socket) error {
	err := s.Subscribe(ctx, &rpc.Subscription{
		Method:  "accountSubscribe",
		Params:  []any{onchain.ClockAccount(), map[string]any{"commitment": l.client.cfg.Commitment, "encoding": "base64"}},
		Deliver: l.onClock,
	})
	if errors.Is(err, rpc.ErrRefused) {
		err = s.Subscribe(ctx, &rpc.Subscription{Method: "slotSubscribe", Deliver: func(json.RawMessage) {}})
	}
	if errors.Is(err, rpc.ErrRefused) {
		s.SetStall(never)
		return nil
	}
	return err
}

// onLogs takes a logsNotification. The case is looked at at once; the transaction itself may wait
// for its turn.
func (l *feed) onLogs(raw json.RawMessage) {
	var n rpc.Contexted[struct {
		Signature onchain.Signature `json:"signature"`
		Err       json.RawMessage   `json:"err"`
		Logs      []string          `json:"logs"`
	}]
	if json.Unmarshal(raw, &n) != nil || n.Value.Signature.IsZero() {
		l.metrics.garbled.Inc()
		return
	}
	t := &notified{failed: failed(n.Value.Err)}
	if t.failed {
		t.Slot, t.Signature = n.Context.Slot, n.Value.Signature
	} else {
		t.Occurred = l.client.occurred(n.Context.Slot, n.Value.Signature, 0, n.Value.Logs)
		l.reader.hear(t.Occurred)
	}
	select {
	case l.queue <- t:
	default:
		l.metrics.dropped.Inc()
		l.gap()
	}
}

// onClock takes an accountNotification of the Clock sysvar.
func (l *feed) onClock(raw json.RawMessage) {
	var n rpc.Contexted[*rawAccount]
	if json.Unmarshal(raw, &n) != nil || n.Value == nil {
		l.metrics.garbled.Inc()
		return
	}
	told, err := looks.DecodeClock(n.Value.Data)
	if err != nil || !l.client.caller.Believable(told) {
		l.metrics.garbled.Inc() // it makes no sense, or the nodes agreed on another time
		return
	}
	if m, err := l.client.tell(n.Value.as(onchain.ClockAccount()), n.Context.Slot); err == nil {
		l.box.PutTime(m)
	} else {
		l.metrics.garbled.Inc()
	}
}

// gap has the stream compared with the node's index.
func (l *feed) gap() {
	select {
	case l.kick <- struct{}{}:
	default:
	}
}
