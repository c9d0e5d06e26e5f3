// Package brain has the commands of MegaBrain: tasks that several workers do apart from each other,
// that evaluators score, and whose budget is divided by what they agree on.
package brain

import (
	_ "embed"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/megabrain/pay"
	"ojud/node/client"
	"ojud/node/library"
)

// Command returns the command "brain" with all that belong to it.
func Command(a *cli.App) *cobra.Command {
	cmd := cli.Group(&cobra.Command{
		Use:   "brain",
		Short: "Settle tasks that several workers did and evaluators scored",
		Long: `A task of MegaBrain is done by several workers apart from each other. Evaluators score the results.
The budget goes to results that mean the same and that the scores support. Settle does the
arithmetic, with the same result on every machine; it needs no node, network or chain, and moves no
money. Memory keeps results and evaluations on nodes that can be audited.

The other commands act on the chain. A maker creates a class; workers and evaluators register for
it with a stake. A requester creates a task. Workers commit and submit results, evaluators evaluate
and submit scores, one of them posts the outcome, and anybody may dispute it before the court. A
crank carries tasks on. docs/megabrain.md tells how a task goes, and has the formulas.`,
		Example: `  ojud brain example > task.json
  ojud brain settle task.json
  ojud brain reputation log.json
  ojud brain memory run ./memory
  ojud brain register CLASS --role worker --stake 1sol
  ojud brain crank
  ojud brain work --home ~/thinker
  ojud brain serve --agent-key worker.json`,
	})
	cmd.AddCommand(newSettle(a), newExample(a), newReputation(a), newMemory(a), newShow(a), newAdvance(a),
		newList(a), newClass(a), newRegister(a), newLeave(a), newWithdraw(a), newVouch(a), newLink(a), newTask(a), newCommit(a), newSubmit(a), newEvaluate(a), newResults(a),
		newOutcome(a), newPost(a), newDispute(a), newOpenGolden(a), newAppeal(a), newAnswer(a), newCrank(a), newServe(a), newWork(a), newEmbed(a))
	return cmd
}

//go:embed example.json
var example []byte

func newExample(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "example",
		Short: "Print a task with results and evaluations, to begin with",
		Long: `Example prints a task that settle reads: four workers, one of whom copied, and three evaluators, of
whom the third was called because the first two disagreed.`,
		Example: `  ojud brain example > task.json`,
		Args:    cli.Takes(0),
		RunE:    func(*cobra.Command, []string) error { return a.Content(example, true) },
	}
}

func newSettle(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "settle FILE",
		Short: "Divide the budget and the stakes of a task",
		Long: `Settle reads a task with its results and evaluations, and prints what each worker and evaluator is
paid, what it loses of its stake, and why. - reads standard input.

The class of the task names the fields of a result that carry its meaning: "meaning" for values
that have to be equal, "prose" for texts that have to say the same. Without a class, each worker
names the cluster of its result. Evaluators give a score and a confidence, both 0 to 100. Amounts
are lamports. Parameters that the file does not name have their defaults, such as pools of 70, 20
and 10 % of the budget.

If no cluster of results is dominant and one may become so, further workers are called. If two
evaluators disagree, or the scores are too low, a further evaluator is called. Until then nothing
is paid. If nobody can be called any more, the task is inconclusive: stakes come back with a share
for the effort. Slashed stakes go to the treasury, never to a party.`,
		Example: `  ojud brain settle task.json
  ojud brain example | ojud brain settle - --json`,
		Args: cli.Takes(1, "a file with a task"),
		RunE: func(_ *cobra.Command, args []string) error {
			raw, err := library.ReadFile(args[0], pay.MaxBytes)
			if err != nil {
				return cli.Usage("%v", err)
			}
			task, err := pay.Parse(raw)
			if err != nil {
				return cli.Usage("%s: %v", args[0], err)
			}
			s := pay.Settle(task)
			return a.Show(s, func(w io.Writer) error { return show(w, s) })
		},
	}
}

func show(w io.Writer, s pay.Settlement) error {
	sheet := view.Sheet{{"status", s.Status}}
	sheet.Add("because", s.Why)
	sheet.Add("cluster", s.Cluster)
	sheet.Add("noise", points(s.Noise)+" % of the results that count are in no cluster")
	if s.Call > 0 {
		sheet.Add("called", fmt.Sprint(s.Call))
	}
	if s.Status != pay.FurtherEvaluator && s.Status != pay.FurtherWorker {
		sheet.Add("not earned", amount(s.Undistributed)+": "+s.UndistributedTo)
		sheet.Add("slashed", amount(s.Slashed)+": treasury")
	}
	if err := sheet.Write(w); err != nil {
		return err
	}
	rows := make([][]string, len(s.Judgements))
	for i, j := range s.Judgements {
		score := "-"
		if j.Valid {
			score = points(j.Score)
		}
		rows[i] = []string{j.Worker, j.Cluster, score, points(j.Support) + " %", j.Why}
	}
	if err := table(w, []string{"RESULT OF", "CLUSTER", "SCORE", "SUPPORT", "WHY"}, rows); err != nil {
		return err
	}
	rows = make([][]string, len(s.Parts))
	for i, p := range s.Parts {
		rows[i] = []string{p.Role, p.ID, amount(p.Paid), amount(p.Bonus), amount(p.Slashed), why(p)}
	}
	return table(w, []string{"ROLE", "WHO", "PAID", "BONUS", "SLASHED", "WHY"}, rows)
}

func table(w io.Writer, header []string, rows [][]string) error {
	if len(rows) == 0 {
		return nil
	}
	if _, err := fmt.Fprintln(w); err != nil {
		return err
	}
	return view.Table(w, header, rows)
}

func amount(lamports uint64) string { return client.Lamports(lamports).String() }

// points writes hundredths.
func points(n int) string { return fmt.Sprintf("%d.%02d", n/100, n%100) }

func why(p pay.Part) string {
	switch {
	case p.Freeze > 0:
		return fmt.Sprintf("%s; reputation frozen for %d days", p.Why, p.Freeze)
	case p.Restore > 0:
		return fmt.Sprintf("%s; reputation comes back after %d successful tasks", p.Why, p.Restore)
	}
	return p.Why
}
