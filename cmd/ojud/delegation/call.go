package delegation

import (
	"encoding/json"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ojud/agent/audit"
	"ojud/agent/delegation"
	"ojud/agent/delegation/keep"
	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/node/library"
)

// order are the flags of call.
type order struct {
	do, to, input, out string
	lasts              cli.Span
	spend              budget
}

func newCall(a *cli.App) *cobra.Command {
	o := order{lasts: cli.Span{Seconds: 300}}
	cmd := &cobra.Command{
		Use:   "call [CHAIN]",
		Short: "Sign a call under a chain",
		Long: `Call signs that the holder of a chain calls a capability, with what the call may spend at most and
its input. Without a chain your key calls what is its own. Nothing is sent: the executor checks the
file with ojud agent delegation admit. --executor names an executor that is not the agent at the
root of the chain. The call expires after --for. With --home the audit log of your key says that you
called.`,
		Example: `  ojud agent delegation call worker.chain --do llm.summarize --dollars 0.10 --key worker.json \
      --out call.json
  ojud agent delegation call worker.chain --do llm.summarize --input '"hello"' --key worker.json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return o.run(a, args) },
	}
	cmd.Flags().StringVar(&o.do, "do", "", "capability to call")
	cmd.Flags().StringVar(&o.to, "executor", "", "address or did:key of the agent that executes (default the root of the chain)")
	cmd.Flags().StringVar(&o.input, "input", "null", "input of the call, as JSON")
	cmd.Flags().StringVar(&o.out, "out", "", "new file for the call (default standard output)")
	cmd.Flags().Var(&o.lasts, "for", "how long the call may wait")
	o.spend.add(cmd, "the call may spend")
	return cmd
}

func (o *order) run(a *cli.App, args []string) error {
	key, err := load(a)
	if err != nil {
		return err
	}
	var links []*delegation.Delegation
	executor := key.Principal()
	if len(args) > 0 {
		if links, err = chain(args[0]); err != nil {
			return err
		}
		executor = links[0].Issuer
		if holder := links[len(links)-1].Audience; holder != key.Principal() {
			return cli.Usage("the chain is for %s, and your key is %s", holder, key.Principal()).Next("name the key of the holder with --key")
		}
	}
	if o.to != "" {
		if executor, err = principal("--executor", o.to); err != nil {
			return err
		}
	}
	command, err := delegation.ParseCommand(o.do)
	if err != nil || o.do == "" {
		return cli.Usage("--do is %.40q; name a capability, such as llm.summarize", o.do)
	}
	spend, err := o.spend.amounts(0)
	if err != nil {
		return err
	}
	if !json.Valid([]byte(o.input)) {
		return cli.Usage("--input is no JSON")
	}
	if err := delegation.Allows(links, command, spend); err != nil {
		return refused(err)
	}
	now := time.Now()
	inv, err := delegation.Invoke(key, executor, delegation.Call(command, spend, o.input), links, nonce(), now, now.Add(time.Duration(o.lasts.Seconds)*time.Second))
	if err != nil {
		return refused(err)
	}
	raw, err := delegation.BundleCall(inv, links)
	if err != nil {
		return err
	}
	if a.Home != "" {
		act := audit.AgentInvoke{From: inv.Issuer, To: executor, Capability: command, Call: inv.ID(), Result: "called"}
		for _, d := range links {
			act.Chain = append(act.Chain, d.ID())
		}
		if err := logged(a, key, func(log *audit.Trail) error { return log.Append(act) }); err != nil {
			return err
		}
	}
	if o.out == "" {
		return a.Content(raw, false)
	}
	if err := cli.Save(o.out, func(w io.Writer) error {
		_, err := w.Write(raw)
		return err
	}); err != nil {
		return err
	}
	return a.Show(called{inv.ID(), command, inv.Issuer, executor, o.out}, func(w io.Writer) error {
		var s view.Sheet
		s.Add("call", inv.ID())
		s.Add("file", o.out)
		return s.Write(w)
	})
}

// called is the result of call.
type called struct {
	ID       string               `json:"id"`
	Command  string               `json:"command"`
	Caller   delegation.Principal `json:"caller"`
	Executor delegation.Principal `json:"executor"`
	File     string               `json:"file"`
}

// admitted is the result of admit.
type admitted struct {
	Admitted bool                  `json:"admitted"`
	Why      *delegation.Refusal   `json:"why,omitempty"`
	ID       string                `json:"id"`
	Command  string                `json:"command,omitempty"`
	Caller   *delegation.Principal `json:"caller,omitempty"`
	Subject  *delegation.Principal `json:"subject,omitempty"`
	Spend    map[string]string     `json:"spend,omitempty"`
	Ask      []string              `json:"require_approval_domains"`
}

func newAdmit(a *cli.App) *cobra.Command {
	var executor string
	var revoked, domains, persons []string
	cmd := &cobra.Command{
		Use:   "admit CALL",
		Short: "Check a call as its executor does",
		Long: `Admit checks a call with its whole chain: signatures, time, audience, subject, commands, policies,
revocations, and that no link is wider than the link before it. --executor names the agent that
would execute, and a call for another is refused. Clocks may differ by 60 seconds. The exit status
is 2 if the call is refused; the reason names the link and the field.

With --home the call is also remembered there, so that it is admitted once: what it may spend is
reserved under each link until ojud agent delegation settle, and a call beyond a budget is refused.
The key is then the executor's, and signs its audit log (ojud agent audit).
--domain says in which domains the called capability is. If a link asks about one of them, the call
waits for ojud agent delegation approve.`,
		Example: `  ojud agent delegation admit call.json --executor 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2
  ojud agent delegation admit call.json --executor 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 \
      --home ~/alice --key alice.json --domain finance`,
		Args: cli.Takes(1, "a file with a call"),
		RunE: func(_ *cobra.Command, args []string) error {
			who, err := principal("--executor", executor)
			if err != nil {
				return err
			}
			c := delegation.Check{Now: time.Now(), Executor: who, Skew: delegation.Skew}
			if c.Revoked, err = revocations(revoked); err != nil {
				return err
			}
			raw, err := library.ReadFile(args[0], delegation.MaxBundle)
			if err != nil {
				return cli.Usage("%v", err)
			}
			inv, find, err := delegation.ParseCall(raw)
			if err != nil {
				return cli.Usage("%s: %v", args[0], err)
			}
			if a.Home != "" {
				answering, err := people(persons)
				if err != nil {
					return err
				}
				key, err := load(a)
				if err != nil {
					return err
				}
				if key.Principal() != who {
					return cli.Usage("the executor is %s, and your key is %s: the executor signs its audit log", who, key.Principal()).Next("name the key of the executor with --key")
				}
				return remembered(a, keep.Incoming{Invocation: inv, Find: find, Executor: who, Domains: domains}, answering)
			}
			if len(domains)+len(persons) > 0 {
				return cli.Usage("--domain and --person need --home: without it nothing is remembered")
			}
			c.Find = find
			out, err := check(inv, c)
			if err := a.Show(out, out.sheet().Write); err != nil {
				return err
			}
			return refused(err)
		},
	}
	cmd.Flags().StringVar(&executor, "executor", "", "address or did:key of the agent that would execute")
	cmd.Flags().StringArrayVar(&domains, "domain", nil, "approval domain of the called capability; may be given again")
	cmd.Flags().StringArrayVar(&persons, "person", nil, "person beside the executor whose answers count; may be given again")
	cmd.Flags().StringArrayVar(&revoked, "revoked", nil, "file with a revocation; may be given again")
	return cmd
}

// check checks a call. The error says why it is refused.
func check(inv *delegation.Invocation, c delegation.Check) (out admitted, err error) {
	out.ID, out.Ask = inv.ID(), []string{}
	links, err := delegation.Verify(inv, c)
	var p delegation.Permit
	if err == nil {
		p, err = delegation.Permitted(inv, links)
	}
	if err != nil {
		out.Why = reason(err)
		return out, err
	}
	out.Admitted, out.Command, out.Caller, out.Subject = true, p.Command, &inv.Issuer, &inv.Subject
	out.Spend = amountsOf(p.Spend)
	out.Ask = append(out.Ask, p.Approval...)
	return out, nil
}

func (o admitted) sheet() (s view.Sheet) {
	if !o.Admitted {
		s.Add("call", "refused")
		return s
	}
	s.Add("call", o.ID+" is admitted")
	s.Add("command", o.Command)
	s.Add("caller", o.Caller.String())
	s.Add("for", o.Subject.String())
	s.Add("may spend", inWords(o.Spend))
	s.Add("asks about", strings.Join(o.Ask, ", "))
	return s
}

// named is the result of key.
type named struct {
	Address string               `json:"address"`
	DID     delegation.Principal `json:"did"`
}

func newKey(a *cli.App) *cobra.Command {
	var create bool
	cmd := &cobra.Command{
		Use:   "key",
		Short: "Print the address and the did:key of your key",
		Long: `Key prints the two names of an agent's key: its address on the chain, and its did:key in tokens.
Both are the same Ed25519 key. --create-key makes the key file if there is none.`,
		Example: `  ojud agent delegation key --key worker.json
  ojud agent delegation key --create-key --key worker.json --json | jq -r .did`,
		Args: cli.Takes(0),
		RunE: func(*cobra.Command, []string) error {
			if create {
				if err := a.CreateKey(); err != nil {
					return err
				}
			}
			key, err := load(a)
			if err != nil {
				return err
			}
			out := named{key.Address().String(), key.Principal()}
			var s view.Sheet
			s.Add("address", out.Address)
			s.Add("did", out.DID.String())
			return a.Show(out, s.Write)
		},
	}
	cmd.Flags().BoolVar(&create, "create-key", false, "make the key file if there is none")
	return cmd
}
