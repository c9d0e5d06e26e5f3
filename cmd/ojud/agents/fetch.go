package agents

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ojud/agent/host/shell"
	"ojud/cmd/ojud/cli"
	"ojud/node/library"
)

// These bound a download of an agent: its time, and the addresses through which it leads.
const (
	fetchTime = time.Minute
	mostLinks = 10
)

// pinned reads the file of an agent, from an https address or from this machine, and compares its
// hash with one; "": any.
func pinned(ctx context.Context, a *cli.App, from, hash string) (raw []byte, sum string, err error) {
	switch {
	case strings.HasPrefix(from, "https://"):
		if raw, err = download(ctx, a.Transport, from); err != nil {
			return nil, "", cli.Fail("%.200s cannot be fetched: %v", from, err)
		}
	case strings.Contains(from, "://"):
		return nil, "", cli.Usage("%.200q is no file and no https address; agents come from these", from)
	default:
		if raw, err = library.ReadFile(from, shell.MaxPack); err != nil {
			return nil, "", cli.Usage("%.200s cannot be read: %v", from, err)
		}
	}
	whole := sha256.Sum256(raw)
	if sum = hex.EncodeToString(whole[:]); hash != "" && sum != strings.ToLower(hash) {
		return nil, sum, cli.Fail("%.200s has the hash %s, and not %.80s", from, sum, hash)
	}
	return raw, sum, nil
}

// left writes what was read into a file of the home, so that the host takes in just that. The home
// is a folder that both see: a service has a /tmp of its own. Removed removes the file.
func left(a *cli.App, raw []byte) (path string, removed func() error, err error) {
	home, err := a.HomeDir()
	if err == nil {
		home, err = filepath.Abs(home)
	}
	if err != nil {
		return "", nil, err
	}
	f, err := os.CreateTemp(home, ".import-*.agent")
	if err != nil {
		return "", nil, err
	}
	removed = func() error { return os.Remove(f.Name()) }
	if _, err := f.Write(raw); err != nil {
		return "", nil, errors.Join(err, f.Close(), removed())
	}
	if err := f.Close(); err != nil {
		return "", nil, errors.Join(err, removed())
	}
	return f.Name(), removed, nil
}

// download gets a file that a person named.
func download(ctx context.Context, by http.RoundTripper, from string) ([]byte, error) {
	ctx, stop := context.WithTimeout(ctx, fetchTime)
	defer stop()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, from, http.NoBody)
	if err != nil {
		return nil, err
	}
	answer, err := (&http.Client{Transport: by, CheckRedirect: func(r *http.Request, before []*http.Request) error {
		if r.URL.Scheme != "https" {
			return errors.New("it leads to an address without https")
		}
		if len(before) >= mostLinks {
			return fmt.Errorf("it leads through more than %d addresses", mostLinks)
		}
		return nil
	}}).Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the server answers with status %d", answer.StatusCode)
	}
	raw, err := io.ReadAll(io.LimitReader(answer.Body, shell.MaxPack+1))
	if len(raw) > shell.MaxPack {
		err = fmt.Errorf("it has more than %d bytes, which is the most for an agent", shell.MaxPack)
	}
	return raw, err
}
