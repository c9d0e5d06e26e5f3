package cluster

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"ojud/agent/model"
	"ojud/config/bounds"
	"ojud/ledger/devnet"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node"
	"ojud/node/homes"
	"ojud/p2p"
	"ojud/voting"
)

// maxNodes bounds the nodes of a cluster: all are in one process.
const maxNodes = 64

// wholeStake is all that the judges have at stake, in basis points.
const wholeStake = 10_000

// Config describes a cluster. Start from DefaultConfig, then take Fast or Warped for shorter waits.
type Config struct {
	// Dir keeps everything: see doc.go.
	Dir string
	// Nodes is the number of judges, each with a node of its own; 0 starts the chain alone.
	Nodes int
	// Listed founds a court that takes only judges that its authority, the deployer, admits. The
	// judges of the cluster are admitted.
	Listed bool
	Faults
	// Stake is the stake of each judge, in lamports. Purse is the amount in its wallet for fees.
	Stake, Purse uint64
	Dispute
	// Warp says when Play moves the chain's clock to the end of a phase.
	Warp Warp
	// Adapt lengthens the time limits of a round if the start of the nodes took so long that judges
	// could miss them. It never shortens them.
	Adapt bool

	// Params are the program's. Network is filled in.
	Params program.Params
	// Chain sets the embedded chain. Chain.Chain.Dir is filled in.
	Chain devnet.Config
	// Node sets every node. Directories, addresses and bootstrap are filled in.
	Node node.Config
	// P2P is host:port of the first node's libp2p TCP listener. Port 0 takes a free port, as the
	// other nodes do on the same host.
	P2P string

	// Parallel is the number of nodes that start at once.
	Parallel int
	// Patience bounds in real time each thing that the cluster waits for, such as nodes that find
	// each other, or a case file that verifies.
	Patience time.Duration
	// Complete bounds in real time how long Play waits for the last signatures in a case file that
	// verifies already.
	Complete time.Duration
}

// Faults make the last of the judges misbehave, in this order from the end. The first judge is
// always honest, because the others join through it and it exports the case files.
type Faults struct {
	// Absent judges have a stake, but their nodes do not run. Contrary judges judge honestly and
	// vote the opposite. Equivocating judges sign two different statements in a round.
	Absent, Contrary, Equivocating int
}

// Dispute is the dispute that Play brings before the court.
type Dispute struct {
	// Story names it. In StoryData the first Holders judges have access to the site that the story
	// is about, and the next Lying judges lie about it. So do Strangers further nodes, which have
	// no stake and are no judges.
	Story                     Story
	Holders, Lying, Strangers int
	// Upstream is the service that the holders have access to. Server is the command line of
	// @modelcontextprotocol/server-memory for UpstreamMCP. If it is empty, npx fetches the server,
	// which needs Node.js.
	Upstream Upstream
	Server   []string
	// Models are asked by the judges of StoryJudges in turn; see Reasoned. Their keys are
	// references. The first ModelSeats judges ask a model; 0 means all. The others judge by code
	// alone, which abstains if code cannot decide.
	Models     []model.Endpoint
	ModelSeats int
	// Judges are those of a file, one for each node. They replace Models, in every story.
	Judges homes.Drafts
}

// Warp says when Play moves the chain's clock.
type Warp uint8

// The values of Warp.
const (
	WarpNever Warp = iota
	WarpVoted      // if every judge whose node runs has acted, so that only absent judges are waited for
	WarpStill      // also if nothing has happened for a while
)

// DefaultConfig returns 28 judges with the main network's time limits.
func DefaultConfig() Config {
	c := Config{
		Dispute: Dispute{Story: StoryEleptiger, Upstream: UpstreamHTTP}, Nodes: voting.MaxSeats, Stake: 2 * onchain.LamportsPerSOL, Purse: onchain.LamportsPerSOL,
		Params: program.DefaultParams(), Chain: devnet.DefaultConfig(), Node: node.DefaultConfig(), P2P: "127.0.0.1:0",
		Parallel: 4, Patience: 3 * time.Minute, Complete: 30 * time.Second,
	}
	c.Node.P2P.Addresses, c.Node.P2P.ObserveAddrs, c.Node.P2P.LibraryMetrics, c.Node.Ledger.VisitPrivate = p2p.AddressesPrivate, false, false, true
	c.Node.Ledger.Calls.Rate = 0                               // the chain is in this process
	c.Node.Ledger.SkewWarning = 24 * time.Hour                 // the cluster moves its clock on purpose
	c.Params.SeasonSeconds, c.Params.AppealSeconds = 10, 3_600 // who joins wants to judge
	// Fees are play money here, so its nodes crank everything that time decides.
	k := &c.Node.Crank
	k.Budget, k.Delay, k.Step, k.Keep = 100_000_000, time.Minute, 5*time.Second, time.Hour
	return c
}

// The limits of a fast court. They are far longer than 28 judges need on an idle machine, which
// costs nothing: a round goes on when all judges have voted.
const (
	fastCommit = 60 * time.Second
	fastReveal = 40 * time.Second
	fastAppeal = 20 // seconds
)

// Fast returns a court that decides in seconds if the machine is fast enough: slots are short and
// nodes look often. If the machine is slow, Play takes longer but no judge misses a limit.
func (c Config) Fast() Config {
	p := &c.Params
	p.DrawSeconds, p.VerifySeconds, p.AnswerSeconds, p.EvidenceSeconds = 60, 60, 60, 60
	p.MinWorkSeconds, p.AppealSeconds = 1, fastAppeal
	h := &c.Node.Habits
	h.OpinionMargin, h.RelayMargin, h.LandedWait = 10, 15, 10
	h.RetryMin, h.RetryMax = 1, 4
	c.Warp, c.Adapt, c.Complete = WarpVoted, true, 5*time.Second
	p.CooldownSeconds = 0 // Rounds sets the least
	return c.limits(fastCommit, fastReveal).quick()
}

// Rounds sets the time that judges have. 0 keeps the present limit. It also turns Adapt off, so
// that these limits stay. The cooldown grows with them, because the program demands it.
func (c Config) Rounds(commit, reveal time.Duration) Config {
	if commit != 0 || reveal != 0 {
		c.Adapt = false
	}
	return c.limits(commit, reveal)
}

func (c Config) limits(commit, reveal time.Duration) Config {
	p := &c.Params
	if commit != 0 {
		p.CommitSeconds = uint32(commit / time.Second)
	}
	if reveal != 0 {
		p.RevealSeconds = uint32(reveal / time.Second)
	}
	if p.BatchSeconds > 0 { // a leaf may be challenged for as long as a case takes
		p.ChallengeSeconds = uint32(p.LongestCase())
		p.EvidenceSeconds = max(p.EvidenceSeconds, p.BatchSeconds+2*p.ChallengeSeconds)
	}
	p.CooldownSeconds = max(p.CooldownSeconds, uint32(p.LeastCooldown()))
	return c
}

// Golden returns a court that takes golden cases: that share of its cases, in basis points. It sets
// the main network's times for votes and for answers of parties, because many cases run at once and
// a round ends when all have voted. Call it after Fast or Warped, and before Rounds.
func (c Config) Golden(share uint16) Config {
	p, main := &c.Params, program.DefaultParams()
	p.GoldenBps, p.BatchSeconds = share, batchSeconds
	p.CommitSeconds, p.RevealSeconds = max(p.CommitSeconds, main.CommitSeconds), max(p.RevealSeconds, main.RevealSeconds)
	p.VerifySeconds, p.AnswerSeconds = max(p.VerifySeconds, partySeconds), max(p.AnswerSeconds, partySeconds)
	return c.limits(0, 0)
}

// partySeconds is the time of a party to answer in a court with golden cases.
const partySeconds = 600

// batchSeconds is the time of a batch of golden cases. It is long, because a slow machine needs it,
// and costs nothing, because a batch ends when all its cases are over.
const batchSeconds = 14_400

// Warped returns a court with the main network's limits. Play moves its clock.
func (c Config) Warped() Config {
	c.Warp = WarpStill
	return c.quick()
}

// quick makes slots short, and nodes look often. The time limits for answers of peers stay long,
// because nodes of one busy machine wait for each other's processor time; an answer ends the wait.
func (c Config) quick() Config {
	c.Chain.Chain.SlotTime = 200 * time.Millisecond
	h := &c.Node.Habits
	h.CrankStep, h.CatchUpEvery, h.SlotMillis = 1, 1, 200
	h.FreshSlack = 1 // one validator has no forks, so a journal older than a round knows every signature in it
	l := &c.Node.Ledger
	l.Calls.BackoffMin = 50 * time.Millisecond
	l.Watch.Poll, l.Watch.Sweep, l.Watch.Rescan = time.Second, 5*time.Second, 5*time.Second
	l.Send.Status, l.Send.Rebroadcast = 200*time.Millisecond, time.Second
	s := &c.Node.Sync
	s.Every, s.GossipAfter, s.Timeout = 500*time.Millisecond, 300*time.Millisecond, 8*time.Second
	s.Twin = time.Second // the homes belong to this process
	d := &c.Node.Data.Requester
	d.SearchTimeout, d.HolderTimeout, d.SecondAnswerWait, d.OwnAnswerWait = 10*time.Second, 20*time.Second, 3*time.Second, 3*time.Second
	c.Node.P2P.Registry.Sync = 2 * time.Second
	k := &c.Node.Crank
	k.Delay, k.Step, k.Interval = 30*time.Second, 2*time.Second, 2*time.Second
	return c
}

// Sized returns a court with that number of judges. Its panels need no more judges than there are,
// and few judges cover the rewards of many, because nothing is at stake in such a court.
func (c Config) Sized(nodes int) Config {
	c.Nodes = nodes
	if nodes > 0 && nodes < int(c.Params.MinSeats) {
		c.Params.MinSeats = uint8(nodes)
	}
	if nodes > 0 && nodes < voting.MaxSeats { // as much as in a court of the default size
		c.Params.CoverBps = uint16(min(wholeStake, int(c.Params.CoverBps)*voting.MaxSeats/nodes))
	}
	return c
}

// Validate returns an error that names the first wrong field, its limits, and the fix.
func (c Config) Validate() error {
	faulty := c.Absent + c.Contrary + c.Equivocating
	switch {
	case c.Dir == "":
		return errors.New("cluster: dir is empty, set it to a directory for the chain and the nodes")
	case c.Nodes < 0 || c.Nodes > maxNodes:
		return fmt.Errorf("cluster: nodes is %d, set it to 0..%d", c.Nodes, maxNodes)
	case c.Absent < 0 || c.Contrary < 0 || c.Equivocating < 0:
		return errors.New("cluster: absent, contrary and equivocating cannot be negative")
	case c.Nodes > 0 && faulty >= c.Nodes:
		return fmt.Errorf("cluster: %d of %d judges misbehave, leave at least the first one honest", faulty, c.Nodes)
	case c.Nodes == 0 && faulty > 0:
		return errors.New("cluster: without nodes none can misbehave, set nodes")
	case c.Nodes > 0 && c.Stake < c.Params.MinStake:
		return fmt.Errorf("cluster: stake is %d lamports, set it to at least the court's min_stake, %d", c.Stake, c.Params.MinStake)
	case c.Nodes > 0 && c.Nodes < int(c.Params.MinSeats):
		return fmt.Errorf("cluster: %d judges can never seat a panel of min_seats %d, take more or use Sized", c.Nodes, c.Params.MinSeats)
	case c.Nodes > int(c.Params.MaxJudges):
		return fmt.Errorf("cluster: %d nodes, but params.max_judges is %d", c.Nodes, c.Params.MaxJudges)
	}
	if err := bounds.Check("cluster: ", bounds.Of("parallel", c.Parallel, 1, maxNodes), bounds.Of("patience", c.Patience, time.Second, time.Hour),
		bounds.Of("complete", c.Complete, 0, c.Patience), bounds.Of("warp", int(c.Warp), 0, int(WarpStill))); err != nil {
		return err
	}
	if err := c.checkStory(); err != nil {
		return err
	}
	if _, err := c.listenAddr(1); err != nil {
		return err
	}
	if err := cmp.Or(c.Params.Validate(), c.Chain.Validate()); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	return c.Node.Validate()
}

// part returns what the judge with that number (from 1) does.
func (c Config) part(number int) Part {
	fromEnd := c.Nodes - number
	switch {
	case fromEnd < c.Absent:
		return Absent
	case fromEnd < c.Absent+c.Contrary:
		return Contrary
	case fromEnd < c.Absent+c.Contrary+c.Equivocating:
		return Equivocating
	}
	return Honest
}
