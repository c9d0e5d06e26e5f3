// Package trade has the commands that run agents which trade by themselves.
package trade

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/ledger"
	"ojud/node/client"
	"ojud/node/trader"
)

// Work returns the command of a worker.
func Work(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "work",
		Short: "Take tasks from the market and do them, without a person",
		Long: `Work runs a worker. It watches the market and takes tasks that fit a skill, by price, time, terms,
and how the creator did before the court. A program or a model makes the result. Work checks it
against the schema and the checks of the task before it hands it in. If the creator objects, it asks
what a judge would ask, and works again, defends the result before the court, or gives in, whichever
is expected to bring most. It stops at its budget, when what it has taken is over. Tokens beside a
reward count if the settings name their mint ([[mint]]).

The settings are in work.toml in the home, or in the file of --config. docs/working.md explains
each. A skill with a command runs it with the task as JSON on standard input; it writes the result
as JSON. A skill with an agent (agent://ID/CAPABILITY) has that agent of an agent host of this
machine do it, under a key of the task. A skill without either asks the models that ojud.toml in the
home names, as a judge does.

The folder work in the home has what the worker has decided. After a crash it goes on, and claims,
hands in and pays nothing twice. If the chain is away at the start, it waits for it. Two workers
cannot run in one home. The key is registered if need be; its vault pays the bonds (ojud agent
deposit).`,
		Example: `  ojud agent work --home ~/worker
  ojud agent work --home ~/worker --key worker.json --network http://127.0.0.1:8899
  ojud agent work --config fast.toml --home ~/worker --json`,
		Args: cli.Takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return run(cmd, a, trader.WorkFile, "worker", trader.ReadWork, func(ctx context.Context, o opened, plan trader.WorkPlan) error {
				makers, err := o.tools.Makers(plan)
				if err != nil {
					return cli.Fail("%v", err)
				}
				o.deps.Dir, o.deps.Poll = filepath.Join(o.home, "work"), plan.Poll
				w, err := trader.NewWorker(plan.Policy, makers, o.deps)
				if err != nil {
					return cli.Fail("%v", err)
				}
				if err := errors.Join(w.Run(ctx), w.Close()); err != nil {
					return err
				}
				s := w.Takings()
				return a.Show(s, func(out io.Writer) error { return workSheet(s).Write(out) })
			})
		},
	}
	flags(a, cmd, trader.WorkFile)
	return cmd
}

// Post returns the command of a creator.
func Post(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "post",
		Short: "Post tasks from a queue and answer the results, without a person",
		Long: `Post runs a creator. It posts the tasks of a queue: each .json file of a folder is a task file, as
for "ojud task create", and each line of a .jsonl file is an order, such as
{"id": "a", "reward": "0.1sol", "task": {…}}, which may name tokens beside the reward ("mint",
"tokens"). When a task is over, they go to those who are due them. Post fills its vault from the
wallet, checks each result as a judge does, by code and with a model if ojud.toml in the home names
one, or with an agent of an agent host that the settings name, and pays, or objects with typed
grounds. Whether an objection is worth its bond follows from the estimated verdict. It stops at its
budget, when nothing is open.

The settings are in post.toml in the home, or in the file of --config. docs/working.md explains
each. New files in the folder are posted while it runs.

The folder post in the home has what the creator has decided. After a crash it goes on, and posts
and pays nothing twice. Do not create tasks by hand with the same key while it runs. The key is
registered if need be.`,
		Example: `  ojud agent post --home ~/creator
  ojud agent post --home ~/creator --key creator.json --network http://127.0.0.1:8899
  ojud agent post --config batch.toml --home ~/creator --json`,
		Args: cli.Takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return run(cmd, a, trader.PostFile, "creator", trader.ReadPost, func(ctx context.Context, o opened, plan trader.PostPlan) error {
				if !filepath.IsAbs(plan.Queue) {
					plan.Queue = filepath.Join(filepath.Dir(o.settings), plan.Queue)
				}
				if err := o.tools.Judge(plan.Judge); err != nil {
					return cli.Fail("%v", err)
				}
				o.deps.Dir, o.deps.Poll = filepath.Join(o.home, "post"), plan.Poll
				c, err := trader.NewCreator(plan.Policy, plan.Queue, plan.Terms, o.deps)
				if err != nil {
					return cli.Fail("%v", err)
				}
				if err := errors.Join(c.Run(ctx), c.Close()); err != nil {
					return err
				}
				r := c.Outgoings()
				return a.Show(r, func(out io.Writer) error { return postTable(out, r) })
			})
		},
	}
	flags(a, cmd, trader.PostFile)
	return cmd
}

func flags(a *cli.App, cmd *cobra.Command, file string) {
	cmd.Flags().StringVar(&a.Config, "config", "", "settings file (default "+file+" in the home)")
}

// settingsFault explains a settings file that cannot be used.
func settingsFault(path, name string, err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return cli.Fail("there is no %s", path).Next("write it as docs/working.md shows, or name another file with --config")
	}
	return cli.Fail("%v", err).Next("correct " + name + "; docs/working.md explains each field")
}

// opened is what both commands need.
type opened struct {
	home, settings string
	deps           trader.Needs
	tools          *trader.Tools
}

// run reads the settings, opens the client and the tools, and lets an agent work until a signal
// comes.
func run[P any](cmd *cobra.Command, a *cli.App, file, who string, read func(string) (P, error), do func(context.Context, opened, P) error) error {
	home, err := a.HomeDir()
	if err != nil {
		return err
	}
	o := opened{home: home, settings: cli.First(a.Config, filepath.Join(home, file))}
	plan, err := read(o.settings)
	if err != nil {
		return settingsFault(o.settings, file, err)
	}
	a.Config = "" // it is not that of a node
	settings, err := a.Settings()
	if err != nil {
		return err
	}
	log, err := a.Logger()
	if err != nil {
		return err
	}
	if o.tools, err = trader.OpenTools(settings.Node.Judge, settings.Node.Models, home, log); err != nil {
		return err
	}
	path, _, err := a.KeyPath()
	if err != nil {
		return errors.Join(err, o.tools.Close())
	}
	a.Stays.Store(true)
	return errors.Join(work(cmd.Context(), a, path, who, &o, plan, do), o.tools.Close())
}

// work opens the client, and waits for the chain if it is away.
func work[P any](ctx context.Context, a *cli.App, path, who string, o *opened, plan P, do func(context.Context, opened, P) error) (err error) {
	var c *client.Client
	err = patiently(ctx, func(err error, wait time.Duration) {
		_, _ = fmt.Fprintf(a.Err, "the chain is away: %s; trying again in %s\n", view.Escape(cli.Plain(err)), wait) // if nobody reads it, it goes on
	}, func() (err error) {
		if c, err = a.Open(ctx, cli.WithKey); err != nil {
			return err
		}
		if _, err = c.Register(ctx, client.Profile{}, 0); err != nil {
			err = errors.Join(err, c.Close())
		}
		return err
	})
	if err != nil {
		if ctx.Err() != nil {
			return nil // a signal came while it waited
		}
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	own, err := client.LoadKey(path)
	if err != nil {
		return err
	}
	tell := a.Teller()
	o.deps = trader.Needs{Client: c, Key: own, Assess: o.tools, Prover: o.tools.Prover(), Tell: func(l trader.Line) { tell(l.Task, l.Text) }}
	if !a.Quiet && !a.JSON {
		if _, err := fmt.Fprintf(a.Out, "%s works as %s; ^C ends it, and the next start goes on.\n", who, c.Me()); err != nil {
			return err
		}
	}
	return do(ctx, *o, plan)
}

// The time between two tries while the chain is away, doubled after each.
const (
	firstWait = time.Second
	lastWait  = time.Minute
)

// patiently tries something until it does not fail because the chain, or the node that knows the
// court, is away. It tells of each time.
func patiently(ctx context.Context, tell func(err error, wait time.Duration), try func() error) error {
	for wait := firstWait; ; wait = min(2*wait, lastWait) {
		err := try()
		if err == nil || ctx.Err() != nil || !away(err) {
			return err
		}
		tell(err, wait)
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// away reports whether an error is one that a later try may not meet.
func away(err error) bool {
	var cert *tls.CertificateVerificationError
	if errors.As(err, &cert) {
		return false
	}
	var lost net.Error
	return errors.As(err, &lost) || errors.Is(err, ledger.ErrUnavailable) || errors.Is(err, ledger.ErrRateLimited) || errors.Is(err, ledger.ErrStale)
}

func workSheet(s trader.Takings) view.Sheet {
	out := view.Sheet{{"earned", s.Earned.String()}, {"lost", s.Lost.String()}}
	if s.Tokens > 0 {
		out.Add("models", fmt.Sprintf("%d tokens, %d.%06d USD", s.Tokens, s.Micros/1e6, s.Micros%1e6))
	}
	for _, j := range s.Jobs {
		out.Add(j.Task, string(j.Outcome))
	}
	return out
}

func postTable(out io.Writer, r trader.Outgoings) error {
	rows := [][]string{}
	for _, id := range slices.Sorted(maps.Keys(r.Orders)) {
		i := r.Orders[id]
		rows = append(rows, []string{id, i.Task, string(i.Phase), string(i.Outcome)})
	}
	if _, err := fmt.Fprintf(out, "paid %s\n", r.Paid); err != nil {
		return err
	}
	return view.Table(out, []string{"ORDER", "TASK", "PHASE", "END"}, rows)
}
