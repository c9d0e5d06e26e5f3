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
	"ojud/voting"
)

// ErrVerify: the exported case file does not verify.
var ErrVerify = errors.New("cluster: the case file does not verify")

// exportEvery is how often the file is looked at: each time costs the node's Export.
const exportEvery = 500 * time.Millisecond

// file exports the case file, once all who can have said how the case ended, and verifies it.
func (p *play) file(ctx context.Context, r *Report) error {
	witnesses, err := p.witnesses(ctx)
	if err != nil {
		return err
	}
	var raw []byte
	err = p.poll(ctx, exportEvery, func() (bool, error) {
		file, missing, err := p.members[0].node.Export(ctx, voting.Key(p.task))
		if err != nil {
			return false, fmt.Errorf("cluster: export the case file: %w", err)
		}
		raw = file
		silent, err := silent(file, witnesses)
		return err == nil && silent == 0 && len(missing) == 0, err
	})
	if errors.Is(err, errPatience) && raw != nil {
		p.say("The case file is still not complete after %s; it is exported as it is.", p.cfg.Patience)
	} else if err != nil {
		return err
	}
	r.File = filepath.Join(p.cfg.Dir, p.task.String()+".case.json")
	if err := os.WriteFile(r.File, raw, 0o600); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	return p.verify(ctx, raw, r)
}

func (p *play) verify(ctx context.Context, raw []byte, r *Report) error {
	anchors, err := p.anchors(ctx)
	if err != nil {
		return err
	}
	report := casefile.VerifyWith(raw, anchors)
	for _, c := range report.Checks {
		if c.State == casefile.Passed {
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

// anchors are what the chain says of the court, so that the file is checked against more than itself.
func (p *play) anchors(ctx context.Context) (casefile.Anchors, error) {
	roster, _, err := p.treasury.client.Roster(ctx)
	if err != nil {
		return casefile.Anchors{}, fmt.Errorf("cluster: %w", err)
	}
	judges := map[voting.Key]voting.Key{}
	for _, e := range roster.Entries {
		judges[voting.Key(e.Authority)] = e.Peer
	}
	d := p.treasury.domain()
	return casefile.Anchors{Network: &d.Network, Program: &d.Program, Judges: judges}, nil
}

// witnesses are the nodes that sat in the case and have to testify how it ended.
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

// silent is how many witnesses have not testified to the outcome.
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
