package brainapi

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"ojud/megabrain/memory/remote"
)

// The limits of a server. Agents that it acts for have their own places, so that nobody without
// one of their keys can take these.
const (
	maxConns     = 1024
	eachConns    = 256     // of one machine
	maxBody      = 2 << 20 // bytes of a request
	maxOwn       = 96      // requests of agents that the server acts for, those that follow events included
	ownViewers   = 24      // of them that follow events
	maxOthers    = 32      // requests of all others
	otherViewers = 8
	maxRegister  = 4 << 10 // bytes of a registration
	registerTime = 5 * time.Second
	headTime     = 10 * time.Second
	bodyTime     = time.Minute
	writeTime    = 5 * time.Minute
	idleTime     = 30 * time.Second
)

// room has places for requests.
type room struct{ all, viewers chan struct{} }

func newRoom(all, viewers int) room {
	return room{make(chan struct{}, all), make(chan struct{}, viewers)}
}

// enter takes a place. The caller calls leave at the end.
func enter(places chan struct{}) (leave func(), ok bool) {
	select {
	case places <- struct{}{}:
		return func() { <-places }, true
	default:
		return nil, false
	}
}

// room is where an agent has its places.
func (s *AgentAPI) room(a agent) room {
	if _, held := s.n.Hands[a.key]; held {
		return s.own
	}
	return s.others
}

// caller is who sent a request, or why it shows no token.
type caller struct {
	agent
	err error
}

// called is the key of a caller in a context.
type called struct{}

// ServeHTTP implements http.Handler. No page of a browser may ask.
func (s *AgentAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", "default-src 'none'")
	if r.Header.Get("Origin") != "" || r.Header.Get("Sec-Fetch-Site") != "" {
		problem(w, http.StatusForbidden, "no page of a browser may ask this API")
		return
	}
	if _, pattern := s.mux.Handler(r); pattern == "" {
		problem(w, http.StatusNotFound, "there is no "+r.Method+" of this path; "+root+"/openapi.json has all calls")
		return
	}
	if want := kind(r); want != "" {
		if is, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || is != want {
			problem(w, http.StatusUnsupportedMediaType, fmt.Sprintf("Content-Type is %.80q; this call takes %s", r.Header.Get("Content-Type"), want))
			return
		}
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	var from caller
	if from.agent, from.err = s.read(r.Header.Get("Authorization")); from.err != nil && r.Method == http.MethodPost {
		if code, err := early(w, r); err != nil {
			problem(w, code, err.Error())
			return
		}
	}
	room := s.others
	if from.err == nil {
		room = s.room(from.agent)
	}
	leave, ok := enter(room.all)
	if !ok {
		h.Set("Retry-After", "1")
		problem(w, http.StatusServiceUnavailable, fmt.Sprintf("%d requests are answered at the moment; ask again", cap(room.all)))
		return
	}
	defer leave()
	s.mux.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), called{}, from)))
}

// kind is the Content-Type that a request has to have; empty: any, as it has no body.
func kind(r *http.Request) string {
	switch {
	case r.Method != http.MethodPost:
		return ""
	case strings.HasSuffix(r.URL.Path, "/submit"):
		return "multipart/form-data"
	}
	return "application/json"
}

// early reads the body of a request without a token before it takes a place: whoever sends slowly
// keeps nobody out. Only a registration needs what is read.
func early(w http.ResponseWriter, r *http.Request) (int, error) {
	if !strings.HasSuffix(r.URL.Path, "/auth/register") {
		return 0, nil // it is refused before its body is read
	}
	c := http.NewResponseController(w)
	_ = c.SetReadDeadline(time.Now().Add(registerTime)) // a recorder of a test has none
	raw, err := io.ReadAll(io.LimitReader(r.Body, maxRegister+1))
	_ = c.SetReadDeadline(time.Time{})
	switch {
	case err != nil:
		return http.StatusRequestTimeout, fmt.Errorf("the registration did not come in within %s", registerTime)
	case len(raw) > maxRegister:
		return http.StatusRequestEntityTooLarge, fmt.Errorf("a registration has at most %d bytes", maxRegister)
	}
	r.Body = io.NopCloser(bytes.NewReader(raw))
	return 0, nil
}

// hosted answers if the Host of a request is one of this server. A page of a browser could
// otherwise have its own name lead here (DNS rebinding), and read as its visitor.
func (s *AgentAPI) hosted(listener string) http.Handler {
	near := remote.Loopback(listener)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !remote.Knows(r.Host, near, s.n.Names) {
			problem(w, http.StatusForbidden, "this server does not know itself by this Host; ask it by its IP address, or have it started with --host and the name")
			return
		}
		s.ServeHTTP(w, r)
	})
}
