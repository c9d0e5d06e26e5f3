package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/node/sources"
)

func newSourceTest(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "test NAME [REQUEST]",
		Short: "Ask a data source as a judge would",
		Long: `Test asks a source of the home, in this process and without a court, and prints what a judge would
get: the answer, its time and size, whether it has the promised form, and the withheld fields. REQUEST
is a JSON object, or @FILE. Without one it makes up a request if that only reads. The exit status is 1
if the source does not answer.`,
		Example: `  ojud source test site.post '{"id":"7"}'
  ojud source test site.post @request.json --json`,
		Args: cli.Takes(1, "the source's name", "a request"),
		RunE: func(cmd *cobra.Command, args []string) error {
			request, err := cli.ReadRequest("REQUEST", cli.First(args[1:]...))
			if err != nil {
				return err
			}
			s, err := a.sources(cmd.Context())
			if err != nil {
				return err
			}
			t, err := cli.Wait(cmd.Context(), a.App, "asking "+args[0], func(ctx context.Context) (sources.Trial, error) { return s.Test(ctx, args[0], request) })
			if err != nil {
				return cli.SourceError(cmd, err)
			}
			if err := a.Show(t, func(w io.Writer) error { return view.WriteTrial(w, t) }); err != nil || t.OK {
				return err
			}
			return cli.Fail("%s did not answer: %s", t.Source, view.Escape(t.Problem))
		},
	}
}
