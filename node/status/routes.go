package status

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"ojud/casefile"
	"ojud/datasource"
	"ojud/datasource/exchange"
	"ojud/node/evidence"
	"ojud/node/follow"
	"ojud/node/record"
	"ojud/voting"
)

const (
	// staleAfter is how long the chain may stand still before /healthz reports it.
	staleAfter = 30 * time.Second
	// guardedAtOnce bounds the requests with a key that are answered at the same time.
	guardedAtOnce = 4
	maxQueryBody  = 2 * exchange.MaxRequest // bytes
	answerTime    = 10 * time.Second        // to write an answer
)

// Handler serves the routes of the API, for requests that name this server.
func (a *API) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", a.healthz)
	mux.Handle("GET /metrics", promhttp.HandlerFor(a.d.Metrics, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /v1/status", func(w http.ResponseWriter, _ *http.Request) { a.reply(w, http.StatusOK, a.d.Reporter.Status()) })
	mux.HandleFunc("GET /v1/payments", a.servePayments)
	mux.HandleFunc("POST /v1/query", a.guarded(a.serveQuery))
	mux.HandleFunc("GET /v1/holders", a.guarded(a.serveHolders))
	mux.HandleFunc("GET /v1/tasks", a.serveTasks)
	mux.HandleFunc("GET /v1/brain/tasks", a.serveThoughts)
	mux.HandleFunc("GET /v1/brain/tasks/{task}", a.serveThought)
	mux.HandleFunc("GET /v1/brain/members", a.serveMembers)
	mux.HandleFunc("GET /v1/sources", a.serveSources)
	mux.HandleFunc("GET /v1/agents", a.serveAgents)
	mux.HandleFunc("GET /v1/agents/{agent}", a.serveAgent)
	mux.HandleFunc("GET /v1/cases", func(w http.ResponseWriter, _ *http.Request) { a.reply(w, http.StatusOK, a.d.Reporter.Status().Cases) })
	mux.HandleFunc("GET /v1/cases/{case}", a.ofCase(func(ctx context.Context, task voting.Key) (any, error) { return a.d.Records.Case(ctx, task) }))
	mux.HandleFunc("GET /v1/cases/{case}/file", a.withKey(a.serveFile))
	mux.HandleFunc("GET /v1/cases/{case}/panel", a.ofCase(func(ctx context.Context, task voting.Key) (any, error) { return a.d.Records.Panel(ctx, task) }))
	mux.HandleFunc("GET /v1/cases/{case}/why", a.guarded(a.serveWhy))
	if a.cfg.Profiles {
		mux.HandleFunc("GET /debug/pprof/{profile}", a.guarded(a.profile))
	}
	a.d.Pages.Routes(mux)
	return a.ownNames(mux)
}

// withKey serves a request only if it shows the key.
func (a *API) withKey(serve http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		want := "Bearer " + a.key
		if subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), []byte(want)) != 1 {
			a.refuse(w, http.StatusUnauthorized, "this takes the word in the file "+keyFile+" of the node's home: Authorization: Bearer WORD")
			return
		}
		serve(w, r)
	}
}

// guarded serves a request only if it shows the key and there is room. It gives the request the
// time that it needs.
func (a *API) guarded(serve http.HandlerFunc) http.HandlerFunc {
	return a.withKey(func(w http.ResponseWriter, r *http.Request) {
		select {
		case a.room <- struct{}{}:
			defer func() { <-a.room }()
		default:
			a.refuse(w, http.StatusTooManyRequests, "this node is asking for others; try again in a moment")
			return
		}
		err := http.NewResponseController(w).SetWriteDeadline(time.Now().Add(evidence.MaxSeconds*time.Second + answerTime))
		if err != nil && !errors.Is(err, http.ErrNotSupported) {
			a.refuse(w, http.StatusInternalServerError, err.Error())
			return
		}
		serve(w, r)
	})
}

// healthz answers 200 if the node sees the chain and has everything that it needs to judge.
// Otherwise the answer names causes and remedies.
func (a *API) healthz(w http.ResponseWriter, _ *http.Request) {
	problems, warnings := a.d.Reporter.problems(), a.d.Reporter.warnings()
	if age := a.d.Reporter.Clock.Age(); age > staleAfter {
		problems = []string{fmt.Sprintf("no new block for %s: the chain stands still or the RPC node does not answer; "+
			"see which of them with ojud doctor, and set ledger.rpc to another RPC node if it is that", age.Round(time.Second))}
	}
	if len(problems) > 0 {
		a.refuse(w, http.StatusServiceUnavailable, strings.Join(append(problems, warnings...), "; "))
		return
	}
	a.reply(w, http.StatusOK, map[string]any{"status": "ok", "warnings": append([]string{}, warnings...)})
}

// caseOf reads the case that a request names, or answers with the fault.
func (a *API) caseOf(w http.ResponseWriter, r *http.Request) (voting.Key, bool) {
	task, err := casefile.ParseAddress(r.PathValue("case"))
	if err != nil {
		a.refuse(w, http.StatusBadRequest, "the case is named by the base58 address of its task: "+err.Error())
	}
	return voting.Key(task), err == nil
}

// refuseCase answers why there is no data of a case.
func (a *API) refuseCase(w http.ResponseWriter, err error) {
	switch {
	case errors.Is(err, casefile.ErrNoCase):
		a.refuse(w, http.StatusNotFound, "this node never followed that case, or does not know yet who sits in it")
	case errors.Is(err, record.ErrNoPanel):
		a.refuse(w, http.StatusNotFound, "no panel was drawn in that case yet")
	default:
		a.refuse(w, http.StatusInternalServerError, err.Error())
	}
}

// ofCase answers with a value about the case that a request names.
func (a *API) ofCase(get func(context.Context, voting.Key) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		task, ok := a.caseOf(w, r)
		if !ok {
			return
		}
		v, err := get(r.Context(), task)
		if err != nil {
			a.refuseCase(w, err)
			return
		}
		a.reply(w, http.StatusOK, v)
	}
}

// serveFile is GET /v1/cases/{case}/file. It needs the key, because the file has the documents of
// the parties.
func (a *API) serveFile(w http.ResponseWriter, r *http.Request) {
	task, ok := a.caseOf(w, r)
	if !ok {
		return
	}
	file, missing, err := a.d.Records.Export(r.Context(), task)
	if err != nil {
		a.refuseCase(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Ojud-Missing", fmt.Sprint(len(missing)))
	if _, err := w.Write(file); err != nil {
		a.d.Log.Debug("api: file not written", "err", err)
	}
}

// serveWhy is GET /v1/cases/{case}/why?judge=ADDRESS. It needs the key, because it shows the
// judge's opinion even before the vote.
func (a *API) serveWhy(w http.ResponseWriter, r *http.Request) {
	task, ok := a.caseOf(w, r)
	if !ok {
		return
	}
	var judge casefile.Address
	if text := r.URL.Query().Get("judge"); text != "" {
		var err error
		if judge, err = casefile.ParseAddress(text); err != nil {
			a.refuse(w, http.StatusBadRequest, "judge: "+err.Error())
			return
		}
	}
	answer, err := a.d.Records.Why(task, voting.Key(judge))
	if err != nil {
		a.refuse(w, http.StatusInternalServerError, err.Error())
		return
	}
	a.reply(w, http.StatusOK, answer)
}

func (a *API) servePayments(w http.ResponseWriter, r *http.Request) {
	p, err := a.d.Evidence.Payments(r.Context())
	if err != nil {
		a.refuse(w, http.StatusInternalServerError, err.Error())
		return
	}
	a.reply(w, http.StatusOK, p)
}

// serveQuery is POST /v1/query.
func (a *API) serveQuery(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxQueryBody))
	if err != nil {
		a.refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	q, only, err := evidence.ParseQuery(raw)
	if err != nil {
		a.refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	result, err := a.d.Evidence.Query(r.Context(), q, only)
	switch {
	case errors.Is(err, evidence.ErrQuery):
		a.refuse(w, http.StatusBadRequest, err.Error())
	case errors.Is(err, evidence.ErrState):
		a.refuse(w, http.StatusConflict, err.Error())
	case err != nil:
		a.refuse(w, http.StatusInternalServerError, err.Error())
	default:
		a.reply(w, http.StatusOK, result)
	}
}

// serveHolders is GET /v1/holders?data_source=NAME.
func (a *API) serveHolders(w http.ResponseWriter, r *http.Request) {
	source := r.URL.Query().Get("data_source")
	if !datasource.ValidName(source) {
		a.refuse(w, http.StatusBadRequest, "data_source is no name of a source: 1 to 64 of the characters a-z 0-9 . _ : -")
		return
	}
	a.reply(w, http.StatusOK, a.d.Evidence.Holders(r.Context(), source))
}

// ownNames refuses requests for a host that is not this server. A web page can point its own name
// at this machine (DNS rebinding) and let a browser read the answers; such a request carries the
// name of the page. It also refuses requests that a page of another origin sends.
func (a *API) ownNames(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if host := hostname(r.Host); !a.isOwn(host, r) {
			a.refuse(w, http.StatusForbidden, fmt.Sprintf("this server does not answer to the host %q; ask it as localhost or by the address "+
				"at which it listens, or add the name to the setting api.hosts", host))
			return
		}
		if origin := r.Header.Get("Origin"); origin != "" && !sameOrigin(origin, r.Host) {
			a.refuse(w, http.StatusForbidden, fmt.Sprintf("this server does not answer to web pages of another origin (%q)", origin))
			return
		}
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cross-Origin-Resource-Policy", "same-origin")
		w.Header().Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'") // pages have their own
		if follow.Foreign(r) {
			a.refuse(w, http.StatusForbidden, "this server answers pages of other sites only if a person follows a link")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// hostname returns the name or address in a Host header, without port and brackets.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
}

// isOwn reports whether a host is this server: localhost, a loopback address, the address at which
// the request arrived, or a configured name. An address cannot be rebound as a name can.
func (a *API) isOwn(host string, r *http.Request) bool {
	named := func(name string) bool { return strings.EqualFold(host, name) }
	if named("localhost") || slices.ContainsFunc(a.cfg.Hosts, named) {
		return true
	}
	ip := net.ParseIP(host)
	if ip == nil {
		listen, _, err := net.SplitHostPort(a.cfg.Listen)
		return err == nil && listen != "" && strings.EqualFold(host, listen)
	}
	at, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	return ip.IsLoopback() || ok && ip.Equal(at.IP)
}

// sameOrigin reports whether an Origin header names the host of the request.
func sameOrigin(origin, host string) bool {
	u, err := url.Parse(origin)
	return err == nil && u.Host != "" && strings.EqualFold(u.Host, host)
}
