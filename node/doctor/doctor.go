// Package doctor looks at everything that a judge's node needs and says what to do about what is not well: keys, disk, chain, clock, funds, stake, the
// node that runs and its peers, the home's data sources, and the models that its judge asks. It changes nothing.
//
// What a caller must do: say to whoever asks that each model is asked one tiny question, at its price, and each source one request where that can do
// no harm.
package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"time"

	"ojud/agent/judge/chair"
	"ojud/ledger/journal/durable"
	"ojud/node"
	"ojud/node/client"
	"ojud/node/sources"
)

// Deps are what a doctor may need besides.
type Deps struct {
	Node node.Deps
	Log  *slog.Logger // what upstreams and models say; nil: silence
}

const (
	roomLeast   = 1 << 30          // bytes that the disk should have: case files and content of busy weeks
	sourceTime  = 30 * time.Second // for one source
	modelTime   = time.Minute      // for one model
	modelsShare = 4                // an opinion asks a model several times, so one answer may take this part of the time to commit
)

// Examine looks at everything. The error is ctx's, or that of settings that nobody could use; what is wrong is in the findings.
func Examine(ctx context.Context, home node.Home, cfg node.Config, d Deps) ([]node.Finding, error) {
	out := []node.Finding{keys(home), disk(home)}
	rest, err := node.Check(ctx, home, cfg, d.Node)
	if err != nil {
		return out, err
	}
	out = append(append(out, rest...), running(ctx, home))
	tried, err := trySources(ctx, home, cfg, d)
	if err != nil {
		return out, err
	}
	out = append(append(out, tried...), remembered(ctx, home, cfg)...)
	models, err := models(ctx, home, cfg, d)
	return append(out, models...), errors.Join(err, ctx.Err())
}

// keys: OpenHome has seen to it that they are whole, fit each other, and are the owner's alone.
func keys(home node.Home) node.Finding {
	return node.Finding{Name: "keys", OK: true, Detail: "those of the judge " + home.Keys.Authority.Address().String() + "; have you a backup of node.key and authority.json?"}
}

// disk: a node that cannot write does not vote.
func disk(home node.Home) node.Finding {
	free, err := durable.Free(home.Dir)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return node.Finding{Name: "disk", OK: true, Detail: "how much room there is cannot be told on this system"}
	case err != nil:
		return node.Finding{Name: "disk", Detail: err.Error(), Next: "see that the home is on a disk that is mounted"}
	case free < roomLeast:
		return node.Finding{Name: "disk", Detail: fmt.Sprintf("%d MiB are free; a node that cannot write does not vote", free>>20),
			Next: fmt.Sprintf("make room: %d MiB at least", roomLeast>>20)}
	}
	return node.Finding{Name: "disk", OK: true, Detail: fmt.Sprintf("%d MiB are free", free>>20)}
}

// running asks the node that runs on the home how it is.
func running(ctx context.Context, home node.Home) node.Finding {
	l, err := client.OpenLocal(home.Dir)
	if err != nil {
		return node.Finding{Name: "node", Detail: "no node runs on this home", Next: "ojud run --home " + home.Dir}
	}
	raw, err := l.Status(ctx)
	if err != nil {
		return node.Finding{Name: "node", Detail: "no node answers at the address in the file api", Next: "ojud run --home " + home.Dir}
	}
	var s node.Status
	if err := json.Unmarshal(raw, &s); err != nil {
		return node.Finding{Name: "node", Detail: "what answers at the address in the file api is no node of this version", Next: "start it again"}
	}
	f := node.Finding{Name: "node", OK: s.Peers > 0 && len(s.Problems) == 0, Detail: fmt.Sprintf("it runs, with %d peers and %d judges known", s.Peers, s.Registered)}
	if s.Peers == 0 {
		f.Next = "see that this machine reaches those in the bootstrap list of network.json, and they it"
	}
	for _, p := range s.Problems {
		f.Detail += "; " + p
	}
	return f
}

// trySources tries each source of the home.
func trySources(ctx context.Context, home node.Home, cfg node.Config, d Deps) (out []node.Finding, err error) {
	rpc := cfg.Ledger.RPC
	if rpc == "" {
		rpc = home.Descriptor.RPC
	}
	s, err := sources.New(cfg.Sources, sources.Deps{Dir: home.Dir, RPC: rpc, Log: d.Log})
	if err != nil {
		return nil, err
	}
	list, err := s.List()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, line := range list {
		f := node.Finding{Name: "source " + line.Name, OK: line.OK, Detail: "its file can be used"}
		if !line.OK {
			f.Detail, f.Next = line.Problem, "mend "+filepath.Clean(line.File)+", or: ojud source remove "+line.Name
		} else {
			f = try(ctx, s, line, f)
		}
		out = append(out, f)
	}
	return out, nil
}

func try(ctx context.Context, s *sources.Home, line sources.Listing, f node.Finding) node.Finding {
	ctx, cancel := context.WithTimeout(ctx, sourceTime)
	defer cancel()
	t, err := s.Test(ctx, line.Name, nil)
	switch {
	case err != nil:
		f.OK, f.Detail, f.Next = false, err.Error(), "ojud source test "+line.Name
	case !t.OK:
		f.OK, f.Detail, f.Next = false, t.Problem, "ojud source test "+line.Name
	case t.Asked == sources.AskedAnswer:
		f.Detail = fmt.Sprintf("it answered in %d ms", t.Millis)
	case t.Asked == sources.AskedServer:
		f.Detail = fmt.Sprintf("its server is there, after %d ms", t.Millis)
	}
	return f
}

// models asks each model of the judge something tiny.
func models(ctx context.Context, home node.Home, cfg node.Config, d Deps) (out []node.Finding, err error) {
	seat, err := chair.Fill(chair.Config{Judge: cfg.Judge, Models: cfg.Models}, chair.Deps{Dir: home.Dir, Log: d.Log})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, seat.Close()) }()
	ctx, cancel := context.WithTimeout(ctx, modelTime*time.Duration(max(1, len(cfg.Models.Models))))
	defer cancel()
	for _, r := range seat.Probe(ctx) {
		f := node.Finding{Name: "model " + r.Name, OK: r.Err == nil, Detail: fmt.Sprintf("it answered in %s", r.Took.Round(time.Millisecond))}
		switch {
		case r.Err != nil:
			f.Detail, f.Next = r.Fault, "see that its server runs, that models.list has its url, model and key, and that it may answer in JSON"
		case r.Took > commitTime/modelsShare:
			f.OK, f.Next = false, "it is too slow for a round: a judge asks several times in its time to commit; take a smaller model, or fewer judge.reasoning.samples"
		}
		out = append(out, f)
	}
	return out, nil
}

// commitTime is a round's time to commit, as the main network has it.
const commitTime = 420 * time.Second
