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

// fetchTime bounds a download of an agent.
const fetchTime = time.Minute

// pinned brings the file of an agent, from an https address or from this machine, and compares its
// hash with one; "": any. Removed takes back what was downloaded.
func pinned(ctx context.Context, a *cli.App, from, hash string) (path, sum string, removed func() error, err error) {
	removed = func() error { return nil }
	var raw []byte
	remote := strings.HasPrefix(from, "https://")
	switch {
	case strings.Contains(from, "://") && !remote:
		return "", "", removed, cli.Usage("%.200q is no file and no https address; agents come from these", from)
	case remote:
		raw, err = download(ctx, a.Transport, from)
	default:
		raw, err = library.ReadFile(from, shell.MaxPack)
	}
	if err != nil {
		return "", "", removed, cli.Usage("%.200s cannot be read: %v", from, err)
	}
	whole := sha256.Sum256(raw)
	if sum = hex.EncodeToString(whole[:]); hash != "" && sum != strings.ToLower(hash) {
		return "", sum, removed, cli.Fail("%.200s has the hash %s, and not %.80s", from, sum, hash)
	}
	if !remote {
		path, err = filepath.Abs(from)
		return path, sum, removed, err
	}
	f, err := os.CreateTemp("", "ojud-*.agent")
	if err != nil {
		return "", sum, removed, err
	}
	_, err = f.Write(raw)
	return f.Name(), sum, func() error { return os.Remove(f.Name()) }, errors.Join(err, f.Close())
}

// download gets a file that a person named.
func download(ctx context.Context, by http.RoundTripper, from string) ([]byte, error) {
	ctx, stop := context.WithTimeout(ctx, fetchTime)
	defer stop()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, from, http.NoBody)
	if err != nil {
		return nil, err
	}
	answer, err := (&http.Client{Transport: by, CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		if r.URL.Scheme != "https" {
			return errors.New("it leads to an address without https")
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
