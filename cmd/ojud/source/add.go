package source

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/node/sources"
)

func newAdd(a *cli.App) *cobra.Command {
	var flags cli.SourceFlags
	cmd := &cobra.Command{
		Use:   "add NAME",
		Short: "Offer a data source to judges",
		Long: `Add makes a source of an MCP server's tool, an HTTP API, files, a SQLite database, an account or a
transaction of Solana, tries it, and writes it to the home. A running node then offers it. By
default it is free, and only judges with a seat in a case whose task names the source may ask. Do
not type secrets, but name their place: ${env:NAME} or ${file:PATH}.

--as github offers issues and pull requests of GitHub as github.issue, and --as discord messages of
Discord as discord.message, for which the node needs the token of a bot in DISCORD_BOT_TOKEN. A
preset says what may be asked, which fields are given, and how often. Other flags change that.`,
		Example: `  ojud source add site.post --http 'https://api.site.example/posts/{id}' \
      --header 'Authorization=Bearer ${env:SITE_KEY}' --pointer /data
  ojud source add memory.search --mcp 'npx -y @modelcontextprotocol/server-memory@2026.8.31' \
      --tool search_nodes
  ojud source add prices --files /srv/prices --allow '*.json' --format json
  ojud source add posts.by --sqlite posts.db \
      --sql 'select id, text from posts where author = :author' --price 5000lamports
  ojud source add accounts --solana account --who judges
  ojud source add --as github --header 'Authorization=Bearer ${env:GITHUB_TOKEN}'
  ojud source add --as discord --no-test
  ojud source add --file my.source.json`,
		Args: cli.Takes(0, "a name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := flags.Finish(cmd, args); err != nil {
				return err
			}
			s, err := a.Sources(cmd.Context())
			if err != nil {
				return err
			}
			what := "trying " + cli.First(flags.Name, flags.File) + " (a server may have to start first)"
			added, err := cli.Wait(cmd.Context(), a, what, func(ctx context.Context) (sources.Added, error) { return s.Add(ctx, flags.Draft, flags.Options) })
			if err != nil {
				return cli.SourceError(cmd, err)
			}
			return a.Show(added, func(w io.Writer) error { return addedSheet(a, added).Write(w) })
		},
	}
	flags.Add(cmd.Flags())
	return cmd
}

// addedSheet shows the new source, its card, and the next steps.
func addedSheet(a *cli.App, v sources.Added) view.Sheet {
	s := view.Sheet{{v.Result, v.Name}, {"file", v.File}}
	if v.Trial != nil {
		s.Add("tried", view.Trial(*v.Trial))
		s.Add("held back", strings.Join(v.Trial.Withheld, ", "))
	}
	s = append(s, view.Card(v.Card, v.Hash.String())...)
	s.Add("secrets", view.Secrets(v.Secrets))
	for _, step := range nextSteps(a, v) {
		s.Add("next", a.Typed(step))
	}
	return s
}

// nextSteps lists what the user can do next.
func nextSteps(a *cli.App, v sources.Added) (steps []string) {
	if v.Trial == nil || v.Trial.Asked != sources.AskedAnswer || v.Trial.Problem != "" {
		steps = append(steps, "try it with a request of your own: ojud source test "+v.Name+" REQUEST")
	}
	home, err := a.HomeDir()
	there := func(name string) bool {
		_, missing := os.Stat(filepath.Join(home, name))
		return err == nil && missing == nil
	}
	switch {
	case there("api"):
		return append(steps, "nothing: the node that runs on this home takes it up by itself; ojud source log tells who asked")
	case there("network.json"):
		return append(steps, "start the node: ojud run")
	}
	return append(steps, "join a court: ojud join URL")
}

func newTest(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "test NAME [REQUEST]",
		Short: "Ask a data source as a judge would",
		Long: `Test asks a source of the home, in this process and without a court, and prints what a judge would
get: the answer, its time and size, whether it has the promised form, and the withheld fields.
REQUEST is a JSON object, or @FILE. Without one it makes up a request if that only reads. The exit
status is 1 if the source does not answer.`,
		Example: `  ojud source test site.post '{"id":"7"}'
  ojud source test site.post @request.json --json`,
		Args: cli.Takes(1, "the source's name", "a request"),
		RunE: func(cmd *cobra.Command, args []string) error {
			request, err := cli.ReadRequest("REQUEST", cli.First(args[1:]...))
			if err != nil {
				return err
			}
			s, err := a.Sources(cmd.Context())
			if err != nil {
				return err
			}
			t, err := cli.Wait(cmd.Context(), a, "asking "+args[0], func(ctx context.Context) (sources.Trial, error) { return s.Test(ctx, args[0], request) })
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
