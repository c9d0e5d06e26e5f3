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
	"ojud/node/status"
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
	return &Local{home: home, address: address, http: &http.Client{}}, nil
}

// CaseFile returns the case file of a task from this node.
func (l *Local) CaseFile(ctx context.Context, task onchain.Address) ([]byte, error) {
	return l.ask(ctx, http.MethodGet, "/v1/cases/"+task.String()+"/file", nil, casefile.MaxBundle)
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
	if err := l.read(ctx, http.MethodGet, "/v1/cases/"+task.String(), nil, &v); err != nil {
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
	return p, l.read(ctx, http.MethodGet, "/v1/cases/"+task.String()+"/panel", nil, &p)
}

// Status returns the node's status as JSON.
func (l *Local) Status(ctx context.Context) (json.RawMessage, error) {
	return l.ask(ctx, http.MethodGet, "/v1/status", nil, maxAnswer)
}

// judging returns what the node's judge did with its cases, and its address.
func (l *Local) judging(ctx context.Context) (j status.Judging, judge string, err error) {
	var v struct {
		Judge   string         `json:"judge"`
		Judging status.Judging `json:"judging"`
	}
	err = l.read(ctx, http.MethodGet, "/v1/status", nil, &v)
	return v.Judging, v.Judge, err
}

// Payments returns the sums that the node earned, is owed and paid for data.
func (l *Local) Payments(ctx context.Context) (p evidence.Payments, err error) {
	return p, l.read(ctx, http.MethodGet, "/v1/payments", nil, &p)
}
