// Package direct connects two agents over libp2p without a court: one protocol, no discovery, no
// gossip. Noise proves both keys, so it needs no certificates and no tokens.
package direct

import (
	"bufio"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/libp2p/go-libp2p"
	"github.com/libp2p/go-libp2p/core/crypto"
	"github.com/libp2p/go-libp2p/core/crypto/pb"
	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/protocol"
	"github.com/libp2p/go-libp2p/p2p/security/noise"
	"github.com/libp2p/go-libp2p/p2p/transport/tcp"
	ma "github.com/multiformats/go-multiaddr"

	"ojud/p2p/identity"
	"ojud/p2p/wire"
)

// Protocol is what two peers speak.
type Protocol struct {
	Name    string // such as /anex/talk/1
	Most    int    // bytes of a frame
	Streams int    // how many are taken at once
}

// Conversations is the protocol of agents that talk, in frames of at most most bytes.
func Conversations(most int) Protocol { return Protocol{"/anex/talk/1", most, 256} }

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
	raw  network.Stream
	in   *bufio.Reader
	most int
	host host.Host // of a stream that was dialed
}

func newStream(raw network.Stream, most int, h host.Host) (*Talk, error) {
	did, err := identity.DID(raw.Conn().RemotePeer())
	if err != nil {
		return nil, err
	}
	return &Talk{Peer: did, raw: raw, in: bufio.NewReader(raw), most: most, host: h}, nil
}

// Read returns the next frame. After ctx ended, nothing more can be read.
func (s *Talk) Read(ctx context.Context) ([]byte, error) {
	// Not a reset, which would take written frames from the peer.
	stop := context.AfterFunc(ctx, func() { _ = s.raw.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	_, raw, err := wire.ReadFrame(s.in, s.most)
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
	if s.host != nil {
		err = errors.Join(err, s.host.Close())
	}
	return err
}

func open(key Key, listen ...string) (host.Host, error) {
	options := []libp2p.Option{
		libp2p.Identity(libp2pKey{key}), libp2p.Transport(tcp.NewTCPTransport), libp2p.Security(noise.ID, noise.New),
		libp2p.DisableRelay(), libp2p.DisableMetrics(), libp2p.DisableIdentifyAddressDiscovery(), libp2p.NoListenAddrs,
	}
	if len(listen) > 0 {
		options[len(options)-1] = libp2p.ListenAddrStrings(listen...)
	}
	return libp2p.New(options...)
}

// Listen takes streams at an address such as /ip4/127.0.0.1/tcp/4001 until ctx ends, and runs talk
// for each. It returns the addresses that a peer dials, and wait, which waits for the end.
func Listen(ctx context.Context, key Key, p Protocol, address string, talk func(context.Context, *Talk)) (at []string, wait func() error, err error) {
	h, err := open(key, address)
	if err != nil {
		return nil, nil, err
	}
	room := make(chan struct{}, p.Streams)
	h.SetStreamHandler(protocol.ID(p.Name), func(raw network.Stream) {
		select {
		case room <- struct{}{}:
			defer func() { <-room }()
		default:
			_ = raw.Reset()
			return
		}
		s, err := newStream(raw, p.Most, nil)
		if err != nil {
			_ = raw.Reset()
			return
		}
		talk(ctx, s)
		_ = s.Close()
	})
	for _, a := range h.Addrs() {
		at = append(at, fmt.Sprintf("%s/p2p/%s", a, h.ID()))
	}
	return at, func() error {
		<-ctx.Done()
		err := h.Close()
		for range cap(room) { // until all conversations are over
			room <- struct{}{}
		}
		return err
	}, nil
}

// Dial opens a stream to the agent at an address such as /ip4/10.0.0.1/tcp/4001/p2p/12D3….
func Dial(ctx context.Context, key Key, p Protocol, address string) (*Talk, error) {
	a, err := ma.NewMultiaddr(address)
	if err != nil {
		return nil, fmt.Errorf("%.120q is no address of libp2p: %w", address, err)
	}
	to, err := peer.AddrInfoFromP2pAddr(a)
	if err != nil {
		return nil, fmt.Errorf("%.120q needs the peer at its end, /p2p/12D3…: %w", address, err)
	}
	h, err := open(key)
	if err != nil {
		return nil, err
	}
	err = h.Connect(ctx, *to)
	var raw network.Stream
	if err == nil {
		raw, err = h.NewStream(ctx, to.ID, protocol.ID(p.Name))
	}
	if err != nil {
		return nil, errors.Join(err, h.Close())
	}
	s, err := newStream(raw, p.Most, h)
	if err != nil {
		return nil, errors.Join(err, h.Close())
	}
	return s, nil
}
