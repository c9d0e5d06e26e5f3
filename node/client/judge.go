package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"ojud/casefile"
	"ojud/ledger"
	"ojud/ledger/law"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node"
	"ojud/node/api"
	"ojud/node/client/when"
	"ojud/node/status"
	"ojud/voting"
)

// JudgeDone is the result of a judge's action, with its entry of the Roster afterwards.
type JudgeDone struct {
	Sent
	Judge JudgeView `json:"judge"`
}

// Candidacy says how a judge joins.
type Candidacy struct {
	// Stake comes from the wallet of the client's key.
	Stake Lamports
	// Operator is the key of the operator that runs the node, which signs, too; nil if none is
	// declared.
	Operator *ledger.Keypair
	// Withdraw is the key that can begin an exit, take the stake and name where rewards go. Zero
	// means the judge's own key.
	Withdraw onchain.Address
}

// Join puts the client's key on the Roster with a stake from its wallet. The keys are those of the
// judge's node. Their authority is the client's key, and the node key signs the binding. If the key
// is on the Roster already, Join reports that.
func (c *Client) Join(ctx context.Context, keys node.Keys, as Candidacy) (JudgeDone, error) {
	me := c.self
	if c.key == nil {
		return JudgeDone{}, errNoKey
	}
	if keys.Authority.Address() != me {
		return JudgeDone{}, fmt.Errorf("client: the node's authority is %s and the key is %s; use the authority.json of the node's home", keys.Authority.Address(), me)
	}
	rules, err := law.Read(ctx, c.chain)
	if err != nil {
		return JudgeDone{}, err
	}
	if err := c.MayJoin(ctx, me); err != nil {
		return JudgeDone{}, err
	}
	if err := c.stakeFits(ctx, me, as.Stake, rules.Now); err != nil {
		return JudgeDone{}, err
	}
	proof := keys.Sign(c.domain.JoinProof(voting.Key(me)))
	signers, operator := cosigners(as.Operator)
	sent, err := c.landed(ctx, action{
		name: "join the roster", purpose: "join:" + me.String(), signers: signers,
		instructions: c.program.JoinRoster(me, rules.Now.Number, c.domain.Network, proof, program.JoinRoster{
			Peer: keys.Peer(), Operator: operator, Withdraw: cmp.Or(as.Withdraw, me), Stake: uint64(as.Stake),
		}),
		done: func(ctx context.Context) (bool, error) {
			e, err := c.entry(ctx, me)
			if errors.Is(err, errNoJudge) {
				return false, nil
			}
			return err == nil && e.Peer == keys.Peer(), err
		},
	})
	return c.judgeDone(ctx, me, sent, err)
}

// stakeFits refuses a stake that the program would refuse, or that leaves nothing for fees, and a
// judge that is leaving. It accepts all if the judge is on the Roster.
func (c *court) stakeFits(ctx context.Context, me onchain.Address, stake Lamports, rules *program.Rules) error {
	switch v, err := c.Judge(ctx, me); {
	case err == nil && v.State == program.EntryExiting.String():
		return fmt.Errorf("%w: the judge is leaving the court; to come back, take the stake out (it may leave %s) and register again: "+
			"run: ojud judge withdraw, and then: ojud judge register", errNotNow, v.ExitIn)
	case !errors.Is(err, errNoJudge):
		return err
	}
	balance, err := c.Balance(ctx, me)
	if err != nil {
		return err
	}
	switch {
	case uint64(stake) < rules.MinStake:
		return fmt.Errorf("%w: a stake of %s is too small, this court wants at least %s", errNotNow, stake, Lamports(rules.MinStake))
	case balance < stake+feeReserve:
		next := "send some SOL to it"
		if c.network.Faucet {
			next = "run: ojud airdrop " + (stake + feeReserve - balance).Argument()
		}
		return fmt.Errorf("%w: %s has %s and needs the stake of %s and %s for fees; %s", errNotNow, me, balance, stake, feeReserve, next)
	}
	return nil
}

// feeReserve stays in a judge's wallet for fees and the growth of the Roster. It pays for about
// 2,000 transactions.
const feeReserve Lamports = 10_000_000

// TopUp adds to the judge's stake, from the next season on. Every call moves lamports again.
func (c *Client) TopUp(ctx context.Context, amount Lamports) (JudgeDone, error) {
	sent, err := c.moved(ctx, "top up the stake", amount, c.program.TopUp(c.self, program.TopUp{Amount: uint64(amount)}))
	return c.judgeDone(ctx, c.self, sent, err)
}

func (c *court) judgeDone(ctx context.Context, judge onchain.Address, sent Sent, err error) (JudgeDone, error) {
	if err != nil {
		return JudgeDone{}, err
	}
	view, err := c.Judge(ctx, judge)
	return JudgeDone{Sent: sent, Judge: view}, err
}

// errNoJudge means that the key is not on the Roster.
var errNoJudge = errors.New("client: not on the roster")

// entry reads a judge's entry of the Roster.
func (c *court) entry(ctx context.Context, judge onchain.Address) (*program.RosterEntry, error) {
	roster, _, err := c.chain.Roster(ctx)
	if err != nil {
		return nil, err
	}
	i := roster.Find(voting.Key(judge))
	if i < 0 {
		return nil, fmt.Errorf("%w: %s; run: ojud judge register", errNoJudge, judge)
	}
	return &roster.Entries[i], nil
}

// OnRoster reports whether a judge is on the Roster. Zero means the client's own key.
func (c *court) OnRoster(ctx context.Context, judge onchain.Address) (bool, error) {
	judge, err := c.who(judge)
	if err != nil {
		return false, err
	}
	if _, err = c.entry(ctx, judge); errors.Is(err, errNoJudge) {
		return false, nil
	}
	return err == nil, err
}

// UsualStake returns the stake that a judge should begin with, the least, and the most that counts.
func (c *court) UsualStake(ctx context.Context) (usual, least, most Lamports, err error) {
	rules, err := law.Read(ctx, c.chain)
	if err != nil {
		return 0, 0, 0, err
	}
	return usualStake(rules.Now), Lamports(rules.Now.MinStake), Lamports(rules.Now.MaxSeatWeight), nil
}

// usualStake is a quarter more than the least, so that one loss does not take a judge out of the
// draws.
func usualStake(rules *program.Rules) Lamports {
	return Lamports(rules.MinStake + rules.MinStake/4)
}

// JudgeView is an entry of the Roster.
type JudgeView struct {
	Judge    string `json:"judge"`    // authority
	NodeID   string `json:"agent_id"` // did:key of the node key
	Operator string `json:"operator,omitempty"`
	Withdraw string `json:"withdraw"` // the key that takes the stake
	State    string `json:"state"`    // active, exiting
	// Missing is what a judge that is not drawn, because its stake is too small, should add.
	Missing Lamports `json:"missing,omitempty"`
	Stake   Lamports `json:"stake"`
	Locked  Lamports `json:"locked"`  // weights of its seats in live rounds
	Rewards Lamports `json:"rewards"` // not yet claimed
	Live    uint16   `json:"live"`    // rounds that are not settled
	// Weight counts in the draws of this season, and NextWeight in those of the next one (ADR
	// 0033).
	Weight     Lamports `json:"weight"`
	NextWeight Lamports `json:"next_weight"`
	SeasonEnds int64    `json:"season_ends"` // when the next one may begin
	SeasonNext string   `json:"season_next"` // the same in words
	JoinedAt   int64    `json:"joined_at"`
	ExitAt     int64    `json:"exit_at,omitempty"` // when the stake may leave
	ExitIn     string   `json:"exit_in,omitempty"` // in words
	Free       bool     `json:"free,omitempty"`    // it may leave now
	Record     Record   `json:"record"`
	Golden     Golden   `json:"golden"`
}

// Golden is a judge's record in golden cases. All three numbers are halved when seen reaches 64.
type Golden struct {
	Right uint8 `json:"right"`
	Wrong uint8 `json:"wrong"`
	Seen  uint8 `json:"seen"`
	// Holds says whether the record lets the judge sit, Why the reason in words, and Asked whether
	// the court's rules ask for it.
	Holds bool   `json:"holds"`
	Why   string `json:"why"`
	Asked bool   `json:"asked"`
}

// Record says how a judge voted in settled rounds.
type Record struct {
	Seated      uint32 `json:"seated"`
	Majority    uint32 `json:"majority"`
	Minority    uint32 `json:"minority"`
	Absent      uint32 `json:"absent"`
	Abstained   uint32 `json:"abstained"`
	Equivocated uint32 `json:"equivocated"`
}

// Judge shows a judge. Zero means the client's own key.
func (c *court) Judge(ctx context.Context, judge onchain.Address) (JudgeView, error) {
	judge, err := c.who(judge)
	if err != nil {
		return JudgeView{}, err
	}
	roster, _, err := c.chain.Roster(ctx)
	if err != nil {
		return JudgeView{}, err
	}
	i := roster.Find(voting.Key(judge))
	if i < 0 {
		return JudgeView{}, fmt.Errorf("%w: %s; run: ojud judge register", errNoJudge, judge)
	}
	rules, err := law.Read(ctx, c.chain)
	if err != nil {
		return JudgeView{}, err
	}
	now, err := c.chain.Now(ctx)
	return judgeView(roster, &roster.Entries[i], roster.Next(rules.Now.Params)[i], rules.Now, now), err
}

// JudgeHere is a judge, and what its node on this machine did.
type JudgeHere struct {
	JudgeView
	Court string            `json:"court"` // listed or open: who may join it
	Rules status.RulesState `json:"rules"`
	Node  *status.Judging   `json:"node,omitempty"` // nil: no node of this judge runs here
}

// JudgeHere shows a judge, and what its node did if that runs on the home. Zero means the client's
// own key.
func (c *court) JudgeHere(ctx context.Context, judge onchain.Address, home string) (JudgeHere, error) {
	v, err := c.Judge(ctx, judge)
	if err != nil {
		return JudgeHere{}, err
	}
	rules, err := law.Read(ctx, c.chain)
	if err != nil {
		return JudgeHere{}, err
	}
	config, _, err := c.chain.Config(ctx)
	if err != nil {
		return JudgeHere{}, err
	}
	here := JudgeHere{JudgeView: v, Court: courtKind(config.Listed == 1), Rules: status.RulesOf(rules)}
	running, err := api.Open(home)
	if err == nil {
		node, who, failed := running.Judging(ctx)
		if err = failed; err == nil && who == v.Judge {
			here.Node = &node
			return here, nil
		}
	}
	if errors.Is(err, api.ErrNotRunning) {
		err = nil
	}
	return here, err
}

// Judges lists the Roster in its own order.
func (c *court) Judges(ctx context.Context) ([]JudgeView, error) {
	roster, _, err := c.chain.Roster(ctx)
	if err != nil {
		return nil, err
	}
	rules, err := law.Read(ctx, c.chain)
	if err != nil {
		return nil, err
	}
	now, err := c.chain.Now(ctx)
	out := []JudgeView{}
	for i, next := range roster.Next(rules.Now.Params) {
		if e := &roster.Entries[i]; e.State != program.EntryFree {
			out = append(out, judgeView(roster, e, next, rules.Now, now))
		}
	}
	return out, err
}

func judgeView(roster *program.Roster, e *program.RosterEntry, next uint64, rules *program.Rules, now ledger.Moment) JudgeView {
	v := JudgeView{
		Judge: e.Authority.String(), NodeID: casefile.DID(e.Peer).String(), Operator: address(e.Operator), Withdraw: e.Withdraw.String(), State: e.State.String(),
		Stake: Lamports(e.Stake), Locked: Lamports(e.Locked), Rewards: Lamports(e.Rewards), Live: e.Live, JoinedAt: e.JoinedAt, ExitAt: e.ExitAt,
		Record: Record{Seated: e.Seated, Majority: e.Majority, Minority: e.Minority, Absent: e.Absent, Abstained: e.Abstained, Equivocated: e.Equivocated},
	}
	v.Golden = Golden{Right: e.Right, Wrong: e.Wrong, Seen: e.Seen, Holds: e.Holds(), Why: e.Record(), Asked: rules.Credential != 0}
	if e.State == program.EntryActive && e.Stake < rules.MinStake/2 { // a draw passes over it
		v.Missing = usualStake(rules) - v.Stake
	}
	if e.Weighs() {
		v.Weight = Lamports(e.Weight)
	}
	ends := roster.SeasonEnds(rules.Params)
	v.NextWeight, v.SeasonEnds, v.SeasonNext = Lamports(next), ends, when.NextSeason(ends, now.Unix)
	if e.ExitAt != 0 {
		v.ExitAt, v.Free = roster.FreeAt(e, rules.Params, now.Unix), now.Unix >= e.ExitAt && !e.Counted()
		v.ExitIn = when.In(v.ExitAt, now.Unix)
		if !v.Free && v.ExitAt <= now.Unix {
			v.ExitIn = "when another season has begun; run: ojud court season begin"
		}
	}
	return v
}
