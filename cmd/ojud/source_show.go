package main

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"ojud/node/shelf"
)

func newSourceShow(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "show NAME",
		Short: "Show a data source: what peers see, and what they do not",
		Long: `Show prints the card of a source, which is what peers see, and its settings, which they do not. Secrets are named, never shown;
literal values of headers and variables are not shown either.`,
		Example: `  ojud source show site.post
  ojud source show site.post --json`,
		Args: takes(1, "the source's name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := a.shelf(cmd.Context())
			if err != nil {
				return err
			}
			v, err := s.Show(args[0])
			if err != nil {
				return sourceError(cmd, err)
			}
			return a.show(v, func(w io.Writer) error { return sourceSheet(v).write(w) })
		},
	}
}

func sourceSheet(v shelf.Sheet) sheet {
	s := sheet{{"source", v.Name}, {"file", v.File}}
	s.add("title", v.Card.Title)
	s = append(s, cardSheet(v.Card, v.Hash.String())...)
	s.add("upstream", string(v.Upstream))
	s.add("removes", strings.Join(v.Redact.Remove, ", "))
	s.add("masks", strings.Join(append(v.Redact.Mask, v.Redact.Patterns...), ", "))
	s.add("secrets", secretsText(v.Secrets))
	return s
}
