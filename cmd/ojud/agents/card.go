package agents

import (
	"cmp"
	"encoding/json"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"ojud/agent/face/a2a"
	"ojud/agent/host"
	"ojud/casefile/agentcard"
	"ojud/cmd/ojud/cli"
)

func newCard(a *cli.App) *cobra.Command {
	var at, out, file, address string
	var authority bool
	cmd := &cobra.Command{
		Use:   "card AGENT",
		Short: "Print an agent card of an agent, by which others find it",
		Long: `Card prints the agent card of an agent of the host: its name, its capabilities as skills with their
schemas, and where it is reached. Sign it by the key of the agent ("ojud agent card sign") and set
it on the chain ("ojud agent register", "ojud agent update --card"). Then "ojud agent find" leads
others to the agent. They still need a delegation to call it.

--at is where others reach the host (ojud agents run --public or --libp2p): HOST:PORT, or
PEER@HOST:PORT for libp2p, or PEER+PEER@HOST:PORT through a relay. Card puts the key of the operator
before HOST:PORT, so that nobody else can answer there; not with --cert, if the host has a
certificate of an authority. The agent proves its own key by what it signs.

If everybody may have a copy of the agent, put the file that "ojud agents export" wrote on a server,
and name both, with --file and --url. Then "ojud agents import HASH" finds it by its hash or by that
of the card.`,
		Example: `  ojud agents card counter --at worker.example:4800 --home ~/host --out card.json
  ojud agent card sign card.json --key ~/host/agents/keys/counter.json --out signed.json`,
		Args: cli.Takes(1, "the id of an agent"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if at == "" {
				return cli.Usage("say where others reach the host, with --at HOST:PORT")
			}
			dir, err := a.HomeDir()
			if err != nil {
				return err
			}
			if !strings.Contains(at, "@") && !authority {
				s, err := operator(dir)
				if err != nil {
					return cli.Fail("the key of the operator cannot be used: %v", err)
				}
				at = strings.TrimPrefix(s.Principal().String(), "did:key:") + "@" + at
			}
			to, err := host.ParseRemote("agent://" + at + "/" + args[0] + "/" + host.Describe)
			if err != nil {
				return cli.Usage("--at: %v", err)
			}
			c, err := open(a)
			if err != nil {
				return err
			}
			var v host.Portrait
			if err := c.Use(cmd.Context(), host.Describe, map[string]string{"agent": args[0]}, &v); err != nil {
				return explained(err)
			}
			card, err := portray(v, strings.TrimSuffix(to.String(), "/"+host.Describe))
			if err != nil {
				return err
			}
			if file+address != "" {
				e, err := offer(v.DID, file, address)
				if err != nil {
					return err
				}
				card.Capabilities.Extensions = append(card.Capabilities.Extensions, e)
			}
			raw, err := json.MarshalIndent(card, "", "  ")
			if err != nil {
				return err
			}
			if out == "" {
				return a.Content(append(raw, '\n'), false)
			}
			return cli.Save(out, func(w io.Writer) error {
				_, err := w.Write(raw)
				return err
			})
		},
	}
	cmd.Flags().StringVar(&at, "at", "", "where others reach the host: HOST:PORT, or PEER@HOST:PORT for libp2p (needed)")
	cmd.Flags().StringVar(&file, "file", "", "file that agents export wrote, which everybody may import")
	cmd.Flags().StringVar(&address, "url", "", "https address at which --file is")
	cmd.Flags().BoolVar(&authority, "cert", false, "the host shows a certificate of an authority; the address gets no key")
	cmd.Flags().StringVar(&out, "out", "", "new file for the card (default standard output)")
	return cmd
}

// portray makes the card of an agent that is reached at an address.
func portray(v host.Portrait, address string) (agentcard.Card, error) {
	const modes = "application/json"
	card := agentcard.Card{
		Name: cmp.Or(v.Name, v.ID), Description: cmp.Or(v.Description, "agent "+v.ID), Version: "1", InputModes: []string{modes}, OutputModes: []string{modes},
		Interfaces: []agentcard.Interface{{URL: address, Binding: agentcard.Hosted, Protocol: "1"}},
	}
	forms := map[string]any{}
	for _, c := range v.Capabilities {
		card.Skills = append(card.Skills, agentcard.Skill{ID: c.Name, Name: c.Name, Description: cmp.Or(c.Description, c.Name), Tags: []string{c.Name}})
		forms[c.Name] = a2a.Skill{Input: c.Input, Output: c.Output, Params: c.Params}.Forms()
	}
	params, err := json.Marshal(forms)
	card.Capabilities.Extensions = []agentcard.Added{{URI: a2a.Schemas, Description: "The JSON Schemas of what skills take and give.", Params: params}}
	return card, err
}
