package link

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/coder/websocket"

	"ojud/agent/delegation"
	"ojud/agent/talk/cbor"
	"ojud/datasource/anex"
)

const (
	// subprotocol says that both ends of a websocket speak ANEX.
	subprotocol = "anex.v1"
	// subprotocolCBOR says that both also read frames in CBOR.
	subprotocolCBOR = "anex.v1.cbor"
	// subprotocolMeeting is that of meetings.
	subprotocolMeeting = "anex.meeting.v1"
	openTime           = 15 * time.Second // for the tokens
	pingEvery          = 20 * time.Second
)

// Socket is a websocket whose peer is proven, or speaks plain text.
type Socket struct {
	Peer    string // did:key, or empty
	Plain   bool   // the peer does not speak ANEX, and is not proven
	Address string
	CBOR    bool // both sides announced CBOR
	conn    *websocket.Conn
}

// Frames returns what carries the conversation: CBOR, if both sides announced it.
func (s *Socket) Frames() Frames {
	if s.CBOR {
		return Packed{s}
	}
	return s
}

// Read implements Frames.
func (s *Socket) Read(ctx context.Context) ([]byte, error) {
	kind, raw, err := s.conn.Read(ctx)
	if err == nil && (kind != websocket.MessageText && !s.CBOR || (kind == websocket.MessageBinary) != cbor.Is(raw)) {
		err = errors.New("a frame that is neither text nor, where both announced it, CBOR")
	}
	return raw, err
}

// Write implements Frames.
func (s *Socket) Write(ctx context.Context, frame []byte) error {
	kind := websocket.MessageText
	if cbor.Is(frame) {
		kind = websocket.MessageBinary
	}
	return s.conn.Write(ctx, kind, frame)
}

// Close says goodbye and closes.
func (s *Socket) Close() error { return s.conn.Close(websocket.StatusNormalClosure, "") }

// End is one end of websockets.
type End struct {
	Key   delegation.Signer
	Certs []tls.Certificate // shown to the peer; a server needs one (Certificate)
	Roots *x509.CertPool    // authorities of servers, nil for those of the system; and of clients, if Mutual
	// Mutual makes a server demand a certificate of Roots from its clients.
	Mutual bool
	// Plain allows peers that do not speak ANEX.
	Plain bool
	// CBOR announces to peers that frames in CBOR are read here.
	CBOR bool
	// Meeting takes and opens meetings instead of conversations.
	Meeting bool
	Log     *slog.Logger
	Crowd   Crowd // the conversations that a server has
}

// Certificate makes a certificate of an agent's own key. A client that knows the agent needs no
// authority for it.
func Certificate(key delegation.Signer, now time.Time) (c tls.Certificate, err error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return c, err
	}
	signer := stdSigner{key}
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: "ANEX agent"}, DNSNames: []string{"anex.invalid"},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(365 * 24 * time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, signer.Public(), signer)
	if err != nil {
		return c, err
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: signer}, nil
}

// subprotocols are those that this end speaks, the preferred one first.
func (e *End) subprotocols() []string {
	if e.Meeting {
		return []string{subprotocolMeeting}
	}
	if e.CBOR {
		return []string{subprotocolCBOR, subprotocol}
	}
	return []string{subprotocol}
}

// Dial opens a websocket at an address such as wss://host:4800/, to an agent that is named, or to
// whoever proves to be somebody if peer is nil. ws:// is for this machine alone.
func (e *End) Dial(ctx context.Context, address string, peer *delegation.Principal) (*Socket, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("%.100q is no address; write one such as wss://example.org:4800/", address)
	}
	ip := net.ParseIP(u.Hostname())
	if u.Scheme != "wss" && (u.Scheme != "ws" || u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback())) {
		return nil, fmt.Errorf("%.100q is not secure; write wss://, or ws:// for this machine", address)
	}
	var seen []byte // the server's certificate
	transport := &http.Transport{TLSClientConfig: &tls.Config{
		MinVersion: tls.VersionTLS13, Certificates: e.Certs, ServerName: u.Hostname(),
		InsecureSkipVerify: true, //nolint:gosec // VerifyConnection checks more
		VerifyConnection: func(s tls.ConnectionState) error {
			seen = s.PeerCertificates[0].Raw
			return e.verify(s, peer)
		},
	}}
	defer transport.CloseIdleConnections()
	opened, stop := context.WithTimeout(ctx, openTime)
	defer stop()
	conn, answer, err := websocket.Dial(opened, address, &websocket.DialOptions{
		HTTPClient: &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}, Subprotocols: e.subprotocols(),
	})
	if answer != nil && answer.Body != nil {
		_ = answer.Body.Close()
	}
	if dial := (*net.OpError)(nil); errors.As(err, &dial) && dial.Op == "dial" && ctx.Err() == nil {
		return nil, fmt.Errorf("%s cannot be reached (%w); is the address right, and the program of the other side running?", address, dial.Err)
	}
	if err != nil {
		return nil, err
	}
	conn.SetReadLimit(anex.MaxInform)
	s := &Socket{conn: conn, Address: address, CBOR: conn.Subprotocol() == subprotocolCBOR}
	if !slices.Contains(e.subprotocols(), conn.Subprotocol()) {
		// Somebody who is named has to prove it, and plain text proves nothing.
		if !e.Plain || peer != nil {
			return nil, errors.Join(errors.New("the server does not speak ANEX"), conn.CloseNow())
		}
		s.Plain = true
		return s, nil
	}
	if err := e.introduce(opened, s, peer, seen); err != nil {
		return nil, errors.Join(err, conn.CloseNow())
	}
	return s, nil
}

// verify takes a server that has the key of the agent, or a certificate of an authority.
func (e *End) verify(s tls.ConnectionState, peer *delegation.Principal) error {
	leaf := s.PeerCertificates[0]
	if key, ok := leaf.PublicKey.(ed25519.PublicKey); ok && peer != nil && key.Equal(ed25519.PublicKey(peer[:])) {
		return nil
	}
	between := x509.NewCertPool()
	for _, c := range s.PeerCertificates[1:] {
		between.AddCert(c)
	}
	_, err := leaf.Verify(x509.VerifyOptions{DNSName: s.ServerName, Roots: e.Roots, Intermediates: between})
	if err != nil {
		err = fmt.Errorf("%w; if the agent has no certificate of an authority, name its did:key", err)
	}
	return err
}

// introduce is the client's part of the tokens.
func (e *End) introduce(ctx context.Context, s *Socket, peer *delegation.Principal, seen []byte) error {
	hello, err := s.opening(ctx, "hello")
	if err != nil {
		return err
	}
	if peer != nil && hello.Agent != peer.String() {
		return fmt.Errorf("the server is %.80q, not %s", hello.Agent, peer)
	}
	certificate := ""
	if seen != nil {
		certificate = fingerprint(seen)
	}
	token, err := issue(e.Key, hello.Agent, hello.Challenge, certificate, time.Now())
	if err != nil {
		return err
	}
	challenge := rand.Text()
	if err := s.open(ctx, opening{ANEX: "token", Agent: e.Key.Principal().String(), Token: token, Challenge: challenge}); err != nil {
		return err
	}
	back, err := s.opening(ctx, "token")
	if err != nil {
		return err
	}
	who, _, err := readToken(back.Token, e.Key.Principal(), challenge, time.Now())
	if err == nil && who.String() != hello.Agent {
		err = errors.New("it is of another agent")
	}
	if err != nil {
		return fmt.Errorf("the token of the server: %w", err)
	}
	s.Peer = who.String()
	return nil
}

func fingerprint(der []byte) string {
	sum := sha256.Sum256(der)
	return hex.EncodeToString(sum[:])
}

func (s *Socket) opening(ctx context.Context, kind string) (opening, error) {
	raw, err := s.Read(ctx)
	if err != nil {
		return opening{}, err
	}
	return readOpening(raw, kind)
}

func (s *Socket) open(ctx context.Context, o opening) error {
	raw, err := json.Marshal(o)
	if err != nil {
		return err
	}
	return s.Write(ctx, raw)
}

// Serve takes websockets from a listener until ctx ends, and runs talk for each. It returns when
// all have returned, which end with their context. The listener is wrapped in TLS if the end has a
// certificate. Without one it must be of this machine.
func (e *End) Serve(ctx context.Context, l net.Listener, talk func(context.Context, *Socket)) error {
	at, ok := l.Addr().(*net.TCPAddr)
	if len(e.Certs) == 0 && (!ok || !at.IP.IsLoopback()) {
		return errors.New("without a certificate a server is for this machine alone")
	}
	own := ""
	if len(e.Certs) > 0 {
		cfg := &tls.Config{MinVersion: tls.VersionTLS13, Certificates: e.Certs}
		if e.Mutual {
			cfg.ClientAuth, cfg.ClientCAs = tls.RequireAndVerifyClientCert, e.Roots
		}
		l, own = tls.NewListener(l, cfg), fingerprint(e.Certs[0].Certificate[0])
	}
	e.Crowd.init()
	room := make(chan struct{}, maxTalks+maxWaiting)
	server := &http.Server{
		ReadHeaderTimeout: openTime, MaxHeaderBytes: 16 << 10, BaseContext: func(net.Listener) context.Context { return ctx },
		ErrorLog: slog.NewLogLogger(e.Log.Handler(), slog.LevelDebug),
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			select {
			case room <- struct{}{}:
				defer func() { <-room }()
				if proven, ok := e.Crowd.waiting.enter(Place(r.RemoteAddr), time.Now()); ok {
					defer proven()
					e.accept(w, r, own, proven, talk)
					return
				}
			default:
			}
			http.Error(w, "too many connections; try again later", http.StatusServiceUnavailable)
		}),
	}
	server.SetKeepAlivesEnabled(false) // a connection without a websocket ends with its request
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	for range cap(room) { // until all conversations are over
		room <- struct{}{}
	}
	return nil
}

// accept takes one websocket, and calls proven when its peer is proven or is known to be plain.
// Pages of other origins may speak, because a token proves the peer.
func (e *End) accept(w http.ResponseWriter, r *http.Request, own string, proven func(), talk func(context.Context, *Socket)) {
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: e.subprotocols(), InsecureSkipVerify: true})
	if err != nil {
		e.Log.Info("a websocket was refused", "from", r.RemoteAddr, "err", err)
		return
	}
	defer func() { _ = conn.CloseNow() }()
	conn.SetReadLimit(anex.MaxInform)
	s := &Socket{conn: conn, Address: r.RemoteAddr, CBOR: conn.Subprotocol() == subprotocolCBOR}
	ctx, stop := context.WithCancel(r.Context())
	defer stop()
	var leave func()
	if conn.Subprotocol() != "" {
		leave, err = e.admit(ctx, s, own)
	} else if s.Plain = true; !e.Plain {
		err = errors.New("the subprotocol " + subprotocol + " is needed")
	} else {
		leave, err = e.Crowd.Enter("plain text from "+Place(s.Address), s.Address, time.Now())
	}
	if err != nil {
		e.Log.Info("a peer was refused", "from", r.RemoteAddr, "err", err)
		_ = conn.Close(websocket.StatusPolicyViolation, "refused")
		return
	}
	defer leave()
	proven()
	go s.alive(ctx, stop)
	talk(ctx, s)
	_ = s.Close()
}

// alive ends a connection that is gone.
func (s *Socket) alive(ctx context.Context, stop func()) {
	tick := time.NewTicker(pingEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		within, over := context.WithTimeout(ctx, pingEvery)
		err := s.conn.Ping(within)
		over()
		if err != nil {
			stop()
			return
		}
	}
}

// admit is the server's part of the tokens. The caller calls leave when the conversation is over.
func (e *End) admit(ctx context.Context, s *Socket, own string) (leave func(), err error) {
	ctx, stop := context.WithTimeout(ctx, openTime)
	defer stop()
	self := e.Key.Principal()
	challenge := rand.Text()
	if err := s.open(ctx, opening{ANEX: "hello", Agent: self.String(), Challenge: challenge}); err != nil {
		return nil, err
	}
	shown, err := s.opening(ctx, "token")
	if err != nil {
		return nil, err
	}
	who, c, err := readToken(shown.Token, self, challenge, time.Now())
	if err == nil && c.Certificate != "" && c.Certificate != own {
		err = errors.New("the peer saw another certificate: somebody is between")
	}
	if err == nil && who == self {
		err = errors.New("it is the own key")
	}
	if err != nil {
		return nil, errors.Join(err, s.open(ctx, opening{ANEX: "error", Error: badToken}))
	}
	s.Peer = who.String()
	if leave, err = e.Crowd.Enter(s.Peer, s.Address, time.Now()); err != nil {
		return nil, errors.Join(err, s.open(ctx, opening{ANEX: "error", Error: err.Error()}))
	}
	token, err := issue(e.Key, s.Peer, shown.Challenge, "", time.Now())
	if err == nil {
		err = s.open(ctx, opening{ANEX: "token", Token: token})
	}
	if err != nil {
		leave()
		return nil, err
	}
	return leave, nil
}
