package remote

import (
	"context"
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
	node          *keep.Node
	token         string // who may put; empty: everybody
	log           *slog.Logger
	now           func() time.Time
	mux           *http.ServeMux
	gate          gate
	start         time.Duration // headStart
	in, out       *shelf        // bytes of bodies
	puts, gets    *turns
	reads, audits *turns
}

// NewDesk returns the desk of a node. If token is not empty, only requests with it, as
// "Authorization: Bearer …", may put.
func NewDesk(n *keep.Node, token string, now func() time.Time, log *slog.Logger) *Desk {
	most := n.Conditions().MaxArtifact
	d := &Desk{node: n, token: token, log: log, now: now, mux: http.NewServeMux(), start: headStart}
	d.in, d.out = newShelf(maxBodies*max(most, maxQuestion), max(most, maxQuestion)), newShelf(maxBodies*most, most)
	d.puts, d.gets, d.reads = newTurns(maxPuts, maxPuts/2), newTurns(maxGets, maxGets/2), newTurns(maxReads, eachAtOne)
	d.audits = newTurns(maxAudits, 1)
	for pattern, do := range map[string]func(http.ResponseWriter, *http.Request) error{
		"GET " + root + "head":             d.turn(d.head),
		"GET " + root + "conditions":       d.turn(d.offer),
		"POST " + root + "artifacts":       d.put,
		"GET " + root + "artifacts/{hash}": d.get,
		"GET " + root + "proofs/{hash}":    d.turn(d.prove),
		"GET " + root + "promises/{index}": d.turn(d.promise),
		"GET " + root + "consistency":      d.turn(d.consistency),
		"POST " + root + "audits":          d.audit,
	} {
		d.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			if err := do(w, r); err != nil {
				d.fail(w, r, err)
			}
		})
	}
	return d
}

// from is the key of a request's place in its context.
type from struct{}

func placeOf(r *http.Request) string {
	place, _ := r.Context().Value(from{}).(string)
	return place
}

// errBusy: the client can ask again.
var errBusy = errors.New("too many requests of this kind at a time; ask again")

// turn answers what is small within a turn.
func (d *Desk) turn(do func(http.ResponseWriter, *http.Request) error) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		give, ok := d.reads.take(r.Context(), placeOf(r))
		if !ok {
			return errBusy
		}
		defer give()
		return do(w, r)
	}
}

// patience is how long a body of n bytes may take.
func (d *Desk) patience(n int64) time.Time {
	return time.Now().Add(d.start + time.Duration(n)*time.Second/leastRate)
}

// body reads the body of a request before it takes a turn. A client that sends slowly holds nothing
// but the bytes that it announced, of which its place has few. The caller calls give if it no
// longer needs the body.
func (d *Desk) body(w http.ResponseWriter, r *http.Request, most int64) (raw []byte, give func(), err error) {
	switch {
	case r.ContentLength < 0:
		return nil, nil, errLength
	case r.ContentLength > most:
		return nil, nil, &http.MaxBytesError{Limit: most}
	}
	give, ok := d.in.take(placeOf(r), r.ContentLength)
	if !ok {
		return nil, nil, errBusy
	}
	c := http.NewResponseController(w)
	if err = c.SetReadDeadline(d.patience(r.ContentLength)); errors.Is(err, errors.ErrUnsupported) { // a frame is there already
		err = nil
	}
	if err == nil {
		raw, err = io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	}
	if err != nil {
		give()
		return nil, nil, errors.Join(errCut, err)
	}
	return raw, give, nil
}

// These are answered with a status of their own.
var (
	errLength = errors.New("the length of the body has to be announced by Content-Length")
	errCut    = errors.New("the body did not come whole and in time")
)

// serve answers a request of a peer or a machine.
func (d *Desk) serve(w http.ResponseWriter, r *http.Request, place string) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	leave, ok := d.gate.enter(place, d.now())
	if !ok {
		w.Header().Set("Retry-After", "1")
		d.refuse(w, http.StatusTooManyRequests, "this peer asks too much; wait a second")
		return
	}
	defer leave()
	d.mux.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), from{}, place)))
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
	case errors.Is(err, errBusy):
		w.Header().Set("Retry-After", "1")
		status = http.StatusServiceUnavailable
	case errors.Is(err, errLength):
		status = http.StatusLengthRequired
	case errors.Is(err, errCut):
		status = http.StatusRequestTimeout
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
	content, done, err := d.body(w, r, d.node.Conditions().MaxArtifact)
	if err != nil {
		return err
	}
	defer done()
	give, ok := d.puts.take(r.Context(), placeOf(r))
	if !ok {
		return errBusy
	}
	defer give()
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
	give, ok := d.gets.take(r.Context(), placeOf(r))
	if !ok {
		return errBusy
	}
	content, err := d.node.Get(h)
	give()
	if err != nil {
		return err
	}
	sent, ok := d.out.take(placeOf(r), int64(len(content)))
	if !ok {
		return errBusy
	}
	defer sent()
	c := http.NewResponseController(w)
	if err := c.SetWriteDeadline(d.patience(int64(len(content)))); err != nil && !errors.Is(err, errors.ErrUnsupported) {
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
	raw, done, err := d.body(w, r, maxQuestion)
	if err != nil {
		return err
	}
	done()
	var ask examination
	if err := memory.Decode(raw, &ask); err != nil {
		return errRequest{err.Error()}
	}
	give, ok := d.audits.take(r.Context(), placeOf(r))
	if !ok {
		return errBusy
	}
	samples, err := d.node.Audit(ask.Size, ask.Question)
	give()
	if err != nil {
		return err
	}
	return d.json(w, http.StatusOK, answers{samples})
}
