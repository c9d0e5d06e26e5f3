package door

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"

	"ojud/agent/channel"
	"ojud/agent/channel/line"
	"ojud/agent/host"
	"ojud/casefile"
	"ojud/p2p/direct"
)

// Protocol is what agent hosts speak over libp2p: the frames of channels, after one line that names
// the agent.
func Protocol() direct.Protocol { return direct.Calls(channel.MaxFrame) }

// stream is a stream of libp2p as a connection. Close ends it; to watch a context in each Read and
// Write costs as much as the frame.
type stream struct{ *direct.Talk }

func (s stream) Read(ctx context.Context) ([]byte, error) {
	return s.Talk.Read(context.WithoutCancel(ctx))
}

func (s stream) Write(ctx context.Context, raw []byte) error {
	return s.Talk.Write(context.WithoutCancel(ctx), raw)
}

// wanted is the first thing that a caller says on a stream.
type wanted struct {
	Agent string `json:"agent"` // its id
}

// hear serves a caller over libp2p.
func (o *outside) hear(ctx context.Context, s *Door, k *direct.Talk) {
	v, ok := o.enter(k.From)
	if !ok {
		s.tell(ctx, k, fault{Code: host.Busy, Words: "the host has too many connections; try again later"})
		return
	}
	defer v.leave()
	within, stop := context.WithTimeout(ctx, headTime)
	raw, err := k.Read(within)
	stop()
	if err != nil {
		return
	}
	var w wanted
	if len(raw) > maxVouch || json.Unmarshal(raw, &w) != nil || host.ValidID(w.Agent) != nil {
		s.tell(ctx, k, fault{Code: host.Form, Words: `write {"agent": ID} with the id of an agent first`})
		return
	}
	said, why := vouch(s, w.Agent)
	if why != nil {
		s.tell(ctx, k, *why)
		return
	}
	if !s.tell(ctx, k, said) {
		return
	}
	err = o.hall.Take(stream{k}, w.Agent, func(ctx context.Context, _ string, l *line.Side) { o.converse(ctx, s, w.Agent, l, v.proven) }, func(fresh bool) {
		v.known(fresh)
		v.keep = o.node.Keep(k)
	})
	s.log.Debug("a stream from elsewhere ended", "agent", w.Agent, "from", k.From, "err", err)
}

// tell answers on a stream, and reports whether it could.
func (s *Door) tell(ctx context.Context, k *direct.Talk, v any) bool {
	raw, err := json.Marshal(v)
	if err == nil {
		within, stop := context.WithTimeout(ctx, headTime)
		defer stop()
		err = k.Write(within, raw)
	}
	if err != nil {
		s.log.Debug("an answer was not written", "err", err)
	}
	return err == nil
}

// peer finds the agent over libp2p. The host proves its key, which is that of its operator.
func (a Abroad) peer(ctx context.Context) (to line.Address, agent casefile.DID, closed func() error, err error) {
	address, err := a.To.Multiaddr()
	if err != nil {
		return to, agent, nil, err
	}
	_, private, err := ed25519.GenerateKey(rand.Reader) // who calls is proven by the signed call
	if err != nil {
		return to, agent, nil, err
	}
	public, ok := private.Public().(ed25519.PublicKey)
	if !ok {
		return to, agent, nil, errors.New("an Ed25519 key has no public key")
	}
	node, err := direct.New(direct.Key{Public: public, Sign: func(m []byte) [ed25519.SignatureSize]byte {
		return [ed25519.SignatureSize]byte(ed25519.Sign(private, m))
	}}, Protocol(), direct.Where{})
	if err != nil {
		return to, agent, nil, err
	}
	k, agent, err := a.ask(ctx, node, address)
	if err != nil {
		return to, agent, nil, errors.Join(err, node.Close())
	}
	first := make(chan *direct.Talk, 1) // the session begins on the stream on which the host answered
	first <- k
	to.Open = func(ctx context.Context) (line.Conn, error) {
		select {
		case k := <-first:
			return stream{k}, nil
		default:
		}
		k, now, err := a.ask(ctx, node, address)
		var refused *host.Refused
		switch {
		case errors.As(err, &refused) && refused.Code != host.Busy:
			return nil, fmt.Errorf("%w: %w", line.ErrRefused, err)
		case err != nil:
			return nil, err
		case now != agent:
			return nil, errors.Join(fmt.Errorf("%w: the agent %s has another key now", line.ErrRefused, a.To.Agent), k.Close())
		}
		return stream{k}, nil
	}
	return to, agent, node.Close, nil
}

// ask opens a stream and asks for the key of the agent.
func (a Abroad) ask(ctx context.Context, node *direct.Station, address string) (k *direct.Talk, agent casefile.DID, err error) {
	ctx, cancel := context.WithTimeout(ctx, proveTime)
	defer cancel()
	k, err = node.Dial(ctx, address)
	if err != nil {
		return nil, agent, fmt.Errorf("the host %s cannot be reached: %w", a.To.Host, err)
	}
	raw, err := json.Marshal(wanted{a.To.Agent})
	if err == nil {
		err = k.Write(ctx, raw)
	}
	if err == nil {
		raw, err = k.Read(ctx)
	}
	if err == nil && len(raw) > maxVouch {
		err = fmt.Errorf("the host %s says more than %d bytes of an agent", a.To.Host, maxVouch)
	}
	var said certify
	if err == nil {
		said, agent, err = a.vouched(raw)
	}
	if err == nil && said.Operator != k.Peer {
		err = fmt.Errorf("the host %s has the key %s, and names %.80q as its operator", a.To.Host, k.Peer, said.Operator)
	}
	if err != nil {
		return nil, agent, errors.Join(err, k.Close())
	}
	return k, agent, nil
}
