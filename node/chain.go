package node

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"ojud/ledger"
	"ojud/ledger/law"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/providers"
	"ojud/ledger/transact"
	"ojud/node/deeds"
	"ojud/node/layer"
	"ojud/node/network"
	"ojud/node/payment"
	"ojud/node/status"
	"ojud/voting"
)

// chain is the court's chain as the parts of the node see it: in plain keys. The exported methods
// are for the packages below node, which declare their needs as interfaces.
type chain struct {
	layer.Chain
	self    *ledger.Keypair
	genesis onchain.Hash // names the cluster
	fail    func(error)  // ends the node

	// Run sets these once the chain has answered.
	sender  layer.Submitter
	watcher layer.Follower
}

// address returns a key as the chain's client names it.
func address(k voting.Key) onchain.Address { return onchain.Address(k) }

func openChain(cfg ledger.Config, d voting.Domain, self *ledger.Keypair, deps Deps, offered func() []providers.Guest, fail func(error)) (c *chain, err error) {
	c = &chain{Chain: deps.Chain, self: self, genesis: onchain.Hash(d.Network), fail: fail}
	if c.Chain == nil {
		of := ledger.Deps{Transport: deps.Transport, Logger: deps.Logger, Offered: offered}
		if deps.Metrics != nil { // a nil *Registry would not be a nil Registerer
			of.Metrics = deps.Metrics
		}
		c.Chain, err = layer.RPC(cfg, address(d.Program), of)
	}
	return c, err
}

// Close ends the connections to the RPC node.
func (c *chain) Close() error {
	if c.sender != nil {
		c.sender.Close()
	}
	c.Chain.Close()
	return nil
}

// at returns the chain's time now, in Unix seconds; 0 if it is not known yet.
func (c *chain) at() int64 {
	m, _ := c.Chain.Time().Last()
	return m.Unix
}

// slot returns the chain's last slot that is known.
func (c *chain) slot() uint64 {
	m, _ := c.Chain.Time().Last()
	return m.Slot
}

func (c *chain) CheckChain(ctx context.Context) error { return c.Chain.CheckChain(ctx, c.genesis) }

func (c *chain) Time(ctx context.Context) (int64, error) {
	now, err := c.Chain.Now(ctx)
	return now.Unix, err
}

func (c *chain) Balance(ctx context.Context, account voting.Key) (uint64, error) {
	all, _, err := c.Accounts(ctx, address(account))
	if err != nil || all[0] == nil {
		return 0, err
	}
	return all[0].Lamports, nil
}

func (c *chain) Roster(ctx context.Context) (*program.Roster, error) {
	r, _, err := ledger.Read(ctx, c.Chain, c.Program().Roster(), program.DecodeRoster)
	return r, err
}

// viewed is the chain with the Roster that the watcher has shown, which is at most ten minutes old.
type viewed struct {
	*chain
	roster *network.Roster
}

func (v viewed) Roster(ctx context.Context) (*program.Roster, error) {
	if now := v.roster.Now(); now != nil {
		return now, nil
	}
	return v.chain.Roster(ctx)
}

func (c *chain) Task(ctx context.Context, task voting.Key) (*program.Task, error) {
	t, _, err := ledger.Read(ctx, c.Chain, address(task), program.DecodeTask)
	return t, err
}

func (c *chain) FindTask(ctx context.Context, task voting.Key) (*program.Task, error) {
	t, err := c.Task(ctx, task)
	if errors.Is(err, ledger.ErrNotFound) {
		return nil, nil
	}
	return t, err
}

func (c *chain) FindAgent(ctx context.Context, authority voting.Key) (*program.Agent, error) {
	a, _, err := ledger.Read(ctx, c.Chain, c.Program().Agent(address(authority)), program.DecodeAgent)
	if errors.Is(err, ledger.ErrNotFound) {
		return nil, nil
	}
	return a, err
}

// FindOwners reads the tasks of these addresses and the agents of these authorities. Nil stands for
// one that does not exist, or that this version cannot read.
func (c *chain) FindOwners(ctx context.Context, owners []voting.Key) ([]*program.Task, []*program.Agent, error) {
	addresses, vaults := make([]onchain.Address, len(owners)), make([]onchain.Address, len(owners))
	for i, o := range owners {
		addresses[i], vaults[i] = address(o), c.Program().Agent(address(o))
	}
	tasks, err := readAll(ctx, c, addresses, program.DecodeTask)
	if err != nil {
		return nil, nil, err
	}
	agents, err := readAll(ctx, c, vaults, program.DecodeAgent)
	return tasks, agents, err
}

// FindData reads data of agents. Nil stands for an account that does not exist, or is another.
func (c *chain) FindData(ctx context.Context, at []voting.Key) ([]*program.AgentData, error) {
	addresses := make([]onchain.Address, len(at))
	for i, a := range at {
		addresses[i] = address(a)
	}
	return readAll(ctx, c, addresses, program.DecodeAgentData)
}

func readAll[T any](ctx context.Context, c *chain, addresses []onchain.Address, decode func([]byte) (*T, error)) ([]*T, error) {
	all, _, err := c.Accounts(ctx, addresses...)
	if err != nil {
		return nil, err
	}
	out := make([]*T, len(all))
	for i, a := range all {
		if a == nil || a.Owner != c.Program().ID() {
			continue
		}
		if one, err := decode(a.Data); err == nil { // another account of the program
			out[i] = one
		}
	}
	return out, nil
}

// Agents reads all agents.
func (c *chain) Agents(ctx context.Context) ([]*program.Agent, error) {
	all, err := c.Heads(ctx, "Agent", ledger.Filter{Offset: ledger.StatusOffset, Bytes: []byte{0}}, 0, program.AgentSize)
	if err != nil {
		return nil, err
	}
	var out []*program.Agent
	for _, a := range all {
		if one, err := program.DecodeAgent(a.Data); err == nil { // another is not in the form that this version knows
			out = append(out, one)
		}
	}
	return out, nil
}

func (c *chain) Rules(ctx context.Context, number uint32) (*program.Rules, error) {
	return law.Version(ctx, c.Chain, number)
}

// Clock returns the chain's time, and that of auctions.
func (c *chain) Clock(ctx context.Context) (now, market int64, err error) {
	config, _, err := ledger.Read(ctx, c.Chain, c.Program().Config(), program.DecodeConfig)
	if err != nil {
		return 0, 0, err
	}
	moment, err := c.Chain.Now(ctx)
	if err != nil {
		return 0, 0, err
	}
	return moment.Unix, config.Market(moment.Unix), nil
}

// Law reads which version of the rules is in force, and which one is announced.
func (c *chain) Law(ctx context.Context) (*law.Rules, error) { return law.Read(ctx, c.Chain) }

// inForce reads the version of the rules that applies now.
func (c *chain) inForce(ctx context.Context) (*program.Rules, error) {
	r, err := c.Law(ctx)
	if err != nil {
		return nil, err
	}
	return r.Now, nil
}

// Admission reads whether a judge may join.
func (c *chain) Admission(ctx context.Context, judge voting.Key) (status.Admission, error) {
	e, err := law.Admission(ctx, c.Chain, address(judge))
	return status.Admission{Listed: e.Listed, Admitted: e.Admission != nil, Ask: e.Ask(address(judge))}, err
}

func (c *chain) History(ctx context.Context, task voting.Key) ([]ledger.Occurred, error) {
	return c.Chain.History(ctx, address(task))
}

// look reads a case, with its judges as a Roster names them.
func (c *chain) look(ctx context.Context, task voting.Key, roster *program.Roster) (voting.Case, error) {
	found, slot, err := ledger.Read(ctx, c.Chain, c.Program().Case(address(task)), program.DecodeCase)
	if err != nil {
		return voting.Case{}, err
	}
	return found.Voting(slot, roster), nil
}

// sealed finds the sealed opening of an own commitment in the chain's history.
func (c *chain) sealed(ctx context.Context, e voting.RecoverOpening) ([]byte, error) {
	return c.Chain.Sealed(ctx, address(e.Task), c.self.Address(), e.Round, e.Commitment)
}

// estimate returns the chain's time now, extrapolated from the last block; false before the first.
func (c *chain) estimate() (int64, bool) { return c.Chain.Time().Estimate() }

// age returns the time since the last block was seen.
func (c *chain) age() time.Duration { return c.Chain.Time().Age() }

// send sends an operation and waits for its end. A commit needs its sealed opening, a settlement
// the terms of the task.
func (c *chain) send(ctx context.Context, e voting.Submit, sealed []byte, terms *program.Task) (transact.Outcome, error) {
	instructions, err := c.instructions(ctx, e, sealed, terms)
	if err != nil {
		return transact.Outcome{}, err
	}
	o := ledger.SubmitOptions{
		Purpose: transact.PurposeOf(e.Op, address(e.Task), e.Round, e.Seat),
		Payer:   c.self, Before: e.Before, Done: deeds.Done(c.Chain, e),
	}
	if e.Op == voting.OpSettle || e.Op == voting.OpExpire {
		o.Along = deeds.Claims(c.Chain, address(e.Task))
	}
	return c.sender.Submit(ctx, instructions, o)
}

// instructions translates an operation for the program (protocol section 5).
func (c *chain) instructions(ctx context.Context, e voting.Submit, sealed []byte, terms *program.Task) ([]onchain.Instruction, error) {
	p, task, network := c.Program(), address(e.Task), voting.Hash(c.genesis)
	one := func(i onchain.Instruction) ([]onchain.Instruction, error) { return []onchain.Instruction{i}, nil }
	switch e.Op {
	case voting.OpDraw:
		return one(p.Draw(task))
	case voting.OpCommit:
		return one(p.Commit(c.Address(), task, program.Commit{Round: e.Round, Commitment: e.Commitment, Sealed: sealed}))
	case voting.OpRelayCommit:
		return p.RelayCommit(network, e.Peer, e.Relay)
	case voting.OpReveal, voting.OpRelayReveal:
		return one(p.Reveal(task, address(e.Judge), e.Round, e.Opening))
	case voting.OpSettle:
		return one(program.EndRound(p, task, terms, false))
	case voting.OpExpire:
		return one(program.EndRound(p, task, terms, true))
	case voting.OpSlash:
		return p.SlashEquivocation(e.Seat, network, e.Evidence)
	case voting.OpClaim:
		return c.claim(ctx, e.Judge)
	}
	return nil, fmt.Errorf("node: operation %d is not known here", e.Op)
}

// claim pays a judge's rewards to the account of its withdraw key.
func (c *chain) claim(ctx context.Context, judge voting.Key) ([]onchain.Instruction, error) {
	roster, err := c.Roster(ctx)
	if err != nil {
		return nil, err
	}
	withdraw := address(judge) // if it is no judge, the program says so
	if i := roster.Find(judge); i >= 0 {
		withdraw = roster.Entries[i].Withdraw
	}
	return []onchain.Instruction{c.Program().ClaimReward(withdraw, withdraw, program.ClaimReward{Judge: address(judge)})}, nil
}

// submit sends instructions that serve no case. The chain must be open.
func (c *chain) submit(ctx context.Context, all []onchain.Instruction, o ledger.SubmitOptions) (transact.Outcome, error) {
	return c.sender.Submit(ctx, all, o)
}

// Address is the authority of this node.
func (c *chain) Address() onchain.Address              { return c.self.Address() }
func (c *chain) Sign(message []byte) onchain.Signature { return c.self.Sign(message) }

// Pull brings a voucher to the program. For each payer one pull runs at a time.
func (c *chain) Pull(ctx context.Context, s payment.Signed, maxFee uint64) error {
	instructions, err := c.Program().PullPayment(c.Address(), s.Voucher, s.Signature)
	if err != nil {
		return err
	}
	out, err := c.sender.Submit(ctx, instructions, ledger.SubmitOptions{
		Purpose: ledger.Purpose("pull/" + s.Payer.String()), Payer: c.self, Before: s.Expires, MaxFee: maxFee, Done: c.pulled(s),
	})
	if errors.Is(err, ledger.ErrOutbox) {
		c.fail(err)
	}
	switch {
	case err != nil:
		return err
	case out.Class == ledger.Landed || out.Class == ledger.AlreadyDone || out.Voting(nil) == voting.Moot:
		return nil
	case out.Class == ledger.Rejected:
		return out.Rejection
	}
	return fmt.Errorf("node: the pull from %s did not land: %s", s.Payer, out.Class)
}

// pulled reports whether everything that a voucher promises has been paid.
func (c *chain) pulled(s payment.Signed) func(context.Context) (bool, error) {
	return func(ctx context.Context) (bool, error) {
		all, _, err := c.Accounts(ctx, c.Program().Channel(s.Payer, s.Payee))
		if err != nil || all[0] == nil || all[0].Owner != c.Program().ID() {
			return false, err
		}
		channel, err := program.DecodeChannel(all[0].Data)
		return err == nil && channel.Paid >= s.Cumulative, err
	}
}

// transient reports whether the RPC node may answer better in a while.
func transient(err error) bool {
	return slices.ContainsFunc([]error{ledger.ErrUnavailable, ledger.ErrRateLimited, ledger.ErrStale, ledger.ErrAnswer},
		func(class error) bool { return errors.Is(err, class) })
}

// open begins to send and to watch, from a place in the stream of events. The chain must have
// answered.
func (c *chain) open(ctx context.Context, outbox ledger.Outbox, from ledger.Cursor) (err error) {
	if c.sender, err = c.Chain.Submitter(ctx, outbox); err != nil {
		return err
	}
	c.watcher = c.Chain.Follower(from, c.self.Address())
	return nil
}

func (c *chain) watch(ctx context.Context) error { return c.watcher.Run(ctx) }
func (c *chain) events() <-chan ledger.Occurred  { return c.watcher.Events() }

// hint has a case read that a peer knows of. The node watches before it has a view of the cases.
func (c *chain) hint(task voting.Key) { c.watcher.Hint(address(task)) }

// health returns how well the node sees the chain; false before it has begun to watch.
func (c *chain) health() (ledger.Health, bool) {
	if c.watcher == nil {
		return ledger.Health{}, false
	}
	return c.watcher.Health(), true
}
