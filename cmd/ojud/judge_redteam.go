package main

import (
	"errors"

	"github.com/spf13/cobra"

	"ojud/node/trial"
)

func newJudgeRedteam(a *app) *cobra.Command {
	var flags trialFlags
	var only []string
	cmd := &cobra.Command{
		Use:   "redteam",
		Short: "Attack the judge of the home as hostile parties would",
		Long: `Redteam makes 28 known attacks on the judge that the home is configured for: pleas, hidden and forged text, orders in results,
pleadings, tasks and answers of data sources, schemas that read files, questions that carry secrets away, and more. Each attack is made
on disputes of which the right decision is known; the report says what it reached, and how the judge does without it. It needs no
node, network or chain; a judge with a model asks its models, at their price.

Exit status 1 if an attack reached anything. That none did does not show that none can.`,
		Example: `  ojud judge redteam
  ojud judge redteam --only ignore,21
  ojud judge redteam --json`,
		Args: takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			options, err := flags.options(a)
			if err != nil {
				return err
			}
			return a.trial(func(judge *trial.Trial) error {
				report, err := judge.RedTeam(cmd.Context(), only, options)
				if errors.Is(err, trial.ErrUnknown) {
					return usage("--only: %s", plain(err)).next("write names or numbers that \"ojud judge redteam\" lists, with commas between")
				}
				if err != nil {
					return err
				}
				if err := a.show(report, report.Text); err != nil {
					return err
				}
				if report.Success > 0 {
					return fail("%d of %d tries reached something", report.Success, report.Tries)
				}
				return nil
			})
		},
	}
	flags.add(a, cmd)
	cmd.Flags().StringSliceVar(&only, "only", nil, "attacks by name or number, with commas between")
	return cmd
}
