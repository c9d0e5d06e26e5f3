package proctor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/ledger/onchain"
	"ojud/node/batches"
	"ojud/node/client"
)

// checkCase checks the leaf of a golden case that the chain shows.
func checkCase(a *cli.App, cmd *cobra.Command, golden onchain.Address) error {
	return a.With(cmd, cli.PerhapsKey, func(ctx context.Context, c *client.Client) error {
		found, err := cli.Wait(ctx, a, "reading the leaf", func(ctx context.Context) (batches.Checked, error) { return batches.Check(ctx, c, golden) })
		if err != nil {
			return err
		}
		if err := a.Show(found, func(w io.Writer) error {
			s := leafOf(found)
			return s.Write(w)
		}); err != nil || found.True {
			return err
		}
		failed := cli.Fail("the leaf of case %s is false", found.Case)
		if found.Open {
			failed = failed.Next("end its batch: ojud court proctor challenge " + found.Case)
		}
		return failed
	})
}

// leafOf shows a leaf and what can be done about it.
func leafOf(f batches.Checked) (s view.Sheet) {
	s.Add("case", f.Case)
	s.Add("leaf", map[bool]string{true: "true", false: "FALSE"}[f.True])
	s.Add("answer", f.Answer)
	s.Add("why", f.Why)
	s.Add("batch", fmt.Sprint(f.Batch))
	switch {
	case !f.Open:
		s.Add("challenge", "too late: the batch is over, or a leaf of it was applied")
	case f.ApplyFrom == 0:
		s.Add("challenge", "possible; nothing of the batch can be applied now")
	default:
		s.Add("challenge", fmt.Sprintf("possible; its leaves may be applied in %s, and a case takes %s at most", seconds(f.Left), seconds(f.Longest)))
	}
	s.Add("generator", f.Generator)
	s.Add("seed", f.Seed)
	return s
}

func seconds(n int64) string { return (time.Duration(n) * time.Second).String() }

func newChallenge(a *cli.App) *cobra.Command {
	var creatorKey, workerKey string
	var reward cli.Amount
	cmd := &cobra.Command{
		Use:   "challenge CASE",
		Short: "Prove the leaf of a golden case false, and end its batch",
		Long: `Challenge is for everybody who sees a leaf that is false. It needs the keys of two agents, which may
both be yours: one posts the task that asks whether the leaf is false, the other answers yes. They
dispute, and every judge of the panel runs the generator and sees who is right. If the court finds
that the leaf is false, its batch is over: nothing of it is applied, a tenth of the deposit goes to
the agent that was right, at most the reward of its task, and the rest to the Pot.

Its panel has 14 seats, or all that there are if these leave too few judges, or too light ones, for
an appeal. It appeals its own success at once: a second panel has to find the lie, too, and a
challenge that came later cannot end the batch before. The vault of the first agent needs the bond
of the appeal, 28 fees, beside reward and bond. The reward comes back: a tenth of the deposit, if
you name none.

It checks the leaf first, and refuses to challenge a true one, because that loses the bonds. It ends
when the batch is over, which takes as long as a case. If it is interrupted, run it again: it goes
on.

Key files are read, and only their owner may read them (mode 0600).`,
		Example: `  ojud court proctor challenge 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 \
      --creator-key one.json --worker-key two.json`,
		Args: cli.Takes(1, "the address of a golden case"),
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		golden, err := onchain.ParseAddress(args[0])
		if err != nil {
			return cli.Usage("%.60q is no address of a case", args[0])
		}
		how := batches.Challenge{Reward: reward.Lamports}
		for _, one := range []struct {
			flag, path string
			to         **client.Client
		}{{"--creator-key", creatorKey, &how.Creator}, {"--worker-key", workerKey, &how.Worker}} {
			if one.path == "" {
				return cli.Usage("a challenge needs %s, the key file of an agent", one.flag)
			}
			key, failed := cli.Signer(one.flag, one.path, "the agent signs")
			if failed != nil {
				return failed
			}
			c, failed := a.OpenAs(cmd.Context(), key)
			if failed != nil {
				return failed
			}
			defer func() { err = errors.Join(err, c.Close()) }()
			*one.to = c
		}
		if how.Creator.Me() == how.Worker.Me() {
			return cli.Usage("--creator-key and --worker-key are one agent, and nobody may work for itself; name two")
		}
		how.Tell = func(step, id string) {
			if !a.Quiet {
				fmt.Fprintf(a.Err, "%s: %s\n", id, step) //nolint:errcheck // the work goes on
			}
		}
		done, err := cli.Wait(cmd.Context(), a, "challenging the leaf", func(ctx context.Context) (batches.Challenged, error) { return how.Run(ctx, golden) })
		if err != nil {
			return err
		}
		return a.Show(done, func(w io.Writer) error {
			s := leafOf(done.Leaf)
			s.Add("verdict", done.Verdict+", in case "+done.Case)
			s.Add("now", fmt.Sprintf("batch %d is over; %s of its deposit are in the vault of %s", done.Leaf.Batch, done.Earned, how.Worker.Me()))
			return s.Write(w)
		})
	}
	flags := cmd.Flags()
	flags.StringVar(&creatorKey, "creator-key", "", "key file of the agent that posts the task")
	flags.StringVar(&workerKey, "worker-key", "", "key file of the agent that says that the leaf is false")
	flags.Var(&reward, "reward", "the reward of the task (default a tenth of the deposit, which is what it can earn)")
	return cmd
}

func newAppeal(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "appeal CASE",
		Short: "Appeal the verdict that a true leaf is false",
		Long: `Appeal is for the proctor of a golden case. If a court finds that its leaf is false, it is no party
of that case, and yet may appeal within the time to appeal (ojud court rules). It posts no bond,
because its deposit is at stake. It pays the rent of the new seats, which comes back when the case
is closed. It checks the leaf first, and refuses if the leaf is false. Watch for challenges while
the time to challenge runs: a verdict that is not appealed costs the deposit.`,
		Example: `  ojud court proctor appeal 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 --key proctor.json`,
		Args:    cli.Takes(1, "the address of a golden case"),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			golden, err := onchain.ParseAddress(args[0])
			if err != nil {
				return cli.Usage("%.60q is no address of a case", args[0])
			}
			c, err := a.Open(cmd.Context(), true)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, c.Close()) }()
			done, err := cli.Wait(cmd.Context(), a, "appealing", func(ctx context.Context) ([]batches.Contested, error) { return batches.Contest(ctx, c, golden) })
			if len(done) == 0 {
				return err
			}
			return errors.Join(err, a.Show(done, func(w io.Writer) error {
				for _, one := range done {
					if _, err := fmt.Fprintf(w, "%s: appealed, %d judges that did not sit hear it\n", one.Case, one.Seats); err != nil {
						return err
					}
				}
				return nil
			}))
		},
	}
}
