package agents

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"ojud/agent"
	"ojud/agent/channel"
	"ojud/agent/delegation"
	"ojud/agent/host"
	"ojud/agent/host/door"
	"ojud/agent/host/shell"
	"ojud/casefile"
	"ojud/cmd/ojud/cli"
	"ojud/ledger/transact"
)

// purse is what calls of minions may spend together. They come one after the other.
type purse struct {
	mu    sync.Mutex
	open  bool
	left  delegation.Amounts
	given [len(delegation.Amounts{})]bool // by flags; otherwise agents of other hosts spend nothing
}

// take locks the purse. The caller gives it back. Without flags, minions of this host together may
// spend what calls in one call may if an agent's file says nothing.
func (p *purse) take(d distant) error {
	p.mu.Lock()
	if p.open {
		return nil
	}
	q := host.DefaultQuota()
	p.left = delegation.Amounts{0, int64(q.InnerTokens), int64(q.InnerMicros)}
	tokens, err := amount("--tokens", d.tokens, 0)
	if err != nil {
		return err
	}
	micros, err := amount("--dollars", d.dollars, 6)
	if err != nil {
		return err
	}
	for unit, n := range map[int]*int64{1: tokens, 2: micros} {
		if n != nil {
			p.left[unit], p.given[unit] = *n, true
		}
	}
	p.open = true
	return nil
}

// far is what the next call of another host may spend. The caller has taken the purse.
func (p *purse) far() (spend delegation.Amounts) {
	for unit, given := range p.given {
		if given {
			spend[unit] = p.left[unit]
		}
	}
	return spend
}

// giveBack takes out what a call spent; nil: all that it might, because nobody says how much.
func (p *purse) giveBack(might delegation.Amounts, u *agent.Usage) {
	defer p.mu.Unlock()
	const most = 1 << 40
	spent := might
	if u != nil && min(u.Prompt, u.Completion) >= 0 && max(u.Prompt, u.Completion) <= most {
		spent[1] = int64(u.Prompt) + int64(u.Completion)
	}
	if u != nil {
		spent[2] = int64(min(u.Cost, most))
	}
	for unit := range p.left {
		p.left[unit] = max(0, p.left[unit]-spent[unit])
	}
}

// minion has another agent make a call, and shows its steps as those of a minion. The agent that
// called it tells its result.
func (t *talk) minion(ctx context.Context, one offered, c agent.ClientCall) (json.RawMessage, error) {
	var might delegation.Amounts
	var used *agent.Usage
	err := t.purse.take(t.distant)
	defer func() { t.purse.giveBack(might, used) }()
	if err != nil {
		return nil, err
	}
	order := channel.RunOrder{Input: c.Input, Context: c.Context, Chunks: t.chunks}
	for _, name := range one.Tools {
		order.Tools = append(order.Tools, t.offers.all[name].Repr)
	}
	var line *door.Talk
	if host.IsRemote(one.Agent) {
		might = t.purse.far()
		line, err = t.reach(ctx, one, order)
	} else {
		line, might, err = t.near.reach(ctx, t.a, one.Agent, order, t.purse.left)
	}
	if err != nil {
		return nil, err
	}
	defer line.Close()
	if err := t.show(channel.Body{MinionStart: &agent.MinionStart{ID: c.ID, Name: c.Name}}); err != nil {
		return nil, err
	}
	made := counted{}
	for {
		m, err := line.Receive(ctx)
		switch {
		case err != nil:
			brief, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
			defer cancel()
			return nil, errors.Join(err, line.Send(brief, channel.Body{Cancel: &channel.Cancel{}}))
		case m.Call != nil:
			err = t.lend(ctx, line, one, *m.Call, c.ID, made)
		case m.Final != nil:
			used = &m.Final.Usage
		case m.End != nil:
			return ended(line, m.End)
		case m.Refused == nil:
			err = t.show(m.Beneath(c.ID))
		}
		if err != nil {
			return nil, err
		}
	}
}

// lend makes a call of a minion: of a tool that the user lets it have this machine run.
func (t *talk) lend(ctx context.Context, line *door.Talk, one offered, c agent.ClientCall, by string, made counted) error {
	first, refused := made.take(c.ID, maxLent)
	if !first {
		return nil
	}
	if !slices.Contains(one.Tools, c.Name) {
		refused = errors.New("it was not offered")
	} else if err := t.show(channel.Body{Call: &c}.Beneath(by)); err != nil {
		return err
	}
	t.perform(ctx, line, c, refused)
	return nil
}

// ended reads the end of the call of a minion.
func ended(line *door.Talk, raw json.RawMessage) (json.RawMessage, error) {
	a, attested, err := line.End(raw)
	switch {
	case err != nil:
		return nil, err
	case a.Status != host.OK:
		return nil, fmt.Errorf("its call ended as %s: %s", a.Status, a.Error)
	case !attested:
		return nil, errors.New("its result is not signed")
	}
	return a.Result, nil
}

// reach begins a call of an agent of another host by the flags of the command.
func (t *talk) reach(ctx context.Context, one offered, order channel.RunOrder) (*door.Talk, error) {
	spend := t.purse.far()
	to, err := abroad(t.a, one.Agent, cli.First(one.Under, t.distant.under), one.signer, &spend[1], &spend[2])
	if err != nil {
		return nil, err
	}
	return to.Talk(ctx, order)
}

// near calls agents of this host as minions. It signs each call by a key of its own, under a link
// of the operator: so the agent that asks for the call has no rights of the operator. A person
// approves what approval domains guard, budgets hold, and the minion knows nothing but earlier
// calls by this key.
type near struct {
	self  shell.Signer
	links map[string][]*delegation.Delegation // by the address of a capability
}

// lease is how long a link to the key of a command holds. No agent works so long.
const lease = 24 * time.Hour

// reach begins a call that may spend at most what is left, and what one call of the agent may. The
// caller has taken the purse.
func (n *near) reach(ctx context.Context, a *cli.App, address string, order channel.RunOrder, left delegation.Amounts) (line *door.Talk, might delegation.Amounts, err error) {
	target, err := host.ParseTarget(address)
	if err != nil {
		return nil, might, err
	}
	c, err := open(a)
	if err != nil {
		return nil, might, err
	}
	var v host.Portrait
	if err := c.Use(ctx, host.Describe, map[string]string{"agent": target.Agent}, &v); err != nil {
		return nil, might, err
	}
	to := door.Abroad{To: host.Remote{Target: target}, Spend: delegation.Amounts{0, min(left[1], int64(v.Constraints.Tokens)), min(left[2], int64(v.Constraints.Micros))}}
	if to.Agent, err = casefile.ParseDID(v.DID); err != nil {
		return nil, might, err
	}
	if to.Chain, err = n.link(a, target, v, left); err != nil {
		return nil, might, err
	}
	to.Key = n.self
	line, err = c.Under(ctx, to, order)
	return line, to.Spend, err
}

// link is the link of the operator for a minion.
func (n *near) link(a *cli.App, target host.Target, v host.Portrait, left delegation.Amounts) ([]*delegation.Delegation, error) {
	if chain := n.links[target.String()]; chain != nil {
		return chain, nil
	}
	owner, err := operator(a.Home)
	if err != nil {
		return nil, err
	}
	if n.links == nil {
		key, err := transact.NewKeypair(rand.Reader)
		if err != nil {
			return nil, err
		}
		n.self, n.links = shell.Signer{Keypair: key}, map[string][]*delegation.Delegation{}
	}
	now, nonce := time.Now(), make([]byte, 16)
	rand.Read(nonce)
	s := delegation.Scope{Allow: []string{"/"}, Budget: left, NotBefore: now.Add(-delegation.Skew).Unix(), Until: now.Add(lease).Unix()}
	for _, one := range v.Capabilities {
		if one.Name == target.Capability {
			s.Approval = one.Approval
		}
	}
	d, err := delegation.Issue(owner, n.self.Principal(), s, nil, nonce, now)
	if err != nil {
		return nil, err
	}
	n.links[target.String()] = []*delegation.Delegation{d}
	return n.links[target.String()], nil
}
