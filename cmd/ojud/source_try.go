package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"

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
get: the answer, how long it took, its size, whether it has the promised form, and what was held
back. REQUEST is a JSON object, or @FILE. Without one, a request is made up where that only reads.
Exit status 1 if the source does not answer.`,
		Example: `  ojud source test site.post '{"id":"7"}'
  ojud source test site.post @request.json --json`,
		Args: cli.Takes(1, "the source's name", "a request"),
		RunE: func(cmd *cobra.Command, args []string) error {
			request, err := requestOf("REQUEST", cli.First(args[1:]...))
			if err != nil {
				return err
			}
			s, err := a.sources(cmd.Context())
			if err != nil {
				return err
			}
			t, err := cli.Wait(cmd.Context(), a.App, "asking "+args[0], func(ctx context.Context) (sources.Trial, error) { return s.Test(ctx, args[0], request) })
			if err != nil {
				return sourceError(cmd, err)
			}
			if err := a.Show(t, func(w io.Writer) error { return view.WriteTrial(w, t) }); err != nil || t.OK {
				return err
			}
			return cli.Fail("%s did not answer: %s", t.Source, view.Escape(t.Problem))
		},
	}
}

// maxRequest bounds a request, in bytes.
const maxRequest = 64 << 10

// requestOf reads a request: JSON, or @FILE.
func requestOf(what, text string) (raw []byte, err error) {
	if name, isFile := strings.CutPrefix(text, "@"); isFile {
		if raw, err = readSome(name); err != nil {
			return nil, cli.Usage("%s: %v", what, err)
		}
		text = string(raw)
	}
	if text == "" {
		return nil, nil
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &object); err != nil || object == nil || len(text) > maxRequest {
		return nil, cli.Usage("%s is no JSON object of at most %d bytes", what, maxRequest).Next(`write one such as '{"id":"7"}', or @FILE`)
	}
	return []byte(text), nil
}

// readSome reads a file as far as a request may go, and a byte more.
func readSome(name string) (raw []byte, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return io.ReadAll(io.LimitReader(f, maxRequest+1))
}
