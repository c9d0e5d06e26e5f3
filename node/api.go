package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"ojud/casefile"
	"ojud/voting"
)

// staleAfter is how long the chain may stand still before /healthz says so.
const staleAfter = 30 * time.Second

// serveAPI serves health, metrics, status and case files, and asks peers for whoever shows the key, until ctx ends.
func (n *Node) serveAPI(ctx context.Context) error {
	if n.cfg.API.Listen == "off" {
		return nil
	}
	var lc net.ListenConfig
	listener, err := lc.Listen(ctx, "tcp", n.cfg.API.Listen)
	if err != nil {
		return fmt.Errorf("node: api.listen: %w", err)
	}
	server := &http.Server{Handler: n.routes(), ReadTimeout: n.cfg.API.Timeout, WriteTimeout: n.cfg.API.Timeout, ReadHeaderTimeout: n.cfg.API.Timeout, MaxHeaderBytes: 16 << 10}
	removeKey, err := n.openQueries()
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	n.apiAddr.Store(listener.Addr().String())
	if err := writeFile(n.home.Path(apiFile), []byte(listener.Addr().String()+"\n")); err != nil {
		return errors.Join(err, listener.Close())
	}
	stop := context.AfterFunc(ctx, func() {
		late, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if err := server.Shutdown(late); err != nil {
			n.log.Debug("api", "err", errors.Join(err, server.Close()))
		}
	})
	defer stop()
	err = server.Serve(listener)
	if gone := errors.Join(os.Remove(n.home.Path(apiFile)), removeKey()); gone != nil {
		n.log.Warn("a file of the api stays behind", "err", gone)
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return fmt.Errorf("node: api: %w", err)
}

// APIAddr is host:port of the HTTP API while Run runs; empty before.
func (n *Node) APIAddr() string {
	addr, _ := n.apiAddr.Load().(string)
	return addr
}

func (n *Node) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", n.healthz)
	mux.Handle("GET /metrics", promhttp.HandlerFor(n.deps.Metrics, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /v1/status", func(w http.ResponseWriter, _ *http.Request) { n.reply(w, http.StatusOK, n.Status()) })
	mux.HandleFunc("GET /v1/payments", n.servePayments)
	mux.HandleFunc("POST /v1/query", n.guarded(n.serveQuery))
	mux.HandleFunc("GET /v1/holders", n.guarded(n.serveHolders))
	mux.HandleFunc("GET /v1/cases", func(w http.ResponseWriter, _ *http.Request) { n.reply(w, http.StatusOK, n.Status().Cases) })
	mux.HandleFunc("GET /v1/cases/{case}", n.serveCase)
	mux.HandleFunc("GET /v1/cases/{case}/file", n.serveFile)
	mux.HandleFunc("GET /v1/cases/{case}/panel", n.servePanel)
	mux.HandleFunc("GET /v1/cases/{case}/why", n.guarded(n.serveWhy))
	return mux
}

func (n *Node) reply(w http.ResponseWriter, code int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	if err := json.NewEncoder(w).Encode(v); err != nil {
		n.log.Debug("api: answer not written", "err", err)
	}
}

func (n *Node) refuse(w http.ResponseWriter, code int, text string) {
	n.reply(w, code, map[string]string{"error": text})
}

// healthz is 200 while the node sees the chain and has what it needs to judge.
func (n *Node) healthz(w http.ResponseWriter, _ *http.Request) {
	if age := n.client.Clock().Age(); age > staleAfter {
		n.refuse(w, http.StatusServiceUnavailable, fmt.Sprintf("no new block for %s: the chain stands still or the RPC node does not answer", age.Round(time.Second)))
		return
	}
	if problems := n.problems(); len(problems) > 0 {
		n.refuse(w, http.StatusServiceUnavailable, strings.Join(problems, "; "))
		return
	}
	n.reply(w, http.StatusOK, map[string]string{"status": "ok"})
}

// caseOf reads which case a request names, or answers what is wrong with it.
func (n *Node) caseOf(w http.ResponseWriter, r *http.Request) (voting.Key, bool) {
	task, err := casefile.ParseAddress(r.PathValue("case"))
	if err != nil {
		n.refuse(w, http.StatusBadRequest, "the case is named by the base58 address of its task: "+err.Error())
	}
	return voting.Key(task), err == nil
}

// refuseCase answers why there is nothing of a case.
func (n *Node) refuseCase(w http.ResponseWriter, err error) {
	if errors.Is(err, casefile.ErrNoCase) {
		n.refuse(w, http.StatusNotFound, "this node never followed that case, or does not know yet who sits in it")
		return
	}
	n.refuse(w, http.StatusInternalServerError, err.Error())
}

func (n *Node) serveCase(w http.ResponseWriter, r *http.Request) {
	task, ok := n.caseOf(w, r)
	if !ok {
		return
	}
	status, err := n.Case(r.Context(), task)
	if err != nil {
		n.refuseCase(w, err)
		return
	}
	n.reply(w, http.StatusOK, status)
}

func (n *Node) serveFile(w http.ResponseWriter, r *http.Request) {
	task, ok := n.caseOf(w, r)
	if !ok {
		return
	}
	file, missing, err := n.Export(r.Context(), task)
	if err != nil {
		n.refuseCase(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Ojud-Missing", fmt.Sprint(len(missing)))
	if _, err := w.Write(file); err != nil {
		n.log.Debug("api: file not written", "err", err)
	}
}

func (n *Node) servePayments(w http.ResponseWriter, r *http.Request) {
	p, err := n.Payments(r.Context())
	if err != nil {
		n.refuse(w, http.StatusInternalServerError, err.Error())
		return
	}
	n.reply(w, http.StatusOK, p)
}
