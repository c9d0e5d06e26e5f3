package keyholder

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/config"
	"ojud/ledger"
	"ojud/ledger/journal/durable"
	"ojud/ledger/law"
	"ojud/ledger/program"
	"ojud/ledger/transact"
	"ojud/node"
	"ojud/node/client"
	"ojud/node/founding"
	oju "ojud/programs/oju"
)

// founder has the flags of create.
type founder struct {
	*cli.App
	rpc, ws, payer, program, programKey, name, file, rules, fee string
	values, bootstrap                                           []string
	room                                                        int
	listed, faucet, dry, refund                                 bool
}

func newCreate(a *cli.App) *cobra.Command {
	f := &founder{App: a}
	cmd := &cobra.Command{
		Use:   "create --rpc URL --payer FILE",
		Short: "Deploy the program of a court, and found the court",
		Long: `Create founds a court on any Solana cluster: it deploys the program that is in this ojud, sends the
first rules, and writes network.json, by which others find the court. The key of --payer pays. It
may upgrade the program afterwards, and has the authority over the rules.

Look first with --dry-run: it checks every value, says what it costs, and sends and writes nothing.
The rent of the program comes first; on a public cluster it is about 3 SOL, and the program is
written in about 350 transactions. If create stops or is killed, type the same again: it finds what
is paid and written, and goes on. --refund gives the rent of an unfinished program back instead;
with --dry-run it only says how much that is.

The program's address is that of the key in --program-key, which create makes if the file is not
there. Keep that file until the court stands. --program founds the court on a program that is
deployed already, and compares it byte for byte.

A court that stands is told and not changed, and network.json is written again, for example with
--bootstrap. Create fails if the court that stands has another authority, is not listed although
--listed is given, or has other rules. Everybody reads the URL of --rpc in network.json, so a URL
with a private key in it should be replaced there.

Values of --set are written as people do: 1.5sol, 90s, 8h, 0.5%, a number. "ojud court rules" lists
the names. A file of --rules has one NAME=VALUE on each line; # begins a comment. Later they change
only with notice (ojud court rules propose).`,
		Example: `  ojud court create --rpc http://127.0.0.1:8899 --payer id.json --name my-court --dry-run
  ojud court create --rpc http://127.0.0.1:8899 --payer id.json --name my-court --rules rules.txt
  ojud court create --rpc https://api.devnet.solana.com --program ADDRESS --payer id.json \
      --set min_stake=2sol --set panel_seats=7 --file network.json`,
		Args: cli.Takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context()) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.rpc, "rpc", "", "URL or HOST:PORT of a Solana RPC node of the cluster")
	flags.StringVar(&f.ws, "ws", "", "URL of its websocket (default that beside --rpc)")
	flags.StringVar(&f.payer, "payer", "", "key file that pays, and may upgrade the program (default $OJUD_KEY)")
	flags.StringVar(&f.payer, "key", "", "the same as --payer")
	flags.StringVar(&f.program, "program", "", "address of a program that is deployed already")
	flags.StringVar(&f.programKey, "program-key", "", "key file of the program's address (default program.json beside --file)")
	flags.IntVar(&f.room, "room", 64, "KiB by which later versions of the program may be larger")
	flags.StringVar(&f.name, "name", "court", "name of the court: a-z, 0-9 and -, at most 32")
	flags.StringVar(&f.file, "file", "network.json", "where network.json is written")
	flags.StringVar(&f.rules, "rules", "", "file with one NAME=VALUE of the rules on each line")
	flags.StringArrayVar(&f.values, "set", nil, "NAME=VALUE of the rules (repeat for more)")
	flags.StringArrayVar(&f.bootstrap, "bootstrap", nil, "address of a node that others find first (repeat for more)")
	flags.StringVar(&f.fee, "priority-fee", "auto", "micro-lamports a compute unit, or auto for what others pay")
	flags.BoolVar(&f.listed, "listed", false, "only judges that the authority admits may join")
	flags.BoolVar(&f.faucet, "faucet", false, "the cluster gives SOL away (requestAirdrop)")
	flags.BoolVar(&f.dry, "dry-run", false, "show what it would do and cost, and send and write nothing")
	flags.BoolVar(&f.refund, "refund", false, "give the rent of an unfinished program back, and found nothing")
	return cmd
}

// mostRules bounds a file of rules in bytes.
const mostRules = 64 << 10

// readRules returns the values in the file of --rules.
func readRules(path string) (out []string, err error) {
	raw, err := readBounded(path, mostRules)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(raw)) {
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out, nil
}

// wish reads the flags.
func (f *founder) wish() (w founding.Wish, err error) {
	w = founding.Wish{Name: f.name, Listed: f.listed, Bootstrap: f.bootstrap, Faucet: f.faucet, Params: program.DefaultParams(), Ledger: ledger.DefaultConfig(), Transport: f.Transport}
	switch {
	case f.rpc == "":
		return w, cli.Usage("a court needs --rpc").Next("see: ojud court create --help")
	case f.program != "" && f.programKey != "":
		return w, cli.Usage("--program names a program that is deployed already, and --program-key one that is not").Next("leave one of them out")
	case f.room < 0 || f.room > 8<<10:
		return w, cli.Usage("--room %d is not between 0 and 8192 KiB", f.room)
	}
	w.Ledger.RPC, w.Ledger.WS, w.Ledger.Send.PriorityFee = client.URL(f.rpc), f.ws, f.fee
	if near(w.Ledger.RPC) {
		w.Ledger.Calls.Rate = 0
	}
	if w.Program, err = cli.Address("--program", f.program); err != nil {
		return w, err
	}
	values := f.values
	if f.refund { // which needs no rules
		values = nil
	} else if f.rules != "" {
		file, err := readRules(f.rules)
		if err != nil {
			return w, cli.Fail("--rules: %v", err)
		}
		values = append(file, values...)
	}
	if len(values) > 0 {
		set, err := parseAll(values)
		if err != nil {
			return w, err
		}
		for _, one := range set {
			if w.Params, err = w.Params.With(one.Name, one.Value); err != nil {
				return w, law.Bound(w.Params, err)
			}
		}
	}
	path := cmp.Or(f.payer, f.Getenv(config.KeyVariable))
	if path == "" && f.dry && f.program != "" && !f.refund {
		return w, nil
	}
	if path == "" {
		return w, cli.Usage("a court needs the key that pays, and may upgrade the program").Next("name its file with --payer")
	}
	w.Key, err = client.LoadKey(path)
	return w, err
}

// near reports whether the RPC node is on this machine, which bounds no requests.
func near(rpc string) bool {
	u, err := url.Parse(rpc)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// address reads the key of the program's address, or makes it. A dry run makes no file.
func (f *founder) address() (key *client.Keypair, path string, err error) {
	path = cmp.Or(f.programKey, filepath.Join(filepath.Dir(f.file), "program.json"))
	if f.dry {
		if key, err = client.LoadKey(path); errors.Is(err, fs.ErrNotExist) {
			key, err = transact.NewKeypair(rand.Reader)
		}
		return key, path, err
	}
	key, created, err := client.LoadOrCreateKey(path)
	if err == nil && created && !f.Quiet {
		_, err = fmt.Fprintf(f.Err, "made %s, the key of the program's address; keep it until the court stands\n", path)
	}
	return key, path, err
}

func (f *founder) run(ctx context.Context) error {
	w, err := f.wish()
	if err != nil {
		return err
	}
	if f.refund {
		return f.giveBack(ctx, w)
	}
	old, err := f.former(ctx) // before anything is paid
	if err != nil {
		return err
	}
	if f.program == "" {
		there, err := f.deploy(ctx, &w, old)
		if err != nil || f.dry && !there {
			return err
		}
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
		if err := f.write(ctx, &court, w.Key); err != nil {
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
		s.Add("signed", cmp.Or(court.Network.Signer(), "by nobody; its authority signs it with: ojud court sign "+f.file))
		for i, step := range court.Next(f.file) {
			s.Add(map[bool]string{true: "next"}[i == 0], step)
		}
		return s.Write(out)
	})
}

// giveBack takes the rent of an unfinished program back, or says how much it is.
func (f *founder) giveBack(ctx context.Context, w founding.Wish) error {
	back, err := cli.Wait(ctx, f.App, "closing the buffer", func(ctx context.Context) (client.Lamports, error) { return founding.Refund(ctx, w, f.dry) })
	if err != nil {
		return err
	}
	if f.dry {
		return f.Show(struct {
			Held client.Lamports `json:"held"`
		}{back}, view.Sheet{{"held", back.String() + " would come back"}}.Write)
	}
	return f.Show(struct {
		Refunded client.Lamports `json:"refunded"`
	}{back}, view.Sheet{{"refunded", back.String()}}.Write)
}

// deploy deploys the program, or shows what that would cost. It reports whether the program is
// there.
func (f *founder) deploy(ctx context.Context, w *founding.Wish, old *node.Descriptor) (bool, error) {
	key, path, err := f.address()
	if err != nil {
		return false, err
	}
	w.Program = key.Address()
	if old != nil && old.Program != w.Program.String() {
		return false, f.another()
	}
	d := founding.Deployment{Key: key, Room: f.room << 10}
	cost, err := cli.Wait(ctx, f.App, "looking at the cluster", func(ctx context.Context) (founding.Cost, error) { return founding.Estimate(ctx, *w, d) })
	if err != nil || cost.Deployed {
		return cost.Deployed, err
	}
	if f.dry {
		return false, f.Show(cost, func(out io.Writer) error {
			s := costSheet(cost)
			if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
				s[1][1] = "at an address that is made into " + path
			}
			return s.Write(out)
		})
	}
	if !f.Quiet && cost.Missing == 0 {
		if err := costSheet(cost).Write(f.Err); err != nil {
			return false, err
		}
	}
	told := f.Progress()
	before := cost
	after, err := founding.Deploy(ctx, *w, d, func(what string, over, all int) {
		told("%s: %d of %d transactions are left", what, all-over, before.Transactions)
	})
	if err != nil {
		return false, err
	}
	if !f.Quiet {
		_, err = fmt.Fprintf(f.Err, "the program is deployed at %s and cost %s\n", after.Program, before.Balance-min(after.Balance, before.Balance))
	}
	return true, err
}

func costSheet(c founding.Cost) view.Sheet {
	s := view.Sheet{{"court", "would be founded on a new program"}, {"program", c.Program}}
	s.Add("transactions", fmt.Sprintf("%d for the program and 1 for the court", c.Transactions))
	s.Add("rent", c.Rent.String()+" of the program, which stays as long as the program")
	s.Add("court", c.Court.String()+" of rent and fee for the court")
	s.Add("fees", c.Fees.String()+", and priority fees if the cluster is busy")
	if c.Held > 0 {
		s.Add("paid", c.Held.String()+" of it was paid by an earlier try, and counts")
	}
	s.Add("balance", c.Balance.String())
	if c.Missing > 0 {
		s.Add("missing", c.Missing.String()+"; send it to the key that pays")
	}
	return s
}

// former reads the file that is where network.json shall be. It is nil if there is none.
func (f *founder) former(ctx context.Context) (*node.Descriptor, error) {
	old, err := client.LoadNetwork(ctx, f.file, nil)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, cli.Fail("%s is there and is no network.json: %s", f.file, cli.Plain(err)).Next("name another place with --file")
	}
	return &old, nil
}

// write writes network.json. It keeps the nodes that a file of the same court names already.
func (f *founder) write(ctx context.Context, court *founding.Court, key *client.Keypair) error {
	old, err := f.former(ctx)
	if err != nil {
		return err
	}
	if old != nil {
		if old.Network != court.Network.Network || old.Program != court.Network.Program {
			return f.another()
		}
		if len(f.bootstrap) == 0 {
			court.Network.Bootstrap = old.Bootstrap
		}
		court.Network.Faucet, court.Network.Issued = court.Network.Faucet || old.Faucet, old.Issued
	}
	if powers := (founding.Powers{Authority: court.Authority, Upgrade: court.Upgrade}); key != nil && powers.Of(key.Address().String()) != "" {
		if court.Network, err = court.Network.SignedBy(key, time.Now()); err != nil {
			return err
		}
	}
	return publish(f.file, court.Network)
}

// publish writes network.json, for everybody.
func publish(file string, d node.Descriptor) error {
	raw, err := d.Encode()
	if err != nil {
		return err
	}
	if err := durable.WriteFile(file, raw); err != nil {
		return err
	}
	return os.Chmod(file, 0o644) //nolint:gosec // it is for everybody
}

// another is the error for a network.json of another court.
func (f *founder) another() error {
	return cli.Fail("%s is that of another court", f.file).Next("name another place with --file")
}

func newProgram(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "program FILE",
		Short: "Write the program of a court into a file, to deploy it with other tools",
		Long: `Program writes the oju program that is in this ojud into a new file: an ELF that Solana's own
tools deploy (solana program deploy FILE). "ojud court create" deploys it by itself.`,
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
