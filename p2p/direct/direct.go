// Package direct connects two agents over libp2p without a court: one protocol, no discovery, no
// gossip. Noise proves both keys, so it needs no certificates and no tokens.
package direct

import (
	"bufio"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"net"
	"time"

	"github.com/libp2p/go-libp2p/core/crypto"
	"github.com/libp2p/go-libp2p/core/crypto/pb"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/protocol"
	manet "github.com/multiformats/go-multiaddr/net"

	"ojud/p2p/identity"
	"ojud/p2p/wire"
)

// Protocol is what two peers speak.
type Protocol struct {
	Name    string // such as /anex/talk/1
	Better  string // spoken if both peers know it, in frames of its own form; may be empty
	Most    int    // bytes of a frame
	Streams int    // how many are taken at once
	Each    int    // how many one peer has at once, with those of libp2p itself
}

// names are those of the protocol, the better one first.
func (p Protocol) names() []protocol.ID {
	if p.Better == "" {
		return []protocol.ID{protocol.ID(p.Name)}
	}
	return []protocol.ID{protocol.ID(p.Better), protocol.ID(p.Name)}
}

// Conversations is the protocol of agents that talk, in frames of at most most bytes.
// Better is the same in CBOR.
func Conversations(most int) Protocol {
	return Protocol{Name: "/anex/talk/1", Better: "/anex/talk/1/cbor", Most: most, Streams: 256, Each: 16}
}

// Calls is the protocol of agent hosts, in frames of at most most bytes.
func Calls(most int) Protocol {
	return Protocol{Name: "/ojud/agents/1", Most: most, Streams: 500, Each: 8}
}

// Key signs for an agent. The key itself stays where it is.
type Key struct {
	Public ed25519.PublicKey
	Sign   func(message []byte) [ed25519.SignatureSize]byte
}

// libp2pKey is a Key as libp2p wants it.
type libp2pKey struct{ Key }

// Raw returns random bytes, because the key does not leave its owner. libp2p makes a secret of QUIC
// from them, which is not used.
func (libp2pKey) Raw() ([]byte, error) {
	out := make([]byte, ed25519.PrivateKeySize)
	rand.Read(out)
	return out, nil
}

func (libp2pKey) Type() pb.KeyType { return pb.KeyType_Ed25519 }
func (k libp2pKey) GetPublic() crypto.PubKey {
	public, err := crypto.UnmarshalEd25519PublicKey(k.Public)
	if err != nil {
		return nil
	}
	return public
}

func (k libp2pKey) Sign(message []byte) ([]byte, error) {
	raw := k.Key.Sign(message)
	return raw[:], nil
}

func (k libp2pKey) Equals(other crypto.Key) bool {
	o, ok := other.(libp2pKey)
	return ok && o.Public.Equal(k.Public)
}

// Talk carries frames of a peer whose key is proven.
type Talk struct {
	Peer string // did:key
	From string // IP address and port of the peer, or of the relay between; the port may be 0
	Name string // of the protocol that both speak
	raw  network.Stream
	in   *bufio.Reader
	most int
	node *Station // of Dial; it ends with the stream
}

func newTalk(raw network.Stream, most int) (*Talk, error) {
	did, err := identity.DID(raw.Conn().RemotePeer())
	if err != nil {
		return nil, err
	}
	t := &Talk{Peer: did, Name: string(raw.Protocol()), raw: raw, in: bufio.NewReader(raw), most: most}
	if ip, err := manet.ToIP(raw.Conn().RemoteMultiaddr()); err == nil {
		t.From = net.JoinHostPort(ip.String(), "0")
	}
	return t, nil
}

// Read returns the next frame. After ctx ended, nothing more can be read. What is no frame, or a
// larger one, ends the stream at once, so that its sender does not wait for it to be read.
func (s *Talk) Read(ctx context.Context) ([]byte, error) {
	// Not a reset, which would take written frames from the peer.
	stop := context.AfterFunc(ctx, func() { _ = s.raw.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	_, raw, err := wire.ReadFrame(s.in, s.most)
	if wire.Malformed(err) {
		_ = s.raw.Reset()
	}
	return raw, err
}

// Write sends a frame. After ctx ended, nothing more can be written.
func (s *Talk) Write(ctx context.Context, frame []byte) error {
	stop := context.AfterFunc(ctx, func() { _ = s.raw.SetWriteDeadline(time.Unix(1, 0)) })
	defer stop()
	_, err := s.raw.Write(wire.AppendFrame(nil, wire.OK, frame))
	return err
}

// Close ends the stream; frames that were written arrive.
func (s *Talk) Close() error {
	err := s.raw.Close()
	if s.node != nil {
		err = errors.Join(err, s.node.Close())
	}
	return err
}

// Listen takes streams at an address such as /ip4/127.0.0.1/tcp/4001 until ctx ends, and runs talk
// for each. It returns the addresses that a peer dials, and wait, which waits for the end.
func Listen(ctx context.Context, key Key, p Protocol, address string, talk func(context.Context, *Talk)) (at []string, wait func() error, err error) {
	n, err := New(key, p, Where{Listen: []string{address}})
	if err != nil {
		return nil, nil, err
	}
	n.serve(ctx, talk)
	return n.Addresses(), func() error { return n.wait(ctx) }, nil
}

// Dial opens a stream to the agent at an address such as /ip4/10.0.0.1/tcp/4001/p2p/12D3….
func Dial(ctx context.Context, key Key, p Protocol, address string) (*Talk, error) {
	n, err := New(key, p, Where{})
	if err != nil {
		return nil, err
	}
	s, err := n.Dial(ctx, address)
	if err != nil {
		return nil, errors.Join(err, n.Close())
	}
	s.node = n
	return s, nil
}
