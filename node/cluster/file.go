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
	"ojud/voting"
)

// ErrVerify means that the exported case file does not verify.
var ErrVerify = errors.New("cluster: the case file does not verify")

// exportEvery is the time between two exports of an incomplete file. Each export costs the node
// time.
const exportEvery = 500 * time.Millisecond

// tellEvery is the time between two lines about a wait.
const tellEvery = 10 * time.Second

// file exports the case file and verifies it. It waits for the signatures of all judges that can
// confirm the outcome, but not for long once the file verifies.
func (p *play) file(ctx context.Context, r *Report) error {
	witnesses, err := p.witnesses(ctx)
	if err != nil {
		return err
	}
	anchors, err := p.anchors(ctx)
	if err != nil {
		return err
	}
	p.say("The judges sign how the case ended; the case file needs more than half of them.")
	var raw []byte
	var left int
	var since time.Time // when the file first verified
	told := time.Now()
	err = p.poll(ctx, exportEvery, func() (bool, error) {
		file, missing, err := p.members[0].node.Export(ctx, voting.Key(p.task))
		if err != nil {
			return false, fmt.Errorf("cluster: export the case file: %w", err)
		}
		raw = file
		if left, err = silent(file, witnesses); err != nil || left == 0 && len(missing) == 0 {
			return err == nil, err
		}
		if time.Since(told) > tellEvery {
			p.say("%d of %d judges have signed by now.", len(witnesses)-left, len(witnesses))
			told = time.Now()
		}
		if since.IsZero() && 2*left < len(witnesses) && len(missing) == 0 {
			if report := verify.FileWith(raw, anchors); report.OK() {
				since = time.Now()
			}
		}
		return !since.IsZero() && time.Since(since) > p.cfg.Complete, nil
	})
	switch {
	case err != nil && (!errors.Is(err, errPatience) || raw == nil):
		return err
	case left > 0:
		p.say("%d of %d judges have signed by now; the others may do so later.", len(witnesses)-left, len(witnesses))
	}
	r.File = filepath.Join(p.cfg.Dir, p.task.String()+".case.json")
	if err := os.WriteFile(r.File, raw, 0o600); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	return checkFile(raw, anchors, r)
}

func checkFile(raw []byte, anchors verify.Anchors, r *Report) error {
	report := verify.FileWith(raw, anchors)
	for _, c := range report.Checks {
		if c.State == verify.Passed {
			r.Checks++
		}
	}
	r.Notes = len(report.Notes)
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
		if m.Part != Equivocating && p.record.sat(roster.Find(m.Home.Keys.Judge())) {
			out[casefile.DID(m.Home.Keys.Peer())] = true
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
