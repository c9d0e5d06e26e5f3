package main

import (
	"io"

	"github.com/spf13/cobra"
)

// sourceGone is the result of source remove.
type sourceGone struct {
	Name   string `json:"name"`
	File   string `json:"file"`
	Result string `json:"result"`
}

func newSourceRemove(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "remove NAME",
		Short: "Stop to offer a data source",
		Long: `Remove takes the file of a source out of the home. A node that runs there stops to offer it by itself; requests under way are
answered. The log of who asked stays.`,
		Example: `  ojud source remove site.post`,
		Args:    takes(1, "the source's name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := a.shelf(cmd.Context())
			if err != nil {
				return err
			}
			if err := s.Remove(args[0]); err != nil {
				return sourceError(cmd, err)
			}
			gone := sourceGone{args[0], s.Path(args[0]), "removed"}
			return a.show(gone, func(w io.Writer) error {
				return sheet{{gone.Result, gone.Name}, {"file", gone.File}}.write(w)
			})
		},
	}
}
