package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"ojud/casefile"
	"ojud/casefile/verify"
	"ojud/node"
	"ojud/voting"
)

// ErrVerify means that the exported case file does not verify.
var ErrVerify = errors.New("cluster: the case file does not verify")

// lookEvery is the time between two looks at an incomplete file.
const lookEvery = 100 * time.Millisecond

// tellEvery is the time between two lines about a wait.
const tellEvery = 10 * time.Second

// file exports the case file and verifies it. It waits for the signatures of all judges that can
// confirm the outcome, but not for long once the file verifies.
func (p *play) file(ctx context.Context, r *Summary) error {
	witnesses, err := p.witnesses(ctx)
	if err != nil {
		return err
	}
	anchors, err := p.anchors(ctx)
	if err != nil {
		return err
	}
	p.say("The judges sign how the case ended as soon as its last block is final. The case file needs more than half of them.")
	f := gathering{node: p.members[0].node, task: voting.Key(p.task), witnesses: witnesses, anchors: anchors, complete: p.cfg.Complete, left: len(witnesses)}
	told := time.Now()
	err = p.poll(ctx, lookEvery, func() (bool, error) {
		done, err := f.look(ctx)
		if !done && time.Since(told) > tellEvery {
			p.say("The case file waits for %s.", f.awaited())
			told = time.Now()
		}
		return done, err
	})
	switch {
	case err != nil && (!errors.Is(err, errPatience) || f.raw == nil):
		return err
	case f.left > 0:
		p.say("%d of %d judges have signed by now; the others may do so later.", len(witnesses)-f.left, len(witnesses))
	}
	r.File = filepath.Join(p.cfg.Dir, p.task.String()+".case.json")
	if err := os.WriteFile(r.File, f.raw, 0o600); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	return errors.Join(p.checkFile(f.raw, anchors, r), p.trace(f.raw, r.Verdict))
}

// gathering is the wait for a complete case file.
type gathering struct {
	node      *node.Node
	task      voting.Key
	witnesses map[casefile.DID]bool
	anchors   verify.Anchors
	complete  time.Duration // patience once the file verifies

	counted int       // events at the last look
	events  int       // in the last export
	at      time.Time // of the last export
	raw     []byte    // the last export
	left    int       // witnesses that have not signed
	missing int       // pieces of content that are not here
	since   time.Time // when the file first verified
}

// burst is the longest time that look waits for the last of many statements.
const burst = time.Second

// look exports the file if the node has new statements, and reports whether the wait is over.
// Statements come in bursts: look exports the file when none was added since the last look. More
// exports would only take time from the nodes that still sign.
func (f *gathering) look(ctx context.Context) (done bool, err error) {
	s, err := f.node.Case(ctx, f.task)
	if err != nil {
		return false, fmt.Errorf("cluster: the state of the case: %w", err)
	}
	ended := s.Events == f.counted || time.Since(f.at) > burst
	f.counted = s.Events
	if ended && (s.Events != f.events || f.missing > 0) {
		file, missing, err := f.node.Export(ctx, f.task)
		if err != nil {
			return false, fmt.Errorf("cluster: export the case file: %w", err)
		}
		f.events, f.at, f.raw, f.missing = s.Events, time.Now(), file, len(missing)
		if f.left, err = silent(file, f.witnesses); err != nil {
			return false, err
		}
		if f.since.IsZero() && f.missing == 0 && 2*f.left < len(f.witnesses) {
			if report := verify.FileWith(f.raw, f.anchors); report.OK() {
				f.since = time.Now()
			}
		}
	}
	if f.raw != nil && f.left == 0 && f.missing == 0 {
		return true, nil
	}
	return !f.since.IsZero() && time.Since(f.since) > f.complete, nil
}

// awaited says what the file waits for.
func (f *gathering) awaited() string {
	switch {
	case f.left == len(f.witnesses):
		return "the facts of the last round, which come from final blocks"
	case f.missing > 0:
		return fmt.Sprintf("documents of other nodes (%d), and for %d of %d signatures", f.missing, f.left, len(f.witnesses))
	}
	return fmt.Sprintf("%d of %d signatures", f.left, len(f.witnesses))
}

func (p *play) checkFile(raw []byte, anchors verify.Anchors, r *Summary) error {
	report := verify.FileWith(raw, anchors)
	for _, c := range report.Checks {
		if c.State == verify.Passed {
			r.Checks++
		}
	}
	r.Notes, r.Noted = len(report.Notes), p.noted(report.Notes)
	if !report.OK() {
		return fmt.Errorf("%w: %s\n%s", ErrVerify, r.File, report.String())
	}
	r.Verified = true
	return nil
}

// anchors returns the chain's data about the court, so that the file is not only checked against
// itself.
func (p *play) anchors(ctx context.Context) (verify.Anchors, error) {
	roster, _, err := p.treasury.client.Roster(ctx)
	if err != nil {
		return verify.Anchors{}, fmt.Errorf("cluster: %w", err)
	}
	judges := map[voting.Key]voting.Key{}
	for _, e := range roster.Entries {
		judges[voting.Key(e.Authority)] = e.Peer
	}
	d := p.treasury.domain()
	return verify.Anchors{Network: &d.Network, Program: &d.Program, Judges: judges}, nil
}

// witnesses returns the nodes that sat in the case and should confirm the outcome.
func (p *play) witnesses(ctx context.Context) (map[casefile.DID]bool, error) {
	roster, _, err := p.treasury.client.Roster(ctx)
	if err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	out := map[casefile.DID]bool{}
	for _, m := range p.running() {
		if m.Part != Equivocating && p.record.Sat(roster.Find(m.Home.Keys.Judge())) {
			out[m.did()] = true
		}
	}
	return out, nil
}

// silent returns how many witnesses have not testified to the outcome.
func silent(file []byte, witnesses map[casefile.DID]bool) (int, error) {
	var b struct {
		Events []struct {
			Actor casefile.DID  `json:"actor"`
			Kind  casefile.Kind `json:"kind"`
		} `json:"events"`
	}
	if err := json.Unmarshal(file, &b); err != nil {
		return 0, fmt.Errorf("cluster: read the case file: %w", err)
	}
	spoke := map[casefile.DID]bool{}
	for _, e := range b.Events {
		if e.Kind == casefile.KindOutcome && witnesses[e.Actor] {
			spoke[e.Actor] = true
		}
	}
	return len(witnesses) - len(spoke), nil
}
