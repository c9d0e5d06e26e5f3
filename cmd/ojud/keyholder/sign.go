package keyholder

import (
	"context"
	"errors"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/config"
	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node"
	"ojud/node/client"
	"ojud/node/founding"
)

// signature is the result of sign.
type signature struct {
	File   string `json:"file"`
	Court  string `json:"court"`
	Signer string `json:"signer"`
	Power  string `json:"power"`
	Wrote  bool   `json:"wrote"`
}

func newSign(a *cli.App) *cobra.Command {
	var dry, edited bool
	var rpc string
	cmd := &cobra.Command{
		Use:   "sign FILE",
		Short: "Sign network.json, so that nobody can change it on its way to judges",
		Long: `Sign puts the signature of a key into a network.json. The key has to be the court's authority, or
the one that may replace its program: sign asks the chain. Edit the file first, if its nodes or its
RPC node change, look at all of it, and add --edited: sign refuses a file that was changed after it
was signed, because it may not have been you. An account of a multisig program cannot sign a file.
Homes take no file of the same key that was signed before the one that they have.

"ojud init", "ojud join" and the nodes refuse a file that was changed after it was signed. They say
which key signed it, and "--signed-by ADDRESS" demands one.`,
		Example: `  ojud court sign network.json --key id.json
  ojud court sign network.json --key id.json --edited
  ojud court sign network.json --key id.json --rpc https://rpc.example --dry-run`,
		Args: cli.Takes(1, "a network.json"),
		RunE: func(cmd *cobra.Command, args []string) error {
			done, err := sign(cmd.Context(), a, args[0], rpc, edited, dry)
			if err != nil {
				return err
			}
			return a.Show(done, func(w io.Writer) error {
				s := view.Sheet{{"court", done.Court}, {"signer", done.Signer + ", which " + done.Power}}
				s.Add(map[bool]string{true: "written", false: "note"}[done.Wrote], map[bool]string{true: done.File, false: "nothing was written"}[done.Wrote])
				return s.Write(w)
			})
		},
	}
	cmd.Flags().StringVar(&a.Key, "key", "", "key file of the authority, or of who may replace the program (default $OJUD_KEY)")
	cmd.Flags().StringVar(&rpc, "rpc", "", "URL or HOST:PORT of an RPC node (default that of the file)")
	cmd.Flags().BoolVar(&edited, "edited", false, "sign a file that was changed after it was signed")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "check the file and the key, and write nothing")
	return cmd
}

func sign(ctx context.Context, a *cli.App, file, rpc string, edited, dry bool) (done signature, err error) {
	raw, err := readBounded(file, node.MaxDescriptor)
	if err != nil {
		return done, err
	}
	d, err := node.ParseUnsigned(raw)
	if err != nil {
		return done, cli.Fail("%s: %s", file, cli.Plain(err)).Next("name the network.json of a court")
	}
	if _, err := node.ParseDescriptor(raw); err != nil && !edited { // all but the signature is right
		return done, cli.Fail("%s: the signature in it is not that of this text, so somebody changed it after it was signed; nothing was signed", file).
			Next("if it was you, look at all of it, and add --edited; otherwise get the signed file again")
	}
	path := cli.First(a.Key, a.Getenv(config.KeyVariable))
	if path == "" {
		return done, cli.Usage("a signature needs a key").Next("name its file with --key")
	}
	key, err := client.LoadKey(path)
	if err != nil {
		return done, err
	}
	w := founding.Wish{Ledger: ledger.DefaultConfig(), Name: d.Name, Bootstrap: d.Bootstrap, Params: program.DefaultParams(), Transport: a.Transport}
	w.Ledger.RPC = client.URL(cli.First(rpc, d.RPC))
	if near(w.Ledger.RPC) {
		w.Ledger.Calls.Rate = 0
	}
	if w.Program, err = onchain.ParseAddress(d.Program); err != nil {
		return done, err
	}
	powers, err := cli.Wait(ctx, a, "asking the chain who has a power over the court", func(ctx context.Context) (founding.Powers, error) { return founding.ReadPowers(ctx, w) })
	if err != nil {
		return done, err
	}
	done = signature{File: file, Court: d.Name, Signer: key.Address().String(), Power: powers.Of(key.Address().String()), Wrote: !dry}
	if done.Power == "" {
		return done, cli.Fail("%s has no power over the court %s; the authority is %s, and %s may replace the program", done.Signer, d.Name,
			cli.First(powers.Authority, "nobody"), cli.First(powers.Upgrade, "nobody")).Next("name the file of one of these keys with --key")
	}
	if d, err = d.SignedBy(key, time.Now()); err != nil || dry {
		return done, err
	}
	return done, publish(file, d)
}

// readBounded reads a file of at most so many bytes.
func readBounded(path string, most int64) (raw []byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	raw, err = io.ReadAll(io.LimitReader(f, most+1))
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	if int64(len(raw)) > most {
		return nil, cli.Fail("%s has more than %d bytes", path, most)
	}
	return raw, nil
}
