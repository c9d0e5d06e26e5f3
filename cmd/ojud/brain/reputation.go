package brain

import (
	"io"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/megabrain/reputation"
	"ojud/node/library"
)

// stood is what the command shows.
type stood struct {
	Agents   []reputation.Repute  `json:"agents"`
	Forfeits []reputation.Forfeit `json:"forfeits"`
}

func newReputation(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "reputation FILE",
		Short: "Say which reputation follows from golden tasks and outcomes",
		Long: `Reputation reads a log of events and prints where each agent stands after them: its reputation of
10,000 in each role and class, its alarm, and until when it is frozen. - reads standard input.

An event has "at" (Unix seconds), "agent", "role" (worker or evaluator), "class", and one of these:
"passed" (a golden task of a worker), "seen" (what an evaluator said in one, such as
[{"right": true, "score": 80}, {"right": false, "score": 20}]), "outcome" (good, failed, low_effort
or lost), "vouched_by" with "stake" and "share_bps" (an offer), "agrees_with" (the agent takes the
offer of this sponsor), or "released_by" (the voucher of this sponsor ends in 30 days). The log may
name "constants" and "near", the classes whose records count in part in another. docs/megabrain.md
explains them.`,
		Example: `  ojud brain reputation log.json
  ojud brain reputation - < log.json`,
		Args: cli.Takes(1, "a file with events"),
		RunE: func(_ *cobra.Command, args []string) error {
			raw, err := library.ReadFile(args[0], reputation.MaxBytes)
			if err != nil {
				return cli.Usage("%v", err)
			}
			log, err := reputation.ReadHistory(raw)
			if err != nil {
				return cli.Usage("%s: %v", args[0], err)
			}
			agents, forfeits, err := log.Play()
			if err != nil {
				return cli.Usage("%s: %v", args[0], err)
			}
			s := stood{agents, forfeits}
			return a.Show(s, s.write)
		},
	}
}

func (s stood) write(w io.Writer) error {
	rows := make([][]string, len(s.Agents))
	for i, x := range s.Agents {
		frozen := "-"
		if x.Frozen > 0 {
			frozen = time.Unix(x.Frozen, 0).UTC().Format(time.DateOnly)
		}
		rows[i] = []string{x.Agent, string(x.Role), x.Class, strconv.Itoa(x.Value), strconv.Itoa(x.Alarm), frozen}
	}
	if err := table(w, []string{"WHO", "ROLE", "CLASS", "REPUTATION", "ALARM", "FROZEN UNTIL"}, rows); err != nil {
		return err
	}
	rows = nil
	for _, f := range s.Forfeits {
		rows = append(rows, []string{f.By, f.For, amount(f.Stake)})
	}
	return table(w, []string{"LOST BY", "VOUCHED FOR", "STAKE"}, rows)
}
