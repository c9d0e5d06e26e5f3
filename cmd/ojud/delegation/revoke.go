package delegation

import (
	"io"
	"time"

	"github.com/spf13/cobra"

	"ojud/agent/delegation"
	"ojud/agent/delegation/keep"
	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
)

// revocation is the result of revoke.
type revocation struct {
	Revoked string               `json:"revoked"`
	By      delegation.Principal `json:"by"`
	File    string               `json:"file,omitempty"`
}

func newRevoke(a *cli.App) *cobra.Command {
	var out string
	var n int
	cmd := &cobra.Command{
		Use:   "revoke CHAIN",
		Short: "Take a delegation back",
		Long: `Revoke signs that a link of a chain is taken back, and with it all that was passed on under it. The
issuer of that link or of one before it can do so. --link counts from 1, and the default is the last
link that your key issued. A revocation cannot be undone. Give the file to each host that executes
calls for the agent, or with --home leave it at the home of one on this machine.`,
		Example: `  ojud agent delegation revoke worker.chain --out revoked.json
  ojud agent delegation revoke helper.chain --link 2 --key worker.json --home ~/alice`,
		Args: cli.Takes(1, "a file with a chain"),
		RunE: func(_ *cobra.Command, args []string) error {
			key, err := load(a)
			if err != nil {
				return err
			}
			links, err := chain(args[0])
			if err != nil {
				return err
			}
			if n == 0 {
				for i, d := range links {
					if d.Issuer == key.Principal() {
						n = i + 1
					}
				}
				if n == 0 {
					return cli.Usage("your key issued no link of %s", args[0]).Next("name the key that did with --key")
				}
			}
			inv, err := delegation.Revoke(key, links, n-1, nonce(), time.Now())
			if err != nil {
				return refused(err)
			}
			raw, err := delegation.BundleRevocation(inv, links)
			if err != nil {
				return err
			}
			if a.Home != "" {
				dir, err := folder(a)
				if err != nil {
					return err
				}
				if err := keep.Mail(dir, "r"+links[n-1].ID(), raw); err != nil {
					return err
				}
			}
			if out == "" && a.Home == "" {
				return a.Content(raw, false)
			}
			if out != "" {
				if err := cli.Save(out, func(w io.Writer) error {
					_, err := w.Write(raw)
					return err
				}); err != nil {
					return err
				}
			}
			done := revocation{links[n-1].ID(), key.Principal(), out}
			var s view.Sheet
			s.Add("revoked", done.Revoked)
			s.Add("by", done.By.String())
			s.Add("file", out)
			return a.Show(done, s.Write)
		},
	}
	cmd.Flags().IntVar(&n, "link", 0, "number of the link, from 1 (default the last one of your key)")
	cmd.Flags().StringVar(&out, "out", "", "new file for the revocation (default standard output)")
	return cmd
}
