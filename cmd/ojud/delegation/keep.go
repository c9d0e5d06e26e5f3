package delegation

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ojud/agent/audit"
	"ojud/agent/delegation"
	"ojud/agent/delegation/keep"
	"ojud/agent/host/door"
	"ojud/agent/host/shell"
	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/ledger/onchain"
)

// folder is where a home remembers calls.
func folder(a *cli.App) (string, error) {
	home, err := a.HomeDir()
	return filepath.Join(home, "delegations"), err
}

// opened opens what the home remembers, and the audit log of the command's key, for one command.
// Answers of that key and of persons count.
func opened(a *cli.App, persons []delegation.Principal, use func(*keep.Keep) error) error {
	dir, err := folder(a)
	if err != nil {
		return err
	}
	key, err := load(a)
	if err != nil {
		return err
	}
	return logged(a, key, func(log *audit.Trail) (err error) {
		persons := append(slices.Clone(persons), key.Principal())
		k, err := keep.Open(dir, time.Now, func(p delegation.Principal) bool { return slices.Contains(persons, p) }, log)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, k.Close()) }()
		return use(k)
	})
}

// Logs is where a home has the audit logs of its agents.
func Logs(a *cli.App) (string, error) {
	home, err := a.HomeDir()
	return filepath.Join(home, "audit"), err
}

// logged opens the audit log of a key at the home.
func logged(a *cli.App, key signer, use func(*audit.Trail) error) (err error) {
	dir, err := Logs(a)
	if err != nil {
		return err
	}
	log, err := audit.Open(dir, key, func() int64 { return time.Now().Unix() })
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	return use(log)
}

// people reads addresses of people who may answer.
func people(texts []string) (out []delegation.Principal, err error) {
	for _, text := range texts {
		p, err := principal("--person", text)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// remembered checks a call and remembers it in the home.
func remembered(a *cli.App, c keep.Incoming, persons []delegation.Principal) error {
	return opened(a, persons, func(k *keep.Keep) error {
		v, err := k.Admit(c)
		if err != nil {
			return err
		}
		if err := a.Show(v, verdict(v).Write); err != nil {
			return err
		}
		if v.State == keep.Refused {
			return refused(v.Why)
		}
		return nil
	})
}

func verdict(v keep.Decision) (s view.Sheet) {
	s.Add("call", v.Call)
	s.Add("state", string(v.State))
	s.Add("asks about", strings.Join(v.Domains, ", "))
	if v.Until > 0 {
		s.Add("waits until", time.Unix(v.Until, 0).UTC().Format(time.RFC3339))
	}
	if v.Why != nil {
		s.Add("why", v.Why.Error())
	}
	return s
}

func newSettle(a *cli.App) *cobra.Command {
	var spend budget
	cmd := &cobra.Command{
		Use:   "settle CALL",
		Short: "Say what an admitted call did spend",
		Long: `Settle ends a call that ojud agent delegation admit --home admitted: what it spent is counted under
each link of its chain, and the rest of what it had reserved is free again. Without amounts it spent
nothing. CALL is the id that admit printed.`,
		Example: `  ojud agent delegation settle bafyreigyftnzjf4rcu7glp5kfop53vqlopc3zcldauoqdxqlz7t4343gr4 \
      --dollars 0.07 --home ~/alice --key alice.json`,
		Args: cli.Takes(1, "the id of a call"),
		RunE: func(_ *cobra.Command, args []string) error {
			amounts, err := spend.amounts(0)
			if err != nil {
				return err
			}
			return opened(a, nil, func(k *keep.Keep) error {
				v, err := k.Settle(args[0], amounts, "")
				if err != nil {
					return err
				}
				if v.Why != nil {
					return refused(v.Why)
				}
				var s view.Sheet
				s.Add("settled", args[0])
				return a.Show(struct {
					Settled string `json:"settled"`
				}{args[0]}, s.Write)
			})
		},
	}
	spend.add(cmd, "the call did spend")
	return cmd
}

// used is what was spent under a link.
type used struct {
	Link     string            `json:"link"`
	Spent    map[string]string `json:"spent"`
	Reserved map[string]string `json:"reserved"` // by calls that run or wait
}

func newSpent(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "spent CHAIN",
		Short: "Show what was spent under each link of a chain",
		Long: `Spent shows for each link of a chain what calls did spend under it at this home, and what calls that
run or wait may still spend. With --json each line is the object of a link. If a host of the home
runs, it is asked.`,
		Example: `  ojud agent delegation spent worker.chain --home ~/alice --key alice.json`,
		Args:    cli.Takes(1, "a file with a chain"),
		RunE: func(cmd *cobra.Command, args []string) error {
			links, err := chain(args[0])
			if err != nil {
				return err
			}
			all, err := hostSpent(cmd.Context(), a, links)
			if errors.Is(err, door.ErrNotRunning) {
				err = opened(a, nil, func(k *keep.Keep) error {
					for _, d := range links {
						spent, reserved := k.Spent(d.ID())
						all = append(all, used{d.ID(), amountsOf(spent), amountsOf(reserved)})
					}
					return nil
				})
			}
			if err != nil {
				return err
			}
			n := 0
			return cli.List(a, all, "", []string{"LINK", "SPENT", "RESERVED"}, func(u used) []string {
				n++
				return []string{fmt.Sprint(n), inWords(u.Spent), inWords(u.Reserved)}
			})
		},
	}
}

// hostSpent asks the host that runs on the home, which has its database open. The error is
// door.ErrNotRunning if none does.
func hostSpent(ctx context.Context, a *cli.App, links []*delegation.Delegation) (all []used, err error) {
	home, err := a.HomeDir()
	if err != nil {
		return nil, err
	}
	h, err := door.Open(home)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(links))
	for i, d := range links {
		ids[i] = d.ID()
	}
	var said []shell.Spending
	if err := h.Use(ctx, "host.spent", map[string][]string{"links": ids}, &said); err != nil {
		return nil, err
	}
	for _, s := range said {
		all = append(all, used{s.Link, amountsOf(s.Spent), amountsOf(s.Reserved)})
	}
	return all, nil
}

func amountsOf(n delegation.Amounts) map[string]string {
	return map[string]string{"lamports": fmt.Sprint(n[0]), "tokens": fmt.Sprint(n[1]), "dollars": delegation.Dollars(n[2])}
}

// inWords writes amounts for people, who give lamports as SOL.
func inWords(n map[string]string) string {
	lamports := n["lamports"] + " lamports"
	if whole, err := strconv.ParseUint(n["lamports"], 10, 64); err == nil {
		lamports = onchain.SOL(whole)
	}
	return fmt.Sprintf("%s, %s tokens, %s dollars", lamports, n["tokens"], n["dollars"])
}

func newLook(a *cli.App) *cobra.Command {
	var persons []string
	var follow bool
	cmd := &cobra.Command{
		Use:   "look",
		Short: "Take answers and revocations that were left at the home",
		Long: `Look takes the answers and revocations that were left at the home, ends calls that waited too long,
and prints what became of the calls. Answers of your key count, and of those that --person
names. --follow goes on until you stop it. A host of the home does the same by itself, and
then look says that the home is open elsewhere.`,
		Example: `  ojud agent delegation look --home ~/alice --key alice.json`,
		Args:    cli.Takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			who, err := people(persons)
			if err != nil {
				return err
			}
			return opened(a, who, func(k *keep.Keep) error { return look(cmd.Context(), a, k, follow) })
		},
	}
	cmd.Flags().StringArrayVar(&persons, "person", nil, "address or did:key of a person whose answers count, too; may be given again")
	cmd.Flags().BoolVar(&follow, "follow", false, "go on until you stop it")
	return cmd
}

// look prints what became of calls, once or until the context ends.
func look(ctx context.Context, a *cli.App, k *keep.Keep, follow bool) error {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		all, err := k.Look()
		if err != nil {
			return err
		}
		for _, v := range all {
			if err := a.Show(v, verdict(v).Write); err != nil {
				return err
			}
		}
		if !follow {
			return nil
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}
