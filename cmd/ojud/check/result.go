package check

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"ojud/casefile"
	"ojud/casefile/proof"
	"ojud/cmd/ojud/cli"
)

// made is a run of one of a task's checks.
type made struct {
	Check string        `json:"check"`
	Run   *casefile.Run `json:"run,omitempty"`
	// Problem says that nothing stands at the path of the check.
	Problem string `json:"problem,omitempty"`
}

func newResult(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "result TASK.json RESULT.json",
		Short: "Run the check programs and tests of a task on a result",
		Long: `Result runs every check program and all tests in "expected" of a task on a result, as a judge does,
and prints what each says. Other checks of the task are not made. The exit status is 1 if one does
not say true.`,
		Example: `  ojud check result task.json result.json`,
		Args:    cli.Takes(2, "a task file", "a result file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			rawTask, err := bounded(cmd.InOrStdin(), args[0], maxFile)
			if err != nil {
				return cli.Usage("%v", err)
			}
			task, err := casefile.ParseTask(rawTask)
			if err != nil {
				return cli.Usage("%s: %s", args[0], cli.Plain(err))
			}
			rawResult, err := bounded(cmd.InOrStdin(), args[1], maxFile)
			if err != nil {
				return cli.Usage("%v", err)
			}
			result, err := casefile.ParseResult(rawResult)
			if err != nil {
				return cli.Usage("%s: %s", args[1], cli.Plain(err))
			}
			all, err := cli.Wait(cmd.Context(), a, "running what "+args[0]+" expects", func(ctx context.Context) ([]made, error) {
				return every(ctx, task, result.Raw)
			})
			if err != nil {
				return cli.Fail("%s", cli.Plain(err))
			}
			if err := cli.List(a, all, "the task has no check program and no tests", []string{"CHECK", "SAYS", "BECAUSE", "STEPS"}, row); err != nil {
				return err
			}
			for _, m := range all {
				if m.Run == nil || m.Run.Said != casefile.SaidTrue {
					return cli.Fail("%s does not say true", m.Check)
				}
			}
			return nil
		},
	}
}

// every makes all runs of a task on a result.
func every(ctx context.Context, task casefile.Doc[casefile.Task], result []byte) (all []made, err error) {
	var prover proof.Prover
	defer func() { err = errors.Join(err, prover.Close(ctx)) }()
	for i, k := range task.Value.Expected {
		if !k.Runs() {
			continue
		}
		m := made{Check: fmt.Sprintf("expected[%d]", i)}
		run, err := prover.Run(ctx, task.Value, i, proof.Papers{Task: task.Raw, Result: result})
		var place proof.ErrPlace
		switch {
		case errors.As(err, &place):
			m.Problem = fmt.Sprintf("at %q: %v", k.Path, place)
		case err != nil:
			return nil, err
		default:
			m.Run = &run
		}
		all = append(all, m)
	}
	return all, nil
}

func row(m made) []string {
	if m.Run == nil {
		return []string{m.Check, "false", m.Problem, "0"}
	}
	return []string{m.Check, string(m.Run.Said), m.Run.Why, fmt.Sprint(m.Run.Fuel)}
}
