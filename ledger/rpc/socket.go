package rpc

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
)

// Socket is a JSON-RPC connection over a websocket with subscriptions. It lives until the first
// error. Then its owner opens another. (solana-go's ws.Client, v1.22.0, never reconnects, and when
// it closes Recv may hide the error that ended it.)
type Socket struct {
	conn    *websocket.Conn
	timeout time.Duration
	garbled func()
	stall   atomic.Int64 // how long it may bring nothing, in nanoseconds
	heard   atomic.Int64 // when it brought something, Unix nanoseconds

	mu      sync.Mutex
	lastID  uint64
	asked   map[uint64]*Subscription // by id of the request
	running map[uint64]*Subscription // by number of the subscription
}

// Subscription is a request for notifications. The reading goroutine calls Deliver, which must not
// block.
type Subscription struct {
	Method  string
	Params  []any
	Deliver func(json.RawMessage)
	ready   chan error // one answer
}

// maxGarbled is how many messages in a row may make no sense.
const maxGarbled = 16

// OpenSocket dials. limit bounds a message in bytes, timeout the handshake and every write. garbled
// is called for each message that makes no sense.
func OpenSocket(ctx context.Context, url string, client *http.Client, limit int, timeout time.Duration, garbled func()) (*Socket, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	conn, _, err := websocket.Dial(ctx, url, &websocket.DialOptions{HTTPClient: client})
	if err != nil {
		return nil, fmt.Errorf("%w: opening websocket: %w", ErrUnavailable, withoutURL(err))
	}
	conn.SetReadLimit(int64(limit))
	return &Socket{
		conn: conn, timeout: timeout, garbled: garbled,
		asked: make(map[uint64]*Subscription), running: make(map[uint64]*Subscription),
	}, nil
}

// Close ends the connection at once.
func (s *Socket) Close() error { return s.conn.CloseNow() }

// Subscribe asks for notifications and waits for the answer, which run reads.
func (s *Socket) Subscribe(ctx context.Context, sub *Subscription) error {
	sub.ready = make(chan error, 1)
	s.mu.Lock()
	s.lastID++
	id := s.lastID
	s.asked[id] = sub
	s.mu.Unlock()
	text, err := json.Marshal(newRequest(id, sub.Method, sub.Params))
	if err != nil {
		return fmt.Errorf("%w: encoding: %w", ErrRefused, err)
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
		return fmt.Errorf("%w: %s is not answered: %w", ErrUnavailable, sub.Method, context.Cause(ctx))
	}
}

// SetStall says for how long the connection may bring nothing.
func (s *Socket) SetStall(d time.Duration) {
	s.heard.Store(time.Now().UnixNano())
	s.stall.Store(int64(d))
}

// Serve reads, pings and watches the connection until it ends or ctx does. The error says why.
func (s *Socket) Serve(ctx context.Context, ping time.Duration) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return s.run(ctx) })
	group.Go(func() error { return s.watch(ctx) })
	group.Go(func() error { return s.ping(ctx, ping) })
	return group.Wait()
}

// run reads until the connection ends or talks nonsense.
func (s *Socket) run(ctx context.Context) error {
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
func (s *Socket) watch(ctx context.Context) error {
	for {
		limit := time.Duration(s.stall.Load())
		quiet := time.Duration(time.Now().UnixNano() - s.heard.Load())
		if quiet >= limit {
			return fmt.Errorf("%w: websocket: %w", ErrUnavailable, errStalled)
		}
		if err := Wait(ctx, min(limit-quiet, time.Second)); err != nil {
			return err
		}
	}
}

var errStalled = errors.New("it is open but brings nothing")

// ping keeps asking whether the other side is there. It returns when it is not.
func (s *Socket) ping(ctx context.Context, every time.Duration) error {
	for {
		if err := Wait(ctx, every); err != nil {
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
func (s *Socket) handle(body []byte) bool {
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
func (s *Socket) notify(params json.RawMessage) bool {
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
	sub.Deliver(n.Result)
	return true
}

// answer takes the number of a subscription, or why there is none.
func (s *Socket) answer(e *envelope) bool {
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
		sub.ready <- e.Error.as(sub.Method)
		return true
	}
	number, err := strconv.ParseUint(string(bytes.TrimSpace(e.Result)), 10, 64)
	if err != nil {
		sub.ready <- fmt.Errorf("%w: %s: the subscription is %s", ErrAnswer, sub.Method, excerpt(e.Result))
		return false
	}
	s.running[number] = sub
	sub.ready <- nil
	return true
}
