package cli

import (
	"github.com/spf13/cobra"

	"ojud/node/client"
)

// TermFlags are a creator's offer for a task.
type TermFlags struct {
	reward, least, most  Amount
	seatFee              Amount
	seats                uint8
	auction, work, claim Span
	undecided            string
	engine, payee        string
	fee                  Amount
	decide               Span
	byTerm               bool
	forever              bool
	// Again posts the task even if an open task has the same document.
	Again bool
}

// Add adds the flags to a command.
func (t *TermFlags) Add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.Var(&t.reward, "reward", "fixed reward, such as 1sol")
	flags.Var(&t.least, "reward-min", "auction: the reward at the beginning")
	flags.Var(&t.most, "reward-max", "auction: the reward at the end; it is taken from the vault")
	flags.Var(&t.auction, "auction", "auction: how long the reward rises, such as 1h")
	usual := client.DefaultOffer(0)
	t.work.Seconds, t.claim.Seconds = usual.WorkSeconds, usual.ClaimWithin
	flags.Var(&t.work, "work", "from the claim to the result")
	flags.Var(&t.claim, "claim-within", "how long it may be claimed; then anyone may expire it, which refunds")
	flags.BoolVar(&t.forever, "claim-forever", false, "it may be claimed until it is cancelled")
	flags.StringVar(&t.undecided, "on-undecided", usual.OnUndecided, "if the court cannot decide: refund, pay or split")
	t.decide.Seconds = 24 * 3600
	flags.StringVar(&t.engine, "engine", "", "who decides a dispute instead of the court: PROGRAM or PROGRAM/GROUP")
	flags.Var(&t.decide, "engine-time", "how long it has from the counter-objection on")
	flags.Var(&t.fee, "engine-fee", "its fee, from the loser's bond, at most a tenth of the lowest reward (default none)")
	flags.StringVar(&t.payee, "engine-agent", "", "address of the agent that gets the fee")
	flags.BoolVar(&t.byTerm, "engine-silent-undecided", false, "if it is silent, --on-undecided decides, not the court")
	flags.Uint8Var(&t.seats, "seats", 0, "judges of the first panel if there is a dispute: 7, 14 or all of the court's; 0: 7 below 0.3 SOL, else all")
	flags.Var(&t.seatFee, "fee", "least fee of a seat, which the loser of a dispute pays: raise it for long work, such as 0.002sol")
	flags.BoolVar(&t.Again, "again", false, "post it even if an open task of yours has the same document")
}

// Terms returns the offer. It refuses a reward together with an auction.
func (t *TermFlags) Terms() (client.Offer, error) {
	out := client.Offer{
		RewardMin: t.reward.Lamports, RewardMax: t.reward.Lamports, AuctionSeconds: t.auction.Seconds, WorkSeconds: t.work.Seconds,
		ClaimWithin: t.claim.Seconds, OnUndecided: t.undecided, Seats: t.seats, Fee: t.seatFee.Lamports,
	}
	if t.engine != "" {
		var err error
		out.Engine = client.Engine{Fee: t.fee.Lamports, Seconds: t.decide.Seconds, ByTerm: t.byTerm}
		if out.Engine.Decider, err = Engine(t.engine); err != nil {
			return out, err
		}
		if out.Engine.Agent, err = Address("--engine-agent", t.payee); err != nil {
			return out, err
		}
	}
	if t.forever {
		out.ClaimWithin = 0
	}
	auction := t.least.Given || t.most.Given || t.auction.Seconds > 0
	switch {
	case t.reward.Given && auction:
		return out, Usage("--reward goes without --reward-min, --reward-max and --auction").Next("give either one reward or an auction")
	case t.reward.Given:
		return out, nil
	case t.least.Given && t.most.Given && t.auction.Seconds > 0:
		out.RewardMin, out.RewardMax = t.least.Lamports, t.most.Lamports
		return out, nil
	}
	return out, Usage("a task needs --reward, or for an auction --reward-min, --reward-max and --auction")
}
