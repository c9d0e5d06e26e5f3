// Package agentcard has the commands for agent cards.
package agentcard

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"ojud/casefile"
	"ojud/casefile/agentcard"
	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/node/client"
	"ojud/node/library"
)

// maxFile bounds a file with a card, in bytes: people write white space.
const maxFile = 2 * agentcard.MaxBytes

// Command returns the command "card" with all that belong to it.
func Command(a *cli.App) *cobra.Command {
	cmd := cli.Group(&cobra.Command{
		Use:   "card",
		Short: "Sign agent cards, check them, and bring them to nodes",
		Long: `An agent card says what an agent does, for how much, and where it is reached: the AgentCard of A2A
1.0 as JSON. The agent's key signs it, the chain has its hash, and nodes keep and give it, so that
others find the agent by its skills: ojud agent find.`,
		Example: `  ojud agent card sign card.json --out signed.json --key worker.json
  ojud agent update --card signed.json --keep-operator --key worker.json
  ojud agent card check signed.json`,
	})
	cmd.AddCommand(newSign(a), newCheck(a), newPublish(a), newShow(a))
	return cmd
}

func newSign(a *cli.App) *cobra.Command {
	var out string
	var priced, sources []string
	cmd := &cobra.Command{
		Use:   "sign CARD.json",
		Short: "Sign a card with the agent's key",
		Long: `Sign checks a card, names the key as the agent's authority if the card does not, and signs it. It
replaces an older signature. The signed card is written to standard output or to a new file. Nothing
is sent. examples/agent/card.json is a card to begin with; - reads standard input. --price says what
the agent asks for a skill of the card, and --source names data that it works with.`,
		Example: `  ojud agent card sign card.json --price translation=0.05sol --out signed.json --key worker.json
  ojud agent card sign - --key worker.json <card.json >signed.json`,
		Args: cli.Takes(1, "a file with a card"),
		RunE: func(_ *cobra.Command, args []string) error {
			raw, err := library.ReadFile(args[0], maxFile)
			if err != nil {
				return cli.Usage("%v", err)
			}
			key, err := signer(a)
			if err != nil {
				return err
			}
			prices, err := prices(priced)
			if err != nil {
				return err
			}
			if len(prices)+len(sources) > 0 {
				if raw, err = agentcard.WithTerms(raw, casefile.Address(key.Address()), prices, sources); err != nil {
					return cli.Usage("%s %v", args[0], err)
				}
			}
			content, err := agentcard.Sign(raw, casefile.Address(key.Address()), func(m []byte) [64]byte { return key.Sign(m) })
			if err != nil {
				return cli.Usage("%s %v", args[0], err)
			}
			if out == "" {
				return a.Content(append(content, '\n'), false)
			}
			return cli.Save(out, func(w io.Writer) error {
				_, err := w.Write(content)
				return err
			})
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "new file for the signed card (default standard output)")
	cmd.Flags().StringArrayVar(&priced, "price", nil, "price of a skill, as SKILL=AMOUNT; may be given again")
	cmd.Flags().StringArrayVar(&sources, "source", nil, "name of a data source that the agent works with; may be given again")
	return cmd
}

// prices reads prices of skills: SKILL=AMOUNT.
func prices(all []string) (out []agentcard.Price, err error) {
	for _, text := range all {
		skill, amount, ok := strings.Cut(text, "=")
		if !ok {
			return nil, cli.Usage("--price is %q; give the id of a skill and an amount, such as translation=0.05sol", text)
		}
		asked, err := cli.Lamports("--price of "+skill, amount)
		if err != nil {
			return nil, err
		}
		out = append(out, agentcard.Price{Skill: skill, Lamports: casefile.Amount(asked)})
	}
	return out, nil
}

func newCheck(a *cli.App) *cobra.Command {
	var authority, hash string
	cmd := &cobra.Command{
		Use:   "check CARD.json",
		Short: "Check a signed card, from anybody",
		Long: `Check verifies the form and the signature of a card, and shows it. --authority refuses the card of
another agent. --hash refuses any other card, such as an older one of the same agent: "ojud agent
show ADDRESS" prints the hash that the chain has now. A card proves who wrote it. It does not prove
that its URLs belong to the agent. An agent of an agent host proves its key when it answers. The
exit status is 2 if the card is refused.`,
		Example: `  ojud agent card check signed.json
  ojud agent card check signed.json --json \
      --authority 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2`,
		Args: cli.Takes(1, "a file with a signed card"),
		RunE: func(_ *cobra.Command, args []string) error {
			who, err := cli.Address("the authority", authority)
			if err != nil {
				return err
			}
			s, err := load(args[0])
			if err != nil {
				return err
			}
			if authority != "" && s.Authority != casefile.Address(who) {
				return cli.Usage("%s is the card of %s, not of %s", args[0], s.Authority, who)
			}
			if got := casefile.Digest(s.Hash).String(); hash != "" && got != hash {
				return cli.Usage("%s has the hash %s, not %s: it is an older card, or another", args[0], got, hash)
			}
			return a.Show(shown{s.Authority, casefile.Digest(s.Hash), s.Card}, sheet(s).Write)
		},
	}
	cmd.Flags().StringVar(&authority, "authority", "", "address of the agent that the card must be of")
	cmd.Flags().StringVar(&hash, "hash", "", "hash that the card must have, as the chain has it")
	return cmd
}

// Own reads a signed card of the command's own key.
func Own(a *cli.App, path string) (agentcard.Signed, error) {
	s, err := load(path)
	if err != nil {
		return s, err
	}
	key, err := signer(a)
	if err != nil {
		return s, err
	}
	if s.Authority != casefile.Address(key.Address()) {
		return s, cli.Usage("%s is the card of %s, and your key is %s; sign a card with your key: ojud agent card sign", path, s.Authority, key.Address())
	}
	return s, nil
}

func load(path string) (agentcard.Signed, error) {
	raw, err := library.ReadFile(path, maxFile)
	if err != nil {
		return agentcard.Signed{}, cli.Usage("%v", err)
	}
	s, err := agentcard.Parse(raw)
	if err != nil {
		return s, cli.Usage("%s %v", path, err)
	}
	return s, nil
}

// signer loads the command's key.
func signer(a *cli.App) (*client.Keypair, error) {
	path, _, err := a.KeyPath()
	if err != nil {
		return nil, err
	}
	key, err := client.LoadKey(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, cli.Fail("there is no key file %s, and the agent's key signs its card", path).Next("name the key with --key, or make it first: ojud agent register --create-key")
	}
	return key, err
}

// shown is what check shows.
type shown struct {
	Authority casefile.Address `json:"authority"`
	Hash      casefile.Digest  `json:"card_hash"`
	Card      agentcard.Card   `json:"card"`
}

func sheet(s agentcard.Signed) (out view.Sheet) {
	out.Add("name", s.Name)
	out.Add("authority", s.Authority.String())
	out.Add("card hash", casefile.Digest(s.Hash).String())
	out.Add("description", s.Description)
	for _, e := range s.Interfaces {
		if e.Binding == agentcard.Hosted {
			out.Add("reached at", e.URL)
			out.Add("proved by", "ojud agents status "+e.URL+" --did "+casefile.DID(s.Authority).String())
			continue
		}
		out.Add("reached at", fmt.Sprintf("%s (%s %s; not proved)", e.URL, e.Binding, e.Protocol))
	}
	prices := map[string]string{}
	for _, p := range s.Prices {
		prices[p.Skill] = " for " + client.Lamports(p.Lamports).String()
	}
	for _, skill := range s.Skills {
		out.Add("skill", skill.ID+prices[skill.ID]+": "+skill.Description)
	}
	out.Add("sources", strings.Join(s.Sources, ", "))
	return out
}
