package follow

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"
)

const (
	// MaxViewers bounds the viewers of all pages.
	MaxViewers = 64
	// restTime is the least time between two pictures of one page: a burst of votes is one picture.
	restTime = 20 * time.Millisecond
	// restShare is how many times longer than it draws a page rests, for each page that somebody
	// looks at. So drawing takes at most a third of a processor, however much happens.
	restShare = 2
	// sendTime is how long a viewer may take to read a picture. A slower one is dropped.
	sendTime = 10 * time.Second
	// beatTime is how often a viewer hears how old the last look at its page is.
	beatTime = 5 * time.Second
	// maxFault bounds the words of what is wrong, in bytes.
	maxFault = 300
	// retry tells a browser how long to wait, in milliseconds, before it opens a stream again.
	retry = "retry: 3000\n\n"
)

// Pages are the pages that somebody looks at. V names a page. Its fields do not change after the
// first Join.
type Pages[V comparable] struct {
	// Draw draws a page. It may take long.
	Draw func(V) ([]byte, error)
	// Changed returns a channel that is closed when a page may have changed; nil: only Idle tells.
	Changed func() <-chan struct{}
	// Idle is the most time between two looks at a page, for what no event tells.
	Idle time.Duration
	// Plain writes an error of Draw for people; nil: as it is.
	Plain func(error) string

	mu      sync.Mutex
	viewers int
	pages   map[V]*watched
}

// watched is a page with viewers.
type watched struct {
	viewers map[chan []byte]bool
	last    []byte
	at      time.Time // of the last look that drew it
	fault   string    // why the last look did not; empty: it did
	stop    context.CancelFunc
}

// Viewer is somebody who looks at a page until Leave.
type Viewer struct {
	Leave    func()
	Pictures <-chan []byte
	heard    func() (age time.Duration, fault string)
}

// Join adds a viewer of a page. There is no room if there are MaxViewers.
func (p *Pages[V]) Join(v V) (viewer Viewer, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.viewers >= MaxViewers {
		return Viewer{}, false
	}
	p.viewers++
	w := p.pages[v]
	if w == nil {
		ctx, stop := context.WithCancel(context.Background())
		w = &watched{viewers: map[chan []byte]bool{}, at: time.Now(), stop: stop}
		if p.pages == nil {
			p.pages = map[V]*watched{}
		}
		p.pages[v] = w
		go p.watch(ctx, v, w)
	}
	mine := make(chan []byte, 1)
	w.viewers[mine] = true
	if w.last != nil {
		mine <- w.last
	}
	heard := func() (time.Duration, string) {
		p.mu.Lock()
		defer p.mu.Unlock()
		return time.Since(w.at), w.fault
	}
	return Viewer{Leave: func() { p.leave(v, w, mine) }, Pictures: mine, heard: heard}, true
}

// Viewers returns how many look at a page now.
func (p *Pages[V]) Viewers() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.viewers
}

// Shown reports whether somebody looks at a page that could be drawn at the last look.
func (p *Pages[V]) Shown(v V) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	w := p.pages[v]
	return w != nil && w.last != nil && w.fault == ""
}

func (p *Pages[V]) leave(v V, w *watched, mine chan []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.viewers--
	delete(w.viewers, mine)
	if len(w.viewers) == 0 {
		w.stop()
		delete(p.pages, v)
	}
}

// watch draws a page until nobody looks at it any more.
func (p *Pages[V]) watch(ctx context.Context, v V, w *watched) {
	idle := time.NewTimer(0)
	defer idle.Stop()
	for {
		var changed <-chan struct{}
		if p.Changed != nil {
			changed = p.Changed() // before the look, so that no change is missed
		}
		start := time.Now()
		picture, err := p.Draw(v)
		p.show(w, picture, start, err)
		if !pause(ctx, p.rest(time.Since(start))) {
			return
		}
		idle.Reset(p.Idle)
		select {
		case <-ctx.Done():
			return
		case <-changed:
		case <-idle.C:
		}
	}
}

// rest returns how long a page that took so long to draw is not drawn again.
func (p *Pages[V]) rest(took time.Duration) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return max(restTime, restShare*took*time.Duration(len(p.pages)))
}

// show notes a look at a page, and gives its picture to all viewers if it differs from the last
// one. A viewer that has not taken the last one gets only the new one.
func (p *Pages[V]) show(w *watched, picture []byte, at time.Time, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil {
		if w.fault = err.Error(); p.Plain != nil {
			w.fault = p.Plain(err)
		}
		return
	}
	w.at, w.fault = at, ""
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

// shown returns the version of the picture that the viewer has: of the page itself, or of the last
// event before its connection broke.
func shown(r *http.Request) string {
	return cmp.Or(r.Header.Get("Last-Event-ID"), r.URL.Query().Get("v"))
}

// Version names a picture.
func Version(picture []byte) string {
	sum := sha256.Sum256(picture)
	return hex.EncodeToString(sum[:8])
}

// Send writes pictures until the viewer leaves or is too slow. It leaves out the one that the
// viewer has, because to compare a large page takes a browser longer than to show it.
func (v Viewer) Send(w http.ResponseWriter, r *http.Request) error {
	control := http.NewResponseController(w)
	if err := control.SetReadDeadline(time.Time{}); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	w.Header().Set("Content-Type", "text/event-stream")
	beats := time.NewTicker(beatTime)
	defer beats.Stop()
	has := shown(r)
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
			case picture := <-v.Pictures:
				if now := Version(picture); now != has {
					has, text = now, "id: "+now+"\n"+event("page", string(picture))
				}
			case <-beats.C:
				text = v.beat()
			}
		}
	}
}

// beat says how many seconds old the last look is, and what is wrong since.
func (v Viewer) beat() string {
	age, fault := v.heard()
	return event("beat", strings.TrimSpace(fmt.Sprintf("%d %s", int(age.Seconds()), strings.Join(strings.Fields(strings.ToValidUTF8(fault[:min(len(fault), maxFault)], "")), " "))))
}

// event spells a server-sent event.
func event(name, data string) string {
	return "event: " + name + "\ndata: " + strings.ReplaceAll(strings.ReplaceAll(data, "\r", ""), "\n", "\ndata: ") + "\n\n"
}

// Foreign reports whether a browser asks because a page of another site has this address in itself,
// such as an image, a frame or a script that fetches it. Such a page could keep streams open, and
// would make the node work. A link that a person follows is not foreign, and neither is a request
// of a program.
func Foreign(r *http.Request) bool {
	site, mode, dest := r.Header.Get("Sec-Fetch-Site"), r.Header.Get("Sec-Fetch-Mode"), r.Header.Get("Sec-Fetch-Dest")
	followed := mode == "navigate" && (dest == "document" || dest == "")
	return (site == "cross-site" || site == "same-site") && !followed
}
