package follow

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestCrowd: there is a limited number of viewers, and a viewer that leaves makes room.
func TestCrowd(t *testing.T) {
	t.Parallel()
	p := &Pages[string]{Draw: func(string) ([]byte, error) { return []byte("x"), nil }, Idle: time.Hour}
	var all []Viewer
	for range MaxViewers {
		v, ok := p.Join("court")
		if !ok {
			t.Fatal("no room")
		}
		all = append(all, v)
	}
	if _, ok := p.Join("court"); ok {
		t.Errorf("more than %d viewers", MaxViewers)
	}
	for _, v := range all {
		v.Leave()
	}
	if p.Viewers() != 0 || len(p.pages) != 0 {
		t.Errorf("%d viewers of %d pages are left", p.Viewers(), len(p.pages))
	}
}

// TestSlowViewer: a viewer that reads nothing gets the newest picture, and holds nobody up.
func TestSlowViewer(t *testing.T) {
	t.Parallel()
	p := &Pages[string]{}
	slow := make(chan []byte, 1)
	w := &watched{viewers: map[chan []byte]bool{slow: true}}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 100 {
			p.show(w, fmt.Append(nil, i), time.Now(), nil)
		}
	}()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatal("a slow viewer holds the page up")
	}
	if got := string(<-slow); got != "99" {
		t.Errorf("picture %s", got)
	}
}

// TestBeat: a viewer hears how old the last look is, and why there is no newer one. After a look
// that succeeds it is told nothing wrong.
func TestBeat(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var broken atomic.Pointer[error]
		draw := func(string) ([]byte, error) {
			if err := broken.Load(); err != nil {
				return nil, *err
			}
			return []byte("x"), nil
		}
		p := &Pages[string]{Draw: draw, Idle: time.Second,
			Plain: func(err error) string { return "plain:\n " + err.Error() }}
		v, ok := p.Join("court")
		if !ok {
			t.Fatal("no room")
		}
		defer v.Leave()
		says := func(want string) {
			t.Helper()
			synctest.Wait()
			if got := v.beat(); got != "event: beat\ndata: "+want+"\n\n" {
				t.Errorf("%q, want %q", got, want)
			}
		}
		says("0")
		time.Sleep(time.Second / 2)
		fault := errors.New("no answer" + strings.Repeat(".", maxFault))
		broken.Store(&fault)
		time.Sleep(20 * time.Second)
		says("20 plain: no answer" + strings.Repeat(".", maxFault-len("plain:  no answer")))
		broken.Store(nil)
		time.Sleep(1100 * time.Millisecond)
		says("0")
	})
}

// TestShown: after a break the version of the last event counts, not that of the page.
func TestShown(t *testing.T) {
	t.Parallel()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "/live?v=old", nil)
	if err != nil {
		t.Fatal(err)
	}
	if shown(r) != "old" {
		t.Error(shown(r))
	}
	if r.Header.Set("Last-Event-ID", "new"); shown(r) != "new" {
		t.Error(shown(r))
	}
}

// TestEvent: no text ends an event early.
func TestEvent(t *testing.T) {
	t.Parallel()
	got := event("page", "a\r\n\nevent: x\r\rb")
	if got != "event: page\ndata: a\ndata: \ndata: event: xb\n\n" {
		t.Errorf("%q", got)
	}
}

// TestForeign: what another site embeds is foreign, also if it is another port of this machine.
// What a person opens and what a program asks for is not.
func TestForeign(t *testing.T) {
	t.Parallel()
	for asked, want := range map[[3]string]bool{
		{"cross-site", "no-cors", "image"}: true, {"same-site", "no-cors", "image"}: true, {"cross-site", "cors", "empty"}: true, {"cross-site", "navigate", "iframe"}: true,
		{"cross-site", "", ""}: true, {"cross-site", "navigate", "document"}: false, {"same-site", "navigate", "document"}: false, {"same-origin", "cors", "empty"}: false,
		{"none", "navigate", "document"}: false, {"", "", ""}: false,
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		for i, name := range []string{"Site", "Mode", "Dest"} {
			if asked[i] != "" {
				r.Header.Set("Sec-Fetch-"+name, asked[i])
			}
		}
		if got := Foreign(r); got != want {
			t.Errorf("%q is foreign: %v", asked, got)
		}
	}
}
