package agentcard

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"ojud/casefile"
	"ojud/casefile/agentcard"
	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/ledger/onchain"
	"ojud/node/agents"
	"ojud/node/client"
	"ojud/node/client/discover"
	"ojud/node/library"
	"ojud/voting"
)

// Find returns the command "find".
func Find(a *cli.App) *cobra.Command {
	var words string
	cmd := &cobra.Command{
		Use:   "find [SKILL]",
		Short: "Find agents by what they can do",
		Long: `Find lists the agents whose card has a skill with the id or the tag SKILL, those with the best
record first: the share of tasks that were paid and cases that were won. Without SKILL it lists all.
--words takes only those whose card has all of these words, or whose address contains them. PRICE is
what the card asks for the skill, and REACHED AT the first address of the card. Find needs neither a
key nor a running node. A card proves who wrote it, not that its words are true. With --json each
line is an object with the signed card.`,
		Example: `  ojud agent find translation --network http://127.0.0.1:8899
  ojud agent find --words "german legal" --json | jq -r .authority`,
		Args: cobra.MaximumNArgs(1),
	}
	cmd.Flags().StringVar(&words, "words", "", "words that the card has, or a part of an address")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		skill := cli.First(args...)
		return a.With(cmd, cli.PerhapsKey, func(ctx context.Context, c *client.Client) error {
			d, err := cli.Wait(ctx, a, "asking nodes for the cards of agents", func(ctx context.Context) (agents.Directory, error) {
				return discover.Agents(ctx, c)
			})
			if err != nil {
				return err
			}
			return list(a, d, skill, words)
		})
	}
	return cmd
}

// list shows the agents that fit.
func list(a *cli.App, d agents.Directory, skill, words string) error {
	fit := d.Find(skill, words)
	if a.JSON {
		for _, p := range fit {
			if err := a.Line(p.Listed()); err != nil {
				return err
			}
		}
		return nil
	}
	none := "no agent fits; ojud agent list shows all agents of the court"
	header := []string{"AGENT", "NAME", "SKILLS", "PRICE", "PAID", "MISSED", "WON", "LOST", "REACHED AT"}
	if err := cli.List(a, fit, none, header, func(p agents.Profile) []string { return line(p, skill) }); err != nil || d.Waiting == 0 {
		return err
	}
	_, err := fmt.Fprintf(a.Out, "\nNo node sent %s that the chain names, so these agents are not found by their skills. Try again later.\n", view.Count(d.Waiting, "card"))
	return err
}

// line is an agent as a line of a table.
func line(p agents.Profile, skill string) []string {
	name, skills, price, at := "–", "–", "–", "–"
	if p.Card != nil {
		var ids []string
		for _, s := range p.Card.Skills {
			ids = append(ids, s.ID)
		}
		name, skills = short(p.Card.Name), short(strings.Join(ids, ", "))
		if len(p.Card.Interfaces) > 0 {
			at = view.Short(view.Escape(p.Card.Interfaces[0].URL))
		}
		if asked, ok := p.Asks(skill); ok {
			price = client.Lamports(asked).String()
		}
	}
	return []string{p.Authority.String(), name, skills, price, fmt.Sprint(p.TasksPaid), fmt.Sprint(p.TasksMissed), fmt.Sprint(p.CasesWon), fmt.Sprint(p.CasesLost), at}
}

// short cuts a text to the width of a column.
func short(text string) string {
	const most = 24
	if all := []rune(text); len(all) > most {
		return string(all[:most-1]) + "…"
	}
	return text
}

func newPublish(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "publish SIGNED.json",
		Short: "Bring a signed card to nodes",
		Long: `Publish sends a signed card to nodes. They keep it if the chain names it for its agent: ojud agent
update --card, which publishes it, too. So publish is for a card that no node has taken yet, or that
all have lost. It may be repeated, and it needs no key.`,
		Example: `  ojud agent card publish signed.json --network http://127.0.0.1:8899`,
		Args:    cli.Takes(1, "a file with a signed card"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := load(args[0])
			if err != nil {
				return err
			}
			return a.With(cmd, cli.PerhapsKey, func(ctx context.Context, c *client.Client) error { return publish(ctx, a, c, s) })
		},
	}
}

// Bring brings the card of an agent to nodes, if the chain names it for the agent.
func Bring(a *cli.App, cmd *cobra.Command, s agentcard.Signed, path string, agent client.AgentView) error {
	if agent.CardHash != casefile.Digest(s.Hash).String() {
		return cli.Fail("the key was an agent before, and register left its card as it was").Next("set the card: ojud agent update --keep-operator --card " + path)
	}
	return a.With(cmd, cli.PerhapsKey, func(ctx context.Context, c *client.Client) error { return publish(ctx, a, c, s) })
}

func publish(ctx context.Context, a *cli.App, c *client.Client, s agentcard.Signed) error {
	p, err := cli.Wait(ctx, a, "bringing the card to nodes", func(ctx context.Context) (library.Publication, error) {
		l, err := c.Library(ctx)
		if err != nil {
			return library.Publication{}, err
		}
		return l.PublishCard(ctx, s)
	})
	if err != nil {
		return err
	}
	return a.Show(p, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "card %s  taken by %s\n", p.Hash, view.Count(p.Accepted, "node"))
		return err
	})
}

func newShow(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "show AGENT",
		Short: "Show the card of an agent, as nodes give it",
		Long: `Show reads from the chain which card an agent has now, gets it from a node, verifies hash and
signature, and shows it. With --json it prints the signed card's parts, as check does.`,
		Example: `  ojud agent card show 9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin`,
		Args:    cli.Takes(1, "the address of an agent"),
		RunE: func(cmd *cobra.Command, args []string) error {
			who, err := cli.Address("the agent", args[0])
			if err != nil {
				return err
			}
			return a.With(cmd, cli.PerhapsKey, func(ctx context.Context, c *client.Client) error {
				s, err := cli.Wait(ctx, a, "asking nodes for the card", func(ctx context.Context) (agentcard.Signed, error) { return Present(ctx, c, who) })
				if err != nil {
					return err
				}
				return a.Show(shown{s.Authority, casefile.Digest(s.Hash), s.Card}, sheet(s).Write)
			})
		},
	}
}

// Present gets the card that the chain names for an agent now.
func Present(ctx context.Context, c *client.Client, who onchain.Address) (agentcard.Signed, error) {
	agent, err := c.Agent(ctx, who)
	if err != nil {
		return agentcard.Signed{}, err
	}
	hash, err := hex.DecodeString(agent.CardHash)
	if err != nil || len(hash) != len(voting.Hash{}) {
		return agentcard.Signed{}, cli.Fail("the agent %s has no card", who)
	}
	raw, err := c.Fetch(ctx, voting.Hash(hash))
	if errors.Is(err, library.ErrNoContent) {
		return agentcard.Signed{}, cli.Fail("no node gave the card %s of the agent: %v", agent.CardHash, err).Next("if it is your agent, bring the card to nodes: ojud agent card publish SIGNED.json")
	}
	if err != nil {
		return agentcard.Signed{}, err
	}
	s, err := agentcard.Parse(raw)
	if err == nil && s.Authority != casefile.Address(who) {
		err = fmt.Errorf("is the card of %s", s.Authority)
	}
	if err != nil {
		return s, cli.Fail("the chain names %s as the card of this agent, and it %v", agent.CardHash, err)
	}
	return s, nil
}
