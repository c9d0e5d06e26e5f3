package agents

import (
	"encoding/json"
	"time"

	"github.com/spf13/cobra"

	"ojud/agent/host"
	"ojud/agent/host/attest"
	"ojud/agent/host/manifest"
	"ojud/agent/host/shell"
	"ojud/cmd/ojud/cli"
)

// wishes are the limits of a deployment, as flags.
type wishes struct {
	concurrent, memory, tokens, totalTokens int
	time, cpu                               time.Duration
	dollars, totalDollars                   float64
}

// bounds are those that were given.
func (w *wishes) bounds(given func(flag string) bool) (b manifest.Bounds) {
	memory := int64(w.memory)
	for flag, set := range map[string]func(){
		"concurrent": func() { b.Concurrent = &w.concurrent }, "memory-mb": func() { b.MemoryMB = &memory },
		"tokens": func() { b.Tokens = &w.tokens }, "dollars": func() { b.Dollars = &w.dollars },
		"total-tokens": func() { b.TotalTokens = &w.totalTokens }, "total-dollars": func() { b.TotalDollars = &w.totalDollars },
		"time": func() { b.Time = w.time.String() }, "cpu": func() { b.CPU = w.cpu.String() },
	} {
		if given(flag) {
			set()
		}
	}
	return b
}

func newDeploy(a *cli.App) *cobra.Command {
	var w wishes
	var under string
	d := shell.Deployment{}
	cmd := &cobra.Command{
		Use:   "deploy ADDRESS ID",
		Short: "Make an agent on another host, as a copy of one there, with limits",
		Long: `Deploy asks a deployer, which is an agent whose mind is of the kind "deployer", to make the agent ID
as a copy of --like. ADDRESS is that of its capability deploy, such as
agent://worker.example:4800/deployer/deploy. The call is signed under the chain of --under, which
has to allow deployer.deploy, all of --like, and all of ID.

The copy has the limits that you ask for, and otherwise those of --like. The other host enforces
them; it refuses more than --like and the deployer have, and says which. The result has the did:key
with which the new agent signs, and the addresses of its capabilities on that host. To end it, call
the deployer's capability terminate with {"id":"ID"} (ojud agents invoke).

Without a host in ADDRESS, the deployer is one of the host of the home, and you are its operator. If
there is none and --under is given, it is looked for in the cards of the court (--network), as by
invoke.`,
		Example: `  ojud agents deploy agent://w.example:4800/deployer/deploy c-1 --like counter --under c.chain
  ojud agents deploy agent://w.example:4800/d/deploy c-1 --like x --cpu 5s --under c.chain --json
  ojud agents deploy agent://deployer/deploy counter-7 --like counter --concurrent 1 --home ~/agents`,
		Args: cli.Takes(2, "the address of a deployer's capability deploy", "the id of the new agent"),
		RunE: func(cmd *cobra.Command, args []string) error {
			d.ID = args[1]
			if err := host.ValidID(d.ID); err != nil {
				return cli.Usage("the id %v", err)
			}
			if d.Like == "" {
				return cli.Usage("--like is missing; name the agent of that host of which the new one is a copy")
			}
			b := w.bounds(cmd.Flags().Changed)
			d.Limits = &b
			raw, err := json.Marshal(d)
			if err != nil {
				return err
			}
			at, err := resolved(cmd.Context(), a, args[0], under)
			if err != nil {
				return err
			}
			if !host.IsRemote(at.address) {
				if under != "" {
					return cli.Usage("--under is for a deployer of another host; leave it out")
				}
				return call(cmd.Context(), a, attest.Commission{Target: at.address, Payload: raw}, at.agent)
			}
			to, err := abroad(a, at.address, under, at.agent, nil, nil)
			if err != nil {
				return err
			}
			answer, attested, err := to.Invoke(cmd.Context(), 0, raw)
			if err != nil {
				return explained(err)
			}
			return show(a, answer, attested)
		},
	}
	cmd.Flags().StringVar(&d.Like, "like", "", "the agent of that host of which the new one is a copy")
	cmd.Flags().IntVar(&w.concurrent, "concurrent", 0, "calls at once (default as --like)")
	cmd.Flags().DurationVar(&w.time, "time", 0, "time of a call (default as --like)")
	cmd.Flags().DurationVar(&w.cpu, "cpu", 0, "processor time of each process (default as --like)")
	cmd.Flags().IntVar(&w.memory, "memory-mb", 0, "memory of each process, in MiB (default as --like)")
	cmd.Flags().IntVar(&w.tokens, "tokens", 0, "tokens of models in a call (default as --like)")
	cmd.Flags().Float64Var(&w.dollars, "dollars", 0, "dollars in a call (default as --like)")
	cmd.Flags().IntVar(&w.totalTokens, "total-tokens", 0, "tokens of all calls together (default as --like)")
	cmd.Flags().Float64Var(&w.totalDollars, "total-dollars", 0, "dollars of all calls together (default as --like)")
	cmd.Flags().StringVar(&under, "under", "", "file of a chain of delegations that ends at your key")
	cmd.Flags().StringVar(&a.Key, "key", "", "key file at which the chain of --under ends (default $OJUD_KEY or the home's authority.json)")
	court(a, cmd)
	return cmd
}
