// Package check has the commands for check programs: small programs that decide a point of a
// dispute.
package check

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/sandbox"
)

// Command returns the command "check" with all that belong to it.
func Command(a *cli.App) *cobra.Command {
	cmd := cli.Group(&cobra.Command{
		Use:   "check",
		Short: "Run check programs: small programs that say whether a result is right",
		Long: `A check program is a small program in JavaScript that says whether a result is right. Everybody who
runs it gets the same answer: it has no clock, network, file or random numbers, and its steps,
memory and output are bounded. docs/judges.md explains how to write one.`,
		Example: `  ojud check run total.js --result result.json
  ojud check result task.json result.json`,
	})
	cmd.AddCommand(newRun(a), newResult(a))
	return cmd
}

// maxFile bounds a document that a check program reads, in bytes.
const maxFile = 1 << 20

// ran is what the command shows.
type ran struct {
	sandbox.Run
	Engine  string `json:"engine"`
	QuickJS string `json:"quickjs"`
}

func newRun(a *cli.App) *cobra.Command {
	inputs := map[string]*string{}
	cmd := &cobra.Command{
		Use:   "run PROGRAM.js",
		Short: "Run a check program on a result",
		Long: `Run evaluates a program in JavaScript, and prints what it says and how many steps it took. The
documents are the global values task and result, and value is what stands at the path of the check,
by default the result. The value of the last statement is the answer: true, false, or null if the
program cannot tell; or one of them with a reason, such as [false, "line 7 is empty"]. - reads the
program from standard input.

A program that fails, or uses up its 2,000,000,000 steps, says nothing. The exit status is 1 if the
answer is not true.`,
		Example: `  ojud check run total.js --result result.json
  echo 'result.total === 118.5' | ojud check run - --result result.json --json`,
		Args: cli.Takes(1, "a file with a program"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s := sandbox.Script{Inputs: map[string]json.RawMessage{}}
			source, err := bounded(cmd.InOrStdin(), args[0], sandbox.MaxSource)
			if err != nil {
				return cli.Usage("%v", err)
			}
			s.Source = string(source)
			for name, file := range inputs {
				if s.Inputs[name], err = document(name, *file); err != nil {
					return cli.Usage("--%s: %v", name, err)
				}
			}
			if *inputs["value"] == "" {
				s.Inputs["value"] = s.Inputs["result"]
			}
			run, err := cli.Wait(cmd.Context(), a, "running "+args[0], func(ctx context.Context) (sandbox.Run, error) { return evaluate(ctx, s) })
			if err != nil {
				return cli.Fail("%s", cli.Plain(err))
			}
			shown := ran{run, sandbox.Version, sandbox.QuickJS}
			if err := a.Show(shown, func(w io.Writer) error { return sheet(shown).Write(w) }); err != nil || run.Said == sandbox.True {
				return err
			}
			return cli.Fail("the check program does not say true")
		},
	}
	for name, what := range map[string]string{"task": "the task", "result": "the result", "value": "what stands at the path of the check"} {
		inputs[name] = cmd.Flags().String(name, "", "file with "+what)
	}
	return cmd
}

// evaluate runs the program.
func evaluate(ctx context.Context, s sandbox.Script) (run sandbox.Run, err error) {
	engine, err := sandbox.Open(ctx)
	if err != nil {
		return run, err
	}
	defer func() { err = errors.Join(err, engine.Close(ctx)) }()
	return engine.JavaScript(ctx, s)
}

func sheet(v ran) view.Sheet {
	s := view.Sheet{{"says", string(v.Said)}}
	s.Add("because", view.Escape(v.Why))
	s.Add("steps", fmt.Sprintf("%d of at most %d", v.Fuel, int64(sandbox.MaxFuel)))
	s.Add("engine", v.Engine+", QuickJS "+v.QuickJS)
	return s
}

// bounded reads a file of bounded size; - is standard input.
func bounded(in io.Reader, name string, most int) (raw []byte, err error) {
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, f.Close()) }()
		in = f
	}
	if raw, err = io.ReadAll(io.LimitReader(in, int64(most)+1)); err == nil && len(raw) > most {
		return nil, fmt.Errorf("%s has more than %d bytes", name, most)
	}
	return raw, err
}

// document reads a document. A missing one is null.
func document(name, file string) (json.RawMessage, error) {
	if file == "" {
		return json.RawMessage("null"), nil
	}
	raw, err := bounded(strings.NewReader(""), file, maxFile)
	if err != nil {
		return nil, err
	}
	if !json.Valid(raw) {
		return nil, fmt.Errorf("%s is not JSON", file)
	}
	return raw, nil
}
