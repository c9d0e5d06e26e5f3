package proctor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/golden/proctor"
	"ojud/node/batches"
	"ojud/node/client"
)

// on returns a command that does something with a batch on the chain, and shows what it returns.
func on[T any](a *cli.App, cmd *cobra.Command, need cli.Need, what string, do func(context.Context, *batches.Life) (T, error), write func(io.Writer, T) error) *cobra.Command {
	cmd.Args = cli.Takes(1, "the directory of a batch")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return a.With(cmd, need, func(ctx context.Context, c *client.Client) error {
			l, err := batches.Load(args[0], c)
			if err != nil {
				return err
			}
			done, err := cli.Wait(ctx, a, what, func(ctx context.Context) (T, error) { return do(ctx, l) })
			if err != nil {
				return err
			}
			return a.Show(done, func(w io.Writer) error { return write(w, done) })
		})
	}
	return cmd
}

func newCommit(a *cli.App) *cobra.Command {
	var deposit cli.Amount
	cmd := on(a, &cobra.Command{
		Use:   "commit DIR",
		Short: "Commit to a batch, with a deposit",
		Long: `Commit writes the root of a batch to the chain, and pays the deposit. From then on all leaves have
to be open before batch_seconds of the rules are over, or the deposit is lost. The deposit is what
all leaves together could take from the judges, and comes back when the batch is closed.

It refuses a batch that could not succeed: a key that is no proctor, more leaves than the court
takes now, creators whose next task has another number, rewards that the court does not cover.
"show" says before what it costs. Committing again moves nothing.`,
		Example: `  ojud court proctor commit batch-1 --key proctor.json
  ojud court proctor commit batch-1 --deposit 120sol --key proctor.json --json`,
	}, cli.WithKey, "committing the batch", func(ctx context.Context, l *batches.Life) (batches.Committed, error) {
		return l.Commit(ctx, deposit.Lamports)
	}, writeCommitted)
	cmd.Flags().Var(&deposit, "deposit", "the deposit (default what all leaves can take from judges)")
	return cmd
}

func newPost(a *cli.App) *cobra.Command {
	var creators, workers []string
	var span cli.Span
	how := batches.Posting{}
	cmd := &cobra.Command{
		Use:   "post DIR",
		Short: "Post the cases of a batch, and dispute them",
		Long: `Post creates the tasks of a batch, claims them as the worker, and hands in result, objection and
counter-objection, each at a time of its own: a generator of random numbers that knows the secret
seeds spreads them over --within. If the court shows 20 disputed tasks of others or more, terms and
tempo are like theirs. It publishes all documents as creator or worker. It ends when all cases are
before the court, which takes hours. If it is interrupted, run it again: it goes on, and does
nothing twice.

Who sees that two agents trade with each other only may suspect golden cases. So take several
creators and workers, fund them from different places, and let them do ordinary work, too. If a
stranger claims a task first, its leaf is void; a tenth of a batch may be. --together claims in the
transaction that creates the task: nobody is faster, but that looks like nobody else.

Key files are read, and only their owner may read them (mode 0600).`,
		Example: `  ojud court proctor post batch-1 --creator-key creator.json --worker-key worker.json
  ojud court proctor post batch-1 --creator-key c1.json,c2.json --worker-key w1.json,w2.json \
      --within 6h
  ojud court proctor post batch-1 --creator-key creator.json --worker-key worker.json --once --json`,
		Args: cli.Takes(1, "the directory of a batch"),
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		ctx := cmd.Context()
		for _, one := range []struct {
			flag  string
			paths []string
			to    *[]*client.Client
		}{{"--creator-key", creators, &how.Creators}, {"--worker-key", workers, &how.Workers}} {
			for _, path := range one.paths {
				key, failed := cli.Signer(one.flag, path, "the agent signs")
				if failed != nil {
					return failed
				}
				c, failed := a.OpenAs(ctx, key)
				if failed != nil {
					return failed
				}
				defer func() { err = errors.Join(err, c.Close()) }()
				*one.to = append(*one.to, c)
			}
		}
		how.Span = time.Duration(span.Seconds) * time.Second
		how.Tell = func(leaf int, what string, failed error) {
			if a.Quiet {
				return
			}
			text := fmt.Sprintf("leaf %d: %s", leaf, what)
			if failed != nil {
				text = fmt.Sprintf("leaf %d: not %s: %s", leaf, what, cli.Plain(failed))
			}
			fmt.Fprintln(a.Err, text) //nolint:errcheck // the work goes on
		}
		return a.With(cmd, cli.PerhapsKey, func(ctx context.Context, c *client.Client) error {
			l, err := batches.Load(args[0], c)
			if err != nil {
				return err
			}
			s, err := l.Post(ctx, how)
			if err != nil {
				return err
			}
			return a.Show(s, func(w io.Writer) error { return writeState(w, s) })
		})
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&creators, "creator-key", nil, "key files of all creators that the batch names, with commas between")
	flags.StringSliceVar(&workers, "worker-key", nil, "key files of the workers, which take turns")
	flags.Var(&span, "within", "the time from the commitment in which all steps are done (default all that the batch has)")
	flags.Uint8Var(&how.Seats, "seats", 0, "judges of the first panels: whole ones measure more judges, and show whose cases they are (default as others)")
	flags.BoolVar(&how.Together, "together", false, "claim a task in the transaction that creates it")
	flags.BoolVar(&how.Once, "once", false, "do what is due now, and end")
	return cmd
}

func newOpen(a *cli.App) *cobra.Command {
	var ready, wait, offline bool
	cmd := on(a, &cobra.Command{
		Use:   "open DIR",
		Short: "Open all leaves of a batch whose cases are over",
		Long: `Open writes the answers into the cases, and the leaves with their proofs to the folder opened, where
anybody can check them. It opens nothing while a case of the batch still runs, because an open leaf
shows which agents are yours. --wait waits for them; --ready opens what can be opened.

A leaf of which no golden case came is opened as void. Open every leaf in time: a batch of which
some are closed moves nothing and costs the deposit.

With --offline it only writes the files, without a court: of the leaves with the numbers that
follow, or of all.`,
		Example: `  ojud court proctor open batch-1 --key proctor.json
  ojud court proctor open batch-1 --wait --key proctor.json
  ojud court proctor open batch-1 3 4 --offline`,
	}, cli.WithKey, "opening the leaves", func(ctx context.Context, l *batches.Life) (batches.Done, error) {
		return waiting(ctx, wait, func(ctx context.Context) (batches.Done, error) { return l.Open(ctx, ready) })
	}, writeDone("opened"))
	chain := cmd.RunE
	cmd.Args = nil
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return cli.Usage("open needs the directory of a batch")
		case offline:
			return openFiles(a, args[0], args[1:])
		case len(args) > 1:
			return cli.Usage("on the chain all leaves of a batch are opened").Next("leave the numbers out, or write only files with --offline")
		}
		return chain(cmd, args)
	}
	cmd.Flags().BoolVar(&ready, "ready", false, "open the leaves whose cases are over, though others are not")
	cmd.Flags().BoolVar(&wait, "wait", false, "wait until all cases are over")
	cmd.Flags().BoolVar(&offline, "offline", false, "write files only, and ask no court")
	return cmd
}

// openFiles writes leaves with these numbers to files; without numbers all.
func openFiles(a *cli.App, dir string, texts []string) error {
	b, err := proctor.Load(dir)
	if err != nil {
		return err
	}
	var numbers []int
	for i := range b.Contents().Leaves {
		if len(texts) == 0 {
			numbers = append(numbers, i+1)
		}
	}
	for _, text := range texts {
		n, err := strconv.Atoi(text)
		if err != nil {
			return cli.Usage("%.40q is no number of a leaf", text)
		}
		numbers = append(numbers, n)
	}
	names, err := b.Open(dir, numbers)
	if err != nil {
		return err
	}
	return cli.List(a, names, "nothing was opened", []string{"OPENED"}, func(name string) []string { return []string{name} })
}

// waitEvery is the time between two looks at a batch.
const waitEvery = 2 * time.Second

// waiting does something again while cases of the batch are not over, if wait is set.
func waiting[T any](ctx context.Context, wait bool, do func(context.Context) (T, error)) (T, error) {
	for {
		done, err := do(ctx)
		if !wait || !errors.Is(err, batches.ErrWaiting) {
			return done, err
		}
		t := time.NewTimer(waitEvery)
		select {
		case <-ctx.Done():
			t.Stop()
			return done, ctx.Err()
		case <-t.C:
		}
	}
}

func newApply(a *cli.App) *cobra.Command {
	var wait bool
	cmd := on(a, &cobra.Command{
		Use:   "apply DIR",
		Short: "Pay the seats of golden cases by their answers",
		Long: `Apply pays the seats that voted for the true answer, takes from those that voted for the other side,
and counts each case in the records of its judges. It is possible when all leaves are open, in
balance, and the time to challenge them is over. Anyone may do it, and nodes do it in turns; this
command is for those who do not want to wait for them.`,
		Example: `  ojud court proctor apply batch-1
  ojud court proctor apply batch-1 --wait`,
	}, cli.WithKey, "applying the leaves", func(ctx context.Context, l *batches.Life) (batches.Done, error) {
		return waiting(ctx, wait, l.Apply)
	}, writeDone("applied"))
	cmd.Flags().BoolVar(&wait, "wait", false, "wait until the time to challenge is over")
	return cmd
}

func newClose(a *cli.App) *cobra.Command {
	return on(a, &cobra.Command{
		Use:   "close DIR",
		Short: "End a batch, and get the deposit and the fees back",
		Long: `Close ends a batch when all its leaves are applied: deposit, fees and rent go to the proctor. If the
batch failed, because it was not open in time or out of balance, the deposit goes to the Pot. Anyone
may do it, and nodes do it in turns.`,
		Example: `  ojud court proctor close batch-1`,
	}, cli.WithKey, "closing the batch", func(ctx context.Context, l *batches.Life) (batches.Committed, error) { return l.Close(ctx) }, writeCommitted)
}

func newState(a *cli.App) *cobra.Command {
	return on(a, &cobra.Command{
		Use:   "show DIR",
		Short: "Show where a batch stands, what is missing and what it costs",
		Long: `Show prints where a batch stands on the chain, each of its leaves, what is to be done next and until
when, and what the batch costs. It needs the secret of the batch, and no key. It prints the
answers of open leaves only.`,
		Example: `  ojud court proctor show batch-1
  ojud court proctor show batch-1 --network http://127.0.0.1:8899 --json`,
	}, cli.PerhapsKey, "reading the batch", func(ctx context.Context, l *batches.Life) (batches.Progress, error) { return l.Show(ctx) }, writeState)
}

func writeCommitted(w io.Writer, c batches.Committed) error {
	if err := view.Sent(c.Sent).Write(w); err != nil {
		return err
	}
	return writeState(w, c.State)
}

func writeDone(verb string) func(io.Writer, batches.Done) error {
	return func(w io.Writer, d batches.Done) error {
		if _, err := fmt.Fprintf(w, "%s %s now\n", leaves(len(d.Leaves)), verb); err != nil {
			return err
		}
		return writeState(w, d.State)
	}
}

func writeState(w io.Writer, s batches.Progress) error {
	var sheet view.Sheet
	batch := "not committed yet"
	if s.Phase != "made" {
		batch = fmt.Sprintf("%d of this court, %s", s.Number, s.Phase)
	}
	sheet.Add("batch", batch)
	sheet.Add("next", s.Next)
	sheet.Add("root", s.Root)
	sheet.Add("proctor", s.Proctor)
	if s.Deposit > 0 {
		sheet.Add("holds", fmt.Sprintf("a deposit of %s, and %s of fees", s.Deposit, s.Earned))
	}
	sheet.Add("allowed", fmt.Sprintf("%s may be committed in this court now", leaves(int(s.Allowance))))
	sheet.Add("deposit", s.Costs.Deposit.String()+", which comes back")
	sheet.Add("vaults", fmt.Sprintf("%s for the largest case, %s if all ran at once, in the vaults of creators and workers", s.Costs.Largest, s.Costs.Vaults))
	sheet.Add("costs", fmt.Sprintf("%s of lost bonds, %s of the rewards; it earns %s", s.Costs.Bonds, s.Costs.Trade, s.Costs.Fees))
	if err := sheet.Write(w); err != nil {
		return err
	}
	var rows [][]string
	for _, l := range s.Leaves {
		rows = append(rows, []string{strconv.Itoa(l.Leaf), l.State, l.Reward.String(), cli.First(l.Verdict, "-"), cli.First(l.Answer, "-"), l.Task})
	}
	return view.Table(w, []string{"LEAF", "STATE", "REWARD", "VERDICT", "ANSWER", "TASK"}, rows)
}

func leaves(n int) string {
	if n == 1 {
		return "1 leaf"
	}
	return fmt.Sprintf("%d leaves", n)
}
