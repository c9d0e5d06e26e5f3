package check

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"ojud/agent/judge/check"
	"ojud/casefile"
	"ojud/casefile/proof"
	"ojud/casefile/runs"
	"ojud/cmd/ojud/cli"
	"ojud/sandbox"
)

// made is what came of one of a task's checks.
type made struct {
	Check   string    `json:"check"`
	Says    runs.Said `json:"says"`
	Because string    `json:"because,omitempty"`
	Run     *runs.Run `json:"run,omitempty"` // of a program or of tests
}

func newResult(a *cli.App) *cobra.Command {
	var files []string
	cmd := &cobra.Command{
		Use:   "result TASK.json RESULT.json",
		Short: "Make the checks of a task on a result",
		Long: `Result makes the checks in "expected" of a task on a result, as a judge does: demands, check
programs and tests. It prints what each says and why. "none" means that code cannot tell. Checks on
data sources say none, because only nodes can ask a source. The exit status is 1 if a check says
false, or if a program or tests do not say true.

Tests compare numbers exactly: 0.1 + 0.2 is not 0.3. A call with "within": 1e-9 beside its
"returns" allows that.`,
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
			var modules [][]byte
			for _, file := range files {
				raw, err := bounded(cmd.InOrStdin(), file, sandbox.MaxModule)
				if err != nil {
					return cli.Usage("--module: %v", err)
				}
				modules = append(modules, raw)
			}
			all, err := cli.Wait(cmd.Context(), a, "running what "+args[0]+" expects", func(ctx context.Context) ([]made, error) {
				return every(ctx, task, result.Raw, modules)
			})
			if err != nil {
				return cli.Fail("%s", cli.Plain(err))
			}
			if err := cli.List(a, all, "the task has no checks", []string{"CHECK", "SAYS", "BECAUSE", "STEPS"}, row); err != nil {
				return err
			}
			for _, m := range all {
				if m.Says == runs.False || m.Run != nil && m.Says != runs.True {
					return cli.Fail("%s does not say true", m.Check)
				}
			}
			return nil
		},
	}
	cmd.Flags().StringArrayVar(&files, "module", nil, "file with a WASI module that the task names; repeat it for several")
	return cmd
}

// every makes all checks of a task on a result, in their order.
func every(ctx context.Context, task casefile.Doc[casefile.Task], result []byte, modules [][]byte) (all []made, err error) {
	papers, err := check.Read(task.Raw, result)
	if err != nil {
		return nil, err
	}
	demands := map[int]check.Made{}
	for _, m := range check.Every(task.Value, papers) {
		demands[m.Index] = m
	}
	var prover proof.Prover
	defer func() { err = errors.Join(err, prover.Close(ctx)) }()
	for i, k := range task.Value.Expected {
		m := made{Check: fmt.Sprintf("expected[%d]", i), Says: runs.None, Because: "it is about data; judges ask its source"}
		if d, ok := demands[i]; ok {
			m.Says, m.Because = said(d.Outcome), d.Detail
		}
		if k.Sealed != nil {
			m.Because = "it is sealed; its creator shows it in an objection"
		}
		if k.Runs() {
			run, err := prover.Run(ctx, task.Value, i, proof.Papers{Task: task.Raw, Result: result, Modules: proof.ModulesOf(modules...)})
			var place proof.ErrPlace
			var missing proof.ErrModule
			switch {
			case errors.Is(err, proof.ErrNoPython):
				m.Because = err.Error() + "; see ojud check python"
			case errors.As(err, &missing):
				m.Because = missing.Error() + "; give it with --module"
			case errors.As(err, &place):
				m.Says, m.Because = runs.False, fmt.Sprintf("at %q: %v", k.Path, place)
			case err != nil:
				return nil, err
			default:
				m.Run, m.Says, m.Because = &run, run.Said, run.Why
			}
		}
		all = append(all, m)
	}
	return all, nil
}

// said is what an outcome says.
func said(o casefile.CheckOutcome) runs.Said {
	switch o {
	case casefile.Pass:
		return runs.True
	case casefile.Fail:
		return runs.False
	case casefile.Unknown:
	}
	return runs.None
}

func row(m made) []string {
	steps := "-"
	if m.Run != nil {
		steps = fmt.Sprint(m.Run.Fuel)
	}
	return []string{m.Check, string(m.Says), m.Because, steps}
}
