package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ojud/node/trial"
)

func newJudgePersonas(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "personas [NAME]",
		Short: "List the ways of judging that a judge can have, or show one",
		Long: `Personas lists the 28 shipped ways of judging: what each looks at first, and for which kinds of task it counts more. With NAME it
prints one as it stands in the prompt of a model; NAME may also be a TOML file of your own, which is checked.`,
		Example: `  ojud judge personas
  ojud judge personas recomputer
  ojud judge personas ./my-own.toml --json`,
		Args: takes(0, "a name or file"),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				p, err := trial.Persona(args[0])
				if err != nil {
					return err
				}
				return a.show(p, func(w io.Writer) error {
					_, err := fmt.Fprintf(w, "%s\n\n%s", p.Title, p.Text())
					return err
				})
			}
			all, err := trial.Personas()
			if err != nil {
				return err
			}
			return list(a, all, "no persona is shipped", []string{"NAME", "DIMENSION", "COUNTS MORE IN", "WHAT IT DOES"}, func(p trial.Way) []string {
				return []string{p.Name, string(p.Dimension), strings.Join(keen(p), ", "), p.Title}
			})
		},
	}
}

// keen are the kinds of task in which a persona counts more than others, in order.
func keen(p trial.Way) (out []string) {
	for _, c := range slices.Sorted(maps.Keys(p.Weights)) {
		if p.Weights[c] > 1 {
			out = append(out, string(c))
		}
	}
	return out
}
