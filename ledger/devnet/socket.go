package devnet

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// socket is one websocket. One goroutine reads, one writes the queue, and one probes.
type socket struct {
	hub     *hub
	conn    *websocket.Conn
	stop    context.CancelFunc // at once
	bye     chan struct{}      // closed: with a close handshake
	goodbye func()             // closes bye, once
	methods methods

	// Guarded by the hub's lock.
	subscriptions map[uint64]*subscription
	after         []func() // run when the response is queued

	mu     sync.Mutex
	queue  [][]byte
	bytes  int
	wake   chan struct{}
	lagged bool
}

// serve accepts a websocket and returns when either side ends it.
func (h *hub) serve(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context())) // the request's context ends at the takeover
	defer cancel()
	k := &socket{
		hub: h, stop: cancel, bye: make(chan struct{}),
		subscriptions: map[uint64]*subscription{}, wake: make(chan struct{}, 1),
	}
	k.goodbye = sync.OnceFunc(func() { close(k.bye) })
	k.methods = k.subscribeTable()
	if !h.enter(k) {
		http.Error(w, "too many websockets", http.StatusServiceUnavailable)
		return
	}
	defer h.leave(k)
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{
		InsecureSkipVerify: true, // any page may use the chain, as with CORS
		CompressionMode:    websocket.CompressionDisabled,
	})
	if err != nil {
		h.log.Debug("a websocket was not accepted", "err", err)
		return
	}
	k.conn = conn
	k.run(ctx, cancel)
}

// enter counts a socket. It returns false if there is no room.
func (h *hub) enter(k *socket) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed || len(h.sockets) >= h.config.MaxSockets {
		return false
	}
	h.sockets[k] = struct{}{}
	h.group.Add(1)
	h.metrics.socket(1)
	return true
}

func (h *hub) leave(k *socket) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range k.subscriptions {
		h.remove(s)
	}
	delete(h.sockets, k)
	h.metrics.socket(-1)
	h.group.Done()
}

// run reads until the connection ends, and then waits for the other two goroutines.
func (k *socket) run(ctx context.Context, cancel func()) {
	k.conn.SetReadLimit(k.hub.config.MaxBody)
	var others sync.WaitGroup
	for _, part := range []func(context.Context) error{k.write, k.ping} {
		others.Go(func() {
			defer cancel()
			k.note(part(ctx))
		})
	}
	k.note(k.read(ctx))
	cancel()
	others.Wait()
	if k.slow() {
		k.hub.log.Warn("a websocket was closed because it read too slowly")
	}
	k.note(k.conn.CloseNow())
}

// note logs how a part of a socket ended. Only the connection is affected.
func (k *socket) note(err error) {
	if err != nil && !errors.Is(err, context.Canceled) {
		k.hub.log.Debug("a websocket ended", "err", err)
	}
}

func (k *socket) read(ctx context.Context) error {
	for {
		_, body, err := k.conn.Read(ctx)
		if err != nil {
			return err
		}
		if err := k.handle(body); err != nil {
			return err
		}
	}
}

// handle answers one message. The hub is locked until then, so the response comes before any
// notification of a new subscription.
func (k *socket) handle(body []byte) error {
	h := k.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	out, err := answer(body, h.config, k.methods.run)
	if err != nil {
		return err
	}
	if out != nil {
		k.send(out)
	}
	for _, f := range k.after {
		f()
	}
	k.after = nil
	return nil
}

// send queues a message. If too many messages wait, the consumer is disconnected.
func (k *socket) send(raw []byte) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.lagged {
		return
	}
	if k.bytes+len(raw) > k.hub.config.QueueBytes {
		k.lagged, k.queue, k.bytes = true, nil, 0
		k.hub.metrics.slow()
		k.stop()
		return
	}
	k.queue = append(k.queue, raw)
	k.bytes += len(raw)
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

func (k *socket) slow() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.lagged
}

// next takes the oldest waiting message, or nil if there is none.
func (k *socket) next() []byte {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.queue) == 0 {
		return nil
	}
	raw := k.queue[0]
	k.queue[0] = nil
	k.queue = k.queue[1:]
	k.bytes -= len(raw)
	return raw
}

func (k *socket) write(ctx context.Context) error {
	for {
		for raw := k.next(); raw != nil; raw = k.next() {
			if err := k.writeOne(ctx, raw); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-k.wake:
		}
	}
}

func (k *socket) writeOne(ctx context.Context, raw []byte) error {
	ctx, cancel := context.WithTimeout(ctx, k.hub.config.Timeout)
	defer cancel()
	return k.conn.Write(ctx, websocket.MessageText, raw)
}

// ping probes the client, so that a dead one does not occupy a place for ever, and closes the
// connection with a handshake.
func (k *socket) ping(ctx context.Context) error {
	tick := time.NewTicker(k.hub.config.PingInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-k.bye:
			return k.conn.Close(websocket.StatusGoingAway, "the chain stops")
		case <-tick.C:
		}
		probe, cancel := context.WithTimeout(ctx, k.hub.config.PingInterval)
		err := k.conn.Ping(probe)
		cancel()
		if err != nil {
			return err
		}
	}
}
