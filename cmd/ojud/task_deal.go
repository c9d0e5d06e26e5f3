package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/holdings"
	"ojud/cmd/ojud/view"
	"ojud/ledger/onchain"
	"ojud/node/client"
	"ojud/node/client/advice"
	"ojud/node/client/fit"
	"ojud/node/library"
)

func newTaskCreate(a *app) *cobra.Command {
	var flags cli.TermFlags
	var checked cli.Checked
	var beside holdings.Beside
	var guided bool
	cmd := &cobra.Command{
		Use:   "create TASK.json",
		Short: "Post a task with its reward in escrow",
		Long: `Create checks the task file, moves the reward from the vault into escrow, puts the file's hash on
the chain, and brings the file to nodes of the court. A task file has "instruction", "output_schema"
and optionally "input_data", "pda", "data_sources" and "expected". An error names the wrong field.
"-" reads standard input.

A task with check programs (docs/judges.md) needs --example: a result that is right. Create runs the
programs on it, and posts the task only if each says true of it, and not of an empty result.

--seal adds a check with a program or tests to the task. Nobody sees what it demands before an
objection. The home keeps the opening, and "task object" shows it. A sealed check that says true
settles what it names. One that says false decides nothing alone (docs/judges.md).

A sealed check is for one result: the first one, or with "rework": 1 the one that the worker hands
in after it worked again, and so on. An objection opens the checks for its result, and no others.
After it the worker knows them, so they settle nothing of a later result, and what they settled is
settled by a seal for that result or by readers.

--guide posts nothing. It prints checks for "expected" that fit the task and are ready to paste, and
says why. With --example it proposes what that result meets.

Create says how many judges with a stake have each data source of the task, and which terms a
worker is warned of. It pins the data of agents that the task names (docs/agent-data.md).

--mint and --tokens put tokens of the vault beside the reward, in a second transaction
(docs/vault.md). The worker gets them if it gets the reward.

In an auction the reward rises until a worker claims the task. A second run with the same file
reports the open task and does not post another, unless you add --again.`,
		Example: `  ojud task create examples/eleptiger/eleptiger.task.json --reward 1sol --key creator.json
  ojud task create task.json --guide --example result.json
  ojud task create task.json --example result.json --module check.wasm --reward 1sol
  ojud task create task.json --example result.json --seal hidden-tests.json --reward 1sol
  ojud task create task.json --reward 0.01sol --tokens 25 \
      --mint 4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU
  ojud task create task.json --reward-min 0.1sol --reward-max 1sol --auction 1h --work 8h \
      --on-undecided refund`,
		Args: cli.Takes(1, "a task file"),
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if guided {
			return a.guide(cmd.Context(), args[0], checked.Example)
		}
		terms, err := flags.Terms()
		if err == nil {
			err = beside.Read()
		}
		if err != nil {
			return err
		}
		doc, modules, err := checked.Prepare(cmd.Context(), a.App, args[0], flags.Again)
		if err != nil {
			return err
		}
		return a.taskAction(cmd, "creating the task", func(ctx context.Context, c *client.Client) (client.TaskDone, error) {
			doc, err := holdings.Pin(ctx, c, doc, checked.Unpinned)
			if err != nil {
				return client.TaskDone{}, err
			}
			review, err := c.ReviewOffer(ctx, doc, terms)
			if err != nil {
				return client.TaskDone{}, err
			}
			if err := beside.Check(ctx, c, doc, flags.Again); err != nil {
				return client.TaskDone{}, err
			}
			done, err := c.CreateTask(ctx, doc, terms, flags.Again, modules...)
			done.Review = &review
			return done, errors.Join(err, beside.Keep(ctx, a.App, c, done.Task.Task))
		})
	}
	flags.Add(cmd)
	checked.Add(cmd)
	beside.Add(cmd)
	cmd.Flags().BoolVar(&guided, "guide", false, "post nothing, and propose checks that fit the task")
	return cmd
}

func newTaskClaim(a *app) *cobra.Command {
	var least cli.Amount
	var engines cli.Engines
	var start, agreed bool
	cmd := onTask(a, &cobra.Command{
		Use:   "claim TASK",
		Short: "Take a task, and with --start begin the work",
		Long: `Claim makes the key's agent the worker of a task, at the present price or a better one. Then
the time for the work runs. A claim posts a bond from the vault (the court's claim_bps, 2 % of the
highest reward by default). It comes back when the task ends. A worker that misses the deadline
loses it, and may not be the next to claim the task. Soon after the claim, "task release" gives it
back.

Claim first reads the task's document and its terms. It says how many judges with a stake have each
data source, and warns of terms that can cost you your pay: a refund to the creator if the court
cannot decide, a source that no judge or one judge has, data that can change, another engine, a
document that judges cannot read, little time. With warnings it claims only if you add --yes.

A task can name another program, its engine, that decides a dispute instead of the court. Claim
refuses it unless the engine is on your list: --allow-engine, or OJUD_ENGINES with commas between.
A program can serve many groups, and anybody can make one, so the list names both: PROGRAM/GROUP.
Whoever controls the engine decides whether you are paid. "engine show" prints who that is.

The creator writes the engine's terms, so claim also refuses a listed engine on bad ones: a fee
above a tenth of the lowest reward, less time than the court takes to commit and to reveal, and a
refund to the creator if the engine says nothing. An entry of the list can say more behind the
engine: :agent=ADDRESS, the only agent that may get the fee; :fee=AMOUNT, the highest fee;
:time=TIME, the least time. --allow-engine-terms takes all terms; --yes does not.`,
		Example: `  ojud task claim 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 --start --key worker.json
  ojud task claim 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 --min-reward 0.5sol
  ojud task claim 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 --yes \
      --allow-engine PROGRAM/GROUP:agent=ADDRESS:fee=0.01sol:time=1d`,
	}, "claiming the task", func(c *client.Client, ctx context.Context, task onchain.Address) (client.TaskDone, error) {
		trusted, err := engines.Trusted(a.App)
		if err != nil {
			return client.TaskDone{}, err
		}
		review, err := c.ReviewTask(ctx, task, trusted...)
		if err != nil {
			return client.TaskDone{}, err
		}
		if err := holdings.WarnOfPledge(ctx, c, task, &review); err != nil {
			return client.TaskDone{}, err
		}
		if len(review.Warnings) > 0 && !agreed {
			return client.TaskDone{}, a.warned(review)
		}
		done, err := c.Claim(ctx, task, least.Lamports, start, trusted...)
		done.Review = &review
		return done, err
	})
	engines.Add(cmd.Flags())
	cmd.Flags().BoolVar(&agreed, "yes", false, "claim it although there are warnings")
	cmd.Flags().Var(&least, "min-reward", "refuse a lower reward (default the present price)")
	cmd.Flags().BoolVar(&start, "start", false, "begin the work in the same transaction")
	return cmd
}

// warned shows why a task is not claimed, and returns the error.
func (a *app) warned(r advice.Review) error {
	if err := a.Show(r, view.Review(r).Write); err != nil {
		return err
	}
	return cli.Fail("the task was not claimed, because of %s", view.Count(len(r.Warnings), "warning")).Next("read them, and add --yes to claim it all the same")
}

func newTaskRelease(a *app) *cobra.Command {
	return onTask(a, &cobra.Command{
		Use:   "release TASK",
		Short: "Give a claim back soon after it, with its bond",
		Long: `Release returns the task to the market, and the claim's bond to the worker's vault. It is possible
in the first tenth of the time for the work, before a result. All workers of a task share this
tenth, so that nobody holds a task for nothing for long. "task show" says until when. The worker may
not be the next to claim the task.`,
		Example: `  ojud task release 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 --key worker.json`,
	}, "releasing", (*client.Client).Release)
}

func newTaskStart(a *app) *cobra.Command {
	return onTask(a, &cobra.Command{
		Use:   "start TASK",
		Short: "Say that the work has begun",
		Long: `Start tells the creator that the worker is at work. The deadline of the claim stays. "task
claim --start" and "task submit" do this, too.`,
		Example: `  ojud task start 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 --key worker.json`,
	}, "starting", (*client.Client).Start)
}

func newTaskSubmit(a *app) *cobra.Command {
	var anyway bool
	cmd := &cobra.Command{
		Use:   "submit TASK RESULT.json",
		Short: "Hand in a result, and start the creator's time to answer",
		Long: `Submit puts the result's hash on the chain and brings the file to nodes. A result is any JSON that
fits the task's output_schema, meets its demands and passes its check programs. Submit names what
fails and where, and refuses such a result, because judges would reject it. --anyway sends it, and
"check result" tries it beforehand. Submit also starts a task that was not started. The creator's
time to answer begins at once. "-" reads standard input.`,
		Example: `  ojud task submit 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 result.json --key worker.json`,
		Args:    cli.Takes(2, "the task's address", "a result file"),
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		task, err := cli.Address("the task", args[0])
		if err != nil {
			return err
		}
		result, err := library.ResultFile(args[1])
		if err != nil {
			return err
		}
		return a.taskAction(cmd, "submitting the result", func(ctx context.Context, c *client.Client) (client.TaskDone, error) {
			if !anyway {
				if err := a.fits(ctx, c, task, result); err != nil {
					return client.TaskDone{}, err
				}
			}
			return c.Submit(ctx, task, result)
		})
	}
	cmd.Flags().BoolVar(&anyway, "anyway", false, "submit a result that does not fit the task's output_schema, or fails a check of it")
	return cmd
}

// fits checks a result against the task's schema, demands and check programs. It warns if no node
// has the task, if the schema is unusable, or if a check says nothing.
func (a *app) fits(ctx context.Context, c *client.Client, task onchain.Address, result library.Document) error {
	err := c.CheckResult(ctx, task, result)
	if errors.Is(err, fit.ErrMisfit) || errors.Is(err, fit.ErrUnmet) || errors.Is(err, fit.ErrRefuted) {
		return cli.Fail("%s", cli.Plain(err)).Next("correct the result, or submit it as it is with --anyway")
	}
	if errors.Is(err, library.ErrNoContent) || errors.Is(err, fit.ErrSchema) || errors.Is(err, fit.ErrSilent) {
		_, err = fmt.Fprintf(a.Err, "the result was not checked in full: %s\n", cli.Plain(err))
	}
	return err
}

func newTaskAccept(a *app) *cobra.Command {
	return onTask(a, &cobra.Command{
		Use:   "accept TASK",
		Short: "Accept the result: the worker is paid",
		Long: `Accept pays the reward from the escrow into the worker's vault, less the trade fee, which is the
golden pot's (the court's trade_bps, 0.5 % by default). You cannot undo it.`,
		Example: `  ojud task accept 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 --key creator.json`,
	}, "accepting", (*client.Client).Accept)
}

func newTaskRework(a *app) *cobra.Command {
	return onTask(a, &cobra.Command{
		Use:   "rework TASK",
		Short: "Take the objection as fair and work again",
		Long: `Rework returns the creator's bond and restarts the time for the work. A task can be reworked a
few times (the court's max_reworks, 3 by default).

What the creator sealed for the result before settles nothing of the next one: you have seen it.`,
		Example: `  ojud task rework 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 --key worker.json`,
	}, "taking the task back to work", (*client.Client).Rework)
}

func newTaskCancel(a *app) *cobra.Command {
	return onTask(a, &cobra.Command{
		Use:     "cancel TASK",
		Short:   "Take an unclaimed task off the market",
		Long:    `Cancel returns the escrow of an unclaimed task to the creator's vault.`,
		Example: `  ojud task cancel 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 --key creator.json`,
	}, "cancelling", (*client.Client).Cancel)
}

func newTaskSettle(a *app) *cobra.Command {
	return onTask(a, &cobra.Command{
		Use:   "settle TASK",
		Short: "End a disputed task by the verdict of its engine",
		Long: `Settle ends a task whose terms name another program, by what that program wrote about it. Both
bonds come back, less the fee that the terms name. If the program wrote nothing in its time, settle
opens a case of the court, or lets the task's term for undecided cases decide, as the terms say.
Anyone may do this. The judges of the court settle its own cases by themselves.`,
		Example: `  ojud task settle 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 --key worker.json`,
	}, "settling", func(c *client.Client, ctx context.Context, task onchain.Address) (client.TaskDone, error) {
		return client.SettleByEngine(ctx, c, task)
	})
}

func newTaskExpire(a *app) *cobra.Command {
	return onTask(a, &cobra.Command{
		Use:   "expire TASK",
		Short: "Carry out the consequence of a missed deadline",
		Long: `Expire carries out the consequence of a deadline that has passed. If no worker claimed the task, or
the worker did not answer an objection, the creator gets a refund. If the worker sent no result, the
task is open again, and the claim's bond is the creator's. If the creator did not answer, the worker
is paid. Anyone may do this.`,
		Example: `  ojud task expire 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 --key worker.json`,
	}, "expiring", (*client.Client).Expire)
}
