package p2p_test

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	pubsub "github.com/libp2p/go-libp2p-pubsub"
	pb "github.com/libp2p/go-libp2p-pubsub/pb"
	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/protocol"

	"ojud/p2p"
	"ojud/p2p/p2ptest"
)

// topicName is the topic of the tests, and meshName the protocol below it.
func topicName() string     { return p2p.TopicName("test", "rounds") }
func meshName() protocol.ID { return p2p.ProtocolID("test", "meshsub") }

// bare speaks gossipsub's wire format by hand: it can send anything that a peer could send.
type bare struct {
	host.Host
	n        int
	ihave    atomic.Int64 // messages it was told of
	messages atomic.Int64 // messages it was sent

	mu sync.Mutex
	s  network.Stream
}

func newBare(h host.Host) *bare {
	b := &bare{Host: h}
	h.SetStreamHandler(meshName(), b.read)
	return b
}

// read takes the other side's messages.
func (b *bare) read(s network.Stream) {
	r := bufio.NewReader(s)
	for {
		n, err := binary.ReadUvarint(r)
		if err != nil {
			return
		}
		raw := make([]byte, n)
		if _, err := io.ReadFull(r, raw); err != nil {
			return
		}
		var rpc pb.RPC
		if rpc.Unmarshal(raw) != nil {
			return
		}
		b.messages.Add(int64(len(rpc.Publish)))
		for _, h := range rpc.GetControl().GetIhave() {
			b.ihave.Add(int64(len(h.MessageIDs)))
		}
	}
}

// open begins to speak, and subscribes.
func (b *bare) open(t *testing.T, to peer.ID) {
	t.Helper()
	s, err := b.NewStream(t.Context(), to, meshName())
	if err != nil {
		t.Fatal(err)
	}
	b.s = s
	yes, name := true, topicName()
	b.say(t, &pb.RPC{Subscriptions: []*pb.RPC_SubOpts{{Subscribe: &yes, Topicid: &name}}})
}

// say sends one RPC.
func (b *bare) say(t *testing.T, rpc *pb.RPC) {
	t.Helper()
	raw, err := rpc.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	if err := b.write(append(binary.AppendUvarint(nil, uint64(len(raw))), raw...)); err != nil {
		t.Logf("not sent: %v", err) // the host disconnected it
	}
}

func (b *bare) write(raw []byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.s.SetWriteDeadline(time.Now().Add(5 * time.Second)); err != nil {
		return err
	}
	_, err := b.s.Write(raw)
	return err
}

// graft asks n times to be in the mesh.
func (b *bare) graft(t *testing.T, n int) {
	t.Helper()
	name := topicName()
	for range n {
		b.say(t, &pb.RPC{Control: &pb.ControlMessage{Graft: []*pb.ControlGraft{{TopicID: &name}}}})
		time.Sleep(10 * time.Millisecond)
	}
}

// publish sends n different messages that begin with word, with a good signature.
func (b *bare) publish(t *testing.T, n int, word string) {
	t.Helper()
	for range n {
		b.n++
		b.say(t, &pb.RPC{Publish: []*pb.Message{b.message(t, fmt.Sprint(word, " ", b.n))}})
		time.Sleep(100 * time.Millisecond)
	}
}

func (b *bare) message(t *testing.T, text string) *pb.Message {
	t.Helper()
	name := topicName()
	m := &pb.Message{From: []byte(b.ID()), Data: []byte(text), Topic: &name, Seqno: binary.BigEndian.AppendUint64(nil, uint64(b.n))}
	b.sign(t, m)
	return m
}

func (b *bare) sign(t *testing.T, m *pb.Message) {
	t.Helper()
	m.Signature = nil
	raw, err := m.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	if m.Signature, err = b.Peerstore().PrivKey(b.ID()).Sign(append([]byte(pubsub.SignPrefix), raw...)); err != nil {
		t.Fatal(err)
	}
}

// scored is a bare host with gossipsub and a scoring, whose scores can be read.
type scored struct {
	host.Host
	topic *pubsub.Topic
	heard atomic.Int64 // messages of others that were accepted

	mu     sync.Mutex
	scores map[peer.ID]float64
}

func newScored(t *testing.T, net *p2ptest.Net, s *p2p.Scoring) *scored {
	t.Helper()
	v := &scored{Host: attacker(t, net, "/ip4/203.0.113.1/udp/1/quic-v1"), scores: map[peer.ID]float64{}}
	mesh := func(f pubsub.GossipSubFeature, _ protocol.ID) bool { return f == pubsub.GossipSubFeatureMesh }
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	ps, err := pubsub.NewGossipSub(ctx, v.Host, pubsub.WithGossipSubProtocols([]protocol.ID{meshName()}, mesh), pubsub.WithFloodPublish(true),
		pubsub.WithPeerScore(s.Params, s.Limits), pubsub.WithPeerScoreInspect(v.inspect, 100*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	if err := ps.RegisterTopicValidator(topicName(), func(_ context.Context, from peer.ID, m *pubsub.Message) pubsub.ValidationResult {
		if m.Data[0] == 'r' {
			return pubsub.ValidationReject
		}
		if from != v.ID() {
			v.heard.Add(1)
		}
		return pubsub.ValidationAccept
	}, pubsub.WithValidatorInline(true)); err != nil {
		t.Fatal(err)
	}
	if v.topic, err = ps.Join(topicName()); err != nil {
		t.Fatal(err)
	}
	if err := v.topic.SetScoreParams(s.Topic); err != nil {
		t.Fatal(err)
	}
	if _, err := v.topic.Subscribe(); err != nil {
		t.Fatal(err)
	}
	return v
}

func (v *scored) inspect(scores map[peer.ID]float64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.scores = scores
}

func (v *scored) score(p peer.ID) float64 {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.scores[p]
}

func (v *scored) publish(t *testing.T, text string) {
	t.Helper()
	if err := v.topic.Publish(t.Context(), []byte(text)); err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Second)
}
