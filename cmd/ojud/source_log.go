package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"ojud/node/client"
	"ojud/node/shelf"
)

func newSourceLog(a *app) *cobra.Command {
	var filter shelf.LogFilter
	var since span
	cmd := &cobra.Command{
		Use:   "log",
		Short: "Tell who asked for what in which case",
		Long: `Log prints what peers asked the node of this home, the oldest first; with --json one object a line, with the request as far as the
terms of the source allow to keep it. It reads the log's file and may be asked while the node runs.`,
		Example: `  ojud source log --since 1h
  ojud source log --source site.post --limit 20 --json`,
		Args: takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := a.shelf(cmd.Context())
			if err != nil {
				return err
			}
			if filter.Limit < 1 {
				return usage("--limit is %d", filter.Limit).next("set it to 1 or more")
			}
			if since.seconds > 0 {
				filter.Since = time.Now().Add(-time.Duration(since.seconds) * time.Second)
			}
			entries, skipped, err := s.Log(filter)
			if err != nil {
				return sourceError(cmd, err)
			}
			if skipped > 0 {
				if _, err := fmt.Fprintf(a.err, "%s of %s cannot be read\n", several(skipped, "line"), s.LogFile()); err != nil {
					return err
				}
			}
			header := []string{"TIME", "SOURCE", "RESULT", "BYTES", "PRICE", "MS", "CASE", "ROUND", "JUDGE"}
			return list(a, entries, "nobody has asked", header, func(e shelf.Entry) []string {
				return []string{
					e.Time.UTC().Format(time.DateTime), e.Source, e.Result, fmt.Sprint(e.Bytes), client.Lamports(e.Price).Argument(), fmt.Sprint(e.Took),
					askedFor(e), fmt.Sprint(e.Round), e.Judge.String(),
				}
			})
		},
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

// askedFor is the case for which a judge asked, if it asked for one.
func askedFor(e shelf.Entry) string {
	if e.Round == 0 {
		return "-"
	}
	return e.Case.String()
}
