package browse

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"ojud/casefile"
	"ojud/cmd/ojud/cli"
	"ojud/node/console"
)

// isFile reports whether an argument names a file rather than a task.
func isFile(arg string) bool {
	info, err := os.Stat(arg)
	return err == nil && info.Mode().IsRegular()
}

// serveTime bounds reading a request and writing its answer.
const serveTime = 30 * time.Second

// play serves the replay of a case file on this machine until ctx ends.
func play(ctx context.Context, a *cli.App, path string, printOnly bool) (err error) {
	raw, err := readCase(path)
	if err != nil {
		return err
	}
	p, err := console.Play(raw, filepath.Base(path), slog.New(slog.DiscardHandler))
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

// readCase reads a case file of at most the size that one may have.
func readCase(path string) (raw []byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return casefile.ReadBundle(f)
}
