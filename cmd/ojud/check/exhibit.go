package check

import (
	"github.com/spf13/cobra"

	"ojud/casefile"
	"ojud/casefile/exhibit"
	"ojud/cmd/ojud/cli"
)

func newExhibit(a *cli.App) *cobra.Command {
	var taskFile string
	addresses := map[string]*string{"case": new(string), "creator": new(string), "worker": new(string)}
	cmd := &cobra.Command{
		Use:   "exhibit FILE",
		Short: "Check an exhibit that somebody signed by another protocol",
		Long: `Exhibit says what every judge's code will find in an exhibit: an x402 offer or receipt (JWS or
EIP-712), an AP2 mandate (SD-JWT), an A2CN record, or receipts of data sources as "ojud source ask
--json" prints them. It checks the signature, whose key it is, amounts, times and hashes, and
whether it is about the case. It needs no node and no network.

With --task it looks for keys and names in the task's document, which both parties accepted. A key
that is not there proves nothing about anybody: put it into input_data as a JSON Web Key, or name
its did:key. With --case, --creator and --worker it compares the exhibit with these, too.

A finding passes, fails, or is unknown if the key is nobody's or nothing ties the exhibit to the
case. The exit status is 1 if one does not pass, or if code knows nothing of the file.`,
		Example: `  ojud check exhibit receipt.json --task task.json
  ojud check exhibit answers.json --case GGRkkRxQ5jG93NXU8b4LQSeAf2UfTRMR5NjFiJPPBn6C \
      --creator CaFPVn4TAUPByEUv6o8CJUseqq7gbdSu7BBcmWF3kUQC`,
		Args: cli.Takes(1, "a file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			raw, err := bounded(cmd.InOrStdin(), args[0], maxFile)
			if err != nil {
				return cli.Usage("%v", err)
			}
			var m exhibit.Matter
			if taskFile != "" {
				rawTask, err := bounded(cmd.InOrStdin(), taskFile, maxFile)
				if err != nil {
					return cli.Usage("--task: %v", err)
				}
				task, err := casefile.ParseTask(rawTask)
				if err != nil {
					return cli.Usage("--task: %s", cli.Plain(err))
				}
				m.Task = task.Raw
			}
			for name, into := range map[string]*casefile.Address{"case": &m.Case, "creator": &m.Creator, "worker": &m.Worker} {
				if text := *addresses[name]; text != "" {
					if *into, err = casefile.ParseAddress(text); err != nil {
						return cli.Usage("--%s: %s", name, cli.Plain(err))
					}
				}
			}
			all := exhibit.Read(raw, m)
			if err := cli.List(a, all, "code knows nothing of this file: judges see its bytes alone", []string{"KIND", "OUTCOME", "BECAUSE"}, func(f exhibit.Found) []string {
				return []string{f.Kind, string(f.Outcome), f.Detail}
			}); err != nil {
				return err
			}
			for _, f := range all {
				if f.Outcome != casefile.Pass {
					return cli.Fail("the %s does not pass", f.Kind)
				}
			}
			if len(all) == 0 {
				return cli.Fail("%s is nothing that code checks", args[0])
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&taskFile, "task", "", "the task's document")
	flags.StringVar(addresses["case"], "case", "", "the task's address")
	flags.StringVar(addresses["creator"], "creator", "", "the creator's address")
	flags.StringVar(addresses["worker"], "worker", "", "the worker's address")
	return cmd
}
