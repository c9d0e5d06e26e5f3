package door

import (
	"context"
	"crypto/ed25519"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"ojud/agent/channel"
	"ojud/agent/channel/line"
	"ojud/agent/delegation"
	"ojud/agent/host"
	"ojud/agent/host/attest"
	"ojud/agent/host/shell"
	"ojud/agent/host/warden"
	"ojud/casefile"
	"ojud/casefile/canon"
)

// The limits of another host, which may be hostile.
const (
	dialTime = 10 * time.Second
	lasts    = 16 * time.Minute // a signed call, which a person has 15 minutes to approve
	maxTold  = 100_000          // messages of a call that is only waited for
	maxBytes = 256 << 20        // of these
	maxVouch = 4 << 10          // bytes of what a host says of an agent
)

// Abroad calls an agent of another host. The caller signs, under a chain that ends at its key.
type Abroad struct {
	Key   delegation.Signer
	Chain []*delegation.Delegation // empty: the caller is the operator of that host, or the agent
	To    host.Remote
	// Agent is the key that the agent must have; zero: the one that its host names.
	Agent casefile.DID
	Spend delegation.Amounts
	// Context and Params are what the agent sees besides the payload of Invoke.
	Context, Params json.RawMessage
	Roots           *x509.CertPool // authorities; nil: those of the system
	// Signed is told of the call before it is sent; nil: nobody.
	Signed func(id string, to delegation.Principal) error
	// Away is told if the host goes away in the call, then nil when it is back. Nil: nobody is.
	Away func(error)
}

// operators are the keys of which the certificate may be: that of the address, or the one at which
// the chain begins, or that of the caller itself.
func (a Abroad) operators() (keys []delegation.Principal, err error) {
	if a.To.Operator != "" {
		p, err := delegation.ParsePrincipal(a.To.Operator)
		return []delegation.Principal{p}, err
	}
	if len(a.Chain) > 0 {
		return []delegation.Principal{a.Chain[0].Subject}, nil
	}
	return []delegation.Principal{a.Key.Principal()}, nil
}

// client is an HTTP client that speaks with the host of the address alone.
func (a Abroad) client() (*http.Client, error) {
	keys, err := a.operators()
	if err != nil {
		return nil, err
	}
	name, _, err := net.SplitHostPort(a.To.Host)
	if err != nil {
		return nil, err
	}
	verify := func(s tls.ConnectionState) error {
		leaf := s.PeerCertificates[0]
		if key, ok := leaf.PublicKey.(ed25519.PublicKey); ok {
			for _, p := range keys {
				if key.Equal(ed25519.PublicKey(p[:])) {
					return nil
				}
			}
		}
		if a.To.Operator != "" {
			return fmt.Errorf("the host %s does not show the key of its operator %s", a.To.Host, a.To.Operator)
		}
		between := x509.NewCertPool()
		for _, c := range s.PeerCertificates[1:] {
			between.AddCert(c)
		}
		_, err := leaf.Verify(x509.VerifyOptions{DNSName: name, Roots: a.Roots, Intermediates: between})
		if err != nil {
			err = fmt.Errorf("the host %s shows neither the key at which the chain begins nor a certificate of an authority: %w; write the key of its operator in the address, KEY@HOST:PORT", a.To.Host, err)
		}
		return err
	}
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			DialContext: (&net.Dialer{Timeout: dialTime}).DialContext, TLSHandshakeTimeout: dialTime, ResponseHeaderTimeout: proveTime,
			MaxResponseHeaderBytes: 16 << 10, DisableKeepAlives: true,
			TLSClientConfig: &tls.Config{
				MinVersion: tls.VersionTLS13, ServerName: name,
				InsecureSkipVerify: true, //nolint:gosec // VerifyConnection checks the key, or the authority
				VerifyConnection:   verify,
			},
		},
	}, nil
}

// find asks the host over TLS for the key of the agent. The certificate vouches for the answer.
func (a Abroad) find(ctx context.Context, c *http.Client) (agent casefile.DID, err error) {
	ctx, cancel := context.WithTimeout(ctx, proveTime)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+a.To.Host+"/agents/"+a.To.Agent, http.NoBody)
	if err != nil {
		return agent, err
	}
	answer, err := c.Do(r)
	if err != nil {
		return agent, fmt.Errorf("the host %s cannot be reached: %w", a.To.Host, err)
	}
	defer answer.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(answer.Body, maxVouch))
	if err != nil {
		return agent, err
	}
	if answer.StatusCode != http.StatusOK && refusal(raw) == nil {
		return agent, fmt.Errorf("the host %s answers with status %d", a.To.Host, answer.StatusCode)
	}
	_, agent, err = a.vouched(raw)
	return agent, err
}

// refusal reads a refusal; nil: it is none.
func refusal(raw []byte) *fault {
	var said fault
	if json.Unmarshal(raw, &said) != nil || said.Words == "" {
		return nil
	}
	return &said
}

// vouched reads what a host says of the agent.
func (a Abroad) vouched(raw []byte) (said certify, agent casefile.DID, err error) {
	if why := refusal(raw); why != nil {
		return said, agent, &host.Refused{Code: why.Code, Words: fmt.Sprintf("the host %s says: %.300s", a.To.Host, why.Words)}
	}
	if err := json.Unmarshal(raw, &said); err != nil || said.ID != a.To.Agent {
		return said, agent, fmt.Errorf("the host %s does not say who %s is; is it an agent host?", a.To.Host, a.To.Agent)
	}
	if agent, err = casefile.ParseDID(said.Agent); err != nil {
		return said, agent, fmt.Errorf("the host %s names no key of %s: %w", a.To.Host, a.To.Agent, err)
	}
	if a.Agent != (casefile.DID{}) && a.Agent != agent {
		return said, agent, fmt.Errorf("%s is %s at the host %s, and %s is expected", a.To.Agent, said.Agent, a.To.Host, a.Agent)
	}
	if len(a.Chain) > 0 {
		if begins := a.Chain[0].Subject.String(); begins != said.Agent && begins != said.Operator {
			return said, agent, fmt.Errorf("the chain begins at %s; the agent is %s and its operator is %.80q, so it allows nothing there", begins, said.Agent, said.Operator)
		}
	}
	return said, agent, nil
}

// way finds the agent, and says how it is reached. Close ends what it opened.
func (a Abroad) way(ctx context.Context) (to line.Address, agent casefile.DID, closed func() error, err error) {
	if a.To.Peer != "" {
		return a.peer(ctx)
	}
	c, err := a.client()
	if err != nil {
		return to, agent, nil, err
	}
	agent, err = a.find(ctx, c)
	return line.Address{URL: "wss://" + a.To.Host + "/agents/" + a.To.Agent, HTTP: c}, agent, func() error { return nil }, err
}

// Talk begins a call in which the caller takes part. The caller then receives messages until End.
func (a Abroad) Talk(ctx context.Context, o channel.RunOrder) (*Talk, error) {
	payload, err := payloadOf(o)
	if err != nil {
		return nil, err
	}
	to, agent, closed, err := a.way(ctx)
	if err != nil {
		return nil, err
	}
	to.Away = a.Away
	t, err := a.begin(ctx, o, payload, to, agent)
	if err != nil {
		return nil, errors.Join(err, closed())
	}
	t.closed = closed
	return t, nil
}

// payloadOf is what a signed call binds.
func payloadOf(o channel.RunOrder) (json.RawMessage, error) {
	payload := o.Input
	if len(payload) == 0 {
		payload = json.RawMessage("null")
	}
	payload, err := canon.JSON(payload, shell.MaxPayload)
	if err != nil {
		return nil, &host.Refused{Code: host.Form, Words: fmt.Sprintf("the payload cannot be used: %v", err)}
	}
	return payload, nil
}

// begin signs the call and begins its session.
func (a Abroad) begin(ctx context.Context, o channel.RunOrder, payload json.RawMessage, to line.Address, agent casefile.DID) (*Talk, error) {
	v, err := warden.Sign(a.Key, a.Chain, delegation.Principal(agent), a.To.Target, payload, a.Spend, lasts)
	if err != nil {
		return nil, &host.Refused{Code: host.Form, Words: err.Error()}
	}
	self, err := warden.Read(v.Call)
	if err == nil && a.Signed != nil {
		err = a.Signed(self.Call, delegation.Principal(agent))
	}
	if err != nil {
		return nil, err
	}
	o.Capability, o.Input, o.Invocation, o.Onward = a.To.Capability, payload, v.Call, v.Onward
	t := &Talk{
		ctx: ctx, to: to, first: channel.Body{Run: &o}, name: line.NewName(), key: agent, strict: true,
		order: attest.Commission{Caller: a.Key.Principal().String(), Target: a.To.Target.String(), Payload: payload, Correlation: self.Call, Timeout: o.Timeout},
	}
	if err := t.open(); err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// Invoke makes a call and waits for its end.
func (a Abroad) Invoke(ctx context.Context, timeout int64, payload json.RawMessage) (r shell.Returned, attested bool, err error) {
	t, err := a.Talk(ctx, channel.RunOrder{Input: payload, Timeout: timeout, Context: a.Context, Params: a.Params})
	if err != nil {
		return r, false, err
	}
	defer t.Close()
	return t.Wait(ctx)
}
