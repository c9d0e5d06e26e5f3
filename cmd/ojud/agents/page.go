package agents

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"

	"github.com/spf13/cobra"

	"ojud/agent/host/door"
	"ojud/agent/host/shell"
	"ojud/cmd/ojud/cli"
	"ojud/node/desk"
)

// approvals are the pages on which the operator answers calls that wait.
type approvals struct {
	http.Handler
	*desk.Desk
}

// openPages has a host show the pages. Close ends them.
func openPages(server *door.Door, h *shell.Host, log *slog.Logger) (approvals, error) {
	d, err := desk.New(nil, desk.Needs{Calls: shell.WaitingOf(h), Alone: true, Plain: cli.Plain, Pages: func() string { return "" }, Log: log})
	if err != nil {
		return approvals{}, err
	}
	p := approvals{d.Handler(), d}
	server.Show(p)
	return p, nil
}

func newPage(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "page",
		Short: "Print the address of the page on which you answer calls that wait",
		Long: `Page prints an address of the running host. Open it in a browser on the same machine: it shows the
calls that wait for you, who asks, for what, what each may spend and how long you have, and takes
your yes or no. The host signs the answer with the key of its operator, as ojud agent delegation
approve does.

The address opens the page once, within five minutes. The browser then stays logged in for twelve
hours, or until the host ends. Whoever has an unused address can answer in your place, so give it
to nobody.`,
		Example: `  ojud agents page --home ~/agents
  ojud agents page --home ~/agents --json | jq -r .url`,
		Args: cli.Takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := open(a)
			if err != nil {
				return err
			}
			var at door.Invitation
			if err := c.Use(cmd.Context(), "host.page", struct{}{}, &at); err != nil {
				return explained(err)
			}
			return a.Show(at, func(w io.Writer) error {
				_, err := fmt.Fprintln(w, at.URL)
				return err
			})
		},
	}
}
