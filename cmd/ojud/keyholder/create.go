package keyholder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/config"
	"ojud/ledger"
	"ojud/ledger/law"
	"ojud/ledger/program"
	"ojud/node/client"
	"ojud/node/founding"
	oju "ojud/programs/oju"
)

// founder has the flags of create.
type founder struct {
	*cli.App
	rpc, ws, key, program, name, file string
	values, bootstrap                 []string
	listed, faucet, dry               bool
}

func newCreate(a *cli.App) *cobra.Command {
	f := &founder{App: a}
	cmd := &cobra.Command{
		Use:   "create --rpc URL --program ADDRESS --key FILE",
		Short: "Found a court on a program that is deployed",
		Long: `Create founds a court on any Solana cluster. Deploy the program first: "ojud court program oju.so"
writes it, and "solana program deploy oju.so" deploys it. Only the key that may upgrade the program
can found the court; it becomes the authority over its rules, and pays the rent of its accounts.

Create compares the program with its own, byte for byte, and checks every value of the rules. Then
it sends one transaction and writes network.json, by which others find the court. You may repeat it
with the same key: a court that stands is told and not changed, and network.json is written again,
for example with --bootstrap. Create fails if the court that stands has another authority, is not
listed although --listed is given, or has other rules than --set. --dry-run shows what it would do,
and sends and writes nothing. Everybody reads the URL of --rpc in network.json, so a URL with a
private key in it should be replaced there.

Values of --set are written as people do: 1.5sol, 90s, 8h, 0.5%, a number. "ojud court rules" lists
the names. Later they change only with notice (ojud court rules propose).`,
		Example: `  ojud court create --rpc https://api.devnet.solana.com --program ADDRESS --key id.json \
      --name my-court --dry-run
  ojud court create --rpc http://127.0.0.1:8899 --program ADDRESS --key id.json \
      --set min_stake=2sol --set panel_seats=7 --file network.json`,
		Args: cli.Takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context()) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.rpc, "rpc", "", "URL or HOST:PORT of a Solana RPC node of the cluster")
	flags.StringVar(&f.ws, "ws", "", "URL of its websocket (default that beside --rpc)")
	flags.StringVar(&f.key, "key", "", "key file of the program's upgrade authority (default $OJUD_KEY)")
	flags.StringVar(&f.program, "program", "", "address of the program")
	flags.StringVar(&f.name, "name", "court", "name of the court: a-z, 0-9 and -, at most 32")
	flags.StringVar(&f.file, "file", "network.json", "where network.json is written")
	flags.StringArrayVar(&f.values, "set", nil, "NAME=VALUE of the rules (repeat for more)")
	flags.StringArrayVar(&f.bootstrap, "bootstrap", nil, "address of a node that others find first (repeat for more)")
	flags.BoolVar(&f.listed, "listed", false, "only judges that the authority admits may join")
	flags.BoolVar(&f.faucet, "faucet", false, "the cluster gives SOL away (requestAirdrop)")
	flags.BoolVar(&f.dry, "dry-run", false, "show what it would do, and send and write nothing")
	return cmd
}

// wish reads the flags.
func (f *founder) wish() (w founding.Wish, err error) {
	w = founding.Wish{Name: f.name, Listed: f.listed, Bootstrap: f.bootstrap, Faucet: f.faucet, Params: program.DefaultParams(), Ledger: ledger.DefaultConfig(), Transport: f.Transport}
	if f.rpc == "" || f.program == "" {
		return w, cli.Usage("a court needs --rpc and --program").Next("see: ojud court create --help")
	}
	w.Ledger.RPC, w.Ledger.WS = client.URL(f.rpc), f.ws
	if w.Program, err = cli.Address("--program", f.program); err != nil {
		return w, err
	}
	if len(f.values) > 0 {
		set, err := parseAll(f.values)
		if err != nil {
			return w, err
		}
		for _, one := range set {
			if w.Params, err = w.Params.With(one.Name, one.Value); err != nil {
				return w, law.Bound(w.Params, err)
			}
		}
	}
	path := cmp.Or(f.key, f.Getenv(config.KeyVariable))
	if path == "" && f.dry {
		return w, nil
	}
	if path == "" {
		return w, cli.Usage("a court needs the key of the program's upgrade authority").Next("name its file with --key, or look with --dry-run")
	}
	w.Key, err = client.LoadKey(path)
	return w, err
}

func (f *founder) run(ctx context.Context) error {
	w, err := f.wish()
	if err != nil {
		return err
	}
	act := founding.Found
	if f.dry {
		act = founding.Look
	}
	court, err := cli.Wait(ctx, f.App, "founding the court", func(ctx context.Context) (founding.Court, error) { return act(ctx, w) })
	if err != nil {
		return err
	}
	if !f.dry {
		if err := f.write(ctx, court); err != nil {
			return err
		}
	}
	return f.Show(court, func(out io.Writer) error {
		var s view.Sheet
		s.Add("court", court.Network.Name+": "+court.Result)
		s.Add("program", court.Program)
		s.Add("authority", cmp.Or(court.Authority, "nobody"))
		s.Add("upgrades", court.Upgrade+" may replace the program, and with it every rule")
		s.Add("judges", map[bool]string{true: "those that the authority admits", false: "anyone"}[court.Listed])
		if court.Paid > 0 {
			s.Add("paid", court.Paid.String()+" of rent and fee")
		}
		if f.dry {
			return s.Write(out)
		}
		s.Add("written", f.file)
		for i, step := range court.Next(f.file) {
			s.Add(map[bool]string{true: "next"}[i == 0], step)
		}
		return s.Write(out)
	})
}

// write writes network.json. It keeps the nodes that a file of the same court names already.
func (f *founder) write(ctx context.Context, court founding.Court) error {
	old, err := client.LoadNetwork(ctx, f.file, nil)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return cli.Fail("%s is there and is no network.json: %s", f.file, cli.Plain(err)).Next("name another place with --file")
	case old.Network != court.Network.Network || old.Program != court.Network.Program:
		return cli.Fail("%s is that of another court", f.file).Next("name another place with --file")
	default:
		if len(f.bootstrap) == 0 {
			court.Network.Bootstrap = old.Bootstrap
		}
		court.Network.Faucet = court.Network.Faucet || old.Faucet
	}
	raw, err := court.Network.Encode()
	if err != nil {
		return err
	}
	return os.WriteFile(f.file, raw, 0o644) //nolint:gosec // it is for everybody
}

func newProgram(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "program FILE",
		Short: "Write the program of a court, to deploy it",
		Long: `Program writes the oju program that is in this ojud into a new file: an ELF that Solana's own
tools deploy (solana program deploy FILE). "ojud court create" founds a court on it.`,
		Example: `  ojud court program oju.so
  ojud court program /tmp/oju.so --json`,
		Args: cli.Takes(1, "a new file"),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := cli.Save(args[0], func(w io.Writer) error {
				_, err := w.Write(oju.ELF())
				return err
			}); err != nil {
				return err
			}
			done := struct {
				File   string `json:"file"`
				SHA256 string `json:"sha256"`
				Bytes  int    `json:"bytes"`
			}{args[0], founding.SHA256(), len(oju.ELF())}
			return a.Show(done, func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "%s  %d bytes, SHA-256 %s\n", done.File, done.Bytes, done.SHA256)
				return err
			})
		},
	}
}
