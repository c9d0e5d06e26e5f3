// Package source has the commands of people who have data: the sources of a home, what peers asked
// of them, and what was paid.
package source

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/node/client"
	"ojud/node/sources"
)

// Command returns the command "source" with all that belong to it.
func Command(a *cli.App) *cobra.Command {
	cmd := cli.Group(&cobra.Command{
		Use:   "source",
		Short: "Offer data, and ask for it: MCP servers, HTTP APIs, files, SQLite, Solana",
		Long: `A source is data that a node can look up for others: a tool of an MCP server, an HTTP API, files, a
SQLite database, an account or a transaction of Solana. These commands manage the sources of a home.
A running node notices every change. Only query and payments need the running node: query gets data
from peers, and payments lists what was paid. Ask gets data by the key of an agent, and find shows
what a whole court offers: both need no home. docs/data-sources.md explains every step.`,
		Example: `  ojud source add site.post --http 'https://api.site.example/posts/{id}'
  ojud source list
  ojud source test site.post '{"id":"7"}'
  ojud source query site.post '{"id":"7"}'
  ojud source ask site.post '{"id":"7"}' --key agent.json
  ojud source find --network http://127.0.0.1:8899
  ojud source log --since 1h`,
	})
	cmd.PersistentFlags().StringVar(&a.Config, "config", "", "settings file (default ojud.toml in the home, if there is one)")
	cmd.AddCommand(newAdd(a), newList(a), newShow(a), newTest(a), newFind(a), newQuery(a), newAsk(a), newLog(a), newPayments(a), newRemove(a))
	return cmd
}

// withSources returns the function of a command about the sources of the home.
func withSources(a *cli.App, run func(cmd *cobra.Command, args []string, s *sources.Home) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		s, err := a.Sources(cmd.Context())
		if err != nil {
			return err
		}
		return cli.SourceError(cmd, run(cmd, args, s))
	}
}

func newList(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the data sources of the home",
		Long: `List prints the sources of the home. With --json each line is an object. It lists an unusable source
file with its fault, and then the exit status is 1. A running node keeps the version before.`,
		Example: `  ojud source list
  ojud source list --json`,
		Args: cli.Takes(0),
		RunE: withSources(a, func(cmd *cobra.Command, _ []string, s *sources.Home) error {
			all, err := s.List()
			if err != nil {
				return err
			}
			header := []string{"SOURCE", "KIND", "PRICE", "RATE", "WHO", "WHAT"}
			err = cli.List(a, all, "there is no source; add one with: ojud source add", header, func(v sources.Listing) []string {
				if !v.OK {
					return []string{v.Name, "-", "-", "-", "-", "CANNOT BE USED: " + v.Problem}
				}
				return []string{v.Name, v.Kind, view.Price(uint64(v.Price)), v.Rate, v.Who, view.Short(v.Description)}
			})
			for _, v := range all {
				if !v.OK && err == nil {
					err = cli.Fail("%s: %s", v.File, v.Problem).Next("fix the file, or: ojud source remove " + v.Name)
				}
			}
			return err
		}),
	}
}

func newShow(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "show NAME",
		Short: "Show a data source: the card that peers see, and the settings",
		Long: `Show prints the card of a source, which peers see, and its settings, which they do not see. It names
secrets but never shows them, and it hides literal values of headers and variables.`,
		Example: `  ojud source show site.post
  ojud source show site.post --json`,
		Args: cli.Takes(1, "the source's name"),
		RunE: withSources(a, func(cmd *cobra.Command, args []string, s *sources.Home) error {
			v, err := s.Show(args[0])
			if err != nil {
				return err
			}
			return a.Show(v, func(w io.Writer) error { return view.Source(v).Write(w) })
		}),
	}
}

// sourceGone is the result of source remove.
type sourceGone struct {
	Name   string `json:"name"`
	File   string `json:"file"`
	Result string `json:"result"`
}

func newRemove(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "remove NAME",
		Short: "Stop offering a data source",
		Long: `Remove takes the file of a source out of the home. A running node then stops offering
it, but still answers requests under way. The log of requests stays.`,
		Example: `  ojud source remove site.post`,
		Args:    cli.Takes(1, "the source's name"),
		RunE: withSources(a, func(cmd *cobra.Command, args []string, s *sources.Home) error {
			if err := s.Remove(args[0]); err != nil {
				return err
			}
			gone := sourceGone{args[0], s.Path(args[0]), "removed"}
			return a.Show(gone, func(w io.Writer) error {
				return view.Sheet{{gone.Result, gone.Name}, {"file", gone.File}}.Write(w)
			})
		}),
	}
}

func newLog(a *cli.App) *cobra.Command {
	var filter sources.LogFilter
	var since cli.Span
	cmd := &cobra.Command{
		Use:   "log",
		Short: "Show the requests of peers",
		Long: `Log prints the requests of peers to the node of this home, the oldest first. With --json each line
is an object, with the parts of the request that the terms of the source allow to keep. It reads the
log's file, and the node may run meanwhile.`,
		Example: `  ojud source log --since 1h
  ojud source log --source site.post --limit 20 --json`,
		Args: cli.Takes(0),
		RunE: withSources(a, func(cmd *cobra.Command, _ []string, s *sources.Home) error {
			if filter.Limit < 1 {
				return cli.Usage("--limit is %d", filter.Limit).Next("set it to 1 or more")
			}
			if since.Seconds > 0 {
				filter.Since = time.Now().Add(-time.Duration(since.Seconds) * time.Second)
			}
			entries, skipped, err := s.Log(filter)
			if err != nil {
				return err
			}
			if skipped > 0 {
				if _, err := fmt.Fprintf(a.Err, "%s of %s cannot be read\n", view.Count(skipped, "line"), s.LogFile()); err != nil {
					return err
				}
			}
			header := []string{"TIME", "SOURCE", "RESULT", "BYTES", "PRICE", "MS", "CASE", "ROUND", "ASKER"}
			return cli.List(a, entries, "no peer has asked yet", header, func(e sources.Entry) []string {
				return []string{
					e.Time.UTC().Format(time.DateTime), e.Source, e.Result, fmt.Sprint(e.Bytes), client.Lamports(e.Price).Argument(), fmt.Sprint(e.Took),
					view.AskedFor(e), fmt.Sprint(e.Round), e.Judge.String(),
				}
			})
		}),
	}
	flags := cmd.Flags()
	flags.StringVar(&filter.Source, "source", "", "only of this source")
	flags.StringVar(&filter.Case, "case", "", "only of this case")
	flags.StringVar(&filter.Judge, "judge", "", "only of this judge")
	flags.StringVar(&filter.Asker, "asker", "", "only of this node (did:key)")
	flags.StringVar(&filter.Result, "result", "", `only with this result, such as "answered"`)
	flags.Var(&since, "since", "only of the last 90s, 30m, 8h, 2d")
	flags.IntVar(&filter.Limit, "limit", 1000, "at most so many, the latest")
	return cmd
}
