package status

import (
	"fmt"
	"strings"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/agent/judge/places"
	"ojud/casefile"
	"ojud/config/bounds"
	"ojud/ledger"
	"ojud/ledger/providers"
	"ojud/node/crank"
	"ojud/node/network"
	"ojud/node/record"
	"ojud/p2p/directory"
	"ojud/p2p/reach"
	"ojud/voting"
)

// Status is the state of a node. Amounts are lamports, times Unix seconds of the chain.
type Status struct {
	Judge     string `json:"judge"`
	Peer      string `json:"peer"`
	Network   string `json:"network"`
	Family    string `json:"family"`    // family of its judge's models as announced; "code" without a model
	Dimension string `json:"dimension"` // dimension that its persona watches; empty without one
	OnRoster  bool   `json:"on_roster"`
	Stake     uint64 `json:"stake,string"`
	Weight    uint64 `json:"weight,string"` // in this season
	Rewards   uint64 `json:"rewards,string"`
	Seen
	Peers      int                 `json:"peers"`
	Way        reach.Way           `json:"reach"`      // how others reach this node
	Registered int                 `json:"registered"` // known judges with a stake
	Socket     bool                `json:"socket"`
	Judging    Judging             `json:"judging"`
	Crank      crank.Standing      `json:"crank"`
	Content    Content             `json:"content"`
	Rules      RulesState          `json:"rules"` // at the last check
	Problems   []string            `json:"problems"`
	Cases      []record.CaseStatus `json:"cases"`
}

// Seen says how far the node sees the chain.
type Seen struct {
	Slot     uint64 `json:"slot"`
	Time     int64  `json:"time"`
	ChainAge string `json:"chain_age"`
	// Providers are the RPC nodes that this node asks.
	Providers []providers.Provider `json:"rpc_nodes"`
}

// Content says how much content is kept, in bytes.
type Content struct {
	Bytes uint64 `json:"bytes"`
	Quota uint64 `json:"quota"` // blobs.quota_bytes
	Cases uint64 `json:"cases"` // of live cases, and of this node itself
	// Refused counts the content of others for which there was no room since the start.
	Refused uint64 `json:"refused"`
}

// clock is the chain's clock.
type clock interface {
	// Last returns the newest slot that was seen, and its time.
	Last() (ledger.Moment, bool)
	// Age returns the time since then.
	Age() time.Duration
}

// host is the part of the network that the state shows.
type host interface {
	ID() peer.ID
	Peers() []peer.ID
	Reach() reach.Way
	Directory() *directory.Directory
}

// caseList lists the cases that the node follows.
type caseList interface{ All() []record.CaseStatus }

// Reporter puts the state of a node together.
type Reporter struct {
	Judge             voting.Key
	Network           string // name of the court
	Family, Dimension string // of the judge
	Host              host
	Roster            *network.Roster
	Clock             clock
	Cases             caseList
	Monitor           *Monitor
	Votes             *VoteCounter
	Places            func() places.State
	Cranked           func() crank.Standing
	Content           func() Content
	// Watching returns how well the node sees the chain; false before it has begun.
	Watching func() (ledger.Health, bool)
	// Copies warns of another copy of this node; empty: none is known.
	Copies func() string
}

// judges counts the announcements of judges with a stake. Anybody can announce without one.
func (r *Reporter) judges() (n int) {
	for _, j := range r.Host.Directory().Judges() {
		if r.Roster.Staked(j.Announcement) {
			n++
		}
	}
	return n
}

// Status returns the state of the node.
func (r *Reporter) Status() Status {
	now, _ := r.Clock.Last()
	s := Status{
		Judge: casefile.Address(r.Judge).String(), Peer: r.Host.ID().String(), Network: r.Network, Family: r.Family, Dimension: r.Dimension,
		Seen: Seen{Slot: now.Slot, Time: now.Unix, ChainAge: r.Clock.Age().String()}, Peers: len(r.Host.Peers()), Way: r.Host.Reach(), Registered: r.judges(),
		Judging: r.Votes.judging(r.Places()), Crank: r.Cranked(), Content: r.Content(), Rules: r.Monitor.Rules(),
		Problems: append(append([]string{}, r.problems()...), r.warnings()...), Cases: append([]record.CaseStatus{}, r.Cases.All()...),
	}
	if e, ok := r.Roster.Entry(r.Judge); ok {
		s.OnRoster, s.Stake, s.Rewards = true, e.Stake, e.Rewards
		if e.Weighs() {
			s.Weight = e.Weight
		}
	}
	if h, ok := r.Watching(); ok {
		s.Socket, s.Providers = h.Socket, h.Providers
	}
	return s
}

// Still says that no block was seen for a while, and why as far as the node knows; empty: all is
// well.
func (r *Reporter) Still() string {
	age := r.Clock.Age()
	if age < BlindAfter {
		return ""
	}
	age = age.Truncate(10 * time.Second)
	if age >= time.Minute {
		age = age.Truncate(time.Minute)
	}
	why := "No call to the RPC node has failed yet: either it does not answer, or the chain itself stands still."
	if faults := r.warnings(); len(faults) > 0 {
		why = strings.Join(faults, "; ") + "."
	}
	now, _ := r.Clock.Last()
	return fmt.Sprintf("The chain stands still: no block was seen for %s, and all here is as it was at %s. %s", bounds.Duration(age), date(now.Unix), why)
}

// warnings names the reads of the chain that fail. The node goes on judging with the others.
func (r *Reporter) warnings() []string {
	h, ok := r.Watching()
	if !ok {
		return nil
	}
	return h.Problems()
}

// problems says in words for people what keeps the node from judging.
func (r *Reporter) problems() (out []string) {
	for _, text := range []string{r.Copies(), blindness(r.Clock.Age())} {
		if text != "" {
			out = append(out, text)
		}
	}
	return append(out, r.Monitor.Problems()...)
}
