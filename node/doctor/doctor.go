// Package doctor looks at everything that a judge's node needs and says how to fix each fault:
// keys, disk, ports, chain, clock, funds, stake, the running node and its peers, the home's data
// sources, and the models of its judge. It changes nothing.
//
// A caller should tell its user that each model gets one tiny question, at its price, and each
// source one request if that can do no harm.
package doctor

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ojud/agent/judge"
	"ojud/agent/judge/chair"
	"ojud/agent/judge/memory"
	"ojud/casefile"
	"ojud/ledger/journal/durable"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node"
	"ojud/node/api"
	"ojud/node/founding"
	"ojud/node/sources"
	"ojud/node/status"
	"ojud/p2p/reach"
	"ojud/sandbox"
)

// Deps are further dependencies of a doctor.
type Deps struct {
	Node node.Deps
	Log  *slog.Logger // gets the log of upstreams and models; nil discards it
}

const (
	roomLeast   = 1 << 30          // bytes that the disk should have: case files and content of busy weeks
	chainTime   = 8 * time.Second  // for one call to the chain with all its attempts, because a person waits
	sourceTime  = 30 * time.Second // for one source
	modelTime   = time.Minute      // for one model
	modelsShare = 4                // an opinion asks a model several times, so one answer may take this part of the time to commit
)

// Examine looks at everything and passes each finding to say as soon as it is known. It returns the
// error of ctx, of say, or of unusable settings. Problems of the node are in the findings.
func Examine(ctx context.Context, home node.Home, cfg node.Config, d Deps, say func(status.Finding) error) error {
	first := append([]status.Finding{keys(home), Disk(home), python()}, running(ctx, home, cfg)...)
	for _, f := range first {
		if err := say(f); err != nil {
			return err
		}
	}
	for _, look := range []func(context.Context, node.Home, node.Config, Deps, func(status.Finding) error) error{
		Chain, trySources, tryMemory, Models,
	} {
		if err := errors.Join(look(ctx, home, cfg, d, say), ctx.Err()); err != nil {
			return err
		}
	}
	return nil
}

// Chain looks at chain, clock, funds and stake. It gives up on a dead RPC node earlier than a
// running node does.
func Chain(ctx context.Context, home node.Home, cfg node.Config, d Deps, say func(status.Finding) error) error {
	calls := &cfg.Ledger.Calls
	calls.Patience, calls.Timeout = min(calls.Patience, chainTime), min(calls.Timeout, chainTime)
	found, err := node.Check(ctx, home, cfg, d.Node)
	for _, f := range found {
		if said := say(f); said != nil {
			return said
		}
	}
	if err != nil {
		return err
	}
	return say(signature(ctx, home, cfg, d))
}

// signature says who signed network.json.
func signature(ctx context.Context, home node.Home, cfg node.Config, d Deps) status.Finding {
	court := home.Descriptor
	w := founding.Wish{Ledger: cfg.Ledger, Name: court.Name, Bootstrap: court.Bootstrap, Params: program.DefaultParams(), Transport: d.Node.Transport}
	w.Ledger.RPC, w.Ledger.Told = cmp.Or(cfg.Ledger.RPC, court.RPC), cfg.Ledger.RPC == ""
	var err error
	if w.Program, err = onchain.ParseAddress(court.Program); err != nil {
		return status.Finding{Name: "signature", Detail: err.Error()} // OpenHome has checked it
	}
	return founding.Signature(ctx, w, court)
}

// keys reports the keys. OpenHome has checked that they are whole, fit each other, and belong to
// the owner alone.
func keys(home node.Home) status.Finding {
	return status.Finding{Name: "keys", OK: true,
		Detail: fmt.Sprintf("those of the judge %s; keep a backup of node.key and authority.json", home.Keys.Authority.Address())}
}

// Disk reports the room on the disk: a node that cannot write does not vote.
func Disk(home node.Home) status.Finding {
	free, err := durable.Free(home.Dir)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return status.Finding{Name: "disk", OK: true, Detail: "this system does not tell how much room there is"}
	case err != nil:
		return status.Finding{Name: "disk", Detail: err.Error(), Next: "check that the disk of the home is mounted"}
	case free < roomLeast:
		return status.Finding{Name: "disk", Detail: fmt.Sprintf("%d MiB are free; a node that cannot write does not vote", free>>20),
			Next: fmt.Sprintf("free at least %d MiB", roomLeast>>20)}
	}
	return status.Finding{Name: "disk", OK: true, Detail: fmt.Sprintf("%d MiB are free", free>>20)}
}

// python reports whether checks in Python can be made.
func python() status.Finding {
	if _, err := sandbox.PythonHere(); err != nil {
		return status.Finding{Name: "python", OK: true, Notice: true, Detail: "CPython is not here, so that this judge leaves checks in Python open", Next: "ojud check python --help"}
	}
	return status.Finding{Name: "python", OK: true, Detail: "CPython is here for checks in Python"}
}

// running asks the node that runs on the home for its state. If none runs, it checks the ports that
// one would need.
func running(ctx context.Context, home node.Home, cfg node.Config) []status.Finding {
	next := "ojud run --home " + home.Dir
	l, err := api.Open(home.Dir)
	if err != nil {
		return append([]status.Finding{{Name: "node", Detail: "no node runs on this home", Next: next}}, Ports(ctx, cfg)...)
	}
	raw, err := l.Status(ctx)
	if err != nil {
		return append([]status.Finding{{Name: "node", Detail: "no node answers at the address in the file api", Next: next}}, Ports(ctx, cfg)...)
	}
	var s status.Status
	if err := json.Unmarshal(raw, &s); err != nil {
		return []status.Finding{{Name: "node", Detail: "another version of ojud, or another program, answers at the address in the file api", Next: "stop it, then: " + next}}
	}
	f := status.Finding{Name: "node", OK: s.Peers > 0 && len(s.Problems) == 0, Detail: fmt.Sprintf("it runs, with %d peers and %d judges with a stake known", s.Peers, s.Registered)}
	if s.Peers == 0 {
		f.Next = "check that this machine reaches the bootstrap addresses of network.json, and that they reach it"
	}
	for _, p := range s.Problems {
		f.Detail += "; " + p
	}
	found := []status.Finding{f, access(s.Way)}
	if s.Way.Carries != "" {
		found = append(found, status.Finding{Name: "relay", OK: true, Detail: strings.TrimSuffix(s.Way.Carries, ".") + "; p2p.reach.relay.on=false turns it off"})
	}
	return append(found, status.Checker{Content: func() status.Content { return s.Content }}.Room())
}

// access says how others reach the node.
func access(a reach.Way) status.Finding {
	next := a.Advice()
	return status.Finding{Name: "reach", OK: !a.Closed(), Notice: next != "" && !a.Closed(), Detail: strings.TrimSuffix(a.How, "."), Next: next}
}

// trySources tries each source of the home.
func trySources(ctx context.Context, home node.Home, cfg node.Config, d Deps, say func(status.Finding) error) error {
	s, err := sources.New(cfg.Sources, sources.Deps{Dir: home.Dir, RPC: cmp.Or(cfg.Ledger.RPC, home.Descriptor.RPC), Log: d.Log})
	if err != nil {
		return err
	}
	list, err := s.List()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, line := range list {
		f := status.Finding{Name: "source " + line.Name, OK: line.OK}
		if !line.OK {
			f.Detail, f.Next = line.Problem, "fix "+filepath.Clean(line.File)+", or: ojud source remove "+line.Name
		} else {
			f = try(ctx, s, line, f)
		}
		if err := errors.Join(ctx.Err(), say(f)); err != nil {
			return err
		}
	}
	return nil
}

// try asks a source once. If there is no harmless request, it checks that the source's target
// exists.
func try(ctx context.Context, s *sources.Home, line sources.Listing, f status.Finding) status.Finding {
	ctx, cancel := context.WithTimeout(ctx, sourceTime)
	defer cancel()
	t, err := s.Test(ctx, line.Name, nil)
	next := "ojud source test " + line.Name
	switch {
	case err != nil:
		f.OK, f.Detail, f.Next = false, err.Error(), next
	case !t.OK:
		f.OK, f.Detail, f.Next = false, t.Problem, next
	case t.Asked == sources.AskedAnswer:
		f.Detail = fmt.Sprintf("it answered in %d ms", t.Millis)
	case t.Asked == sources.AskedServer:
		f.Detail = fmt.Sprintf("its server is there, after %d ms", t.Millis)
	default:
		f.Detail = "its settings and what it reads are there, but it was not asked, because no harmless request could be made up: try one with " + next + " JSON"
		if err := s.Reach(ctx, line.Name); err != nil {
			f.OK, f.Detail, f.Next = false, err.Error(), next
		}
	}
	return f
}

// Models asks each model of the judge a tiny question.
func Models(ctx context.Context, home node.Home, cfg node.Config, d Deps, say func(status.Finding) error) (err error) {
	seat, err := chair.Fill(chair.Config{Judge: cfg.Judge, Models: cfg.Models}, chair.Deps{Dir: home.Dir, Log: d.Log})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, seat.Close()) }()
	ctx, cancel := context.WithTimeout(ctx, modelTime*time.Duration(max(1, len(cfg.Models.Models))))
	defer cancel()
	for _, r := range seat.Probe(ctx) {
		f := status.Finding{Name: "model " + r.Name, OK: r.Err == nil, Detail: fmt.Sprintf("it answered in %s", r.Took.Round(time.Millisecond))}
		switch {
		case r.Err != nil:
			f.Detail, f.Next = r.Fault, "check that its server runs, that models.list has its url, model and key, and that it can answer in JSON"
		case r.Took > commitTime/modelsShare:
			f.OK, f.Next = false, "it is too slow for a round, because a judge asks several times in its time to commit; take a smaller model, or fewer judge.reasoning.samples"
		}
		if err := say(f); err != nil {
			return err
		}
	}
	if cfg.Judge.Reasoning.Families {
		return say(families(strings.Split(seat.Family, "+")))
	}
	return nil
}

// families tells whether a second family can give samples.
func families(names []string) status.Finding {
	f := status.Finding{Name: "families of models", OK: len(names) > 1, Detail: strings.Join(names, ", ")}
	if !f.OK {
		f.Detail = "judge.reasoning.second_family is set, and models.list names fewer than two families, so that one gives all samples"
		f.Next = "set family of each model to its maker, such as \"llama\", or add a model of another one"
	}
	return f
}

// commitTime is the time to commit on the main network.
const commitTime = 420 * time.Second

// tryMemory checks the judge's lessons from its cases, if it has a model and a memory.
func tryMemory(ctx context.Context, home node.Home, cfg node.Config, _ Deps, say func(status.Finding) error) error {
	if cfg.Judge.Kind != judge.KindModel || !cfg.Judge.Memory.On {
		return nil
	}
	f := status.Finding{Name: "memory"}
	s, err := memory.Open(home.Dir, casefile.Address(home.Keys.Judge()), cfg.Judge.Memory, memory.Deps{})
	if err != nil {
		f.Detail, f.Next = err.Error(), "fix or remove the folder "+memory.Folder+" of the home; without it the judge learns anew, and nothing else is lost"
		return say(f)
	}
	learned, broken, err := s.List(ctx)
	switch bad := slices.Sorted(maps.Keys(broken)); {
	case err != nil:
		f.Detail, f.Next = err.Error(), "see that "+s.Dir()+" can be read"
	case len(bad) > 0:
		f.Detail, f.Next = fmt.Sprintf("%d files cannot be read and are left out, the first %s: %v", len(bad), bad[0], broken[bad[0]]), "remove them, or all that was learned: ojud judge memory clear"
	default:
		f.OK, f.Detail = true, fmt.Sprintf("%d rounds of earlier cases", len(learned))
	}
	return say(f)
}
