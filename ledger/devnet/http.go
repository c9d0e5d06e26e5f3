package devnet

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	"ojud/ledger/devnet/crowd"
)

// Handler answers POST / for JSON-RPC, GET / with an upgrade for a websocket, GET /health, and GET
// /network.json. It works without sockets.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /{$}", s.servePost)
	mux.HandleFunc("GET /{$}", s.serveGet)
	mux.HandleFunc("GET /health", s.serveHealth)
	if s.deps.Network != nil {
		mux.Handle("GET /network.json", s.deps.Network)
	}
	return cors(mux)
}

// cors lets pages of any origin use the chain, as a validator does. foreign says what they may not.
func cors(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Access-Control-Allow-Origin", "*")
		if r.Method != http.MethodOptions {
			next.ServeHTTP(w, r)
			return
		}
		h.Set("Access-Control-Allow-Methods", "POST, GET, OPTIONS")
		h.Set("Access-Control-Allow-Headers", "*")
		if asked := r.Header.Get("Access-Control-Request-Headers"); asked != "" {
			h.Set("Access-Control-Allow-Headers", asked)
		}
		h.Set("Access-Control-Max-Age", "86400")
		w.WriteHeader(http.StatusNoContent)
	})
}

func (s *Server) servePost(w http.ResponseWriter, r *http.Request) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		http.Error(w, "Supplied content type is not allowed. Content-Type: application/json is required",
			http.StatusUnsupportedMediaType)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, s.config.MaxBody))
	if err != nil {
		if e := (*http.MaxBytesError)(nil); errors.As(err, &e) {
			http.Error(w, "request is too large", http.StatusRequestEntityTooLarge)
			return
		}
		http.Error(w, "request could not be read", http.StatusBadRequest)
		return
	}
	crowd.Arrived(r)
	out, err := s.limited(r.Context(), body, s.callAs(foreign(r)))
	if err != nil {
		if r.Context().Err() == nil { // otherwise the client went away
			s.log.Error("a request was not answered", "err", err)
		}
		http.Error(w, "service is busy or failing", http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	s.write(w, out)
}

// write sends a body. If the client has gone away, that is no error.
func (s *Server) write(w http.ResponseWriter, body []byte) {
	if _, err := w.Write(body); err != nil {
		s.log.Debug("a response was not sent", "err", err)
	}
}

// limited answers when there is room for one more request.
func (s *Server) limited(ctx context.Context, body []byte, run call) ([]byte, error) {
	select {
	case s.busy <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-s.busy }()
	return answer(body, s.config, run)
}

func (s *Server) serveGet(w http.ResponseWriter, r *http.Request) {
	crowd.Arrived(r)
	if strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
		s.hub.serve(w, r)
		return
	}
	http.Error(w, "Used HTTP Method is not allowed. POST or OPTIONS is required", http.StatusMethodNotAllowed)
}

func (s *Server) serveHealth(w http.ResponseWriter, _ *http.Request) {
	status := "ok"
	if s.bank.Failure() != nil {
		status = "unknown"
	}
	w.Header().Set("Content-Type", "text/html")
	s.write(w, []byte(status))
}
