package p2p_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/p2p"
	"ojud/p2p/p2ptest"
)

// changes returns the changes that TestScoreSettings makes to the scores' settings. If a used
// setting is not here, the test fails.
func changes() map[string]func(*p2p.Scoring) {
	return map[string]func(*p2p.Scoring){
		"Params.AppSpecificScore":              func(s *p2p.Scoring) { s.Params.AppSpecificScore = func(peer.ID) float64 { return 0 } },
		"Params.AppSpecificWeight":             func(s *p2p.Scoring) { s.Params.AppSpecificWeight = 2 },
		"Params.IPColocationFactorWeight":      func(s *p2p.Scoring) { s.Params.IPColocationFactorWeight, s.Params.IPColocationFactorThreshold = -7, 1 },
		"Params.BehaviourPenaltyWeight":        func(s *p2p.Scoring) { s.Params.BehaviourPenaltyWeight = -1 },
		"Params.BehaviourPenaltyThreshold":     func(s *p2p.Scoring) { s.Params.BehaviourPenaltyThreshold = 1 },
		"Params.BehaviourPenaltyDecay":         func(s *p2p.Scoring) { s.Params.BehaviourPenaltyDecay = 0.5 },
		"Params.DecayInterval":                 func(s *p2p.Scoring) { s.Params.DecayInterval = 10 * time.Minute },
		"Params.DecayToZero":                   func(s *p2p.Scoring) { s.Params.DecayToZero = 0.9 },
		"Params.RetainScore":                   func(s *p2p.Scoring) { s.Params.RetainScore = time.Minute },
		"Topic.TopicWeight":                    func(s *p2p.Scoring) { s.Topic.TopicWeight = 2 },
		"Topic.InvalidMessageDeliveriesWeight": func(s *p2p.Scoring) { s.Topic.InvalidMessageDeliveriesWeight = -10 },
		"Topic.InvalidMessageDeliveriesDecay":  func(s *p2p.Scoring) { s.Topic.InvalidMessageDeliveriesDecay = 0.5 },
		"Limits.GraylistThreshold":             func(s *p2p.Scoring) { s.Limits.GraylistThreshold = -1e9 },
		"Limits.PublishThreshold":              func(s *p2p.Scoring) { s.Limits.PublishThreshold, s.Limits.GraylistThreshold = -1e9, -1e9 },
		"Limits.GossipThreshold":               func(s *p2p.Scoring) { s.Limits.GossipThreshold = -1 },
	}
}

// noEffect returns fields that are set and by themselves change nothing.
func noEffect() []string {
	return []string{
		"Params.SkipAtomicValidation", "Topic.SkipAtomicValidation", // the library then accepts parameters that are zero
		"Params.Topics",           // empty: filled in when a topic is joined
		"Topic.TimeInMeshQuantum", // divided by, weight 0
	}
}

// TestScoreSettingsNamed: every parameter given to gossipsub is in the table of changes.
func TestScoreSettingsNamed(t *testing.T) {
	s := p2p.NewScoring(p2p.DefaultConfig().Scores)
	table := changes()
	for part, v := range map[string]any{"Params": *s.Params, "Topic": *s.Topic, "Limits": *s.Limits} {
		for _, f := range reflect.VisibleFields(reflect.TypeOf(v)) {
			name := part + "." + f.Name
			if _, ok := table[name]; !ok && !slices.Contains(noEffect(), name) && f.IsExported() && !reflect.ValueOf(v).FieldByIndex(f.Index).IsZero() {
				t.Errorf("%s is set, and no test sees it change", name)
			}
		}
	}
}

// TestScoreSettings: a peer is penalised, grafts against the rules, sends invalid messages, leaves
// and comes back. A change of any one parameter changes the history of its scores and of the
// messages that are accepted from it.
func TestScoreSettings(t *testing.T) {
	usual := history(t, func(*p2p.Scoring) {})
	t.Logf("as it is: %s", usual)
	for name, change := range changes() {
		if got := history(t, change); got == usual {
			t.Errorf("%s changed, and the history is the same: %s", name, got)
		}
	}
}

// history records the peer's scores and accepted messages.
func history(t *testing.T, change func(*p2p.Scoring)) string {
	t.Helper()
	var out []string
	p2ptest.Run(t, func(t *testing.T) {
		net := p2ptest.NewNet(t, 5*time.Millisecond)
		scoring := p2p.NewScoring(p2p.DefaultConfig().Scores)
		change(scoring)
		v := newScored(t, net, scoring)
		bad := attacker(t, net, "/ip4/203.0.113.9/udp/1/quic-v1")
		bare := newBare(bad)
		friend := attacker(t, net, "/ip4/203.0.113.9/udp/2/quic-v1") // behind the same address
		beside := newBare(friend)
		for _, h := range []host.Host{bad, friend} {
			if err := h.Connect(t.Context(), peer.AddrInfo{ID: v.ID(), Addrs: v.Addrs()}); err != nil {
				t.Fatal(err)
			}
		}
		note := func(what string) {
			time.Sleep(2 * time.Second)
			out = append(out, fmt.Sprintf("%s %.0f", what, v.score(bad.ID())))
		}
		bare.open(t, v.ID())
		beside.open(t, v.ID())
		note("connected")
		scoring.Penalize(bad.ID(), 3) // -75: out of the mesh
		note("penalised")
		v.publish(t, "a first word")
		note("told of gossip:")
		out = append(out, fmt.Sprint(bare.ihave.Load() > 0))
		bare.graft(t, 12)
		note("grafted too often")
		bare.publish(t, 1, "r")
		note("one invalid")
		before := bare.messages.Load()
		v.publish(t, "a second word")
		out = append(out, fmt.Sprint("published to: ", bare.messages.Load() > before))
		bare.publish(t, 3, "r")
		note("four invalid")
		bare.publish(t, 1, "a")
		time.Sleep(time.Second)
		out = append(out, fmt.Sprint("listened to: ", v.heard.Load()))
		time.Sleep(3 * time.Minute)
		note("later")
		if err := v.Network().ClosePeer(bad.ID()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Minute)
		if err := bad.Connect(t.Context(), peer.AddrInfo{ID: v.ID(), Addrs: v.Addrs()}); err != nil {
			t.Fatal(err)
		}
		note("back")
		time.Sleep(10 * time.Minute)
		note("in the end")
	})
	return strings.Join(out, "; ")
}
