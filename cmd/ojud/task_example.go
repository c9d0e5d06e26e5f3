package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ojud/agent/judge/guide"
	"ojud/cmd/ojud/cli"
	"ojud/golden/generator"
	"ojud/node/library"
)

func newTaskExample(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "example [KIND]",
		Short: "Print a task to begin with, in words of the golden cases",
		Long: fmt.Sprintf(`Example prints a task document of one kind of work, with other words and another document each time.
The kinds are %v; without one it is drawn. Put your own data
into input_data and change the instruction to what you need.

Golden cases are made of the same patterns. So a judge cannot tell your task from one whose answer
is known, and has to judge it well. This command needs no court.`, generator.Kinds()),
		Example: `  ojud task example arithmetic > my.task.json
  ojud task create my.task.json --reward 0.1sol`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			var seed [32]byte
			if _, err := rand.Read(seed[:]); err != nil {
				return err
			}
			kind := generator.Kinds()[int(seed[0])%len(generator.Kinds())]
			if len(args) == 1 {
				if kind = generator.Kind(args[0]); !slices.Contains(generator.Kinds(), kind) {
					return cli.Usage("no kind of work is called %.40q", args[0]).Next(fmt.Sprintf("write one of %v", generator.Kinds()))
				}
			}
			g, err := generator.Of(kind)
			if err != nil {
				return err
			}
			d, err := g.Make(seed)
			if err != nil {
				return err
			}
			return a.Show(json.RawMessage(d.Task), func(w io.Writer) error {
				text, err := json.MarshalIndent(json.RawMessage(d.Task), "", "  ")
				if err != nil {
					return err
				}
				_, err = fmt.Fprintf(w, "%s\n", text)
				return err
			})
		},
	}
}

// guide prints checks that fit the task in a file, and says why.
func (a *app) guide(ctx context.Context, file, example string) error {
	task, err := library.TaskFile(file)
	if err != nil {
		return err
	}
	var right []byte
	if example != "" {
		result, err := library.ResultFile(example)
		if err != nil {
			return err
		}
		right = result.Content
	}
	all, err := guide.Propose(ctx, nil, task.Content, right)
	if err != nil {
		return err
	}
	return a.Show(append([]guide.Proposal{}, all...), func(w io.Writer) error {
		checks := make([]string, len(all))
		for i, p := range all {
			raw, err := json.Marshal(p.Check)
			if err != nil {
				return err
			}
			if checks[i] = "  " + string(raw); !a.Quiet {
				if _, err := fmt.Fprintf(a.Err, "check %d: %s\n", i+1, p.Because); err != nil {
					return err
				}
			}
		}
		if len(all) == 0 {
			_, err := fmt.Fprintln(a.Err, "no check fits that the task does not have; --example RESULT.json shows more of what you mean")
			return err
		}
		_, err := fmt.Fprintf(w, "\"expected\": [\n%s\n]\n", strings.Join(checks, ",\n"))
		return err
	})
}
