package node

import (
	"context"
	"runtime/debug"

	"ojud/casefile/verify"
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
	Family     string       `json:"family"`    // of the models of its judge, "code" without one, as it announces it
	Dimension  string       `json:"dimension"` // what its persona has an eye on; empty without one
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

// CaseStatus is how a case is, on the docket or in the archive.
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
	// Statements and Votes are of how many seats of the round the signed commitment and the vote are here, own ones included.
	Statements int  `json:"statements"`
	Votes      int  `json:"votes"`
	Events     int  `json:"events"`             // of the case file, here
	Complete   bool `json:"complete"`           // it is over, and every seat that revealed has said how it ended
	Archived   bool `json:"archived,omitempty"` // it is no longer followed: Seat, Committed, Revealed and Seats are not known
}

// Status returns how the node is.
func (n *Node) Status() Status {
	now, _ := n.client.Clock().Last()
	s := Status{
		Judge: n.home.Keys.Authority.Address().String(), Peer: n.host.ID().String(), Network: n.home.Descriptor.Name,
		Family: n.chair.Family, Dimension: n.chair.Dimension, Slot: now.Slot, Time: now.Unix, ChainAge: n.client.Clock().Age().String(), Problems: []string{}, Cases: []CaseStatus{},
	}
	s.Peers, s.Registered = n.Peers()
	if e, ok := n.roster.Load().entry(n.home.Keys.Judge()); ok {
		s.OnRoster, s.Stake, s.Rewards = true, e.Stake, e.Rewards
	}
	s.Problems = append(s.Problems, n.problems()...)
	if n.watcher != nil {
		h := n.watcher.Health()
		s.Socket = h.Socket
		s.Problems = append(s.Problems, h.Problems()...)
	}
	for _, c := range n.docket.all() {
		s.Cases = append(s.Cases, n.caseStatus(c))
	}
	return s
}

// Case returns how a case is. casefile.ErrNoCase: this node knows nothing of it.
func (n *Node) Case(ctx context.Context, task voting.Key) (CaseStatus, error) {
	if c := n.docket.find(task); c != nil && c.seen() {
		return n.caseStatus(c), nil
	}
	file, _, err := n.Export(ctx, task)
	if err != nil {
		return CaseStatus{}, err
	}
	r := verify.File(file)
	status := voting.EndedUndecided
	if v := voting.Verdict(r.Verdict); v == voting.ForWorker || v == voting.ForCreator {
		status = voting.Decided
	}
	return CaseStatus{
		Case: address(task).String(), Status: status.String(), Round: uint8(r.Rounds), Verdict: voting.Verdict(r.Verdict).String(),
		Seat: -1, Events: r.Check(verify.CheckEvents).Count, Complete: r.OK(), Archived: true,
	}, nil
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
	if view := n.view.Load(); view != nil {
		commits, votes := view.Have(c.task, look.Round)
		out.Statements, out.Votes = len(commits), len(votes)
	}
	c.mu.Lock()
	out.Complete = c.complete
	c.mu.Unlock()
	return out
}
