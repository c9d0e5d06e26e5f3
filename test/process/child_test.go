package process

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"

	"ojud/agent/judge"
	"ojud/casefile"
	"ojud/config"
	"ojud/node"
	"ojud/voting"
)

// plan tells a judge's process what to do. The judge always accepts, with a new reason each time,
// so a vote that was forgotten and made again is a different vote.
type plan struct {
	Home string
	Code bool     // the judge judges by code instead
	Set  []string // as --set
	Wire string   // file that gets each own statement before it is sent
	// Resign switches the sign guard off: after every start the judge signs again and ignores its
	// journal. It is a control.
	Resign bool
}

// playJudge runs a node until it is killed or fails.
func playJudge() error {
	var p plan
	if err := json.Unmarshal([]byte(os.Getenv(planVar)), &p); err != nil {
		return err
	}
	h, err := node.OpenHome(p.Home)
	if err != nil {
		return err
	}
	cfg, err := p.settings(h)
	if err != nil {
		return err
	}
	s := &breakpoints{out: os.Stdout, goOn: make(chan struct{})}
	go s.obey(os.Stdin)
	domain, err := h.Descriptor.Domain()
	if err != nil {
		return err
	}
	mail := &wire{path: p.Wire, keys: h.Keys, domain: domain, resign: p.Resign, nonce: rand.Text()}
	deps := node.Deps{
		Logger: slog.New(&breakpointLog{slog.NewTextHandler(os.Stderr, nil), s}), Judge: acceptingJudge{}, Transport: breakpointTransport{s},
		WrapBroadcaster: func(c node.Broadcaster) node.Broadcaster { mail.Broadcaster = c; return mail },
	}
	if p.Code {
		deps.Judge = nil
	}
	n, err := node.New(context.Background(), h, cfg.Node, deps)
	if err != nil {
		return err
	}
	s.say("up")
	return errors.Join(n.Run(context.Background()), n.Close())
}

// settings returns the settings that "ojud run" would have with the plan's --set flags.
func (p plan) settings(h node.Home) (config.Config, error) {
	defaults, err := config.DefaultFor(h.Descriptor)
	if err != nil {
		return config.Config{}, err
	}
	flags := map[string]any{}
	for _, assignment := range p.Set {
		key, value, _ := strings.Cut(assignment, "=")
		flags[key] = value
	}
	return config.Load(config.Sources{Home: h.Dir, Flags: flags, Defaults: &defaults})
}

// acceptingJudge accepts, with a reason that it never repeats.
type acceptingJudge struct{}

func (acceptingJudge) Evaluate(_ context.Context, b judge.Brief) (casefile.Opinion, error) {
	return casefile.Opinion{
		Choice: casefile.Choice(voting.Accept), Model: casefile.CodeChecks, Summary: "It seems right to me today, " + rand.Text() + ".",
		Findings: []casefile.Finding{{Check: "mood", Outcome: casefile.Pass, Detail: "good"}},
	}, nil
}

// breakpoints are the points where the process waits for its driver. Only the goroutine that
// reaches a point waits.
type breakpoints struct {
	mu      sync.Mutex
	armed   []string
	waiting int
	voted   bool
	out     io.Writer
	goOn    chan struct{}
}

// obey takes orders: "arm POINT", "go", "disarm". The process ends if the driver is gone.
func (s *breakpoints) obey(in io.Reader) {
	orders := bufio.NewScanner(in)
	for orders.Scan() {
		order := orders.Text()
		if point, arm := strings.CutPrefix(order, "arm "); arm {
			s.mu.Lock()
			s.armed = append(s.armed, point)
			s.mu.Unlock()
		}
		if order == "go" || order == "disarm" {
			s.release(order == "disarm")
		}
		s.say("done")
	}
	os.Exit(3)
}

// release lets the waiting goroutines continue. With all it also disarms every point.
func (s *breakpoints) release(all bool) {
	s.mu.Lock()
	if all {
		s.armed = nil
	}
	n := s.waiting
	s.waiting = 0
	s.mu.Unlock()
	for range n {
		s.goOn <- struct{}{}
	}
}

func (s *breakpoints) say(what string) {
	if _, err := fmt.Fprintln(s.out, what); err != nil {
		os.Exit(3) // the driver is gone
	}
}

// reach waits if an armed point is a part of the next step's text.
func (s *breakpoints) reach(next string) {
	s.mu.Lock()
	i := slices.IndexFunc(s.armed, func(point string) bool { return strings.Contains(next, point) })
	point := ""
	if i >= 0 {
		point = s.armed[i]
		s.armed = slices.Delete(s.armed, i, i+1)
		s.waiting++
	}
	first := !s.voted && (strings.HasPrefix(next, "effect announce") || strings.HasPrefix(next, "effect submit commit") || strings.HasPrefix(next, "effect submit reveal"))
	s.voted = s.voted || first
	s.mu.Unlock()
	if first {
		s.say("votes")
	}
	if i >= 0 {
		s.say("at " + point)
		<-s.goOn
	}
}

// breakpointLog turns the log lines of a node into points: the message and the values, with a space
// between. Debug lines go nowhere else.
type breakpointLog struct {
	slog.Handler
	breakpoints *breakpoints
}

func (o *breakpointLog) Enabled(context.Context, slog.Level) bool { return true }

func (o *breakpointLog) Handle(ctx context.Context, r slog.Record) error {
	text := r.Message
	r.Attrs(func(a slog.Attr) bool {
		text += " " + a.Value.String()
		return true
	})
	o.breakpoints.reach(text)
	if r.Level < slog.LevelInfo {
		return nil
	}
	return o.Handler.Handle(ctx, r)
}

func (o *breakpointLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &breakpointLog{o.Handler.WithAttrs(attrs), o.breakpoints}
}

func (o *breakpointLog) WithGroup(name string) slog.Handler {
	return &breakpointLog{o.Handler.WithGroup(name), o.breakpoints}
}

// breakpointTransport turns requests to the RPC node into points: "before METHOD OP" and "after
// METHOD OP". Only sendTransaction has an OP.
type breakpointTransport struct{ breakpoints *breakpoints }

func (l breakpointTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body == nil { // the request of the websocket
		return http.DefaultTransport.RoundTrip(r)
	}
	raw, err := io.ReadAll(r.Body)
	if err := errors.Join(err, r.Body.Close()); err != nil {
		return nil, err
	}
	r = r.Clone(r.Context())
	r.Body = io.NopCloser(bytes.NewReader(raw))
	what := call(raw)
	l.breakpoints.reach("before " + what)
	answer, err := http.DefaultTransport.RoundTrip(r)
	l.breakpoints.reach("after " + what)
	return answer, err
}

// call describes a JSON-RPC request.
func call(raw []byte) string {
	var q struct {
		Method string            `json:"method"`
		Params []json.RawMessage `json:"params"`
	}
	if json.Unmarshal(raw, &q) != nil || q.Method != "sendTransaction" || len(q.Params) == 0 {
		return q.Method
	}
	var text string
	tx, err := []byte(nil), json.Unmarshal(q.Params[0], &text)
	if err == nil {
		tx, err = base64.StdEncoding.DecodeString(text)
	}
	if err != nil {
		return q.Method
	}
	for _, op := range []string{"draw", "commit", "reveal", "settle", "claim_reward", "slash_equivocation"} {
		name := sha256.Sum256([]byte("global:" + op))
		if bytes.Contains(tx, name[:8]) {
			return q.Method + " " + op
		}
	}
	return q.Method
}

// wire writes every own statement to a file before it sends it.
type wire struct {
	node.Broadcaster
	path   string
	keys   node.Keys
	domain voting.Domain
	resign bool
	nonce  string
}

func (w *wire) Push(to []voting.Key, notice voting.Notice) error {
	notice, err := w.keep(notice)
	if err != nil {
		return err
	}
	return w.Broadcaster.Push(to, notice)
}

func (w *wire) Publish(notice voting.Notice) error {
	notice, err := w.keep(notice)
	if err != nil {
		return err
	}
	return w.Broadcaster.Publish(notice)
}

func (w *wire) keep(notice voting.Notice) (voting.Notice, error) {
	own, ok := notice.(voting.Commit)
	if !ok || own.Judge != w.keys.Judge() {
		return notice, nil
	}
	if w.resign {
		own.Commitment = sha256.Sum256(append(own.Commitment[:], w.nonce...))
		own.Signature = w.keys.Sign(w.domain.Statement(own.Task, own.Round, own.Judge, own.Commitment))
	}
	f, err := os.OpenFile(w.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	_, err = fmt.Fprintln(f, hex.EncodeToString(own.Encode()))
	return own, errors.Join(err, f.Close())
}
