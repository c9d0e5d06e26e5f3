package delegation

import (
	"io"
	"time"

	"github.com/spf13/cobra"

	"ojud/agent/delegation"
	"ojud/cmd/ojud/cli"
)

// grant are the flags of Delegate.
type grant struct {
	to, from, out, begin  string
	allow, deny, approval []string
	lasts                 cli.Span
	budget                budget
}

// Delegate returns the command "delegate".
func Delegate(a *cli.App) *cobra.Command {
	var g grant
	cmd := &cobra.Command{
		Use:   "delegate",
		Short: "Allow another agent to act for you, within limits",
		Long: `Delegate signs a token that allows an agent what --allow names, and nothing else: a UCAN 1.0
delegation. --deny takes something back from that, --budget, --tokens and --dollars bound what all
calls together may spend, and --for ends it. A call in a domain of --ask waits until a person
approves it. Nothing is sent: give the file of --out to the agent.

With --under you pass on what you were allowed yourself: the file has the links before yours. You
can only narrow it, and a wider term is refused by its name. What you do not say is as in the link
before. Capabilities are written /github/issues/list or github.issues.list; github.* is all below
github, and * is everything.`,
		Example: `  ojud agent delegate --to 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 \
      --allow github.issues.list --allow llm.summarize --budget 0.5sol --for 8h --out worker.chain
  ojud agent delegate --under worker.chain --to BPFLoaderUpgradeab1e11111111111111111111111 \
      --allow llm.summarize --dollars 1.50 --key worker.json --out helper.chain`,
		Args: cli.Takes(0),
		RunE: func(*cobra.Command, []string) error { return g.run(a) },
	}
	f := cmd.Flags()
	f.StringVar(&g.to, "to", "", "address or did:key of the agent that may act")
	f.StringArrayVar(&g.allow, "allow", nil, "capability that is allowed, with all below it; may be given again")
	f.StringArrayVar(&g.deny, "deny", nil, "capability that is refused although it is below an allowed one; may be given again")
	f.StringArrayVar(&g.approval, "ask", nil, "domain in which a person approves each call, such as finance; may be given again")
	g.budget.add(cmd, "all calls together may spend")
	f.Var(&g.lasts, "for", "how long it lasts, such as 8h or 2d (default as the link before; 24h without one)")
	f.StringVar(&g.begin, "not-before", "", "when it begins, such as 2026-12-01T08:00:00Z (default now)")
	f.StringVar(&g.from, "under", "", "file of the chain that you pass on")
	f.StringVar(&g.out, "out", "", "new file for the chain (default standard output)")
	return cmd
}

// run signs the delegation.
func (g *grant) run(a *cli.App) error {
	key, err := load(a)
	if err != nil {
		return err
	}
	to, err := principal("--to", g.to)
	if err != nil {
		return err
	}
	var before []*delegation.Delegation
	if g.from != "" {
		if before, err = chain(g.from); err != nil {
			return err
		}
	}
	now := time.Now()
	terms, err := g.terms(before, now)
	if err != nil {
		return err
	}
	d, err := delegation.Issue(key, to, terms, before, nonce(), now)
	if err != nil {
		return refused(err)
	}
	raw, err := delegation.Bundle(append(before, d))
	if err != nil {
		return err
	}
	if g.out == "" {
		return a.Content(raw, false)
	}
	if err := cli.Save(g.out, func(w io.Writer) error {
		_, err := w.Write(raw)
		return err
	}); err != nil {
		return err
	}
	v, err := delegation.Show(append(before, d))
	if err != nil {
		return err
	}
	return a.Show(v, sheet(v).Write)
}

// terms reads the flags, beside what the link before them allows.
func (g *grant) terms(before []*delegation.Delegation, now time.Time) (t delegation.Scope, err error) {
	t = delegation.Scope{Budget: delegation.Amounts{delegation.Unlimited, delegation.Unlimited, delegation.Unlimited}, Until: now.Add(24 * time.Hour).Unix(), NotBefore: now.Unix()}
	if len(before) > 0 {
		if t, _, err = before[len(before)-1].Scope(); err != nil {
			return t, refused(err)
		}
		t.NotBefore = max(t.NotBefore, now.Unix())
	} else if len(g.allow) == 0 {
		return t, cli.Usage("--allow is missing; name what the agent may do, such as --allow llm.summarize")
	}
	if len(g.allow) > 0 {
		t.Allow = g.allow
	}
	t.Deny, t.Approval = append(t.Deny, g.deny...), append(t.Approval, g.approval...)
	asked, err := g.budget.amounts(delegation.Unlimited)
	if err != nil {
		return t, err
	}
	for i, most := range asked {
		if most != delegation.Unlimited {
			t.Budget[i] = most
		}
	}
	if g.begin != "" {
		at, err := time.Parse(time.RFC3339, g.begin)
		if err != nil {
			return t, cli.Usage("--not-before is %.40q; write a time such as 2026-12-01T08:00:00Z", g.begin)
		}
		t.NotBefore = at.Unix()
	}
	if g.lasts.Seconds > 0 {
		t.Until = t.NotBefore + int64(g.lasts.Seconds)
	}
	return t, nil
}
