// Package api asks the node that runs on this machine. It finds the node by its home, and sends
// requests to the node's API with the key of that home.
//
// The package trusts the node of its own machine, but bounds its answers. It checks what the node
// got from others itself: Query checks the receipts of holders. Errors are sentences for users.
package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
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
var ErrNotRunning = errors.New("api: no node is running here")

// askTime bounds a request to the local node, which may have to build a case file.
const askTime = 2 * time.Minute

// Node is the node that runs on this machine.
type Node struct {
	home    string
	address string // host:port
	http    *http.Client
}

// Open finds the node that runs on a home by the file "api". It sends no request.
func Open(home string) (*Node, error) {
	raw, err := os.ReadFile(filepath.Join(home, "api"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s has no file \"api\"; start the node with: ojud run --home %s", ErrNotRunning, home, home)
	}
	if err != nil {
		return nil, err
	}
	address := strings.TrimSpace(string(raw))
	if _, _, err := net.SplitHostPort(address); err != nil {
		return nil, fmt.Errorf("api: %s: %q is no host:port; start the node again", filepath.Join(home, "api"), address)
	}
	return &Node{home: home, address: address, http: &http.Client{}}, nil
}

// URL returns the address of the node's pages, which it shows to this machine.
func (n *Node) URL() string { return "http://" + n.address }

// CaseFile returns the case file of a task from this node.
func (n *Node) CaseFile(ctx context.Context, task onchain.Address) ([]byte, error) {
	return n.ask(ctx, http.MethodGet, "/v1/cases/"+task.String()+"/file", nil, casefile.MaxBundle)
}

// Complete reports whether a case is over while judges may still add to its file, and whether the
// file is complete. It is complete if each judge that revealed in the last round has recorded the
// outcome.
func (n *Node) Complete(ctx context.Context, task onchain.Address) (growing, complete bool, err error) {
	var v struct {
		Status   string `json:"status"`
		Complete bool   `json:"complete"`
		Archived bool   `json:"archived"`
	}
	if err := n.read(ctx, http.MethodGet, "/v1/cases/"+task.String(), nil, &v); err != nil {
		return false, false, err
	}
	return (v.Status == "decided" || v.Status == "undecided") && !v.Archived, v.Complete, nil
}

// Await waits for a complete case file of a case that is over, for at most patience. It reports
// whether the file is complete.
func (n *Node) Await(ctx context.Context, task onchain.Address, patience time.Duration) (complete bool, err error) {
	over := time.NewTimer(patience)
	defer over.Stop()
	for {
		growing, complete, err := n.Complete(ctx, task)
		if err != nil || complete || !growing {
			return complete, err
		}
		select {
		case <-over.C:
			return false, nil
		case <-ctx.Done():
			return false, ctx.Err()
		case <-time.After(awaitEvery):
		}
	}
}

// awaitEvery is the time between two requests of Await.
const awaitEvery = time.Second

// Panel returns the number of independent votes that the panel of a case is worth, in the view of
// the node.
func (n *Node) Panel(ctx context.Context, task onchain.Address) (p record.PanelStatus, err error) {
	return p, n.read(ctx, http.MethodGet, "/v1/cases/"+task.String()+"/panel", nil, &p)
}

// Status returns the node's status as JSON.
func (n *Node) Status(ctx context.Context) (json.RawMessage, error) {
	return n.ask(ctx, http.MethodGet, "/v1/status", nil, maxAnswer)
}

// Judging returns what the node's judge did with its cases, and its address.
func (n *Node) Judging(ctx context.Context) (j status.Judging, judge string, err error) {
	var v struct {
		Judge   string         `json:"judge"`
		Judging status.Judging `json:"judging"`
	}
	err = n.read(ctx, http.MethodGet, "/v1/status", nil, &v)
	return v.Judging, v.Judge, err
}

// Payments returns the sums that the node earned, is owed and paid for data.
func (n *Node) Payments(ctx context.Context) (p evidence.Payments, err error) {
	return p, n.read(ctx, http.MethodGet, "/v1/payments", nil, &p)
}
