package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"ojud/agent/judge"
	"ojud/ledger"
	"ojud/ledger/transact"
	"ojud/node"
	"ojud/node/client"
	"ojud/node/cluster/bribe"
	"ojud/node/homes"
	"ojud/voting/verifier"
)

// Deps are the dependencies of a cluster. Every field may be empty.
type Deps struct {
	// Logger receives messages for the operator, of all nodes. If it is nil, nothing is logged.
	Logger *slog.Logger
	// Tell gets each event, one call at a time. It may be nil.
	Tell func(Line)
	// Judge returns the judge with that number, from 1 on, instead of what its settings describe.
	// It may be nil.
	Judge func(number int) judge.Judge
}

// Cluster is a chain and its judges.
type Cluster struct {
	cfg        Config
	log        *slog.Logger
	chain      *Chain
	treasury   *treasury
	strangers  []*Member // nodes without a stake
	members    []*Member
	descriptor node.Descriptor
	network    *board
	teller     *teller
	archive    archive       // nil if the story needs none
	before     uint64        // lamports on the chain at the start
	offers     *bribe.Offers // of StoryAppeal
	judge      func(number int) judge.Judge
	signatures *verifier.Verifier // all nodes see the same ones

	life context.Context // ends with the first failure of a part, or with Stop
	end  context.CancelCauseFunc

	once    sync.Once
	stopped error // of Stop
}

// errStopped ends a cluster's life in good order.
var errStopped = errors.New("cluster: stopped")

// Start starts the chain, the stakes and the nodes. It returns when all running nodes know each
// other. It returns an error, and leaves nothing running, if a node cannot be started or
// Config.Patience is over.
func Start(ctx context.Context, cfg Config, deps Deps) (*Cluster, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	c := &Cluster{cfg: cfg, log: deps.Logger, network: &board{}, judge: deps.Judge, signatures: verifier.New()}
	if cfg.Story == StoryAppeal {
		c.offers = bribe.New()
	}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	c.life, c.end = context.WithCancelCause(context.WithoutCancel(ctx))
	err := c.start(ctx, deps)
	if err != nil {
		return nil, errors.Join(err, c.Stop())
	}
	return c, nil
}

func (c *Cluster) start(ctx context.Context, deps Deps) error {
	ctx, release := c.bind(ctx)
	defer release()
	if err := c.cfg.Check(ctx); err != nil {
		return err
	}
	dir, err := filepath.Abs(c.cfg.Dir) // programs that nodes start have other working directories
	if err != nil {
		return fmt.Errorf("cluster: dir: %w", err)
	}
	c.cfg.Dir = dir
	deployer, err := c.key("deployer")
	if err != nil {
		return err
	}
	if c.chain, err = openChain(ctx, c.cfg, deployer, c.network, c.log); err != nil {
		return err
	}
	go c.guard()
	c.before = c.chain.Lamports()
	if c.treasury, err = openTreasury(ctx, c.cfg.Node.Ledger, c.chain, c.log); err != nil {
		return err
	}
	if c.teller, err = newTeller(ctx, c, deps.Tell); err != nil {
		return err
	}
	c.descriptor = c.chain.describe()
	c.say("A Solana chain with the oju program runs at %s, with slots of %s.", c.chain.rpc, c.cfg.Chain.Chain.SlotTime)
	if err := c.rule(ctx, deployer); err != nil {
		return err
	}
	if err := c.openArchive(ctx); err != nil {
		return c.because(ctx, err)
	}
	if c.cfg.Nodes > 0 {
		if err := c.populate(ctx); err != nil {
			return c.because(ctx, err)
		}
	}
	return c.network.show(c.descriptor)
}

// populate starts the first node, then the others through it, while all judges get their stakes.
func (c *Cluster) populate(ctx context.Context) error {
	began := time.Now()
	if kept, err := homes.Kept(c.cfg.Dir); err != nil {
		return fmt.Errorf("cluster: %w", err)
	} else if kept == c.cfg.Nodes {
		c.say("The nodes of this court's %d judges start again.", kept)
	} else if len(c.cfg.Judges) > 0 {
		c.say("The %d judges of the file stake, and their nodes start.", c.cfg.Nodes)
	} else {
		c.say("%d judges stake %s each, and their nodes start.", c.cfg.Nodes, client.Lamports(c.cfg.Stake))
	}
	c.foretell()
	c.teller.starts(true)
	defer c.teller.starts(false)
	first, err := c.enlist(1)
	if err != nil {
		return err
	}
	if err := c.launch(ctx, first); err != nil {
		return err
	}
	if c.descriptor.Bootstrap, err = first.node.Addrs(); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	for i := 2; i <= c.cfg.Nodes; i++ {
		if _, err := c.enlist(i); err != nil {
			return err
		}
	}
	group, in := errgroup.WithContext(ctx)
	group.Go(func() error { return c.stakes(in) })
	group.Go(func() error { return c.launchAll(in) })
	if err := group.Wait(); err != nil {
		return err
	}
	if err := c.meet(ctx); err != nil {
		return err
	}
	if err := c.startStrangers(ctx); err != nil {
		return err
	}
	if err := c.known(ctx); err != nil {
		return err
	}
	took := time.Since(began)
	c.say("%d judges' nodes are up and connected with each other, after %s.", len(c.running()), took.Round(100*time.Millisecond))
	if err := c.stretch(ctx, took); err != nil {
		return err
	}
	return c.wake(ctx)
}

// startParts is how many times the start of the nodes must fit into the time to commit: a round
// takes as much processor time as the start.
const startParts = 3

// stretch lengthens the time limits of a round if the start of the nodes shows that this machine is
// too slow for them. Otherwise honest judges would be slashed for their absence.
func (c *Cluster) stretch(ctx context.Context, took time.Duration) error {
	commit := c.cfg.Params.CommitSeconds
	need := uint32((startParts*took + time.Minute - 1) / time.Minute * 60)
	if !c.cfg.Adapt || need <= commit {
		return nil
	}
	limits := time.Duration(min(need, slowest)) * time.Second
	c.cfg = c.cfg.limits(limits, limits)
	c.say("This machine is slow now, so judges have %s each to commit and to reveal instead of %s.", limits, time.Duration(commit)*time.Second)
	deployer, err := c.key("deployer")
	if err != nil {
		return err
	}
	return c.rule(ctx, deployer)
}

// rule gives the court its rules, and tells about a clock that had to be moved for them.
func (c *Cluster) rule(ctx context.Context, deployer *ledger.Keypair) error {
	params, moved, err := c.treasury.rule(ctx, deployer, c.cfg.Params, c.cfg.Listed)
	if err != nil {
		return err
	}
	if moved > 0 {
		c.say("The court gets other rules. A change takes effect after the cooldown, so the chain's clock moves on by %s.", moved)
	}
	if params != c.cfg.Params {
		c.say("The court was founded with other times, and no change of the rules may shorten them further.")
	}
	c.cfg.Params = params
	return nil
}

// slowest bounds the limits that stretch sets, in seconds.
const slowest = 1800

// enlist makes or opens a judge's home.
func (c *Cluster) enlist(number int) (*Member, error) {
	home, _, err := node.Init(homeDir(c.cfg.Dir, number), c.descriptor)
	if err != nil {
		return nil, fmt.Errorf("cluster: judge %02d: %w", number, err)
	}
	if number <= len(c.cfg.Judges) {
		if _, err := c.cfg.Judges[number-1].Place(home.Dir); err != nil {
			return nil, err
		}
	}
	m := &Member{Number: number, Part: c.cfg.part(number), Home: home, offers: c.offers}
	if m.Persona, err = c.cfg.manner(number); err != nil {
		return nil, err
	}
	if err := c.offer(m); err != nil {
		return nil, err
	}
	c.members = append(c.members, m)
	c.teller.judging(m)
	return m, nil
}

func (c *Cluster) launch(ctx context.Context, m *Member) error {
	cfg, err := c.cfg.node(m.Number)
	if err != nil {
		return err
	}
	listen, err := c.cfg.listenAddr(m.Number)
	if err != nil {
		return err
	}
	cfg.P2P.Listen, cfg.P2P.Bootstrap = []string{listen}, c.descriptor.Bootstrap
	deps := node.Deps{Transport: c.chain.server.Transport(), Setting: fmt.Sprintf("Here one command has started everything: a chain, and %d judges, each a node with its own keys and its own stake. In a court on a network, different people run them on their own machines.", c.cfg.Nodes)}
	deps.Signatures = c.signatures
	if c.judge != nil {
		deps.Judge = c.judge(m.Number)
	}
	return m.launch(ctx, cfg, deps, c.log, c.end)
}

// launchAll starts every node except absent ones and the first, which runs already.
func (c *Cluster) launchAll(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(c.cfg.Parallel)
	for _, m := range c.members[1:] {
		if m.Part != Absent {
			group.Go(func() error {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				return c.launch(ctx, m)
			})
		}
	}
	return group.Wait()
}

// stakes puts all judges on the Roster.
func (c *Cluster) stakes(parent context.Context) error {
	deployer, err := c.key("deployer")
	if err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(parent)
	group.SetLimit(2 * c.cfg.Parallel)
	for _, m := range c.members {
		group.Go(func() error {
			if err := c.treasury.admit(ctx, deployer, m.Home.Keys.Authority.Address()); err != nil {
				return fmt.Errorf("%s: %w", m.Name(), err)
			}
			if err := c.treasury.seat(ctx, m, c.cfg.stake(m.Number), c.cfg.Purse); err != nil {
				return fmt.Errorf("%s: %w", m.Name(), err)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil || len(c.members) == 0 {
		return err
	}
	return c.poll(parent, time.Second, func() (bool, error) { return c.treasury.season(parent, c.members[0].Home.Keys.Authority) })
}

// key opens or creates one of the cluster's own keypairs.
func (c *Cluster) key(name string) (*ledger.Keypair, error) {
	path := filepath.Join(c.cfg.Dir, "keys", name+".json")
	if err := makeDir(filepath.Dir(path)); err != nil {
		return nil, err
	}
	k, _, err := transact.LoadOrCreateKeypair(path)
	if err != nil {
		return nil, fmt.Errorf("cluster: key of the %s: %w", name, err)
	}
	return k, nil
}
