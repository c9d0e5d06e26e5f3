package api

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"

	"ojud/ledger/journal"
	"ojud/ledger/onchain"
	"ojud/node"
	"ojud/node/why"
	"ojud/voting"
)

// errBusyHome means that a node runs on the home but does not answer.
var errBusyHome = errors.New("api: a node runs on this home and answers nobody")

// Why asks the node on this machine to explain what happened to a judge in a case. Zero means the
// node's own judge.
func (n *Node) Why(ctx context.Context, task, judge onchain.Address) (a why.Explanation, err error) {
	path := "/v1/cases/" + task.String() + "/why"
	if !judge.IsZero() {
		path += "?judge=" + url.QueryEscape(judge.String())
	}
	return a, n.read(ctx, http.MethodGet, path, nil, &a)
}

// Why explains what happened to a judge in a case. It asks the node that runs on the home, or reads
// the home's disk if none does. Zero means the home's judge.
func Why(ctx context.Context, home node.Home, cfg node.Config, task, judge onchain.Address, log *slog.Logger) (why.Explanation, error) {
	running, err := Open(home.Dir)
	if err == nil {
		var a why.Explanation
		if a, err = running.Why(ctx, task, judge); err == nil {
			return a, nil
		}
	}
	if !errors.Is(err, ErrNotRunning) {
		return why.Explanation{}, err
	}
	a, err := node.WhyStopped(home, cfg, voting.Key(task), voting.Key(judge), log)
	if errors.Is(err, journal.ErrLocked) {
		return a, fmt.Errorf("%w: api.listen is off, or it is just starting or ending; try again, or ask with a case file: --file", errBusyHome)
	}
	return a, err
}
