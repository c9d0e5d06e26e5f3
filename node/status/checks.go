package status

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"ojud/casefile"
	"ojud/ledger"
	"ojud/ledger/law"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/providers"
	"ojud/voting"
)

// Finding is the result of one check.
type Finding struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Fatal  bool   `json:"fatal,omitempty"`  // the node cannot run in this state
	Notice bool   `json:"notice,omitempty"` // nothing is wrong, but the owner should know
	Detail string `json:"detail"`
	Next   string `json:"next,omitempty"` // the remedy
}

// chain is the part of the chain that the checks read.
type chain interface {
	// CheckChain returns nil if the RPC node serves the court's cluster and the program is there.
	CheckChain(ctx context.Context) error
	// CheckLists returns nil if the RPC node lists the accounts of the program.
	CheckLists(ctx context.Context) error
	// Time reads the chain's clock, in Unix seconds.
	Time(ctx context.Context) (int64, error)
	// Balance reads the lamports of an account.
	Balance(ctx context.Context, account voting.Key) (uint64, error)
	// Roster reads the Roster.
	Roster(ctx context.Context) (*program.Roster, error)
	// Law reads the rules of the court.
	Law(ctx context.Context) (*law.Rules, error)
	// Admission reads whether a judge may join.
	Admission(ctx context.Context, judge voting.Key) (Admission, error)
}

// Admission says whether a judge may join the court.
type Admission struct {
	Listed   bool   // only judges that the court's authority admits may join
	Admitted bool   // the authority admitted the judge
	Ask      string // says who can admit it, and how
}

// Checker looks for problems that would keep a node from judging.
type Checker struct {
	Chain       chain
	Judge, Peer voting.Key // the authority and the node key
	Network     string     // name of the court
	Faucet      bool       // the court gives lamports away
	MinBalance  uint64     // lamports that the authority should have
	MaxSkew     time.Duration
	Disk        func() error   // nil if the journal can write; a nil function is not asked
	Content     func() Content // how much is kept; a nil function is not asked
}

// Run looks at chain, program, clock, funds and stake. It changes nothing. It returns only the
// error of ctx; all problems are in the findings.
func (c Checker) Run(ctx context.Context) ([]Finding, error) {
	chain := c.chain(ctx)
	out := []Finding{chain}
	if chain.OK {
		rules, err := c.Chain.Law(ctx)
		out = append(out, c.clock(ctx), c.lists(ctx), c.funds(ctx), c.admission(ctx), c.stake(ctx, rules, err), lawful(rules, err))
	}
	return out, ctx.Err()
}

func bad(name, next string, err error) Finding {
	return Finding{Name: name, Detail: err.Error(), Next: next}
}

// chain checks that the RPC node answers, serves the right cluster, and has the program.
func (c Checker) chain(ctx context.Context) Finding {
	err := c.Chain.CheckChain(ctx)
	if err == nil {
		return Finding{Name: "chain", OK: true, Detail: "the RPC node serves " + c.Network + ", and the program is there"}
	}
	f := bad("chain", WrongChain(err), err)
	if f.Fatal = f.Next != ""; !f.Fatal {
		f.Next = "the node waits for the RPC node; check ledger.rpc and that it runs"
	}
	return f
}

// WrongChain returns the remedy if an error means that the chain is not the court's. It is empty
// for other errors.
func WrongChain(err error) string {
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

// clock compares this machine's clock with the chain's. A wrong clock does not harm votes, because
// deadlines are the chain's, but it misleads people who read logs.
func (c Checker) clock(ctx context.Context) Finding {
	now, err := c.Chain.Time(ctx)
	if err != nil {
		return bad("clock", "", err)
	}
	skew := time.Since(time.Unix(now, 0)).Round(time.Second)
	f := Finding{Name: "clock", OK: skew.Abs() <= c.MaxSkew, Detail: fmt.Sprintf("this machine is %s from the chain's clock", skew)}
	if !f.OK {
		f.Next = "votes are not at risk, all deadlines are the chain's; set this machine's clock (or mind that a devnet was warped)"
	}
	return f
}

// lists checks that the RPC node lists all cases. Without lists a node votes, but may miss a case
// that was opened before it started.
func (c Checker) lists(ctx context.Context) Finding {
	if err := c.Chain.CheckLists(ctx); err != nil {
		return bad("lists", "use another RPC URL (ledger.rpc), or a plan of this provider that permits getProgramAccounts", err)
	}
	return Finding{Name: "lists", OK: true, Detail: "the RPC node can list the accounts of the court's program"}
}

// Compared says which RPC nodes are asked, and which of them are left out.
func Compared(all []providers.Provider) Finding {
	f := Finding{Name: "rpc nodes", OK: true, Detail: "one, " + all[0].Host + ", whose word counts alone"}
	own := 0
	var texts []string
	for _, p := range all {
		if !p.Guest {
			own++
		}
		f.OK = f.OK && (p.State == providers.Good || p.Guest)
		texts = append(texts, p.String())
	}
	if own > 1 {
		f.Detail = fmt.Sprintf("%d, which are compared: %s", own, strings.Join(texts, "; "))
	} else {
		f.Next = "add those of other providers, and a lie or a failure of one does no harm: ojud config set ledger.more_rpc URL,URL"
	}
	if !f.OK {
		f.Next = "see whether they serve this cluster; take one that says otherwise than most out of ledger.rpc and ledger.more_rpc"
	}
	f.Notice = f.OK && own == 1
	return f
}

// disk checks that the journal of the running node can write.
func (c Checker) disk() Finding {
	if c.Disk != nil {
		if err := c.Disk(); err != nil {
			return bad("disk", "free some space: a node that cannot write does not vote, and an absent judge is slashed", err)
		}
	}
	return Finding{Name: "disk", OK: true, Detail: "the journal has room"}
}

// muchOfQuota is the part of the quota, in percent, above which live cases soon find no room.
const muchOfQuota = 80

// Room checks that there is room for the content of cases.
func (c Checker) Room() Finding {
	if c.Content == nil {
		return Finding{Name: "content", OK: true}
	}
	now := c.Content()
	f := Finding{Name: "content", OK: now.Cases < now.Quota/100*muchOfQuota, Detail: now.String()}
	if !f.OK {
		f.Next = "raise blobs.quota_bytes, or this node will soon keep only its own opinions and facts of new cases"
	}
	return f
}

// String says how much is kept.
func (c Content) String() string {
	text := fmt.Sprintf("%d MiB of the quota of %d MiB hold content, %d MiB that of live cases", c.Bytes>>20, c.Quota>>20, c.Cases>>20)
	if c.Refused > 0 {
		text += fmt.Sprintf("; since the start there was no room for %d documents of others", c.Refused)
	}
	return text
}

// funds checks that the authority can pay fees. Every vote is two transactions.
func (c Checker) funds(ctx context.Context) Finding {
	self := casefile.Address(c.Judge)
	have, err := c.Chain.Balance(ctx, c.Judge)
	if err != nil {
		return bad("funds", "", err)
	}
	f := Finding{Name: "funds", OK: have >= c.MinBalance, Detail: fmt.Sprintf("the authority %s has %s for fees", self, onchain.SOL(have))}
	if !f.OK {
		f.Detail += fmt.Sprintf(" and should have %s: a judge who cannot pay fees cannot vote and is slashed as absent", onchain.SOL(c.MinBalance))
		f.Next = fmt.Sprintf("send 0.1 SOL to %s", self)
		if c.Faucet {
			f.Next = fmt.Sprintf("this court has a faucet: ojud airdrop 1sol --to %s", self)
		}
	}
	return f
}

// admission says whether the court is listed or open. It is a problem only for a judge that is
// neither admitted nor on the Roster.
func (c Checker) admission(ctx context.Context) Finding {
	a, err := c.Chain.Admission(ctx, c.Judge)
	if err != nil {
		return bad("admission", "", err)
	}
	f := Finding{Name: "admission", OK: true, Detail: "this court is open: anyone may join"}
	switch {
	case a.Listed && a.Admitted:
		f.Detail = "this court is listed, and its authority has admitted this judge"
	case a.Listed:
		roster, err := c.Chain.Roster(ctx)
		if err != nil {
			return bad("admission", "", err)
		}
		if f.OK = roster.Find(c.Judge) >= 0; f.OK {
			f.Detail = "this court is listed, and this judge is not admitted any more; it stays, but if it leaves it cannot join again"
			break
		}
		f.Detail, f.Next = "this court is listed, and its authority has not admitted this judge", a.Ask
	}
	return f
}

// absent says what a judge that is not on the Roster has to do.
func (c Checker) absent(ctx context.Context) Finding {
	f := Finding{
		Name: "stake", Detail: fmt.Sprintf("the authority %s is not on the roster, so it is never drawn", casefile.Address(c.Judge)),
		Next: `run "ojud judge register"`,
	}
	if a, err := c.Chain.Admission(ctx, c.Judge); err == nil && a.Listed && !a.Admitted {
		f.Next = "this court is listed: " + a.Ask + `; then run "ojud judge register"`
	}
	return f
}

// stake checks that the judge is on the Roster under this node's key. Others are never drawn. The
// error is that of the reading of the rules.
func (c Checker) stake(ctx context.Context, rules *law.Rules, unread error) Finding {
	roster, err := c.Chain.Roster(ctx)
	if err != nil {
		return bad("stake", "", err)
	}
	i := roster.Find(c.Judge)
	if i < 0 {
		return c.absent(ctx)
	}
	e := roster.Entries[i]
	switch {
	case e.Peer != c.Peer:
		return Finding{
			Name: "stake", Fatal: true, Detail: "the roster binds this authority to another node key, so that no vote of this node counts",
			Next: "start the node with the node.key that it was registered with",
		}
	case e.State == program.EntryExiting:
		return Finding{Name: "stake", OK: true, Detail: onchain.SOL(e.Stake) + ", leaving: new seats until the season is over"}
	}
	if unread != nil {
		return bad("stake", "", unread)
	}
	least := rules.Now.MinStake / 2 // below half of what joining takes, no judge is drawn
	if e.Stake < least {
		missing := least + least/4 - e.Stake // a quarter more, so that the next loss does not do it again
		return Finding{
			Name: "stake", Detail: fmt.Sprintf("%s at stake, and judges are drawn from %s on, so this one is never drawn", onchain.SOL(e.Stake), onchain.SOL(least)),
			Next: fmt.Sprintf("run: ojud judge top-up %s", strings.ReplaceAll(strings.ToLower(onchain.SOL(missing)), " ", "")),
		}
	}
	f := Finding{Name: "stake", OK: true, Detail: onchain.SOL(e.Stake) + " at stake"}
	switch {
	case e.Weighs():
	case roster.SeasonAt == 0:
		f.Detail += "; this judge is drawn from the first season on, which begins when the court has enough judges"
	default:
		f.Detail += "; this judge is drawn from the next season on, which may begin at " +
			date(roster.SeasonEnds(rules.Now.Params)) + ", or a few minutes after the last one while the court has too few judges"
	}
	return f
}
