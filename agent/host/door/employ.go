package door

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"ojud/agent/channel"
	"ojud/agent/delegation"
	"ojud/agent/host"
	"ojud/agent/host/shell"
	"ojud/casefile"
	"ojud/ledger/transact"
)

// ErrUnable says that an agent host cannot make a call now: it does not run, it is busy, or it was
// started again meanwhile.
var ErrUnable = errors.New("the agent host cannot do it now")

// unable marks errors that may pass.
func unable(err error) error {
	var refused *host.Refused
	if err == nil || errors.As(err, &refused) && refused.Code != host.Busy {
		return err
	}
	return fmt.Errorf("%w: %w", ErrUnable, err)
}

// Employer has an agent of a host of this machine work on what strangers say. Each work has a key
// of its own, under a link of the host's operator to the employer. So the agent remembers nothing
// of another work, a person approves what the agent's file says, budgets hold, the audit log has
// the call, and all works together have the share of one delegate in what the host keeps and does.
type Employer struct {
	home   string
	target host.Target
	owner  shell.Signer
	self   shell.Signer
	most   delegation.Amounts // that a call may spend; 0: what the agent's file says
}

// Employ finds the agent. Its host has to run. Tokens and micros are what one call may spend; 0:
// what the file of the agent says.
func Employ(ctx context.Context, home, address string, tokens int64, micros uint64) (*Employer, error) {
	if host.IsRemote(address) {
		return nil, fmt.Errorf("%.120q is an agent of another host; name one of a host of this machine, whose file names the other under [[remotes]]", address)
	}
	target, err := host.ParseTarget(address)
	if err != nil {
		return nil, err
	}
	key, err := transact.LoadKeypair(filepath.Join(home, shell.Folder, "keys", host.Operator+".json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: it has no key of an operator: %w", ErrNotRunning, err)
	}
	if err != nil {
		return nil, err
	}
	self, err := NewWork()
	if err != nil {
		return nil, err
	}
	e := &Employer{home, target, shell.Signer{Keypair: key}, self, delegation.Amounts{0, tokens, int64(micros)}}
	_, _, err = e.look(ctx)
	return e, err
}

// look asks the host about the agent.
func (e *Employer) look(ctx context.Context) (c *Guest, v host.Portrait, err error) {
	if c, err = Open(e.home); err != nil {
		return nil, v, err
	}
	if err := c.Use(ctx, host.Describe, map[string]string{"agent": e.target.Agent}, &v); err != nil {
		return nil, v, err
	}
	for _, one := range v.Capabilities {
		if one.Name == e.target.Capability {
			return c, v, nil
		}
	}
	return nil, v, fmt.Errorf("the agent %s has no capability %q", e.target.Agent, e.target.Capability)
}

// NewWork makes the key of a work.
func NewWork() (shell.Signer, error) {
	key, err := transact.NewKeypair(rand.Reader)
	return shell.Signer{Keypair: key}, err
}

// Call has the agent make a call, for a work by its key, for at most as long as the agent's file
// lets a call take. Spent is what the call cost, with all that it made, also if there is an error.
func (e *Employer) Call(ctx context.Context, work shell.Signer, payload json.RawMessage, timeout time.Duration) (result json.RawMessage, spent delegation.Amounts, err error) {
	c, v, err := e.look(ctx)
	if err != nil {
		return nil, spent, unable(err)
	}
	to := Abroad{Key: work, To: host.Remote{Target: e.target}, Spend: delegation.Amounts{
		0, min(cmp.Or(e.most[1], int64(v.Constraints.Tokens)), int64(v.Constraints.Tokens)), min(cmp.Or(e.most[2], int64(v.Constraints.Micros)), int64(v.Constraints.Micros)),
	}}
	if to.Agent, err = casefile.ParseDID(v.DID); err != nil {
		return nil, spent, err
	}
	now := time.Now()
	timeout = min(timeout, time.Duration(v.Constraints.Time)*time.Millisecond)
	s := delegation.Scope{Allow: []string{"/"}, Budget: to.Spend, NotBefore: now.Add(-delegation.Skew).Unix(), Until: now.Add(lasts + timeout).Unix()}
	for _, one := range v.Capabilities {
		if one.Name == e.target.Capability {
			s.Approval = one.Approval
		}
	}
	var link *delegation.Delegation
	from := e.owner
	for _, next := range []shell.Signer{e.self, work} {
		nonce := make([]byte, 16)
		rand.Read(nonce)
		if link, err = delegation.Issue(from, next.Principal(), s, to.Chain, nonce, now); err != nil {
			return nil, spent, err
		}
		to.Chain, from = append(to.Chain, link), next
	}
	t, err := c.Under(ctx, to, channel.RunOrder{Input: payload, Timeout: timeout.Milliseconds()})
	if err != nil {
		return nil, spent, err // nothing was sent
	}
	defer t.Close()
	r, attested, err := t.Wait(ctx)
	brief, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer stop()
	if err != nil && ctx.Err() != nil {
		err = errors.Join(err, t.Send(brief, channel.Body{Cancel: &channel.Cancel{}}), t.Settle(brief))
	}
	var said []shell.Spending
	if unknown := c.Use(brief, "host.spent", map[string][]string{"links": {link.ID()}}, &said); unknown != nil || len(said) != 1 {
		spent = to.Spend // nobody says how much it was
	} else {
		spent = said[0].Spent
		for unit, n := range said[0].Reserved {
			spent[unit] += n
		}
	}
	switch {
	case ctx.Err() != nil:
	case err != nil:
		err = unable(err)
	case r.Status == host.Interrupted:
		err = fmt.Errorf("%w: %s ended as %s: %s", ErrUnable, e.target, r.Status, r.Error)
	case r.Status != host.OK:
		err = fmt.Errorf("%s ended as %s: %s", e.target, r.Status, r.Error)
	case !attested:
		err = fmt.Errorf("%s did not sign its result", e.target)
	}
	return r.Result, spent, err
}
