package node

import (
	"context"
	"fmt"
	"runtime/debug"

	"ojud/casefile"
	"ojud/voting"
)

// version is the version of this program, for announcements.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "devel"
}

// Status is how a node is. Amounts are lamports, times Unix seconds of the chain.
type Status struct {
	Judge      string       `json:"judge"`
	Peer       string       `json:"peer"`
	Network    string       `json:"network"`
	OnRoster   bool         `json:"on_roster"`
	Stake      uint64       `json:"stake,string"`
	Rewards    uint64       `json:"rewards,string"`
	Slot       uint64       `json:"slot"`
	Time       int64        `json:"time"`
	ChainAge   string       `json:"chain_age"`
	Peers      int          `json:"peers"`
	Registered int          `json:"registered"`
	Socket     bool         `json:"socket"`
	Problems   []string     `json:"problems"`
	Cases      []CaseStatus `json:"cases"`
}

// CaseStatus is how a case on the docket is.
type CaseStatus struct {
	Case      string `json:"case"`
	Status    string `json:"status"`
	Round     uint8  `json:"round"`
	Verdict   string `json:"verdict"`
	Seat      int    `json:"seat"` // −1: none
	Committed int    `json:"committed"`
	Revealed  int    `json:"revealed"`
	Seats     int    `json:"seats"`
	Choice    string `json:"choice,omitempty"` // own, once revealed
	Events    int    `json:"events"`           // of the case file, here
	Complete  bool   `json:"complete"`         // every seat has said how it ended
}

// Status returns how the node is.
func (n *Node) Status() Status {
	now, _ := n.client.Clock().Last()
	s := Status{
		Judge: n.home.Keys.Authority.Address().String(), Peer: n.host.ID().String(), Network: n.home.Descriptor.Name,
		Slot: now.Slot, Time: now.Unix, ChainAge: n.client.Clock().Age().String(), Problems: []string{}, Cases: []CaseStatus{},
	}
	s.Peers, s.Registered = n.Peers()
	if e, ok := n.roster.Load().entry(n.home.Keys.Judge()); ok {
		s.OnRoster, s.Stake, s.Rewards = true, e.Stake, e.Rewards
	}
	if n.watcher != nil {
		h := n.watcher.Health()
		s.Socket = h.Socket
		for _, why := range []string{h.Events, h.Looks} {
			if why != "" {
				s.Problems = append(s.Problems, why)
			}
		}
	}
	for _, c := range n.docket.all() {
		s.Cases = append(s.Cases, n.caseStatus(c))
	}
	return s
}

func (n *Node) caseStatus(c *dispute) CaseStatus {
	look, _ := c.snapshot()
	out := CaseStatus{
		Case: address(c.task).String(), Status: look.Status.String(), Round: look.Round, Verdict: look.Verdict.String(),
		Seat: look.SeatOf(n.home.Keys.Judge()), Seats: len(look.Seats), Events: len(c.log.Events()),
	}
	for i, s := range look.Seats {
		if s.Committed {
			out.Committed++
		}
		if s.Revealed {
			out.Revealed++
		}
		if i == out.Seat && s.Revealed {
			out.Choice = s.Choice.String()
		}
	}
	c.mu.Lock()
	out.Complete = c.done
	c.mu.Unlock()
	return out
}

// Export writes the case file of a task as this node has it. Missing lists content that is named but not here.
func (n *Node) Export(ctx context.Context, task voting.Key) (file []byte, missing []voting.Hash, err error) {
	c := n.docket.find(task)
	if c == nil {
		return nil, nil, fmt.Errorf("node: case %s is not followed here (any more)", address(task))
	}
	if terms, err := n.terms(ctx, task); err == nil {
		n.gatherOnce(ctx, task, []voting.Hash{terms.TaskHash, terms.ResultHash, terms.ObjectionHash, terms.CounterHash})
	}
	return casefile.Export(c.log, n.blobs, n.home.Keys.node, at(n.client))
}

// gatherOnce fetches what is not here; what nobody has stays missing.
func (n *Node) gatherOnce(ctx context.Context, task voting.Key, hashes []voting.Hash) {
	for _, h := range hashes {
		if _, err := n.fetch(ctx, h, n.seatPeers(task)); err != nil {
			n.log.Info("content of the case is not to be had", "case", address(task), "hash", h, "err", err)
		}
	}
}
