package delegation

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ojud/agent/audit"
	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
)

// Audit returns the command "audit" with all that belong to it.
func Audit(a *cli.App) *cobra.Command {
	cmd := cli.Group(&cobra.Command{
		Use:   "audit",
		Short: "Show and verify the audit logs of agents",
		Long: `An agent's audit log has a signed line for each call that it made or was asked to execute, under
which delegations, and what became of it. Each line has the hash of the line before it, so a change,
a missing line or another order is found.`,
		Example: `  ojud agent audit show --home ~/alice --since 1h
  ojud agent audit verify --home ~/alice`,
	})
	cmd.AddCommand(newAuditShow(a), newVerify(a))
	return cmd
}

// verified is what was found about one log.
type verified struct {
	File string `json:"file"`
	audit.Verified
}

func newVerify(a *cli.App) *cobra.Command {
	var agent, head string
	cmd := &cobra.Command{
		Use:   "verify [FILE]...",
		Short: "Check each line of audit logs",
		Long: `Verify checks the logs in FILEs, or all logs of the home: form, number, hash of the line before, and
the agent's signature of each line. A file with the ending .head beside the log must name a line of
it, so lines that are cut off are missed. --head is such a line that you kept, as NUMBER:HASH: then
even a log that the agent itself wrote anew is found. Verify prints the head to keep. The exit
status is 1 if a log does not verify; the error names the line.`,
		Example: `  ojud agent audit verify --home ~/alice
  ojud agent audit verify z6Mk.audit --agent 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 --json`,
		Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, files []string) error {
			c := audit.Expected{Head: head}
			if agent != "" {
				who, err := principal("--agent", agent)
				if err != nil {
					return err
				}
				c.Agent = &who
			}
			if len(files) == 0 {
				var err error
				if files, err = allLogs(a); err != nil {
					return err
				}
			}
			for _, file := range files {
				s, err := audit.VerifyFile(file, c)
				if err != nil {
					return cli.Fail("%s does not verify: %v", file, err)
				}
				if err := a.Show(verified{file, s}, auditSheet(file, s).Write); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&agent, "agent", "", "address or did:key of the agent whose log it must be")
	cmd.Flags().StringVar(&head, "head", "", "line that must be there, as NUMBER:HASH")
	return cmd
}

// allLogs returns the logs of the home.
func allLogs(a *cli.App) ([]string, error) {
	dir, err := Logs(a)
	if err != nil {
		return nil, err
	}
	files, err := audit.Files(dir)
	if err == nil && len(files) == 0 {
		err = cli.Usage("there is no audit log in %s", dir).Next("name a file, or the home of an agent with --home")
	}
	return files, err
}

func auditSheet(file string, s audit.Verified) (out view.Sheet) {
	out.Add("verified", file)
	out.Add("agent", s.Agent)
	out.Add("lines", fmt.Sprint(s.Entries))
	if s.Entries > 0 {
		at := func(unix int64) string { return time.Unix(unix, 0).UTC().Format(time.RFC3339) }
		out.Add("from, to", strings.Join([]string{at(s.First), at(s.Last)}, ", "))
	}
	out.Add("head", s.Head)
	if s.Torn {
		out.Add("unfinished", "the last line, as a crash leaves it")
	}
	return out
}
