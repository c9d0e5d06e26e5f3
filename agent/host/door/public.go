package door

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"ojud/agent"
	"ojud/agent/channel"
	"ojud/agent/channel/line"
	"ojud/agent/host"
	"ojud/agent/host/attest"
	"ojud/agent/host/mind"
	"ojud/agent/host/shell"
	"ojud/agent/talk/link"
	"ojud/p2p/direct"
)

// The limits of the public side.
const (
	maxOutside  = 500              // connections
	maxNameless = 100              // of them, and of their sessions, that have not signed a call; as many that sent no request
	eachPlace   = 16               // of each of these from one machine or network
	proveTime   = 15 * time.Second // for the signed call
)

// outside serves callers of other machines over TLS and over libp2p. A call that its caller signed
// is all that it takes.
type outside struct {
	listener net.Listener    // nil: not over TLS
	node     *direct.Station // nil: not over libp2p
	hall     *line.Hall
	room     chan struct{}
	prove    time.Duration // for the signed call, and for the end of a caller without one

	strangers crowd // connections and sessions that have not signed a call
	guests    seats // sessions that have
}

// Publish begins to listen for callers of other machines. Run serves them. The certificate shows
// the key of the operator, or is one of an authority.
func (s *Door) Publish(ctx context.Context, address string, cert tls.Certificate) (at net.Addr, err error) {
	var sockets net.ListenConfig
	l, err := sockets.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	l = tls.NewListener(&doorway{Listener: l}, &tls.Config{MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{cert}})
	s.outside().listener = l
	return l.Addr(), nil
}

// Join has callers of other machines reach the host over libp2p, by the key of its operator. Run
// serves them, and closes the node.
func (s *Door) Join(node *direct.Station) { s.outside().node = node }

// outside is the part of the host for other machines.
func (s *Door) outside() *outside {
	if s.out == nil {
		s.out = &outside{room: make(chan struct{}, maxOutside), prove: proveTime, guests: seats{most: maxTalks - maxNameless}}
	}
	return s.out
}

// certify is what a host says about an agent to whoever wants to call it.
type certify struct {
	Agent    string `json:"agent"` // did:key
	ID       string `json:"id"`
	Operator string `json:"operator"` // did:key
}

// run serves callers of other machines until ctx ends.
func (o *outside) run(ctx context.Context, s *Door) error {
	o.hall = line.NewHall(ctx, maxTalks, patience)
	defer o.hall.Wait()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	peers := make(chan error, 1)
	if o.node == nil {
		peers <- nil
	} else {
		go func() {
			peers <- o.node.Serve(ctx, func(ctx context.Context, k *direct.Talk) { o.hear(ctx, s, k) })
		}()
	}
	if o.listener == nil {
		<-ctx.Done()
		return <-peers
	}
	server := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { o.serve(s, w, r) }), ReadHeaderTimeout: headTime, ReadTimeout: bodyTime,
		MaxHeaderBytes: 16 << 10, BaseContext: func(net.Listener) context.Context { return ctx }, ConnContext: note, ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	server.SetKeepAlivesEnabled(false) // a connection without a websocket ends with its request
	end := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer end()
	err := server.Serve(o.listener)
	stop()
	if errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	return errors.Join(err, <-peers)
}

func (o *outside) serve(s *Door, w http.ResponseWriter, r *http.Request) {
	busy := fault{Code: host.Busy, Words: "the host has too many connections; try again later"}
	v, ok := o.enter(r.RemoteAddr)
	arrived(r)
	if !ok {
		s.answer(w, http.StatusTooManyRequests, busy)
		return
	}
	defer v.leave()
	id, found := strings.CutPrefix(r.URL.Path, "/agents/")
	if !found || host.ValidID(id) != nil || r.Method != http.MethodGet {
		s.answer(w, http.StatusNotFound, fault{Code: host.Unknown, Words: "write GET /agents/ and the id of an agent"})
		return
	}
	said, why := vouch(s, id)
	if why != nil {
		s.answer(w, statuses[why.Code], *why)
		return
	}
	if r.Header.Get("Upgrade") == "" {
		s.answer(w, http.StatusOK, said)
		return
	}
	err := o.hall.Serve(w, r, id, func(ctx context.Context, _ string, l *line.Side) { o.converse(ctx, s, id, l, v.proven) }, v.known)
	s.log.Debug("a connection from elsewhere ended", "agent", id, "from", r.RemoteAddr, "err", err)
}

// visitor is a connection of somebody who may have signed nothing.
type visitor struct {
	// proven is called when the caller has signed a call, or at the end of its session; without a
	// session, at the end of its connection.
	proven func()
	begun  bool // a session has the place of the caller, and outlives this connection
	room   chan struct{}
	keep   func() // ends what Station.Keep began; nil: nothing
}

// enter lets a connection of an address in, if there is room.
func (o *outside) enter(address string) (v *visitor, ok bool) {
	select {
	case o.room <- struct{}{}:
	default:
		return nil, false
	}
	proven, ok := o.strangers.enter(link.Place(address))
	if !ok {
		<-o.room
		return nil, false
	}
	return &visitor{proven: proven, room: o.room}, true
}

// known is told whether the session of the connection is a new one.
func (v *visitor) known(fresh bool) {
	if v.begun = fresh; !fresh {
		v.proven() // the session has a place, and only its latest connection lives
	}
}

// leave is called at the end of the connection.
func (v *visitor) leave() {
	<-v.room
	if v.keep != nil {
		v.keep()
	}
	if !v.begun {
		v.proven()
	}
}

// vouch says for an agent of the host who it is.
func vouch(s *Door, id string) (certify, *fault) {
	v, err := s.host.Look(shell.Caller{ID: host.Operator}, id)
	switch {
	case err != nil:
		return certify{}, &fault{Code: host.Unknown, Words: "there is no such agent"}
	case v.Life == host.Terminated: // its key may be on another host, so this one says nothing for it
		return certify{}, &fault{Code: host.Gone, Words: "the agent was terminated, or moved to another host"}
	}
	return certify{v.DID, id, shell.OperatorOf(s.host)}, nil
}

// converse carries out the session of a caller of another machine: one call that it signed.
func (o *outside) converse(ctx context.Context, s *Door, id string, l *line.Side, proven func()) {
	defer proven()
	leave := func() {}
	defer func() { leave() }() // the session is over
	wait, err := o.receive(ctx, s, id, l, func(b host.Behalf) (err error) {
		left, err := o.guests.take(b.Delegate)
		if err == nil {
			leave = left
		}
		return err
	})
	patient := o.prove // who has signed nothing is not waited for
	var end json.RawMessage
	if err == nil {
		proven()
		patient = patience
		var a shell.Returned
		if a, err = wait(ctx); err == nil {
			end, err = json.Marshal(a)
		}
	}
	if err != nil {
		told := faultOf(err)
		if told.Code == failed { // it may name files of the host
			s.log.Warn("a call from elsewhere failed", "agent", id, "err", err)
			told.Words = "the host could not make the call; its log says why"
		}
		if end, err = json.Marshal(told); err != nil {
			s.log.Warn("the end of a call has no words", "agent", id, "err", err)
			return
		}
	}
	ctx, cancel := context.WithTimeout(ctx, patient)
	defer cancel()
	if err := l.Send(ctx, channel.Body{End: end}); err != nil {
		s.log.Debug("a caller did not hear the end of its call", "agent", id, "err", err)
	}
	if l.Settle(ctx) != nil {
		l.Leave() // so that the session ends before its place is free
	}
}

// receive makes the call that the first message of a caller orders, if there is a seat.
func (o *outside) receive(ctx context.Context, s *Door, id string, l *line.Side, seat func(host.Behalf) error) (func(context.Context) (shell.Returned, error), error) {
	begin, cancel := context.WithTimeout(ctx, o.prove)
	defer cancel()
	first, err := l.Receive(begin)
	if err != nil {
		return nil, err
	}
	run := first.Run
	if run == nil || len(run.Invocation) == 0 {
		return nil, &host.Refused{Code: host.Form, Words: "the first message of a caller is run, with the file of a signed call as invocation"}
	}
	order := attest.Commission{Target: host.Target{Agent: id, Capability: run.Capability}.String(), Payload: run.Input, Timeout: run.Timeout}
	return shell.BeginVisit(s.host, order, run.Invocation, run.Onward, talkOf(run, l), seat)
}

// talkOf is the part of a client in a call.
func talkOf(o *channel.RunOrder, l *line.Side) mind.Talk {
	talk := mind.Talk{Context: o.Context, Params: o.Params, Tools: o.Tools, Minions: o.Minions}
	talk.Attend = func(ctx context.Context, run *agent.Channel, outward func(json.RawMessage) json.RawMessage) (agent.FinalResult, error) {
		return channel.Attend(ctx, run, l, o.Chunks, outward)
	}
	return talk
}

// faultOf is an error as a client hears it.
func faultOf(err error) fault {
	var refused *host.Refused
	if errors.As(err, &refused) {
		return fault{refused.Code, refused.Words, refused.Name}
	}
	return fault{Code: failed, Words: fmt.Sprintf("%.500s", err)}
}
