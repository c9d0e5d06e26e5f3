// Package homes has the command that makes the homes of several judges from one file, and the
// flags by which a devnet gets its judges.
package homes

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/node/client"
	"ojud/node/founding"
	"ojud/node/homes"
)

// done is the result of the command.
type done struct {
	Court  string       `json:"court"`
	Judges []homes.Home `json:"judges"`
}

// Command returns the command "court judges".
func Command(a *cli.App) *cobra.Command {
	dir, payer, operator, signer, register, check := "judges", "", "", "", false, false
	purse := cli.Amount{Lamports: 100_000_000, Given: true}
	cmd := cli.Court(a, &cobra.Command{
		Use:   "judges FILE",
		Short: "Make the homes of a panel of judges from one file",
		Long: `Judges makes a home for each judge of a file: its keys, network.json, ojud.toml with its persona and
its models, and its data sources. The file is TOML; examples/judges/panel.toml has 28 judges, and
docs/courts.md explains the fields. "ojud devnet --judges FILE" takes the same file.

The whole file is checked before anything is made. You may repeat the command: it makes what is
missing, keeps keys that are there, and changes no file. If a home says something else than the
file, it says so and makes nothing.

With --register it also puts the stakes on the roster. What a judge's wallet lacks comes from the
key of --payer, or from the court's faucet if it has one. It checks all judges before it pays, who
signed network.json, and whether the payer has agents in this court. If you run agents, too, name
your operator with --operator: none of the judges is drawn into their cases then.`,
		Example: `  ojud court judges examples/judges/panel.toml --check
  ojud court judges examples/judges/panel.toml --network network.json --homes ./judges
  ojud court judges examples/judges/panel.toml --network network.json --register --payer id.json
  ojud court judges panel.toml --network network.json --register --payer id.json \
      --operator operator.json --signed-by 9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin`,
		Args: cli.Takes(1, "a file of judges"),
	})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		plan, err := homes.Read(args[0])
		if err != nil {
			return cli.Usage("%s", cli.Plain(err))
		}
		if check {
			return a.Show(struct {
				Judges int `json:"judges"`
			}{len(plan)}, func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "%s is in order: %s\n", args[0], view.Count(len(plan), "judge"))
				return err
			})
		}
		payer = cli.First(payer, a.Key)
		if payer != "" && !register {
			return cli.Usage("--payer pays stakes, and nothing is staked without --register").Next("add --register, or leave --payer out")
		}
		if (operator != "" || signer != "") && !register {
			return cli.Usage("--operator and --signed-by are about stakes, and nothing is staked without --register").Next("add --register, or leave them out")
		}
		court, err := a.LoadNetwork(cmd.Context())
		if err != nil {
			return err
		}
		r := homes.Registering{Court: court, Purse: purse.Lamports, Transport: a.Transport}
		if r.Operator, err = cli.Operator(operator); err != nil {
			return err
		}
		if payer != "" {
			if r.Payer, err = client.LoadKey(payer); err != nil {
				return cli.Usage("--payer: %v", err)
			}
		}
		made, err := plan.Make(dir, court)
		if err != nil {
			return cli.Fail("%s", cli.Plain(err))
		}
		if register {
			r.Client = a.ClientConfig()
			r.May = func(ctx context.Context, judges []string) error {
				e := founding.Entering{Court: court, Ledger: r.Client.Ledger, Signer: signer, Judges: judges, Transport: a.Transport}
				if r.Operator != nil {
					e.Operator = r.Operator.Address()
				}
				if r.Payer != nil {
					e.Payer = r.Payer.Address()
				}
				return founding.MayEnter(ctx, e)
			}
			if r.Log, err = a.Logger(); err != nil {
				return err
			}
			over := a.Waiting("putting the judges on the roster")
			err := homes.Register(cmd.Context(), made, r)
			over()
			if err != nil {
				return cli.Fail("%s", cli.Plain(err)).Next("the homes are there; type the same again when that is mended")
			}
		}
		return a.Show(done{court.Name, made}, func(w io.Writer) error { return write(a, w, dir, register, made) })
	}
	flags := cmd.Flags()
	flags.StringVar(&dir, "homes", dir, "folder for the homes, each a folder with the judge's name")
	flags.BoolVar(&check, "check", false, "check the file, and make nothing")
	flags.BoolVar(&register, "register", false, "put the stakes on the roster")
	flags.StringVar(&payer, "payer", "", "key file that pays stakes and fees of judges (default the court's faucet)")
	flags.StringVar(&operator, "operator", "", "key file of who runs the judges, if it also runs agents, which signs, too")
	flags.StringVar(&signer, "signed-by", "", "address of the key that has to have signed network.json")
	flags.Var(&purse, "purse", "what each judge's wallet should have for fees, besides the stake")
	return cmd
}

func write(a *cli.App, w io.Writer, dir string, registered bool, made []homes.Home) error {
	rows, news := make([][]string, len(made)), 0
	for i, h := range made {
		what := "there"
		switch {
		case h.Created:
			what = "made"
			news++
		case len(h.Added) > 0:
			what = "added " + strings.Join(h.Added, ", ")
		}
		if h.State != "" {
			what += "; " + h.State
		}
		stake := "usual"
		if h.Stake != nil {
			stake = h.Stake.String()
		}
		rows[i] = []string{h.Name, h.Judge, cli.First(h.Persona, "code alone"), cli.First(strings.Join(h.Models, ", "), "-"), cli.First(strings.Join(h.Sources, ", "), "-"), stake, what}
	}
	if err := view.Table(w, []string{"NAME", "JUDGE", "PERSONA", "MODELS", "SOURCES", "STAKE", "HOME"}, rows); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w, "%s in %s, %d of them new\n", view.Count(len(made), "home"), dir, news); err != nil {
		return err
	}
	next := "put the stakes on the roster: add --register, or for each: " + a.Typed("ojud judge register --home "+filepath.Join(dir, made[0].Name))
	if registered {
		next = "run each: " + a.Typed("ojud run --home "+filepath.Join(dir, made[0].Name)) + "; docs/install.md has a service for each"
	}
	return view.Sheet{{"next", next}}.Write(w)
}
