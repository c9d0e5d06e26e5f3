package node

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger"
	"ojud/ledger/program"
)

// Finding is one thing that Check looked at.
type Finding struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Fatal  bool   `json:"fatal,omitempty"` // the node cannot run like this
	Detail string `json:"detail"`
	Next   string `json:"next,omitempty"` // what to do about it
}

// Check looks for what would keep this node from judging, before it starts: chain, program, clock, funds, stake. Nothing is
// changed. The error is ctx's; what is wrong is in the findings.
func Check(ctx context.Context, home Home, cfg Config, deps Deps) ([]Finding, error) {
	cfg = home.fill(cfg)
	domain, err := home.Descriptor.Domain()
	if err != nil {
		return nil, err
	}
	c, err := ledger.New(cfg.Ledger, solana.PublicKey(domain.Program), ledger.Deps{Transport: deps.Transport, Logger: deps.Logger})
	if err != nil {
		return nil, err
	}
	defer c.Close()
	chain := checkChain(ctx, c, solana.Hash(domain.Network), home)
	out := []Finding{chain}
	if chain.OK {
		out = append(out, checkClock(ctx, c, cfg), checkLists(ctx, c), checkFunds(ctx, c, home, cfg), checkStake(ctx, c, home))
	}
	return out, ctx.Err()
}

func bad(name, next string, err error) Finding {
	return Finding{Name: name, Detail: err.Error(), Next: next}
}

// checkChain: the RPC node answers, serves the right cluster, and the program is there.
func checkChain(ctx context.Context, c *ledger.Client, genesis solana.Hash, home Home) Finding {
	err := c.CheckChain(ctx, genesis)
	if err == nil {
		return Finding{Name: "chain", OK: true, Detail: "the RPC node serves " + home.Descriptor.Name + ", and the program is there"}
	}
	f := bad("chain", wrongChain(err), err)
	if f.Fatal = f.Next != ""; !f.Fatal {
		f.Next = "the node waits for the RPC node; check ledger.rpc and that it runs"
	}
	return f
}

// wrongChain is what to do about a chain that is not the court's; empty if an error says nothing of the kind.
func wrongChain(err error) string {
	switch {
	case errors.Is(err, ledger.ErrOtherChain):
		return "the RPC URL leads to another cluster, or the devnet was started anew (it keeps its court with --data): " +
			"take part in the new court from a new home, with ojud join and another --home"
	case errors.Is(err, ledger.ErrNoProgram), errors.Is(err, ledger.ErrNotExecutable):
		return "compare the field program of network.json with what the court's operator publishes"
	case errors.Is(err, ledger.ErrNoConfig):
		return "either the court is not open yet, and its operator has to initialise the program, or the field program of network.json is wrong"
	}
	return ""
}

// checkClock: a wrong clock here is harmless to votes, deadlines are the chain's, but people read logs by it.
func checkClock(ctx context.Context, c *ledger.Client, cfg Config) Finding {
	now, err := c.Now(ctx)
	if err != nil {
		return bad("clock", "", err)
	}
	skew := time.Since(time.Unix(now.Unix, 0)).Round(time.Second)
	f := Finding{Name: "clock", OK: skew.Abs() <= cfg.Ledger.SkewWarning, Detail: fmt.Sprintf("this machine is %s from the chain's clock", skew)}
	if !f.OK {
		f.Next = "votes are not at risk, all deadlines are the chain's; set this machine's clock (or mind that a devnet was warped)"
	}
	return f
}

// checkLists: the RPC node lists all cases. Without lists a node votes, but may miss a case that was opened before it started.
func checkLists(ctx context.Context, c *ledger.Client) Finding {
	if err := c.CheckLists(ctx); err != nil {
		return bad("lists", "use another RPC URL (ledger.rpc), or a plan of this provider that permits getProgramAccounts", err)
	}
	return Finding{Name: "lists", OK: true, Detail: "the RPC node lists the program's accounts"}
}

// checkFunds: every vote is two transactions.
func checkFunds(ctx context.Context, c *ledger.Client, home Home, cfg Config) Finding {
	self := home.Keys.Authority.Address()
	have, _, err := c.Balance(ctx, self)
	if err != nil {
		return bad("funds", "", err)
	}
	f := Finding{Name: "funds", OK: have >= cfg.MinBalance, Detail: fmt.Sprintf("the authority %s has %d lamports for fees", self, have)}
	if !f.OK {
		f.Detail += fmt.Sprintf(" and should have %d: a judge who cannot pay fees cannot vote and is slashed as absent", cfg.MinBalance)
		f.Next = fmt.Sprintf("send it lamports: solana transfer %s 0.1 --allow-unfunded-recipient", self)
		if home.Descriptor.Faucet {
			f.Next = fmt.Sprintf("this court has a faucet: ojud airdrop 1sol --to %s", self)
		}
	}
	return f
}

// checkStake: only judges on the Roster are drawn, and only under the node key that it binds.
func checkStake(ctx context.Context, c *ledger.Client, home Home) Finding {
	roster, _, err := c.Roster(ctx)
	if err != nil {
		return bad("stake", "", err)
	}
	i := roster.Find(home.Keys.Judge())
	if i < 0 {
		return Finding{Name: "stake", Detail: fmt.Sprintf("the authority %s is not on the roster, so it is never drawn", home.Keys.Authority),
			Next: `run "ojud judge register --stake 1sol"`}
	}
	e := roster.Entries[i]
	switch {
	case e.Peer != home.Keys.Peer():
		return Finding{Name: "stake", Fatal: true, Detail: "the roster binds this authority to another node key, so that no vote of this node counts",
			Next: "start the node with the node.key that it was registered with"}
	case e.State == program.EntryExiting:
		return Finding{Name: "stake", OK: true, Detail: fmt.Sprintf("%d lamports, leaving: no new seats", e.Stake)}
	}
	return Finding{Name: "stake", OK: true, Detail: fmt.Sprintf("%d lamports at stake", e.Stake)}
}
