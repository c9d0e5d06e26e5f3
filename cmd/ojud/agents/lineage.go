package agents

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ojud/agent/host"
	"ojud/cmd/ojud/cli"
)

// descent is an agent with all that it spawned, at any depth, counted together.
type descent struct {
	Agent  string    `json:"agent"`
	Parent string    `json:"spawned_by,omitempty"`
	Depth  int       `json:"depth"` // 0: no agent of the list spawned it
	State  host.Life `json:"state"`
	// Totals of the agent and of all that descend from it.
	Agents  int    `json:"agents"`
	Living  int    `json:"living"`
	Calls   int    `json:"calls"`
	Running int    `json:"running_calls"`
	Tokens  int    `json:"tokens"`
	Micros  uint64 `json:"cost_micros"`
}

// lineages orders agents by who spawned whom, parents first, and adds up what they used. Root names
// the only agent that is shown with its descendants; empty: all.
func lineages(all []host.Portrait, root string) (out []descent) {
	children := map[string][]host.Portrait{}
	there := map[string]bool{}
	for _, v := range all {
		there[v.ID] = true
	}
	for _, v := range all {
		parent := v.Parent
		if !there[parent] {
			parent = ""
		}
		children[parent] = append(children[parent], v)
	}
	var add func(v host.Portrait, depth int) descent
	add = func(v host.Portrait, depth int) descent {
		at := len(out)
		d := descent{
			Agent: v.ID, Parent: v.Parent, Depth: depth, State: v.Life, Agents: 1, Calls: v.Calls, Running: v.Running,
			Tokens: v.Tokens, Micros: v.Micros,
		}
		if v.Life != host.Terminated {
			d.Living = 1
		}
		out = append(out, d)
		for _, child := range children[v.ID] {
			c := add(child, depth+1)
			d.Agents, d.Living, d.Calls, d.Running = d.Agents+c.Agents, d.Living+c.Living, d.Calls+c.Calls, d.Running+c.Running
			d.Tokens, d.Micros = d.Tokens+c.Tokens, d.Micros+c.Micros
		}
		out[at] = d
		return d
	}
	if root != "" {
		if i := slices.IndexFunc(all, func(v host.Portrait) bool { return v.ID == root }); i >= 0 {
			add(all[i], 0)
		}
		return out
	}
	for _, v := range children[""] {
		add(v, 0)
	}
	return out
}

func newLineage(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "lineage [AGENT]",
		Short: "Show who spawned whom, and what each agent used with all that descend from it",
		Long: `Lineage prints the agents of the host below those that spawned them. Each line counts an agent and
all that it spawned, at any depth: how many there are and live, their calls, tokens and dollars.
With --json each line is an object.`,
		Example: `  ojud agents lineage --home ~/agents
  ojud agents lineage planner --home ~/agents --json`,
		Args: cli.Takes(0, "the id of an agent"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := open(a)
			if err != nil {
				return err
			}
			var all []host.Portrait
			if err := c.Use(cmd.Context(), "agent.list", struct{}{}, &all); err != nil {
				return explained(err)
			}
			root := strings.Join(args, "")
			out := lineages(all, root)
			if root != "" && len(out) == 0 {
				return cli.Fail("the host has no agent %.80q", root).Next("see its agents with: ojud agents list")
			}
			return cli.List(a, out, "the home has no agent; docs/agents.md shows how to write the file of one", []string{"AGENT", "STATE", "AGENTS", "LIVING", "CALLS", "RUNNING", "TOKENS", "DOLLARS"}, func(d descent) []string {
				return []string{
					strings.Repeat("  ", d.Depth) + d.Agent, string(d.State), fmt.Sprint(d.Agents), fmt.Sprint(d.Living), fmt.Sprint(d.Calls), fmt.Sprint(d.Running),
					fmt.Sprint(d.Tokens), fmt.Sprintf("%.6f", float64(d.Micros)/1e6),
				}
			})
		},
	}
}
