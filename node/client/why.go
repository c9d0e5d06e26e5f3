package client

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"

	"ojud/casefile/reading"
	"ojud/casefile/verify"
	"ojud/ledger/journal"
	"ojud/ledger/onchain"
	"ojud/node"
	"ojud/node/record"
	"ojud/node/why"
	"ojud/voting"
)

// errBusyHome means that a node runs on the home but does not answer.
var errBusyHome = errors.New("client: a node runs on this home and answers nobody")

// Why asks the node on this machine to explain what happened to a judge in a case. Zero means the
// node's own judge.
func (l *Local) Why(ctx context.Context, task, judge onchain.Address) (a why.Explanation, err error) {
	path := "/v1/cases/" + task.String() + "/why"
	if !judge.IsZero() {
		path += "?judge=" + url.QueryEscape(judge.String())
	}
	return a, l.read(ctx, http.MethodGet, path, nil, &a)
}

// Why explains what happened to a judge in a case. It asks the node that runs on the home, or reads
// the home's disk if none does. Zero means the home's judge.
func Why(ctx context.Context, home node.Home, cfg node.Config, task, judge onchain.Address, log *slog.Logger) (why.Explanation, error) {
	local, err := OpenLocal(home.Dir)
	if err == nil {
		var a why.Explanation
		if a, err = local.Why(ctx, task, judge); err == nil {
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

// errNoSeat means that a case file names no judge.
var errNoSeat = errors.New("client: no judge was drawn in this case file; name one")

// WhyFile explains from a case file what happened to a judge. Zero means the judge whose node
// exported the file, or else the first seat of the last round.
func WhyFile(path string, judge onchain.Address) (why.Explanation, error) {
	file, err := readBundle(path)
	if err != nil {
		return why.Explanation{}, err
	}
	if judge.IsZero() {
		if judge, err = judgeOf(file); err != nil {
			return why.Explanation{}, fmt.Errorf("%s: %w", path, err)
		}
	}
	return record.WhyFile(file, path, voting.Key(judge))
}

// judgeOf finds the judge whose node exported a case file, or else the judge in the first seat of
// the last round.
func judgeOf(file []byte) (onchain.Address, error) {
	r, err := reading.File(file)
	if err != nil {
		return onchain.Address{}, err
	}
	exporter, seated := verify.File(file).Exporter, onchain.Address{}
	for _, round := range slices.Backward(r.Rounds[:]) {
		if round.Draw == nil {
			continue
		}
		for _, candidate := range round.Draw.Value.Candidates {
			if candidate.Peer == exporter {
				return onchain.Address(candidate.Judge), nil
			}
			if seated.IsZero() && len(round.Draw.Value.Seats) > 0 && candidate.Index == round.Draw.Value.Seats[0] {
				seated = onchain.Address(candidate.Judge)
			}
		}
	}
	if seated.IsZero() {
		return seated, errNoSeat
	}
	return seated, nil
}
