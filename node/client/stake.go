package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"ojud/ledger"
	"ojud/ledger/law"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
)

// Holding names a judge, and the key that may take its stake.
type Holding struct {
	// Judge is the judge's address. Zero means the client's own key.
	Judge onchain.Address
	// Key is the judge's withdraw key. Nil means the client's own key, which pays the fee in any
	// case.
	Key *ledger.Keypair
}

// held is a judge's entry and the keys that can act on it.
type held struct {
	judge, withdraw onchain.Address
	entry           *program.RosterEntry
	signers         []*ledger.Keypair // besides the client's key
}

// signing reads the judge's entry, and checks that the withdraw key is there.
func (c *court) signing(ctx context.Context, h Holding) (held, error) {
	judge, err := c.who(h.Judge)
	if err != nil {
		return held{}, err
	}
	e, err := c.entry(ctx, judge)
	if err != nil {
		return held{}, err
	}
	signers, key := cosigners(h.Key)
	if key = cmp.Or(key, c.self); key != e.Withdraw {
		return held{}, fmt.Errorf("%w: only the withdraw key %s of the judge %s can do this, and %s is another key; "+
			"name the right one: --withdraw-keypair FILE", errNotNow, e.Withdraw, judge, key)
	}
	return held{judge: judge, withdraw: key, entry: e, signers: signers}, nil
}

// Exit begins to leave the court. The judge is drawn as before until the next season begins. It may
// take its stake after the cooldown.
func (c *Client) Exit(ctx context.Context, h Holding) (JudgeDone, error) {
	s, err := c.signing(ctx, h)
	if err != nil {
		return JudgeDone{}, err
	}
	rules, err := law.Read(ctx, c.chain)
	if err != nil {
		return JudgeDone{}, err
	}
	sent, err := c.landed(ctx, action{
		name: "begin to leave the roster", purpose: "exit:" + s.judge.String(), signers: s.signers,
		instructions: []onchain.Instruction{c.program.BeginExit(s.withdraw, rules.Now.Number, program.BeginExit{Judge: s.judge})},
		done: func(ctx context.Context) (bool, error) {
			e, err := c.entry(ctx, s.judge)
			return err == nil && e.State == program.EntryExiting, err
		},
	})
	return c.judgeDone(ctx, s.judge, sent, err)
}

// Left is the result of WithdrawStake.
type Left struct {
	Sent
	Stake   Lamports `json:"stake"`
	Rewards Lamports `json:"rewards"`
	To      string   `json:"to"`     // the wallet that got both
	Wallet  Lamports `json:"wallet"` // what it holds afterwards
}

// WithdrawStake pays the stake and the rewards to a wallet and removes the judge from the Roster.
// Zero means the withdraw key's own account.
func (c *Client) WithdrawStake(ctx context.Context, h Holding, to onchain.Address) (Left, error) {
	s, err := c.signing(ctx, h)
	if err != nil {
		return Left{}, err
	}
	v, err := c.Judge(ctx, s.judge)
	if err != nil {
		return Left{}, err
	}
	e := s.entry
	switch {
	case e.State == program.EntryActive:
		return Left{}, fmt.Errorf("%w: the judge has not begun to leave; run: ojud judge exit", errNotNow)
	case !v.Free:
		return Left{}, fmt.Errorf("%w: the stake may leave %s", errNotNow, v.ExitIn)
	case e.Live > 0:
		return Left{}, fmt.Errorf("%w: the judge sits in %d rounds that are not settled", errNotNow, e.Live)
	}
	to = cmp.Or(to, s.withdraw)
	sent, err := c.landed(ctx, action{
		name: "withdraw the stake", purpose: "leave:" + s.judge.String(), signers: s.signers,
		instructions: []onchain.Instruction{c.program.WithdrawStake(s.withdraw, to, program.WithdrawStake{Judge: s.judge})},
		done: func(ctx context.Context) (bool, error) {
			_, err := c.entry(ctx, s.judge)
			if errors.Is(err, errNoJudge) {
				return true, nil
			}
			return false, err
		},
	})
	if err != nil {
		return Left{}, err
	}
	wallet, err := c.Balance(ctx, to)
	return Left{Sent: sent, Stake: Lamports(e.Stake), Rewards: Lamports(e.Rewards), To: to.String(), Wallet: wallet}, err
}

// ChangeWithdraw gives a judge another withdraw key. The present one signs.
func (c *Client) ChangeWithdraw(ctx context.Context, h Holding, key onchain.Address) (JudgeDone, error) {
	s, err := c.signing(ctx, h)
	if err != nil {
		if e, bad := c.entry(ctx, cmp.Or(h.Judge, c.self)); bad == nil && e.Withdraw == key {
			return c.judgeDone(ctx, e.Authority, Sent{Result: ledger.AlreadyDone.String()}, nil)
		}
		return JudgeDone{}, err
	}
	sent, err := c.landed(ctx, action{
		name: "change the withdraw key", purpose: "withdraw-key:" + s.judge.String() + ":" + key.String(), signers: s.signers,
		instructions: []onchain.Instruction{c.program.ChangeWithdraw(s.withdraw, program.ChangeWithdraw{Judge: s.judge, Withdraw: key})},
		done: func(ctx context.Context) (bool, error) {
			e, err := c.entry(ctx, s.judge)
			return err == nil && e.Withdraw == key, err
		},
	})
	return c.judgeDone(ctx, s.judge, sent, err)
}

// ClaimReward pays a judge's rewards to its withdraw key's account, for anybody that asks, or to
// another wallet if the withdraw key signs. If there is nothing to claim, it reports that this was
// done already.
func (c *Client) ClaimReward(ctx context.Context, h Holding, to onchain.Address) (JudgeDone, error) {
	judge, err := c.who(h.Judge)
	if err != nil {
		return JudgeDone{}, err
	}
	e, err := c.entry(ctx, judge)
	if err != nil {
		return JudgeDone{}, err
	}
	to = cmp.Or(to, e.Withdraw)
	s := held{withdraw: e.Withdraw}
	if to != e.Withdraw {
		if s, err = c.signing(ctx, h); err != nil {
			return JudgeDone{}, err
		}
	}
	sent, err := c.landed(ctx, action{
		name: "claim the reward", purpose: "reward:" + judge.String() + ":" + to.String(), signers: s.signers,
		instructions: []onchain.Instruction{c.program.ClaimReward(s.withdraw, to, program.ClaimReward{Judge: judge})},
		done: func(ctx context.Context) (bool, error) {
			e, err := c.entry(ctx, judge)
			return err == nil && e.Rewards == 0, err
		},
	})
	return c.judgeDone(ctx, judge, sent, err)
}
