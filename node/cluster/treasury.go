package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"ojud/ledger"
	"ojud/ledger/law"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node/cluster/genesis"
	"ojud/voting"
)

// treasury sends the cluster's own transactions: it pays from the faucet, sets the court's rules
// and sends for the parties.
type treasury struct {
	chain  *Chain
	client *ledger.Client
	sender *ledger.Sender
}

func openTreasury(ctx context.Context, cfg ledger.Config, chain *Chain, log *slog.Logger) (*treasury, error) {
	cfg.RPC, cfg.WS, cfg.Commitment = chain.rpc, chain.ws, "confirmed"
	client, err := ledger.New(cfg, genesis.Court(), ledger.Deps{Transport: chain.server.Transport(), Logger: log})
	if err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	sender, err := ledger.OpenSender(ctx, client, &ledger.MemoryOutbox{})
	if err != nil {
		client.Close()
		return nil, fmt.Errorf("cluster: %w", err)
	}
	return &treasury{chain: chain, client: client, sender: sender}, nil
}

func (t *treasury) close() {
	t.sender.Close()
	t.client.Close()
}

func (t *treasury) program() program.Program { return t.client.Program() }

// domain returns the domain of this court's signatures.
func (t *treasury) domain() voting.Domain {
	return voting.Domain{Network: voting.Hash(t.chain.Genesis()), Program: voting.Key(genesis.Court())}
}

// submit sends instructions and waits until they have landed.
func (t *treasury) submit(ctx context.Context, payer *ledger.Keypair, all ...onchain.Instruction) error {
	out, err := t.sender.Submit(ctx, all, ledger.SubmitOptions{Payer: payer})
	switch {
	case err != nil:
		return fmt.Errorf("cluster: send: %w", err)
	case out.Rejection != nil:
		return fmt.Errorf("cluster: send: %w", out.Rejection)
	case out.Class != ledger.Landed:
		return fmt.Errorf("cluster: a transaction ended as %s", out.Class)
	}
	return nil
}

// fund fills a wallet up from the faucet.
func (t *treasury) fund(ctx context.Context, who onchain.Address, lamports uint64) error {
	has, _, err := t.client.Balance(ctx, who)
	if err != nil {
		return fmt.Errorf("cluster: balance: %w", err)
	}
	if has >= lamports {
		return nil
	}
	sig, err := t.client.Airdrop(ctx, who, lamports-has)
	if err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	if _, err := t.client.Await(ctx, sig); err != nil {
		return fmt.Errorf("cluster: airdrop: %w", err)
	}
	return nil
}

// rule founds the court on a new chain. On a chain with other rules it announces these, as far as
// they may follow, and moves the chain's clock to the time from which they are in force. It returns
// the rules that are in force then, and the time that it moved.
func (t *treasury) rule(ctx context.Context, deployer *ledger.Keypair, params program.Params, listed bool) (program.Params, time.Duration, error) {
	if err := t.fund(ctx, deployer.Address(), onchain.LamportsPerSOL); err != nil {
		return params, 0, err
	}
	for moved := time.Duration(0); ; {
		rules, err := law.Read(ctx, t.client)
		switch {
		case errors.Is(err, ledger.ErrNotFound) || errors.Is(err, ledger.ErrNoConfig):
			found := program.InitConfig{Network: voting.Hash(t.chain.Genesis()), Params: params}
			if listed {
				found.Listed = 1
			}
			return params, moved, t.submit(ctx, deployer, t.program().InitConfig(deployer.Address(), found), genesis.Treasury(t.program().ID(), deployer.Address()))
		case err != nil:
			return params, moved, fmt.Errorf("cluster: read the court's rules: %w", err)
		case listed && rules.Config.Listed == 0:
			return params, moved, errors.New("cluster: listed: this court is open, and an open court is never listed again; take another dir for a listed one")
		case rules.Next != nil:
			by := time.Duration(rules.Next.From-rules.Time) * time.Second
			if err := t.chain.server.Warp(by); err != nil {
				return params, moved, fmt.Errorf("cluster: %w", err)
			}
			moved += by
			continue
		}
		if params = params.After(rules.Now.Params); params == rules.Now.Params {
			return params, moved, nil
		}
		change := program.ProposeRules{Params: params}
		if err := t.submit(ctx, deployer, t.program().ProposeRules(deployer.Address(), rules.Config.Rules, change)); err != nil {
			return params, moved, err
		}
	}
}

// admit lets a judge join if the court is listed.
func (t *treasury) admit(ctx context.Context, deployer *ledger.Keypair, judge onchain.Address) error {
	e, err := law.Admission(ctx, t.client, judge)
	switch {
	case err != nil:
		return fmt.Errorf("cluster: %w", err)
	case e.MayJoin():
		return nil
	}
	return t.submit(ctx, deployer, t.program().AdmitJudge(deployer.Address(), program.AdmitJudge{Judge: judge}))
}

// season begins one if it may, and says whether all judges have weights, or have to wait long.
func (t *treasury) season(ctx context.Context, payer *ledger.Keypair) (bool, error) {
	rules, err := law.Read(ctx, t.client)
	if err != nil {
		return false, fmt.Errorf("cluster: %w", err)
	}
	if err := t.submit(ctx, payer, t.program().BeginSeason(rules.Now.Number)); err != nil && !errors.Is(err, program.ErrSeasonRuns) {
		return false, err
	}
	roster, _, err := t.client.Roster(ctx)
	return err != nil || rules.Now.SeasonSeconds > 60 || !roster.Awaited(rules.Now.Params), err
}

// seat puts a judge on the Roster with a stake, or restores a reduced stake.
func (t *treasury) seat(ctx context.Context, m *Member, stake, purse uint64) error {
	roster, _, err := t.client.Roster(ctx)
	if err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	keys, p := m.Home.Keys, t.program()
	self := keys.Authority.Address()
	i := roster.Find(keys.Judge())
	missing := stake
	if i >= 0 {
		missing -= min(stake, roster.Entries[i].Stake)
	}
	if err := t.fund(ctx, self, missing+purse); err != nil {
		return err
	}
	switch {
	case i < 0:
		proof := keys.Sign(t.domain().JoinProof(keys.Judge()))
		rules, err := law.Read(ctx, t.client)
		if err != nil {
			return fmt.Errorf("cluster: %w", err)
		}
		return t.submit(ctx, keys.Authority, p.JoinRoster(self, rules.Now.Number, t.domain().Network, proof, program.JoinRoster{Peer: keys.Peer(), Withdraw: self, Stake: stake})...)
	case missing > 0:
		return t.submit(ctx, keys.Authority, p.TopUp(self, program.TopUp{Amount: missing}))
	}
	return nil
}
