// Package door serves an agent host over HTTP to the programs and people of its machine, and asks
// one. Each capability of the host is a route: POST /v1/agent.invoke, and so on, with the input as
// JSON. Docs/protocol.md, section "The agent host", has the messages.
//
// The file agents/api in the home has the address and the word of the operator, and only the user
// of the host can read it. A program of an agent shows its own word, which holds for its call.
package door

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ojud/agent/channel/line"
	"ojud/agent/face/a2a"
	"ojud/agent/host"
	"ojud/agent/host/shell"
	"ojud/ledger/journal/durable"
)

const (
	maxBody   = 1 << 20
	maxAtOnce = 1_000            // requests
	headTime  = 10 * time.Second // for the head of a request
	bodyTime  = time.Minute      // for its body
)

// file is the content of agents/api.
type file struct {
	URL   string `json:"url"`
	Token string `json:"token"`
}

func path(home string) string { return filepath.Join(home, shell.Folder, "api") }

// Door serves a host.
type Door struct {
	home     string
	host     *shell.Host
	token    string
	log      *slog.Logger
	room     chan struct{}
	hall     *line.Hall // of clients that take part in calls
	face     *a2a.Face  // for clients that speak A2A
	listener net.Listener
	out      *outside // callers of other machines; nil: none
	pages    Pages    // nil: none
}

// Pages are what the operator of the host sees in a browser. They guard themselves.
type Pages interface {
	http.Handler
	// Invite returns a word, for the address /login?word=, that opens the pages once and soon.
	Invite() string
}

// Invitation is the answer to host.page: an address that opens the pages once and soon.
type Invitation struct {
	URL string `json:"url"`
}

// Show has the host show pages under each path that is not one of its own. Call it before Run.
func (s *Door) Show(pages Pages) { s.pages = pages }

// pageTime is how long a browser may take to read a page.
const pageTime = 30 * time.Second

// ours reports whether a path is of the host's protocol, and no page.
func ours(path string) bool {
	return slices.ContainsFunc([]string{"/v1/", "/agents/", "/a2a/"}, func(prefix string) bool { return strings.HasPrefix(path, prefix) })
}

// Listen begins to listen at a loopback address. Run serves.
func Listen(ctx context.Context, home, address string, h *shell.Host, log *slog.Logger) (*Door, error) {
	name, _, err := net.SplitHostPort(address)
	if ip := net.ParseIP(name); err != nil || ip == nil || !ip.IsLoopback() {
		return nil, fmt.Errorf("the address %q is not one of this machine; write one such as 127.0.0.1:4700", address)
	}
	var sockets net.ListenConfig
	listener, err := sockets.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	s := &Door{home: home, host: h, token: rand.Text(), log: log, room: make(chan struct{}, maxAtOnce), listener: listener}
	raw, err := json.Marshal(file{s.URL(), s.token})
	if err == nil {
		err = durable.WriteFile(path(home), append(raw, '\n'))
	}
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	h.Serves(s.URL())
	return s, nil
}

// URL is where the host is.
func (s *Door) URL() string { return "http://" + s.listener.Addr().String() }

// Run serves until ctx ends.
func (s *Door) Run(ctx context.Context) error {
	s.hall = line.NewHall(ctx, maxTalks, patience)
	defer s.hall.Wait()
	s.face = a2a.New(ctx, s.log)
	defer s.face.Wait()
	if s.out == nil {
		return s.inside(ctx)
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	served := make(chan error, 1)
	go func() {
		defer stop()
		served <- s.out.run(ctx, s)
	}()
	err := s.inside(ctx)
	stop()
	return errors.Join(err, <-served)
}

// inside serves the programs of this machine until ctx ends.
func (s *Door) inside(ctx context.Context) error {
	server := &http.Server{
		Handler: http.HandlerFunc(s.serve), ReadHeaderTimeout: headTime, ReadTimeout: bodyTime, MaxHeaderBytes: 16 << 10,
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	closed := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() { closed <- server.Close() })
	defer stop()
	if err := server.Serve(s.listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return errors.Join(<-closed, os.Remove(path(s.home)))
}

// statuses are those of HTTP for the codes of refusals.
var statuses = map[string]int{
	host.Unknown: http.StatusNotFound, host.Gone: http.StatusGone, host.Denied: http.StatusForbidden, host.Busy: http.StatusTooManyRequests,
	host.Budget: http.StatusPaymentRequired, host.Conflict: http.StatusConflict, host.Form: http.StatusBadRequest,
}

// fault is the answer to a request that is refused.
type fault struct {
	Code  string `json:"code"`
	Words string `json:"error"`
	Name  string `json:"name,omitempty"` // of a refusal by a delegation
}

// foreign and failed are codes of faults besides those of refusals.
const (
	foreign = "unauthorized"
	failed  = "failed"
)

func (s *Door) serve(w http.ResponseWriter, r *http.Request) {
	select {
	case s.room <- struct{}{}:
		defer func() { <-s.room }()
	default:
		s.answer(w, http.StatusTooManyRequests, fault{Code: host.Busy, Words: "the host has too many requests under way; try again later"})
		return
	}
	if s.pages != nil && !ours(r.URL.Path) {
		if err := http.NewResponseController(w).SetWriteDeadline(time.Now().Add(pageTime)); err != nil {
			s.log.Debug("a page has no end of time", "err", err)
			http.Error(w, "The connection is gone.", http.StatusServiceUnavailable)
			return
		}
		s.pages.ServeHTTP(w, r)
		return
	}
	name, _, err := net.SplitHostPort(r.Host)
	if ip := net.ParseIP(name); err != nil || !strings.EqualFold(name, "localhost") && (ip == nil || !ip.IsLoopback()) || r.Header.Get("Origin") != "" {
		s.answer(w, http.StatusForbidden, fault{Code: foreign, Words: "the host answers only programs of its own machine"})
		return
	}
	id, talks := strings.CutPrefix(r.URL.Path, "/agents/")
	skill, found := strings.CutPrefix(r.URL.Path, "/v1/")
	by, ok := s.caller(r, skill)
	if !ok {
		s.answer(w, http.StatusUnauthorized, fault{Code: foreign, Words: "show the word in the file agents/api of the home as a bearer token"})
		return
	}
	if rest, is := strings.CutPrefix(r.URL.Path, "/a2a/"); is {
		s.present(w, r, by, rest)
		return
	}
	if talks && r.Method == http.MethodGet {
		s.talk(w, r, by, id)
		return
	}
	if !found || r.Method != http.MethodPost {
		s.answer(w, http.StatusNotFound, fault{Code: host.Unknown, Words: "write POST /v1/ and the name of a capability, such as agent.list"})
		return
	}
	if skill == "host.page" && by.ID == host.Operator && s.pages != nil {
		s.answer(w, http.StatusOK, Invitation{s.URL() + "/login?word=" + s.pages.Invite()})
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		s.answer(w, http.StatusBadRequest, fault{Code: host.Form, Words: fmt.Sprintf("the request cannot be read, or has more than %d bytes", maxBody)})
		return
	}
	raw, err := s.host.Use(r.Context(), by, skill, body)
	var refused *host.Refused
	switch {
	case errors.As(err, &refused):
		s.answer(w, statuses[refused.Code], fault{refused.Code, refused.Words, refused.Name})
	case err != nil:
		s.answer(w, http.StatusInternalServerError, fault{Code: failed, Words: err.Error()})
	default:
		s.answer(w, http.StatusOK, raw)
	}
}

// caller returns who shows the word of a request. Without a word, only a signed call is taken.
func (s *Door) caller(r *http.Request, skill string) (shell.Caller, bool) {
	if skill == "agent.invoke" && len(r.Header.Values("Authorization")) == 0 {
		return shell.Caller{}, true
	}
	word, found := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !found {
		return shell.Caller{}, false
	}
	if subtle.ConstantTimeCompare([]byte(word), []byte(s.token)) == 1 {
		return shell.Caller{ID: host.Operator}, true
	}
	return s.host.Pass(word)
}

func (s *Door) answer(w http.ResponseWriter, code int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	if err := json.NewEncoder(w).Encode(v); err != nil {
		s.log.Debug("an answer was not written", "err", err)
	}
}
