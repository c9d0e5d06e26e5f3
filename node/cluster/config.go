package cluster

import (
	"errors"
	"fmt"
	"time"

	"github.com/gagliardetto/solana-go"

	"ojud/agent/model"
	"ojud/ledger/devnet"
	"ojud/ledger/program"
	"ojud/node"
	"ojud/p2p"
	"ojud/voting"
)

// MaxNodes bounds the nodes of a cluster: all are in one process.
const MaxNodes = 64

// Config is what a cluster is made of. Start from DefaultConfig, then Fast or Warped for less than the main network's times.
type Config struct {
	// Dir keeps everything: see doc.go.
	Dir string
	// Nodes is the number of judges, each with a node of its own; 0: the chain alone.
	Nodes int
	// Absent judges are staked but their nodes do not run. Contrary ones judge honestly and say the opposite. Equivocating ones
	// sign two different statements in a round. They are the last of the Nodes, in this order from the end. The first judge is
	// always honest: the others join through it, and it exports the case files.
	Absent, Contrary, Equivocating int
	// Stake is what each judge has at stake, in lamports; Purse, what its wallet has for fees.
	Stake, Purse uint64
	// Story is the dispute that Play brings before the court. In StoryData the first Holders judges have access to the site that it is
	// about, and the next Lying ones say something else of it.
	Story          Story
	Holders, Lying int
	// Upstream is what they have access to. Server is the command line of @modelcontextprotocol/server-memory for UpstreamMCP; empty: npx
	// brings it, which needs Node.js.
	Upstream Upstream
	Server   []string
	// Models are what the judges of StoryJudges ask, by turns; see Reasoned. Their keys are references. ModelSeats is how many judges
	// do, the first ones; 0: all. The others judge by code alone, which abstains from what code cannot decide.
	Models     []model.Entry
	ModelSeats int
	// Warp has Play move the chain's clock where it could only wait.
	Warp bool

	// Params are the program's. Network is filled in.
	Params program.Params
	// Chain sets the embedded chain. Chain.Chain.Dir is filled in.
	Chain devnet.Config
	// Node sets every node. Directories, addresses and bootstrap are filled in.
	Node node.Config
	// P2P is host:port of the first node's libp2p TCP listener; port 0 takes a free one, as the other nodes do at the same host.
	P2P string

	// Parallel is how many nodes are started at once.
	Parallel int
	// Patience bounds in real time each thing that the cluster waits for: nodes that find each other, a case file that becomes
	// complete, evidence.
	Patience time.Duration
}

// DefaultConfig is 28 judges on the main network's terms.
func DefaultConfig() Config {
	c := Config{
		Story: StoryEleptiger, Upstream: UpstreamHTTP, Nodes: voting.MaxSeats, Stake: 2 * solana.LAMPORTS_PER_SOL, Purse: solana.LAMPORTS_PER_SOL,
		Params: program.DefaultParams(), Chain: devnet.DefaultConfig(), Node: node.DefaultConfig(), P2P: "127.0.0.1:0",
		Parallel: 4, Patience: 30 * time.Second,
	}
	c.Node.P2P.Addresses, c.Node.P2P.ObserveAddrs, c.Node.P2P.LibraryMetrics = p2p.AddressesPrivate, false, false
	c.Node.Ledger.Calls.Rate = 0               // the chain is in this process
	c.Node.Ledger.SkewWarning = 24 * time.Hour // whoever moves its clock does so on purpose
	return c
}

// Fast is a court of seconds: short slots, terms as short as 28 nodes on two cores keep, nodes that look often.
func (c Config) Fast() Config {
	p := &c.Params
	p.CommitSeconds, p.RevealSeconds, p.DrawSeconds = 12, 8, 20
	p.VerifySeconds, p.AnswerSeconds, p.EvidenceSeconds = 60, 60, 60
	p.CooldownSeconds = p.EvidenceSeconds + uint32(p.MaxRounds)*(p.DrawSeconds+p.CommitSeconds+p.RevealSeconds)
	h := &c.Node.Habits
	h.OpinionMargin, h.RelayMargin, h.LandedWait = 3, 4, 5
	h.RetryMin, h.RetryMax = 1, 4
	return c.quick()
}

// Rounds changes how long judges have; 0 leaves what is there. The cooldown grows with it, as the program demands.
func (c Config) Rounds(commit, reveal time.Duration) Config {
	p := &c.Params
	if commit != 0 {
		p.CommitSeconds = uint32(commit / time.Second)
	}
	if reveal != 0 {
		p.RevealSeconds = uint32(reveal / time.Second)
	}
	p.CooldownSeconds = max(p.CooldownSeconds, p.EvidenceSeconds+uint32(p.MaxRounds)*(p.DrawSeconds+p.CommitSeconds+p.RevealSeconds))
	return c
}

// Warped keeps the main network's terms and has Play move the clock.
func (c Config) Warped() Config {
	c.Warp = true
	return c.quick()
}

// quick has nodes look often, and slots be short.
func (c Config) quick() Config {
	c.Chain.Chain.SlotTime = 200 * time.Millisecond
	h := &c.Node.Habits
	h.CrankStep, h.CatchUpEvery, h.SlotMillis = 1, 1, 200
	h.FreshSlack = 1 // one validator, no forks: a journal that is older than a round knows all that was signed in it
	l := &c.Node.Ledger
	l.Calls.BackoffMin = 50 * time.Millisecond
	l.Watch.Poll, l.Watch.Sweep, l.Watch.Rescan = time.Second, 5*time.Second, 5*time.Second
	l.Send.Status, l.Send.Rebroadcast = 200*time.Millisecond, time.Second
	s := &c.Node.Sync
	s.Every, s.GossipAfter, s.Timeout = 500*time.Millisecond, 300*time.Millisecond, 1500*time.Millisecond
	s.Twin = time.Second // the homes are of this process
	d := &c.Node.Data.Desk
	d.Find, d.Holder, d.Second, d.Own = time.Second, 3*time.Second, time.Second, time.Second // all are on this machine
	c.Node.P2P.Registry.Sync = 2 * time.Second
	return c
}

// Sized is a court of so many judges, whose panels need no more than there are.
func (c Config) Sized(nodes int) Config {
	c.Nodes = nodes
	if nodes > 0 && nodes < int(c.Params.MinSeats) {
		c.Params.MinSeats = uint8(nodes)
	}
	return c
}

// Validate names the first field that is wrong, its limits, and what to do.
func (c Config) Validate() error {
	faulty := c.Absent + c.Contrary + c.Equivocating
	switch {
	case c.Dir == "":
		return errors.New("cluster: dir is empty, set it to a directory for the chain and the nodes")
	case c.Nodes < 0 || c.Nodes > MaxNodes:
		return fmt.Errorf("cluster: nodes is %d, set it to 0..%d", c.Nodes, MaxNodes)
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
	case c.Parallel < 1 || c.Parallel > MaxNodes:
		return fmt.Errorf("cluster: parallel is %d, set it to 1..%d", c.Parallel, MaxNodes)
	case c.Patience < time.Second || c.Patience > time.Hour:
		return fmt.Errorf("cluster: patience is %s, set it to 1s..1h", c.Patience)
	}
	if err := c.checkStory(); err != nil {
		return err
	}
	if _, err := c.listenAddr(1); err != nil {
		return err
	}
	if err := c.Params.Validate(); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	if err := c.Chain.Validate(); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	return c.Node.Validate()
}

// part is what the judge with that number (from 1) does.
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
