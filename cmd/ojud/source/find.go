package source

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/node/client"
	"ojud/node/client/discover"
)

func newFind(a *cli.App) *cobra.Command {
	var all bool
	cmd := cli.Court(a, &cobra.Command{
		Use:   "find [WORD]",
		Short: "Find the data that judges of a court offer, and how many offer it",
		Long: `Find lists the data sources that nodes of a court announce, with WORD only those whose names
contain it. STAKED counts the judges with a stake. Choose a source that several of them have,
because one judge alone cannot be contradicted. OTHERS counts nodes without a stake. Anyone can add
to it, so a source that only they announce is listed only with --all. Find needs neither a key nor a
running node. With --json each line is an object and names the judges.`,
		Example: `  ojud source find --network http://127.0.0.1:8899
  ojud source find post --all --json`,
		Args: cobra.MaximumNArgs(1),
	})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		word := cli.First(args...)
		none := "no judge with a stake offers such data; --all lists what other nodes announce, and to offer data: ojud source add"
		if all {
			none = "no node announces such data; to offer data: ojud source add"
		}
		get := func(c *client.Client, ctx context.Context) ([]discover.Offered, error) {
			found, err := cli.Wait(ctx, a, "asking nodes", func(ctx context.Context) ([]discover.Offered, error) { return discover.Sources(ctx, c, word, all) })
			if errors.Is(err, discover.ErrSilent) {
				return nil, cli.Fail("no node of the court told which judges have which data").Next("try it again, and look whether the nodes in network.json run")
			}
			return found, err
		}
		return cli.ListAll(a, cmd, get, none, []string{"SOURCE", "STAKED", "OTHERS", "JUDGES"}, func(s discover.Offered) []string {
			return []string{s.Source, fmt.Sprint(s.Staked), fmt.Sprint(s.Others), few(s.Judges)}
		})
	}
	cmd.Flags().BoolVar(&all, "all", false, "also sources that no judge with a stake has")
	return cmd
}

// few writes the first two judges, and how many more there are.
func few(judges []string) string {
	const shown = 2
	if len(judges) <= shown {
		return strings.Join(judges, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(judges[:shown], ", "), len(judges)-shown)
}
