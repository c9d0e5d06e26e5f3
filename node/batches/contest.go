package batches

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"ojud/ledger/law"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node/client"
	"ojud/voting"
)

// Contested is the appeal of a proctor against the verdict that its leaf is false.
type Contested struct {
	Leaf   Checked `json:"leaf"`
	Case   string  `json:"case"`   // of the challenge
	Seats  int     `json:"seats"`  // of the appeal
	Result string  `json:"result"` // landed, already_done
}

// Contest appeals every verdict that may be appealed now and that says that the leaf of a golden
// case is false. The client's key is the proctor's of its batch. It refuses if the leaf is false.
// One that cannot be appealed, or whose appeal fails, does not stop the others.
func Contest(ctx context.Context, c *client.Client, of onchain.Address) ([]Contested, error) {
	found, err := Check(ctx, c, of)
	switch {
	case err != nil:
		return nil, err
	case !found.True:
		return nil, fmt.Errorf("%w: the leaf is false, so an appeal would change nothing: %s", errNotNow, found.Why)
	case found.batch == nil:
		return nil, fmt.Errorf("%w: batch %d is over", errNotNow, found.Batch)
	}
	office := client.OfficeOf(c)
	tasks, err := office.Tasks(ctx)
	if err != nil {
		return nil, err
	}
	chain, err := law.Read(ctx, office)
	if err != nil {
		return nil, err
	}
	roster, err := rosterOf(ctx, office)
	if err != nil {
		return nil, err
	}
	question := voting.Hash(sha256.Sum256(found.leaf.Question()))
	var all []Contested
	var failed error
	for _, t := range tasks {
		const _ = uint(6 - voting.Statuses) // only one of them leaves time to appeal
		const _ = uint(3 - voting.Verdicts) // only one says that the leaf is false
		var heard *program.Case
		if t.Value.TaskHash != question {
			continue
		}
		if err := fill(ctx, office, []want{at(office.Program().Case(t.Address), program.DecodeCase, &heard)}); err != nil {
			failed = errors.Join(failed, fmt.Errorf("case %s: %w", t.Address, err))
			continue
		}
		if heard == nil || heard.Status != voting.Appealable || heard.Verdict != voting.ForWorker || chain.Time >= heard.AppealBy {
			continue
		}
		seats := heard.AppealRoom(roster, t.Value)
		if seats == 0 {
			continue
		}
		one, err := contest(ctx, office, found, Contested{Leaf: found, Case: t.Address.String(), Seats: seats}, t.Address)
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("case %s: %w", t.Address, err))
			continue
		}
		all = append(all, one)
	}
	if failed != nil {
		return all, failed
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%w: no verdict that this leaf is false may be appealed now", errNotNow)
	}
	return all, nil
}

// contest sends one appeal.
func contest(ctx context.Context, office client.Office, found Checked, out Contested, task onchain.Address) (Contested, error) {
	p, b := office.Program(), found.batch
	c := program.Challenge{Proctor: b.Proctor, Golden: onchain.Address(found.leaf.Address), Task: task}
	rent := client.Lamports(program.CaseSize(out.Seats)-program.CaseSize(0)) * 6_960 // lamports for a byte
	sent, err := office.Send(ctx, client.Order{
		Name:         "appeal the verdict of " + task.String(),
		Instructions: []onchain.Instruction{p.BatchCalls(b.Number).AppealChallenge(c, found.leaf.Generator, found.leaf.Seed)},
		Pays:         rent,
		Done: func(ctx context.Context) (bool, error) {
			var now *program.Case
			err := fill(ctx, office, []want{at(p.Case(task), program.DecodeCase, &now)})
			return err == nil && now != nil && now.AppealSeats > 0, err
		},
	})
	out.Result = sent.Result
	return out, err
}

// seatsOf is the panel of a challenge: 14 seats if they leave judges enough for an appeal, which
// the proctor must be able to file, and otherwise all that the court has.
func seatsOf(ctx context.Context, office client.Office, now *law.Rules) (uint8, error) {
	roster, err := rosterOf(ctx, office)
	if err != nil {
		return 0, err
	}
	p := now.Now.Params
	if roster.HearsTwice(p) && p.AppealSeconds > 0 && p.MinSeats <= program.HalfPanel && p.PanelSeats > program.HalfPanel {
		return program.HalfPanel, nil
	}
	return p.PanelSeats, nil
}

// rosterOf reads the Roster.
func rosterOf(ctx context.Context, office client.Office) (*program.Roster, error) {
	var roster *program.Roster
	err := fill(ctx, office, []want{at(office.Program().Roster(), program.DecodeRoster, &roster)})
	if err == nil && roster == nil {
		err = errors.New("the court has no Roster")
	}
	if err != nil {
		return nil, fmt.Errorf("%w: the Roster cannot be read: %w", errNotNow, err)
	}
	return roster, nil
}
