package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"ojud/casefile"
	"ojud/ledger/onchain"
	"ojud/node/evidence"
	"ojud/node/record"
)

// ErrNotRunning means that no node runs on the home.
var ErrNotRunning = errors.New("client: no node is running here")

// localTime bounds a request to the local node, which may have to build a case file.
const localTime = 2 * time.Minute

// Local is the node that runs on this machine.
type Local struct {
	home    string
	address string // host:port
	http    *http.Client
}

// OpenLocal finds the node that runs on a home by the file "api". It sends no request.
func OpenLocal(home string) (*Local, error) {
	raw, err := readFile(filepath.Join(home, "api"), 1<<10)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s has no file \"api\"; start the node with: ojud run --home %s", ErrNotRunning, home, home)
	}
	if err != nil {
		return nil, err
	}
	address := strings.TrimSpace(string(raw))
	if _, _, err := net.SplitHostPort(address); err != nil {
		return nil, fmt.Errorf("client: %s: %q is no host:port; start the node again", filepath.Join(home, "api"), address)
	}
	return &Local{home: home, address: address, http: &http.Client{Timeout: localTime}}, nil
}

// CaseFile returns the case file of a task from this node.
func (l *Local) CaseFile(ctx context.Context, task onchain.Address) ([]byte, error) {
	answer, raw, err := l.withKey(ctx, http.MethodGet, "/v1/cases/"+task.String()+"/file", nil, casefile.MaxBundle) //nolint:bodyclose // withKey closes it
	if err != nil {
		return nil, err
	}
	return raw, l.accept(answer, raw, casefile.MaxBundle)
}

// Complete reports whether a case is over while judges may still add to its file, and whether the
// file is complete. It is complete if each judge that revealed in the last round has recorded the
// outcome.
func (l *Local) Complete(ctx context.Context, task onchain.Address) (growing, complete bool, err error) {
	var v struct {
		Status   string `json:"status"`
		Complete bool   `json:"complete"`
		Archived bool   `json:"archived"`
	}
	if err := l.open(ctx, "/v1/cases/"+task.String(), 1<<20, &v); err != nil {
		return false, false, err
	}
	return (v.Status == "decided" || v.Status == "undecided") && !v.Archived, v.Complete, nil
}

// Await waits for a complete case file of a case that is over, for at most patience. It reports
// whether the file is complete.
func (l *Local) Await(ctx context.Context, task onchain.Address, patience time.Duration) (complete bool, err error) {
	over := time.NewTimer(patience)
	defer over.Stop()
	for {
		growing, complete, err := l.Complete(ctx, task)
		if err != nil || complete || !growing {
			return complete, err
		}
		select {
		case <-over.C:
			return false, nil
		case <-ctx.Done():
			return false, ctx.Err()
		case <-time.After(localEvery):
		}
	}
}

// localEvery is the time between two requests of Await.
const localEvery = time.Second

// Panel returns the number of independent votes that the panel of a case is worth, in the view of
// the node.
func (l *Local) Panel(ctx context.Context, task onchain.Address) (p record.PanelStatus, err error) {
	return p, l.open(ctx, "/v1/cases/"+task.String()+"/panel", 1<<20, &p)
}

// Status returns the node's status as JSON.
func (l *Local) Status(ctx context.Context) (json.RawMessage, error) {
	return l.get(ctx, "/v1/status", 4<<20)
}

// Payments returns the sums that the node earned, is owed and paid for data.
func (l *Local) Payments(ctx context.Context) (p evidence.Payments, err error) {
	return p, l.open(ctx, "/v1/payments", 16<<20, &p)
}

// open asks the node for something that needs no key, and reads the answer into a value.
func (l *Local) open(ctx context.Context, path string, limit int64, into any) error {
	raw, err := l.get(ctx, path, limit)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("client: node at %s: %w", l.address, err)
	}
	return nil
}

func (l *Local) get(ctx context.Context, path string, limit int64) ([]byte, error) {
	raw, err := get(ctx, l.http, "http://"+l.address+path, limit)
	var unreachable *net.OpError
	if errors.As(err, &unreachable) {
		return nil, fmt.Errorf("%w: nobody answers at %s, where one ran; start it with: ojud run", ErrNotRunning, l.address)
	}
	if err != nil {
		return nil, fmt.Errorf("client: node at %s: %w", l.address, err)
	}
	return raw, nil
}
