package brain

import (
	"context"
	"crypto/sha256"
	"time"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/ledger/brain"
	"ojud/ledger/onchain"
	"ojud/megabrain/finding"
	"ojud/node/client"
	"ojud/node/library"
	"ojud/node/megabrain"
)

func newTask(a *cli.App) *cobra.Command {
	cmd := cli.Court(a, cli.Group(&cobra.Command{
		Use:   "task",
		Short: "Post tasks of MegaBrain on the chain, and end them",
		Long: `A requester posts a task of a class with a budget. Workers and evaluators of the class are drawn
for it. "ojud brain crank" carries it on.`,
		Example: `  ojud brain task create CLASS --about "When did the bridge open, and why?" --budget 1sol
  ojud brain list
  ojud brain task close TASK`,
	}))
	cmd.AddCommand(newTaskCreate(a), newTaskExtend(a), newTaskClose(a))
	return cmd
}

// maxMetadata is a bound of the program.
const maxMetadata = 200

func newTaskCreate(a *cli.App) *cobra.Command {
	var w work
	var budget, workerStake, evaluatorStake cli.Amount
	var due cli.Span
	var id, rest, golden, about string
	i := brain.CreateTask{}
	cmd := &cobra.Command{
		Use:   "create CLASS --about TEXT --budget AMOUNT",
		Short: "Post a task, and pay its budget in",
		Long: `Create pays the budget into a task of the class. --about is the question; it stays in the
transaction, and the chain keeps its hash. If it is longer than 400 bytes, write it into a file and
name that with --about-file: the text goes to the memory nodes of the class, everybody finds it
there by its hash, and workers, evaluators and judges see it as the question. --difficulty is 50
(easy) to 200 (hard). The task names the memory nodes of its class, unless --metadata says something
else.

The task's address follows from the key and --id. Without --id it follows from what the task says,
so a second run finds the task and pays nothing. Name an --id to ask the same question again.

A question may be a task of the court, as JSON with instruction, output_schema and expected. In an
appeal against a golden task the judges make its checks with code, without a model. This command
makes them on the right result (--golden) before it pays.

With --golden, the task is a golden one: you know its right result. Nobody sees that before the
creator of the class opens it, with "ojud brain open-golden" from this home; "ojud brain crank" does
it, too. Use another key than the creator's for the task.`,
		Example: `  ojud brain task create 8HpUUP54sncaD9TgMKHW1EYNAQ7FZXvnQjPkGxsS4m1G --budget 1sol \
      --about "When did the bridge open, and why?"
  ojud brain task create 8HpUUP54sncaD9TgMKHW1EYNAQ7FZXvnQjPkGxsS4m1G --budget 0.5sol --workers 5 \
      --evaluators 3 --due 48h --about "When did the bridge open?" --undistributed treasury
  ojud brain task create 8HpUUP54sncaD9TgMKHW1EYNAQ7FZXvnQjPkGxsS4m1G --budget 2sol \
      --about-file contract.txt --memory http://127.0.0.1:4900`,
		Args: cli.Takes(1, "the address of a class"),
	}
	w.add(cmd, true)
	f := cmd.Flags()
	f.StringVar(&i.Description, "about", "", "what is asked, at most 400 bytes")
	f.StringVar(&about, "about-file", "", "file with a longer question, at most 64 KiB, which goes to the memory nodes")
	metadata := f.String("metadata", "", "what else belongs to the task, at most 200 bytes (default: the memory nodes of the class)")
	f.Var(&budget, "budget", "what is divided, such as 1sol")
	f.Uint8Var(&i.WorkerCount, "workers", 3, "workers that are drawn, 1 to 8")
	f.Uint8Var(&i.EvaluatorCount, "evaluators", 2, "evaluators that are drawn, 2 to 8")
	f.Var(&workerStake, "worker-stake", "stake of each worker (default the least of the class)")
	f.Var(&evaluatorStake, "evaluator-stake", "stake of each evaluator (default the least of the class)")
	f.Var(&due, "due", "time until results are due: a draw and one to four submission windows of the class (default one)")
	f.Uint16Var(&i.Difficulty, "difficulty", 100, "50 to 200")
	f.StringVar(&rest, "undistributed", "return", "what happens to what nobody earned: return or treasury")
	f.StringVar(&id, "id", "", "text that tells tasks apart")
	f.StringVar(&golden, "golden", "", "file with the right result, in the form of the class")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		class, err := cli.Address("the class", args[0])
		if err != nil {
			return err
		}
		i.Metadata, i.TotalBudget = []byte(*metadata), uint64(budget.Lamports)
		i.WorkerStake, i.EvaluatorStake = uint64(workerStake.Lamports), uint64(evaluatorStake.Lamports)
		var question []byte
		if about != "" {
			if question, err = library.ReadFile(about, finding.MaxQuestion); err == nil {
				_, err = finding.ReadQuestion(question)
			}
			if err != nil {
				return cli.Usage("--about-file: %v", err)
			}
		}
		switch {
		case i.Description != "" && question != nil:
			return cli.Usage("--about and --about-file both say what is asked").Next("leave one of them out")
		case question != nil:
			i.Description = finding.Reference(question)
		case i.Description == "" || len(i.Description) > finding.MaxDescription:
			return cli.Usage("--about has %d bytes; it has 1 to %d", len(i.Description), finding.MaxDescription).Next("write a longer question into a file, and name it with --about-file")
		}
		switch {
		case len(i.Metadata) > maxMetadata:
			return cli.Usage("--metadata has %d bytes; it has at most %d", len(i.Metadata), maxMetadata)
		case i.TotalBudget == 0:
			return cli.Usage("how much is the budget?").Next("add --budget 1sol")
		case i.WorkerCount < 1 || i.WorkerCount > brain.MaxSeats:
			return cli.Usage("--workers is %d; it is 1 to %d", i.WorkerCount, brain.MaxSeats)
		case i.EvaluatorCount < 2 || i.EvaluatorCount > brain.MaxSeats:
			return cli.Usage("--evaluators is %d; it is 2 to %d, and at most the class's max_evaluators", i.EvaluatorCount, brain.MaxSeats)
		case i.Difficulty < 50 || i.Difficulty > 200:
			return cli.Usage("--difficulty is %d; it is 50 to 200", i.Difficulty)
		case rest != "return" && rest != "treasury":
			return cli.Usage("--undistributed is %q; it is return or treasury", rest)
		}
		if rest == "treasury" {
			i.Undistributed = 1
		}
		i.TaskID = sha256.Sum256([]byte("id:" + id))
		if id == "" {
			said := sha256.Sum256(append([]byte(i.Description), i.Metadata...))
			i.TaskID = sha256.Sum256(append(append([]byte("said:"), class[:]...), said[:]...))
		}
		var answer []byte
		if golden != "" {
			if answer, err = library.ReadFile(golden, 4*finding.MaxResult); err != nil {
				return cli.Usage("--golden: %v", err)
			}
		}
		asks := i.Description
		if question != nil {
			asks = string(question)
		}
		if err := megabrain.Sound(cmd.Context(), asks, answer); err != nil {
			return cli.Usage("%v", err).Next("mend the checks of the question (docs/megabrain.md, A question with checks), or install CPython if it is missing (ojud check python)")
		}
		return w.with(cmd, a, cli.WithKey, func(ctx context.Context, d *megabrain.Desk, _ *client.Client) error {
			if golden != "" {
				if err := d.Seal(&i, answer); err != nil {
					return err
				}
			}
			if question != nil {
				if _, err := megabrain.Ask(ctx, d, class, question); err != nil {
					return err
				}
			}
			done, err := d.Create(ctx, class, i, due.Seconds)
			if err != nil {
				return err
			}
			return a.Show(done, append(view.Sent(done.Sent), view.Sheet{{"task", done.Task}}...).Write)
		})
	}
	return cmd
}

// taskCommand is a command about one task.
func taskCommand[T any](a *cli.App, cmd *cobra.Command, content bool, n cli.Need,
	do func(context.Context, *megabrain.Desk, onchain.Address, []string) (T, error), show func(T) error, more ...string) *cobra.Command {
	var w work
	cmd = cli.Court(a, cmd)
	w.add(cmd, content)
	cmd.Args = cli.Takes(1+len(more), append([]string{"the address of a task"}, more...)...)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		at, err := cli.Address("the task", args[0])
		if err != nil {
			return err
		}
		return w.with(cmd, a, n, func(ctx context.Context, d *megabrain.Desk, _ *client.Client) error {
			done, err := cli.Wait(ctx, a, cmd.Name()+" of the task", func(ctx context.Context) (T, error) { return do(ctx, d, at, args[1:]) })
			if err != nil {
				return err
			}
			return show(done)
		})
	}
	return cmd
}

// sent shows what was sent.
func sent(a *cli.App) func(client.Sent) error {
	return func(s client.Sent) error { return a.Show(s, view.Sent(s).Write) }
}

func newTaskExtend(a *cli.App) *cobra.Command {
	var by cli.Span
	var budget cli.Amount
	cmd := taskCommand(a, &cobra.Command{
		Use:   "extend TASK --by TIME --budget AMOUNT",
		Short: "Give the workers more time for more budget, once",
		Long: `Extend gives the workers of your task more time, once and before their deadline. A second
submission window costs the share of the budget that the class names (a tenth by default), less
time costs less.`,
		Example: `  ojud brain task extend 8HpUUP54sncaD9TgMKHW1EYNAQ7FZXvnQjPkGxsS4m1G --by 6h --budget 0.05sol`,
	}, false, cli.WithKey, func(ctx context.Context, d *megabrain.Desk, at onchain.Address, _ []string) (client.Sent, error) {
		if by.Seconds == 0 || budget.Lamports == 0 {
			return client.Sent{}, cli.Usage("by how much, and for how much?").Next("add --by 6h --budget 0.05sol")
		}
		return d.Extend(ctx, at, brain.ExtendTask{Seconds: by.Seconds, Budget: uint64(budget.Lamports)})
	}, sent(a))
	cmd.Flags().Var(&by, "by", "how much time, such as 6h")
	cmd.Flags().Var(&budget, "budget", "what is added to the budget, such as 0.05sol")
	return cmd
}

func newTaskClose(a *cli.App) *cobra.Command {
	return taskCommand(a, &cobra.Command{
		Use:   "close TASK",
		Short: "Take back what nobody earned of a task that is over",
		Long: `Close deletes your task that is settled, inconclusive or expired. What nobody earned of its budget,
and the rent of its account, come back. Look at it before: "ojud brain show TASK" does not find it
then.`,
		Example: `  ojud brain task close 8HpUUP54sncaD9TgMKHW1EYNAQ7FZXvnQjPkGxsS4m1G`,
	}, false, cli.WithKey, func(ctx context.Context, d *megabrain.Desk, at onchain.Address, _ []string) (client.Sent, error) {
		return d.Close(ctx, at)
	}, sent(a))
}

// listed is a task in a list.
type listed struct {
	Task       string          `json:"task"`
	Class      string          `json:"class"`
	Requester  string          `json:"requester"`
	Status     string          `json:"status"`
	Until      int64           `json:"until,omitempty"` // Unix seconds
	Budget     client.Lamports `json:"budget"`
	Workers    uint8           `json:"workers"`
	Evaluators uint8           `json:"evaluators"`
}

func newList(a *cli.App) *cobra.Command {
	var w work
	var class string
	cmd := cli.Court(a, &cobra.Command{
		Use:   "list",
		Short: "List the tasks of MegaBrain on the chain",
		Long: `List reads all tasks of the program: where each stands and until when. With --class it lists those
of one class. "ojud brain show TASK" tells more about one.`,
		Example: `  ojud brain list
  ojud brain list --class 8HpUUP54sncaD9TgMKHW1EYNAQ7FZXvnQjPkGxsS4m1G --json`,
		Args: cli.Takes(0),
	})
	w.add(cmd, false)
	cmd.Flags().StringVar(&class, "class", "", "address of a class")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		of, err := cli.Address("the class", class)
		if err != nil {
			return err
		}
		return w.with(cmd, a, cli.PerhapsKey, func(ctx context.Context, d *megabrain.Desk, _ *client.Client) error {
			all, err := d.Tasks(ctx, of)
			if err != nil {
				return err
			}
			items := make([]listed, len(all))
			for i, s := range all {
				t := s.Task
				items[i] = listed{s.At.String(), t.Parties.Class.String(), t.Parties.Requester.String(), t.Status.String(), 0, client.Lamports(t.Money.Budget), t.Counts.Workers, t.Counts.Evaluators}
				if t.Status < brain.Ready {
					items[i].Until = t.Clock.Deadline
				}
			}
			return cli.List(a, items, "There is no task.", []string{"TASK", "STATUS", "UNTIL", "BUDGET", "SEATS"}, func(l listed) []string {
				until := "-"
				if l.Until != 0 {
					until = time.Unix(l.Until, 0).UTC().Format(time.DateTime)
				}
				return []string{l.Task, l.Status, until, l.Budget.String(), seats(l.Workers, l.Evaluators)}
			})
		})
	}
	return cmd
}
