package agents

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"ojud/agent/host"
	"ojud/agent/host/keep"
	"ojud/agent/host/manifest"
	"ojud/agent/host/shell"
	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
)

// changed is the result of commands that change an agent.
type changed struct {
	Agent string `json:"agent"`
	Done  bool   `json:"done"`
}

func use(ctx context.Context, a *cli.App, skill string, input any, words string) error {
	c, err := open(a)
	if err != nil {
		return err
	}
	var out changed
	if err := c.Use(ctx, skill, input, &out); err != nil {
		return explained(err)
	}
	return a.Show(out, view.Sheet{{"agent", out.Agent}, {"done", words}}.Write)
}

func newLife(a *cli.App, what host.Demand, short, long string) *cobra.Command {
	words := map[host.Demand]string{
		host.Wake: "it is open", host.Hibernate: "it is dormant; a call wakes it", host.Terminate: "it is terminated; its key is in keys/archive",
	}[what]
	return &cobra.Command{
		Use:     string(what) + " AGENT",
		Short:   short,
		Long:    long,
		Example: fmt.Sprintf("  ojud agents %s upper --home ~/agents\n  ojud agents %s upper --home ~/agents --json", what, what),
		Args:    cli.Takes(1, "the id of an agent"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return use(cmd.Context(), a, "agent."+string(what), map[string]string{"agent": args[0]}, words)
		},
	}
}

func newSpawn(a *cli.App) *cobra.Command {
	var like, from string
	var autonomy int
	var capabilities []string
	var bounds manifest.Bounds
	cmd := &cobra.Command{
		Use:   "spawn AGENT",
		Short: "Make a new agent while the host runs",
		Long: `Spawn makes a new agent with a key of its own: a copy of another agent of the host, or one from a
file as "ojud agents run" reads it. Relative paths of the file begin at the folder agents of the
home. The host keeps the text, so the agent is there after a restart.

A copy may be less than its image: with --autonomy, with those capabilities alone that --capability
names, and with lower limits; a copy with other limits spawns none.`,
		Example: `  ojud agents spawn upper-2 --like upper --home ~/agents
  ojud agents spawn upper-3 --like upper --autonomy 0 --capability shout --concurrent 1
  ojud agents spawn writer --file writer.toml --home ~/agents`,
		Args: cli.Takes(1, "the id of the new agent"),
		RunE: func(cmd *cobra.Command, args []string) error {
			seed := shell.Seed{ID: args[0], Like: like}
			if (like == "") == (from == "") {
				return cli.Usage("give either --like or --file")
			}
			if from != "" {
				f, err := os.Open(from)
				if err != nil {
					return cli.Usage("--file cannot be read: %v", err)
				}
				defer f.Close()
				raw, err := io.ReadAll(io.LimitReader(f, shell.MaxPayload))
				if err != nil {
					return cli.Usage("--file cannot be read: %v", err)
				}
				seed.Text = string(raw)
			}
			if cmd.Flags().Changed("autonomy") {
				seed.Autonomy = &autonomy
			}
			seed.Capabilities = capabilities
			for name, to := range map[string]**int{"concurrent": &bounds.Concurrent, "tokens": &bounds.Tokens} {
				n, err := cmd.Flags().GetInt(name)
				if err != nil {
					return err
				}
				if cmd.Flags().Changed(name) {
					*to = &n
				}
			}
			if bounds != (manifest.Bounds{}) {
				seed.Limits = &bounds
			}
			return use(cmd.Context(), a, "agent.spawn", seed, "it can be called")
		},
	}
	cmd.Flags().StringVar(&like, "like", "", "the agent of this host that it is a copy of")
	cmd.Flags().StringVar(&from, "file", "", "the file of the new agent")
	cmd.Flags().IntVar(&autonomy, "autonomy", 0, "autonomy of a copy, at most that of its image (default the same)")
	cmd.Flags().StringSliceVar(&capabilities, "capability", nil, "capability that a copy has; may be given again (default all)")
	cmd.Flags().Int("concurrent", 0, "calls of a copy at once, at most as of its image (default the same)")
	cmd.Flags().Int("tokens", 0, "tokens of a call of a copy, likewise")
	cmd.Flags().StringVar(&bounds.Time, "time", "", "time of a call of a copy, such as 10s, likewise")
	return cmd
}

func newRecall(a *cli.App) *cobra.Command {
	var kind string
	var limit int
	cmd := &cobra.Command{
		Use:   "recall AGENT [TEXT]",
		Short: "Show what an agent remembers",
		Long: `Recall prints memories of an agent: those whose situation resembles the text most, or without a text
the latest. An agent has working memory, which is its recent calls, and patterns, which it learned.
With --json each line is an object.`,
		Example: `  ojud agents recall upper --home ~/agents
  ojud agents recall upper 'the server refuses the login' --kind pattern --limit 3 --home ~/agents`,
		Args: cli.Takes(1, "the id of an agent", "a text"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := open(a)
			if err != nil {
				return err
			}
			input := map[string]any{"agent": args[0], "limit": limit}
			if kind != "" {
				input["kind"] = kind
			}
			if len(args) > 1 {
				input["query"] = args[1]
			}
			var all []keep.Recollection
			if err := c.Use(cmd.Context(), "agent.recall", input, &all); err != nil {
				return explained(err)
			}
			return cli.List(a, all, "it remembers nothing of this", []string{"KIND", "OF", "LIKENESS", "WHEN", "THEN"}, func(r keep.Recollection) []string {
				return []string{r.Kind, r.Of, fmt.Sprintf("%.2f", r.Likeness), view.Short(view.Escape(r.When)), view.Short(view.Escape(r.Then))}
			})
		},
	}
	cmd.Flags().StringVar(&kind, "kind", "", "working or pattern (default both)")
	cmd.Flags().IntVar(&limit, "limit", 10, "how many memories at most, 1 to 100")
	return cmd
}

func newLearn(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "learn AGENT WHEN THEN",
		Short: "Teach an agent what to do in a situation",
		Long: `Learn keeps a pattern for an agent: in the situation WHEN, do THEN. The mind of the agent sees the
patterns that resemble a call. Other agents do not.`,
		Example: `  ojud agents learn upper 'the payload is empty' 'answer with an empty text' --home ~/agents`,
		Args:    cli.Takes(3, "the id of an agent", "the situation", "what to do"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return use(cmd.Context(), a, "agent.learn", map[string]string{"agent": args[0], "when": args[1], "then": args[2]}, "it will remember")
		},
	}
}

func newForget(a *cli.App) *cobra.Command {
	var of string
	cmd := &cobra.Command{
		Use:   "forget [AGENT]",
		Short: "Erase what an agent remembers of a guest, and the guest's calls",
		Long: `Forget erases what an agent, or without AGENT each agent of the host, remembers of one who called
from outside, and the calls of that one: what was asked and what was answered. Calls under way are
ended before. With the key of a delegate, all to whom it passed its delegation on are meant, too. A
call that is sent again after that is refused as Replayed. The audit logs stay: they have hashes
alone. "ojud agents recall" shows whose memories there are. The files of the database give the bytes
up later.`,
		Example: `  ojud agents forget writer --of did:key:z6Mk... --home ~/agents
  ojud agents forget --of did:key:z6Mk... --home ~/agents`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if of == "" {
				return cli.Usage("say whose, with --of did:key:...")
			}
			c, err := open(a)
			if err != nil {
				return err
			}
			var out shell.Forgotten
			if err := c.Use(cmd.Context(), "agent.forget", map[string]string{"agent": cli.First(args...), "of": of}, &out); err != nil {
				return explained(err)
			}
			return a.Show(out, view.Sheet{{"agent", cli.First(out.Agent, "all")}, {"of", out.Of}, {"memories", fmt.Sprint(out.Memories)}, {"calls", fmt.Sprint(out.Calls)}}.Write)
		},
	}
	cmd.Flags().StringVar(&of, "of", "", "did:key of the guest, or of the delegate of guests (needed)")
	return cmd
}
