package browse

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/node/client/offline"
	"ojud/node/console"
)

// IsFile reports whether an argument names a file rather than a task.
func IsFile(arg string) bool {
	info, err := os.Stat(arg)
	return err == nil && info.Mode().IsRegular()
}

// serveTime bounds reading a request and writing its answer.
const serveTime = 30 * time.Second

// Serve returns the command "case serve".
func Serve(a *cli.App) *cobra.Command {
	printOnly := false
	cmd := &cobra.Command{
		Use:   "serve FILE",
		Short: "Show a case file step by step in a browser, and verify it",
		Long: `Serve shows a case file in the browser of this machine, verified, step by step, until you stop
it. It needs no node and no network. "ojud open FILE" does the same. Of a page of "ojud case export
--html" it shows the case, and says at the top whether the page is as this release writes it.

Use it for files that are too large for a page of "ojud case export --html".`,
		Example: `  ojud case serve 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2.case.json
  ojud case serve case.html --print`,
		Args: cli.Takes(1, "a case file"),
		RunE: func(cmd *cobra.Command, args []string) error { return play(cmd.Context(), a, args[0], printOnly) },
	}
	cmd.Flags().BoolVar(&printOnly, "print", false, "print the address and open nothing")
	return cmd
}

// play serves the replay of a case file on this machine until ctx ends.
func play(ctx context.Context, a *cli.App, path string, printOnly bool) (err error) {
	raw, err := offline.Read(path)
	if err != nil {
		return err
	}
	found, err := offline.CheckPage(path)
	if err != nil {
		return err
	}
	var around *console.Around
	if found != nil {
		around = &console.Around{Same: found.OK(), Unknown: found.Unknown != "", Words: found.Words() + "."}
		if !around.Same {
			if _, err := fmt.Fprintln(a.Err, view.Wrap(view.Escape(path+": "+found.Heading()+found.Words()), 0)); err != nil {
				return err
			}
		}
	}
	p, err := console.Play(raw, filepath.Base(path), around, slog.New(slog.DiscardHandler))
	if err != nil {
		return cli.Fail("%s cannot be played: %v", path, err).Next("see: ojud case verify " + path)
	}
	var sockets net.ListenConfig
	listener, err := sockets.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: p.Handler(), ReadTimeout: serveTime, WriteTimeout: serveTime, MaxHeaderBytes: 16 << 10}
	closed := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() { closed <- server.Close() })
	defer stop()
	a.Stays.Store(true)
	if err := show(ctx, a, "http://"+listener.Addr().String()+"/?step=0", printOnly); err != nil {
		return errors.Join(err, listener.Close())
	}
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-closed
}
