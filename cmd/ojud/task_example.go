package main

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/golden/generator"
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
