package ledger

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
	"golang.org/x/sync/errgroup"

	"ojud/ledger/onchain"
)

// feed keeps a websocket open and subscribed to the program's logs and the chain's clock.
type feed struct {
	*Watcher
	queue chan *notified
	kick  chan struct{} // the stream has to be compared with the node's index now
	state condition
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
		state: condition{log: w.log, what: "the websocket"},
	}
}

// run opens the websocket again and again.
func (l *feed) run(ctx context.Context) error {
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
func (l *feed) connect(ctx context.Context, url string) error {
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

// subscribe asks for logs and a heartbeat. Then the stream looks for gaps, because there was a time
// without a websocket.
func (l *feed) subscribe(ctx context.Context, s *socket) error {
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

// heartbeat asks for the chain's clock, which moves every slot; or for slots, if the node does not
// tell of accounts; else only pings show that the other side is there.
func (l *feed) heartbeat(ctx context.Context, s *socket) error {
	err := s.subscribe(ctx, &subscription{
		method:  "accountSubscribe",
		params:  []any{onchain.ClockAccount(), map[string]any{"commitment": l.client.cfg.Commitment, "encoding": "base64"}},
		deliver: l.onClock,
	})
	if errors.Is(err, errRefused) {
		err = s.subscribe(ctx, &subscription{method: "slotSubscribe", deliver: func(json.RawMessage) {}})
	}
	if errors.Is(err, errRefused) {
		s.setStall(never)
		return nil
	}
	return err
}

// onLogs takes a logsNotification. The case is looked at at once; the transaction itself may wait
// for its turn.
func (l *feed) onLogs(raw json.RawMessage) {
	var n contexted[struct {
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
func (l *feed) gap() {
	select {
	case l.kick <- struct{}{}:
	default:
	}
}

// socket is a JSON-RPC connection over a websocket with subscriptions. It lives until the first
// error. Then its owner opens another. (solana-go's ws.Client, v1.22.0, never reconnects, and when
// it closes Recv may hide the error that ended it.)
type socket struct {
	conn    *websocket.Conn
	timeout time.Duration
	garbled func()
	stall   atomic.Int64 // how long it may bring nothing, in nanoseconds
	heard   atomic.Int64 // when it brought something, Unix nanoseconds

	mu      sync.Mutex
	lastID  uint64
	asked   map[uint64]*subscription // by id of the request
	running map[uint64]*subscription // by number of the subscription
}

// subscription is a request for notifications. The reading goroutine calls deliver, which must not
// block.
type subscription struct {
	method  string
	params  []any
	deliver func(json.RawMessage)
	ready   chan error // one answer
}

// maxGarbled is how many messages in a row may make no sense.
const maxGarbled = 16

// openSocket dials. limit bounds a message in bytes, timeout the handshake and every write.
func openSocket(ctx context.Context, url string, client *http.Client, limit int, timeout time.Duration) (*socket, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	conn, _, err := websocket.Dial(ctx, url, &websocket.DialOptions{HTTPClient: client})
	if err != nil {
		return nil, fmt.Errorf("%w: opening websocket: %w", ErrUnavailable, withoutURL(err))
	}
	conn.SetReadLimit(int64(limit))
	return &socket{
		conn: conn, timeout: timeout, garbled: func() {},
		asked: make(map[uint64]*subscription), running: make(map[uint64]*subscription),
	}, nil
}

func (s *socket) close() error { return s.conn.CloseNow() }

// subscribe asks for notifications and waits for the answer, which run reads.
func (s *socket) subscribe(ctx context.Context, sub *subscription) error {
	sub.ready = make(chan error, 1)
	s.mu.Lock()
	s.lastID++
	id := s.lastID
	s.asked[id] = sub
	s.mu.Unlock()
	text, err := json.Marshal(newRequest(id, sub.method, sub.params))
	if err != nil {
		return fmt.Errorf("%w: encoding: %w", errRefused, err)
	}
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	if err := s.conn.Write(ctx, websocket.MessageText, text); err != nil {
		return fmt.Errorf("%w: websocket: %w", ErrUnavailable, err)
	}
	select {
	case err := <-sub.ready:
		return err
	case <-ctx.Done():
		return fmt.Errorf("%w: %s is not answered: %w", ErrUnavailable, sub.method, context.Cause(ctx))
	}
}

// setStall says for how long the connection may bring nothing.
func (s *socket) setStall(d time.Duration) {
	s.heard.Store(time.Now().UnixNano())
	s.stall.Store(int64(d))
}

// run reads until the connection ends or talks nonsense.
func (s *socket) run(ctx context.Context) error {
	for bad := 0; bad < maxGarbled; {
		_, body, err := s.conn.Read(ctx)
		if err != nil {
			return fmt.Errorf("%w: websocket: %w", ErrUnavailable, err)
		}
		s.heard.Store(time.Now().UnixNano())
		if s.handle(body) {
			bad = 0
			continue
		}
		bad++
		s.garbled()
	}
	return fmt.Errorf("%w: %d websocket messages in a row", ErrAnswer, maxGarbled)
}

// watch returns when the connection has brought nothing for too long. Nodes are known to keep a
// websocket open and answer its pings long after they stopped to notify.
func (s *socket) watch(ctx context.Context) error {
	for {
		limit := time.Duration(s.stall.Load())
		quiet := time.Duration(time.Now().UnixNano() - s.heard.Load())
		if quiet >= limit {
			return fmt.Errorf("%w: websocket: %w", ErrUnavailable, errStalled)
		}
		if err := wait(ctx, min(limit-quiet, time.Second)); err != nil {
			return err
		}
	}
}

var errStalled = errors.New("it is open but brings nothing")

// ping keeps asking whether the other side is there. It returns when it is not.
func (s *socket) ping(ctx context.Context, every time.Duration) error {
	for {
		if err := wait(ctx, every); err != nil {
			return err
		}
		one, cancel := context.WithTimeout(ctx, every)
		err := s.conn.Ping(one)
		cancel()
		if err != nil {
			return fmt.Errorf("%w: websocket ping: %w", ErrUnavailable, err)
		}
	}
}

// handle takes a message and reports whether it made sense.
func (s *socket) handle(body []byte) bool {
	var e envelope
	if json.Unmarshal(body, &e) != nil {
		return false
	}
	if e.Method != "" {
		return s.notify(e.Params)
	}
	return s.answer(&e)
}

// notify delivers {"subscription": n, "result": …}.
func (s *socket) notify(params json.RawMessage) bool {
	var n struct {
		Subscription uint64          `json:"subscription"`
		Result       json.RawMessage `json:"result"`
	}
	if json.Unmarshal(params, &n) != nil || len(n.Result) == 0 {
		return false
	}
	s.mu.Lock()
	sub := s.running[n.Subscription]
	s.mu.Unlock()
	if sub == nil {
		return false
	}
	sub.deliver(n.Result)
	return true
}

// answer takes the number of a subscription, or why there is none.
func (s *socket) answer(e *envelope) bool {
	id, err := strconv.ParseUint(string(bytes.TrimSpace(e.ID)), 10, 64)
	if err != nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	sub := s.asked[id]
	if sub == nil {
		return false
	}
	delete(s.asked, id)
	if e.Error != nil {
		sub.ready <- e.Error.as(sub.method)
		return true
	}
	number, err := strconv.ParseUint(string(bytes.TrimSpace(e.Result)), 10, 64)
	if err != nil {
		sub.ready <- fmt.Errorf("%w: %s: the subscription is %s", ErrAnswer, sub.method, excerpt(e.Result))
		return false
	}
	s.running[number] = sub
	sub.ready <- nil
	return true
}
