package console

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"
)

const (
	maxViewers = 64 // of all pages of a node
	// restTime is the least time between two pictures of one page: a burst of votes is one picture.
	restTime = 20 * time.Millisecond
	// restShare is how many times longer than it draws a node rests, for each page that somebody
	// looks at. So drawing takes at most a third of a processor, however much happens.
	restShare = 2
	// idleTime is the most time between two looks at a page, for what no event tells.
	idleTime = 2 * time.Second
	// sendTime is how long a viewer may take to read a picture. A slower one is dropped.
	sendTime = 10 * time.Second
	// quietTime is how often something is written to a viewer of a page that does not change.
	quietTime = 20 * time.Second
	// retry tells a browser how long to wait, in milliseconds, before it opens a stream again.
	retry = "retry: 3000\n\n"
)

// live renders each page that somebody looks at, once for all its viewers, and again when it
// changes.
type live struct {
	changed func() <-chan struct{}
	render  func(view) ([]byte, error)

	mu      sync.Mutex
	viewers int
	pages   map[view]*watched
}

// watched is a page with viewers.
type watched struct {
	viewers map[chan []byte]bool
	last    []byte
	stop    context.CancelFunc
}

func newLive(changed func() <-chan struct{}, render func(view) ([]byte, error)) *live {
	return &live{changed: changed, render: render, pages: map[view]*watched{}}
}

// join adds a viewer of a page, who gets pictures until leave. There is none if the node has too
// many viewers.
func (l *live) join(v view) (pictures <-chan []byte, leave func(), ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.viewers >= maxViewers {
		return nil, nil, false
	}
	l.viewers++
	w := l.pages[v]
	if w == nil {
		ctx, stop := context.WithCancel(context.Background())
		w = &watched{viewers: map[chan []byte]bool{}, stop: stop}
		l.pages[v] = w
		go l.watch(ctx, v, w)
	}
	mine := make(chan []byte, 1)
	w.viewers[mine] = true
	if w.last != nil {
		mine <- w.last
	}
	return mine, func() { l.leave(v, w, mine) }, true
}

func (l *live) leave(v view, w *watched, mine chan []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.viewers--
	delete(w.viewers, mine)
	if len(w.viewers) == 0 {
		w.stop()
		delete(l.pages, v)
	}
}

// watch renders a page until nobody looks at it any more.
func (l *live) watch(ctx context.Context, v view, w *watched) {
	idle := time.NewTimer(0)
	defer idle.Stop()
	for {
		changed := l.changed() // before the look, so that no change is missed
		start := time.Now()
		if picture, err := l.render(v); err == nil {
			l.show(w, picture)
		}
		if !pause(ctx, l.rest(time.Since(start))) {
			return
		}
		idle.Reset(idleTime)
		select {
		case <-ctx.Done():
			return
		case <-changed:
		case <-idle.C:
		}
	}
}

// rest returns how long a page that took so long to draw is not drawn again.
func (l *live) rest(took time.Duration) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return max(restTime, restShare*took*time.Duration(len(l.pages)))
}

// show gives a picture to all viewers of a page if it differs from the last one. A viewer that has
// not taken the last one gets only the new one.
func (l *live) show(w *watched, picture []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if bytes.Equal(w.last, picture) {
		return
	}
	w.last = picture
	for viewer := range w.viewers {
		select {
		case <-viewer:
		default:
		}
		viewer <- picture
	}
}

// pause waits, and reports whether ctx goes on.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

// stream serves the pictures of a page as server-sent events.
func (c *Console) stream(which func(*http.Request) (view, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v, err := which(r)
		if err == nil {
			_, err = c.render(v) // a stream of nothing would be opened again and again
		}
		if err != nil {
			c.failed(w, err)
			return
		}
		pictures, leave, ok := c.live.join(v)
		if !ok {
			w.Header().Set("Retry-After", "10")
			c.fail(w, http.StatusServiceUnavailable, "This node shows its pages to as many viewers as it can. Reload the page to see it as it is now.")
			return
		}
		defer leave()
		if err := c.send(w, r, pictures, shown(r)); err != nil {
			c.log.Debug("console: a viewer is gone", "err", err)
		}
	}
}

// shown returns the version of the picture that the viewer has: of the page itself, or of the last
// event before its connection broke.
func shown(r *http.Request) string {
	return cmp.Or(r.Header.Get("Last-Event-ID"), r.URL.Query().Get("v"))
}

// version names a picture.
func version(picture []byte) string {
	sum := sha256.Sum256(picture)
	return hex.EncodeToString(sum[:8])
}

// send writes pictures until the viewer leaves or is too slow. It leaves out the one that the
// viewer has, because to compare a large page takes a browser longer than to show it.
func (c *Console) send(w http.ResponseWriter, r *http.Request, pictures <-chan []byte, has string) error {
	control := http.NewResponseController(w)
	if err := control.SetReadDeadline(time.Time{}); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	w.Header().Set("Content-Type", "text/event-stream")
	quiet := time.NewTicker(quietTime)
	defer quiet.Stop()
	for text := retry; ; {
		if err := control.SetWriteDeadline(time.Now().Add(sendTime)); err != nil && !errors.Is(err, http.ErrNotSupported) {
			return err
		}
		if _, err := w.Write([]byte(text)); err != nil {
			return err
		}
		if err := control.Flush(); err != nil {
			return err
		}
		for text = ""; text == ""; {
			select {
			case <-r.Context().Done():
				return nil
			case picture := <-pictures:
				if now := version(picture); now != has {
					has, text = now, "id: "+now+"\n"+event(picture)
				}
			case <-quiet.C:
				text = ": still here\n\n"
			}
		}
	}
}

// event spells a picture as a server-sent event.
func event(picture []byte) string {
	return "event: page\ndata: " + strings.ReplaceAll(strings.ReplaceAll(string(picture), "\r", ""), "\n", "\ndata: ") + "\n\n"
}
