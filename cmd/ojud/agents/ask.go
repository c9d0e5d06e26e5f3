package agents

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"time"

	"ojud/agent/host/shell"
	"ojud/cmd/ojud/cli"
	"ojud/config"
	"ojud/ledger/transact"
	"ojud/node/api"
	"ojud/node/asking"
	"ojud/node/evidence"
)

// The time of a question, as evidence.Query bounds it.
const (
	leastSeconds = 2
	mostSeconds  = evidence.MaxSeconds
)

// asker returns how agents of the host ask data sources of the court that the command names; nil if
// it names none. Each question joins the network by the agent's own key, and leaves it.
func asker(a *cli.App, log *slog.Logger) shell.AskSource {
	if cli.First(a.Network, a.Getenv(config.NetworkVariable)) == "" {
		return nil
	}
	return func(ctx context.Context, key *transact.Keypair, q shell.Question) (out json.RawMessage, err error) {
		seconds := min(max(int(q.Timeout/time.Second.Milliseconds()), leastSeconds), mostSeconds)
		raw, err := json.Marshal(evidence.Query{Source: q.Source, Request: q.Request, Case: q.Task, Holder: q.Holder, Seconds: seconds})
		if err != nil {
			return nil, err
		}
		query, only, err := evidence.ParseQuery(raw)
		if err != nil {
			return nil, err
		}
		c, err := a.OpenAs(ctx, key)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, c.Close()) }()
		domain, err := c.Network().Domain()
		if err != nil {
			return nil, err
		}
		r, err := asking.Ask(ctx, c, key, query, only, log)
		if err != nil {
			return nil, err
		}
		return json.Marshal(api.Checked(r, domain))
	}
}
