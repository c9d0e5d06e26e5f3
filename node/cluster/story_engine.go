package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ojud/ledger"
	"ojud/ledger/escrow"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/signers"
	"ojud/node/client"
	"ojud/node/cluster/genesis"
	"ojud/node/cluster/hearing"
	"ojud/voting"
)

// The terms of StoryEngine.
const (
	engineFee     = client.Lamports(onchain.LamportsPerSOL / 100)
	engineSeconds = 3600
	silentSeconds = 3 // of the second task, if the court allows so few: nobody signs
	threshold     = 3
	escrowed      = onchain.LamportsPerSOL
)

// others is what StoryEngine and StoryAppeal have besides the parties.
type others struct {
	members []*party
	engine  client.Decider
	escrow  escrow.Escrow
	checks  []string // that passed

	sold   []voting.Key       // judges that took money, in StoryAppeal
	vaults [2]client.Lamports // of worker and creator, before it
	appeal client.AppealView
}

// check notes a check that passed, or returns the error of one that failed.
func (p *play) check(passed bool, format string, args ...any) error {
	text := fmt.Sprintf(format, args...)
	if !passed {
		return fmt.Errorf("cluster: this should be so, and is not: %s", text)
	}
	p.others.checks = append(p.others.checks, text)
	p.say("Checked: %s.", text)
	return nil
}

// committee lets three of five signers decide a first task, and no group of the creator.
func (p *play) committee(ctx context.Context) error {
	if p.cfg.Story != StoryEngine {
		return nil
	}
	var keys []onchain.Address
	for n := range 5 {
		m, err := p.party(ctx, fmt.Sprintf("signer %d", n+1))
		if err != nil {
			return err
		}
		p.others.members, keys = append(p.others.members, m), append(keys, m.key.Address())
	}
	chair := p.others.members[0]
	if err := chair.register(ctx, engineFee); err != nil {
		return err
	}
	made, err := client.CreateSigners(ctx, chair.Client, onchain.Address{}, threshold, keys...)
	if err == nil {
		p.others.engine, err = client.ParseDecider(made.Signers.Engine)
	}
	if err != nil {
		return fmt.Errorf("cluster: the group: %w", err)
	}
	p.say("Five signers make a group, of which %d decide: %s", threshold, p.others.engine.Group)
	first := &play{Cluster: p.Cluster, creator: p.creator, worker: p.worker, papers: p.papers, record: hearing.New(), others: p.others}
	terms := client.Engine{Decider: p.others.engine, Agent: chair.key.Address(), Fee: engineFee, Seconds: engineSeconds}
	if err := first.decided(ctx, terms); err != nil {
		return err
	}
	p.others = first.others
	return errors.Join(p.worker.count(ctx), p.creator.count(ctx))
}

// decided plays the task that the signers decide.
func (p *play) decided(ctx context.Context, terms client.Engine) error {
	if err := p.post(ctx, terms); err != nil {
		return err
	}
	_, err := p.worker.Claim(ctx, p.task, reward, true)
	if err := p.check(err != nil, "a worker that has not listed the engine does not claim its task"); err != nil {
		return err
	}
	if err := p.fight(ctx, terms.Decider); err != nil {
		return err
	}
	var done client.EngineDone
	for n, verdict := range []string{"accept", "reject", "accept", "accept"} {
		if n == 3 {
			_, err := client.SettleByEngine(ctx, p.worker.Client, p.task)
			if err := p.check(err != nil && done.Signers.Verdict == "", "two of five members and one against decide nothing"); err != nil {
				return err
			}
			if err := p.impostor(ctx); err != nil {
				return err
			}
		}
		if done, err = client.SignVerdict(ctx, p.others.members[n].Client, p.task, verdict); err != nil {
			return fmt.Errorf("cluster: %s: %w", p.others.members[n].name, err)
		}
		p.say("Signer %d signs %q.", n+1, verdict)
	}
	if err := p.check(done.Signers.Verdict == "accept" && done.Settled, "the third signature for accept decides, and settles the task with it"); err != nil {
		return err
	}
	task, unread := p.worker.Task(ctx, p.task)
	_, _, err = p.treasury.client.Case(ctx, p.task)
	return errors.Join(unread,
		p.check(task.Status == "complete" && task.Outcome == "paid", "the task is %s and %s by the word of 3 of 5 signers", task.Status, task.Outcome),
		p.check(errors.Is(err, ledger.ErrNotFound), "the court opened no case about it"),
		p.moved(ctx, p.worker, int64(reward-reward/200)), p.moved(ctx, p.creator, -int64(reward+engineFee)),
		p.moved(ctx, p.others.members[0], int64(engineFee)),
	)
}

// impostor lets the creator make a group of its own key under the same program, which says that the
// creator is right.
func (p *play) impostor(ctx context.Context) error {
	of, self := p.others.engine.Program, p.creator.key.Address()
	own, err := signers.NewKeys(1, self)
	if err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	group := own.Address(of)
	if err := p.treasury.submit(ctx, p.creator.key, signers.Create(of, self, own), signers.Sign(of, self, self, group, p.task, 2)); err != nil {
		return err
	}
	t, _, err := p.treasury.client.Task(ctx, p.task)
	if err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	t.EngineGroup = group
	err = p.treasury.submit(ctx, p.creator.key, p.treasury.program().SettleByEngine(p.task, t))
	return p.check(errors.Is(err, program.ErrWrongAddress), "the creator's own group, under the same program, decides nothing")
}

// moved checks how a vault changed since it was counted last.
func (p *play) moved(ctx context.Context, who *party, want int64) error {
	before := who.vault
	if err := who.count(ctx); err != nil {
		return err
	}
	got := int64(who.vault) - int64(before)
	return p.check(got == want, "%s %s the vault of the %s", client.Lamports(max(got, -got)), map[bool]string{true: "left", false: "came into"}[got < 0], who.name)
}

// count notes what a party's vault holds.
func (p *party) count(ctx context.Context) error {
	view, err := p.Agent(ctx, p.key.Address())
	if err != nil {
		return fmt.Errorf("cluster: the %s: %w", p.name, err)
	}
	p.vault = view.Vault
	return nil
}

// silent is the time that the engine has for the second task.
func (p *play) silent() uint32 {
	return max(silentSeconds, p.cfg.Params.MinWorkSeconds, p.cfg.Params.CommitSeconds+p.cfg.Params.RevealSeconds)
}

// silence lets the time of an engine pass that says nothing. Then the court has the case. A buyer
// pays into an escrow of somebody else's, which knows of the court its address and the task.
func (p *play) silence(ctx context.Context) error {
	if p.cfg.Story != StoryEngine {
		return nil
	}
	buyer, seller := p.creator.key.Address(), p.worker.key.Address()
	now, _ := p.treasury.client.Clock().Last()
	held := escrow.Escrow{Program: escrow.Devnet(), Court: genesis.Court(), Subject: p.task, Buyer: buyer, Seller: seller, Lamports: escrowed}
	held.BackAt = now.Unix + int64(p.cfg.Params.EvidenceSeconds)
	p.others.escrow = held
	if err := p.treasury.submit(ctx, p.creator.key, p.others.escrow.Open()); err != nil {
		return err
	}
	p.say("The creator also pays 1 SOL into an escrow of another program, which will ask the court. No signer says anything about this task.")
	if by := time.Duration(p.silent()) * time.Second; p.cfg.Warp != WarpNever {
		if err := p.chain.server.Warp(by); err != nil {
			return fmt.Errorf("cluster: the engine's time: %w", err)
		}
		p.say("The chain's clock is moved by %s, the time that the engine has.", by)
	}
	var done client.TaskDone
	err := p.pollFor(ctx, p.cfg.Patience+time.Duration(p.silent())*time.Second, time.Second, func() (bool, error) {
		var err error
		done, err = client.SettleByEngine(ctx, p.worker.Client, p.task)
		return err == nil, ctx.Err()
	})
	if err != nil {
		return err
	}
	return p.check(done.Task.Status == "judiciary" && done.Task.Deadline == 0, "the engine was silent for %d s, so the court has the case", p.silent())
}

// payOut pays the escrow of the other program by the verdict of the court.
func (p *play) payOut(ctx context.Context) error {
	if p.cfg.Story != StoryEngine {
		return nil
	}
	done, err := client.PublishVerdict(ctx, p.worker.Client, p.task)
	if err != nil {
		return fmt.Errorf("cluster: publish the verdict: %w", err)
	}
	e, at := p.others.escrow, p.treasury.program().Verdict(p.task)
	winner, loser := e.Seller, e.Buyer
	if done.Verdict.Verdict != "accept" {
		winner, loser = loser, winner
	}
	payer := p.others.members[4].key
	wrong := p.treasury.submit(ctx, payer, e.Pay(at, loser))
	before, _, unread := p.treasury.client.Balance(ctx, winner)
	paid := p.treasury.submit(ctx, payer, e.Pay(at, winner))
	after, _, err := p.treasury.client.Balance(ctx, winner)
	if err := errors.Join(unread, paid, err); err != nil {
		return fmt.Errorf("cluster: the escrow: %w", err)
	}
	return errors.Join(
		p.check(wrong != nil, "the escrow does not pay who lost"),
		p.check(after-before == escrowed, "the escrow of the other program paid %s by the court's verdict", onchain.SOL(after-before)),
	)
}
