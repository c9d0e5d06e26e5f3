package keyholder

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/config"
	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/node/client"
	"ojud/node/founding"
	"ojud/node/rulebook"
)

// courtOf returns the wish that stands for the court of the command line, and its name. The key is
// nil if none is needed and none is there.
func courtOf(ctx context.Context, a *cli.App, n cli.Need) (w founding.Wish, err error) {
	d, err := a.LoadNetwork(ctx)
	if err != nil {
		return w, err
	}
	at, err := onchain.ParseAddress(d.Program)
	if err != nil {
		return w, err
	}
	path, named, err := a.KeyPath()
	if err != nil {
		return w, err
	}
	var key *client.Keypair
	if n == cli.WithKey || named {
		if key, err = client.LoadKey(path); err != nil {
			return w, cli.Fail("%s", cli.Plain(err)).Next("name the key file with --key FILE")
		}
	}
	cfg := ledger.DefaultConfig()
	cfg.RPC, cfg.WS, cfg.Send.PriorityFee = d.RPC, d.WS, "auto"
	if other := client.URL(cli.First(cli.First(a.RPC...), a.Getenv(config.Variable("ledger.rpc")))); other != "" {
		cfg.RPC, cfg.WS = other, ""
	}
	if near(cfg.RPC) {
		cfg.Calls.Rate = 0
	}
	w = founding.Of(cfg, at, d.Name, key)
	w.Transport = a.Transport
	return w, nil
}

func newUpgrade(a *cli.App) *cobra.Command {
	x := &act{App: a}
	return cli.Court(a, x.add(&cobra.Command{
		Use:   "upgrade",
		Short: "Replace the program of a court by that of this ojud",
		Long: `Upgrade replaces the court's program by the one that is in this ojud, at once. All rules are in the
program, so tell the judges and parties before. Their nodes need an ojud of the same version.

The key of --key pays the rent of a buffer while the program is written, and gets it back. If it
stops or is killed, type the same again. If another address may upgrade the program, such as a
multisig, upgrade writes the program, gives the buffer to that address, and prints what it has to
sign: the same command may be repeated with --print or --unsigned. Then the rent comes back when
that address has signed; until then the address could also close the buffer and keep it. --dry-run
says what it costs, and who gets the buffer.`,
		Example: `  ojud court upgrade --network network.json --key id.json --dry-run
  ojud court upgrade --network network.json --key id.json`,
		Args: cli.Takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error { return x.upgrade(cmd) },
	}))
}

func (a *act) upgrade(cmd *cobra.Command) error {
	w, err := courtOf(cmd.Context(), a.App, cli.WithKey)
	if err != nil {
		return err
	}
	cost, err := cli.Wait(cmd.Context(), a.App, "looking at the cluster", func(ctx context.Context) (founding.Cost, error) { return founding.LookUpgrade(ctx, w) })
	if err != nil {
		return err
	}
	s := view.Sheet{{"program", cost.Program}}
	switch {
	case cost.Deployed:
		s.Add("state", "it is that of this ojud already")
		return a.Show(cost, s.Write)
	case a.dry:
		s.Add("transactions", fmt.Sprint(cost.Transactions))
		s.Add("fees", cost.Fees.String()+", and priority fees if the cluster is busy; the rent of the buffer comes back")
		if other := cost.Authority != w.Key.Address().String(); other {
			s.Add("buffer", "goes to "+cost.Authority+", which may upgrade the program; it could keep the rent of "+cost.Buffer.String())
		}
		s.Add("balance", cost.Balance.String())
		if cost.Missing > 0 {
			s.Add("missing", cost.Missing.String()+", for as long as it lasts")
		}
		return a.Show(cost, s.Write)
	}
	if cost.Transactions > 0 { // else the program is written, and only a signature is missing
		about := []string{"All rules of the court are in its program. It changes at once, for all cases that run, too.", "Judges need an ojud of this version."}
		if cost.Authority != w.Key.Address().String() {
			about = append(about, "The buffer, with "+cost.Buffer.String()+" of rent, goes to "+cost.Authority+", which may upgrade the program and could keep that.")
		}
		if err := a.ask(cmd.Context(), cmd, "replace the program", "y", about); err != nil {
			return err
		}
	}
	told := a.Progress()
	cost, left, err := founding.Upgrade(cmd.Context(), w, func(what string, over, all int) { told("%s: %d of %d transactions are left", what, all-over, all) })
	switch {
	case err != nil:
		return err
	case left == nil:
		s.Add("state", "it is that of this ojud now")
		return a.Show(cost, s.Write)
	}
	u, err := rulebook.UnsignedOf(left.Act, left.By, left.Instruction)
	if err != nil {
		return err
	}
	if !a.unsigned {
		a.print = true
	}
	return a.look(u, nil)
}

func newFreeze(a *cli.App) *cobra.Command {
	x := &act{App: a}
	return cli.Court(a, x.add(&cobra.Command{
		Use:   "freeze",
		Short: "Let nobody replace the program of a court any more, for ever",
		Long: `Freeze takes the right to replace the program away from everybody, for ever. Then nobody can change
a rule that the program has, and nobody can repair a fault of it. The authority over the rules stays
where it is (ojud court authority). It asks for the court's name, or takes --yes.`,
		Example: `  ojud court freeze --network network.json --key id.json --dry-run
  ojud court freeze --network network.json --key id.json`,
		Args: cli.Takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return x.program(cmd, onchain.Address{}, []string{"This cannot be undone, by anybody, ever.", "No fault of the program can be repaired any more."})
		},
	}))
}

func newGiveProgram(a *cli.App) *cobra.Command {
	x := &act{App: a}
	return cli.Court(a, x.add(&cobra.Command{
		Use:   "hand-over-program ADDRESS",
		Short: "Let another address replace the program of a court, such as a multisig",
		Long: `Hand-over-program gives the right to replace the program to another address, at once. A multisig's
account cannot sign here, so nothing proves that address: with a wrong one, nobody can ever replace
the program. Accounts of the cluster and programs are refused, and it warns of an address without a
key that has no account. It asks for the court's name, or takes --yes.`,
		Example: `  ojud court hand-over-program 9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin --key id.json`,
		Args:    cli.Takes(1, "the address that may replace the program from then on"),
		RunE: func(cmd *cobra.Command, args []string) error {
			to, err := cli.Address("the address", args[0])
			if err != nil {
				return err
			}
			if to.IsZero() {
				return cli.Usage("nobody can sign for the zero address").Next("to let nobody replace the program: ojud court freeze")
			}
			return x.program(cmd, to, []string{"This key cannot replace the program any more then.", "Nothing proves the address. Compare it: " + to.String()})
		},
	}))
}

// program changes who may replace the program.
func (a *act) program(cmd *cobra.Command, to onchain.Address, about []string) error {
	need := cli.WithKey
	if a.looks() {
		need = cli.PerhapsKey
	}
	w, err := courtOf(cmd.Context(), a.App, need)
	if err != nil {
		return err
	}
	change, err := founding.HandOverProgram(cmd.Context(), w, to)
	if err != nil {
		return err
	}
	if change.Warning != "" {
		about = append(about, change.Warning)
	}
	if a.looks() {
		u, err := rulebook.UnsignedOf(change.Act, change.By, change.Instruction)
		if err != nil {
			return err
		}
		return a.look(u, about)
	}
	if err := a.ask(cmd.Context(), cmd, change.Act, w.Name, about); err != nil {
		return err
	}
	if _, err := cli.Wait(cmd.Context(), a.App, "waiting until it is on the chain", func(ctx context.Context) (struct{}, error) {
		return struct{}{}, change.Send(ctx, w)
	}); err != nil {
		return err
	}
	done := struct {
		Program string `json:"program"`
		Upgrade string `json:"upgrade"` // who may replace the program; empty: nobody
	}{w.Program.String(), ""}
	if !to.IsZero() {
		done.Upgrade = to.String()
	}
	return a.Show(done, func(out io.Writer) error {
		return view.Sheet{{"program", done.Program}, {"upgrades", cli.First(done.Upgrade, "nobody, for ever")}}.Write(out)
	})
}
