package remote

import (
	"crypto/subtle"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"ojud/megabrain/memory"
	"ojud/megabrain/memory/keep"
)

// Desk answers requests to a node. Make it by NewDesk.
type Desk struct {
	node                *keep.Node
	token               string // who may put; empty: everybody
	log                 *slog.Logger
	now                 func() time.Time
	mux                 *http.ServeMux
	gate                gate
	puts, reads, audits slots
}

// NewDesk returns the desk of a node. If token is not empty, only requests with it, as
// "Authorization: Bearer …", may put.
func NewDesk(n *keep.Node, token string, now func() time.Time, log *slog.Logger) *Desk {
	d := &Desk{node: n, token: token, log: log, now: now, mux: http.NewServeMux()}
	d.puts, d.reads, d.audits = make(slots, maxPuts), make(slots, maxReads), make(slots, maxAudits)
	for pattern, route := range map[string]struct {
		room slots
		do   func(http.ResponseWriter, *http.Request) error
	}{
		"GET " + root + "head":             {d.reads, d.head},
		"GET " + root + "conditions":       {d.reads, d.offer},
		"POST " + root + "artifacts":       {d.puts, d.put},
		"GET " + root + "artifacts/{hash}": {d.puts, d.get},
		"GET " + root + "proofs/{hash}":    {d.reads, d.prove},
		"GET " + root + "promises/{index}": {d.reads, d.promise},
		"GET " + root + "consistency":      {d.reads, d.consistency},
		"POST " + root + "audits":          {d.audits, d.audit},
	} {
		d.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			if !route.room.take() {
				w.Header().Set("Retry-After", "1")
				d.refuse(w, http.StatusServiceUnavailable, "too many requests of this kind at a time; ask again")
				return
			}
			defer route.room.give()
			if err := route.do(w, r); err != nil {
				d.fail(w, r, err)
			}
		})
	}
	return d
}

// serve answers a request of a peer or a machine.
func (d *Desk) serve(w http.ResponseWriter, r *http.Request, from string) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	leave, ok := d.gate.enter(from, d.now())
	if !ok {
		w.Header().Set("Retry-After", "1")
		d.refuse(w, http.StatusTooManyRequests, "this peer asks too much; wait a second")
		return
	}
	defer leave()
	d.mux.ServeHTTP(w, r)
}

// errRequest is a request that no node can answer.
type errRequest struct{ detail string }

func (e errRequest) Error() string { return e.detail }

// fail answers an error.
func (d *Desk) fail(w http.ResponseWriter, r *http.Request, err error) {
	var request errRequest
	var long *http.MaxBytesError
	status := http.StatusInternalServerError
	switch {
	case errors.As(err, &request), errors.Is(err, keep.ErrRefused):
		status = http.StatusBadRequest
	case errors.As(err, &long):
		status = http.StatusRequestEntityTooLarge
	case errors.Is(err, keep.ErrUnknown):
		status = http.StatusNotFound
	case errors.Is(err, keep.ErrErased):
		status = http.StatusGone
	case errors.Is(err, keep.ErrFull):
		status = http.StatusInsufficientStorage
	}
	detail := strings.TrimPrefix(err.Error(), "memory: ")
	if status == http.StatusInternalServerError && !errors.Is(err, keep.ErrLost) {
		d.log.Error("a request failed", "path", r.URL.Path, "err", err)
		detail = "the node failed; its log says why"
	}
	d.refuse(w, status, detail)
}

func (d *Desk) refuse(w http.ResponseWriter, status int, detail string) {
	raw, err := json.Marshal(problem{http.StatusText(status), status, detail})
	if err != nil {
		d.log.Error("a problem that is no JSON", "err", err)
		return
	}
	w.Header().Set("Content-Type", problemType)
	w.WriteHeader(status)
	w.Write(raw)
}

func (d *Desk) json(w http.ResponseWriter, status int, v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", jsonType)
	w.WriteHeader(status)
	w.Write(raw)
	return nil
}

func (d *Desk) head(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", noteType)
	w.Write(d.node.Head().Note())
	return nil
}

func (d *Desk) offer(w http.ResponseWriter, _ *http.Request) error {
	return d.json(w, http.StatusOK, Introduction{d.node.Head().Node.String(), d.node.Conditions()})
}

func (d *Desk) put(w http.ResponseWriter, r *http.Request) error {
	if d.token != "" && subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), []byte("Bearer "+d.token)) != 1 {
		w.Header().Set("WWW-Authenticate", "Bearer")
		d.refuse(w, http.StatusUnauthorized, "this node keeps artifacts for those who have its token")
		return nil
	}
	seconds, err := number(r.URL.Query().Get("seconds"))
	if err != nil {
		return errRequest{"seconds is the term, such as artifacts?seconds=86400"}
	}
	content, err := io.ReadAll(http.MaxBytesReader(w, r.Body, d.node.Conditions().MaxArtifact))
	if err != nil {
		return err
	}
	in, err := d.node.Put(content, seconds)
	if err != nil {
		return err
	}
	return d.json(w, http.StatusCreated, memory.Document{Receipt: &in})
}

// hash reads the hash in the path of a request.
func hash(r *http.Request) (memory.Digest, error) {
	h, err := memory.ParseDigest(r.PathValue("hash"))
	if err != nil {
		return h, errRequest{err.Error()}
	}
	return h, nil
}

func number(text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err == nil && (n < 0 || strconv.FormatInt(n, 10) != text) {
		err = strconv.ErrSyntax
	}
	return n, err
}

func (d *Desk) get(w http.ResponseWriter, r *http.Request) error {
	h, err := hash(r)
	if err != nil {
		return err
	}
	content, err := d.node.Get(h)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", bytesType)
	w.Header().Set("Content-Disposition", "attachment") // what strangers put is no page
	w.Write(content)
	return nil
}

func (d *Desk) prove(w http.ResponseWriter, r *http.Request) error {
	h, err := hash(r)
	if err != nil {
		return err
	}
	in, err := d.node.Prove(h)
	if err != nil {
		return err
	}
	return d.json(w, http.StatusOK, memory.Document{Receipt: &in})
}

func (d *Desk) promise(w http.ResponseWriter, r *http.Request) error {
	at, err := number(r.PathValue("index"))
	if err != nil {
		return errRequest{"a promise has a number, from 0"}
	}
	in, err := d.node.ProveAt(at)
	if err != nil {
		return err
	}
	return d.json(w, http.StatusOK, memory.Document{Receipt: &in})
}

func (d *Desk) consistency(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	old, err1 := number(q.Get("old"))
	size, err2 := number(q.Get("new"))
	if err1 != nil || err2 != nil {
		return errRequest{"old and new are sizes of the log, such as consistency?old=3&new=7"}
	}
	first, proof, err := d.node.Prefix(old, size)
	if err != nil {
		return err
	}
	return d.json(w, http.StatusOK, consistency{first, proof})
}

func (d *Desk) audit(w http.ResponseWriter, r *http.Request) error {
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxQuestion))
	if err != nil {
		return err
	}
	var ask examination
	if err := memory.Decode(raw, &ask); err != nil {
		return errRequest{err.Error()}
	}
	samples, err := d.node.Audit(ask.Size, ask.Question)
	if err != nil {
		return err
	}
	return d.json(w, http.StatusOK, answers{samples})
}
