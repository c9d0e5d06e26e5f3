package megabrain

import (
	"context"
	"fmt"
	"slices"

	"ojud/ledger/brain"
	"ojud/ledger/onchain"
	"ojud/megabrain/finding"
	"ojud/node/client"
)

// ClassDone is a class that was created.
type ClassDone struct {
	client.Sent
	Class string `json:"class"`
	ID    string `json:"id"` // SHA-256 of the document
}

// CreateClass makes a class of the document, which is kept and given to the memory nodes, and first
// of all to those that it names: nothing changes them later. Near are the classes whose records
// count in part.
func (d *Desk) CreateClass(ctx context.Context, document []byte, p brain.Parameters, near []onchain.Address) (ClassDone, error) {
	of, content, err := finding.ReadClass(document)
	if err != nil {
		return ClassDone{}, err
	}
	id, err := d.store.Keep(content)
	if err != nil {
		return ClassDone{}, err
	}
	store := d.store
	store.Named = d.nodes.archives(of.Memory)
	if err := store.giveNamed(ctx, content); err != nil {
		return ClassDone{}, err
	}
	at := d.prog.Class(d.self, id)
	sent, err := d.send(ctx, order{
		name: "create the class", calls: []onchain.Instruction{d.prog.CreateClass(d.self, brain.CreateClass{ID: id, Parameters: p, Near: brain.Keys(near)})},
		done: func(ctx context.Context) (bool, error) {
			c, err := d.Class(ctx, at)
			return err == nil && c.Parameters == p && slices.Equal(c.Near, near), absent(err)
		},
	})
	if err == nil {
		err = store.giveOwn(ctx, content)
	}
	return ClassDone{sent, at.String(), fmt.Sprintf("%x", id)}, err
}

// Document returns what a class says, by its identifier. Seen is a task of the class, whose
// metadata may name memory nodes that have it.
func (d *Desk) Document(ctx context.Context, c *brain.ClassAccount, s Seen) (finding.TaskClass, []byte, error) {
	store, err := storeOf(ctx, d, c, s)
	if err != nil {
		return finding.TaskClass{}, nil, err
	}
	return documentOf(ctx, store, c)
}

func documentOf(ctx context.Context, store Folder, c *brain.ClassAccount) (finding.TaskClass, []byte, error) {
	content, err := store.Get(ctx, c.ID)
	if err != nil {
		return finding.TaskClass{}, nil, fmt.Errorf("megabrain: the document of the class: %w", err)
	}
	of, _, err := finding.ReadClass(content)
	return of, content, err
}

// member returns the place of a key in a class.
func member(c *brain.ClassAccount, key onchain.Address, r brain.Role) *brain.Member {
	for i := range c.Members {
		if m := &c.Members[i]; m.State != 0 && m.Agent == key && m.Role == r {
			return m
		}
	}
	return nil
}

// Join registers the client's key for a class with a stake. An operator signs, too. A key that is
// registered adds to its stake only if more says so, because a second run would pay twice.
func (d *Desk) Join(ctx context.Context, class onchain.Address, r brain.Role, stake client.Lamports, operator *client.Client, more bool) (client.Sent, error) {
	i := brain.Register{Role: r, Stake: uint64(stake)}
	var with []*client.Client
	if operator != nil {
		key, err := onchain.ParseAddress(operator.Me())
		if err != nil {
			return client.Sent{}, fmt.Errorf("megabrain: the operator: %w", err)
		}
		i.Operator, with = key, []*client.Client{operator}
	}
	c, err := d.Class(ctx, class)
	if err != nil {
		return client.Sent{}, err
	}
	before := uint64(0)
	if m := member(c, d.self, r); m != nil {
		before = m.Stake
	}
	return d.send(ctx, order{
		name: "register for the class", pays: i.Stake, with: with, calls: []onchain.Instruction{d.prog.Register(d.self, class, i)},
		done: func(ctx context.Context) (bool, error) {
			c, err := d.Class(ctx, class)
			if err != nil {
				return false, err
			}
			m := member(c, d.self, r)
			return m != nil && (!more || m.Stake >= before+i.Stake), nil
		},
	})
}

// Leave begins to leave a class.
func (d *Desk) Leave(ctx context.Context, class onchain.Address, r brain.Role) (client.Sent, error) {
	return d.send(ctx, order{
		name: "leave the class", calls: []onchain.Instruction{d.prog.Leave(d.self, class, r)},
		done: func(ctx context.Context) (bool, error) {
			c, err := d.Class(ctx, class)
			if err != nil {
				return false, err
			}
			m := member(c, d.self, r)
			return m != nil && m.State == 2, nil
		},
	})
}

// Paid is what a member took.
type Paid struct {
	client.Sent
	Earned client.Lamports `json:"earned"`
	Stake  client.Lamports `json:"stake"` // that came back, because it has left
}

// Withdraw pays a member what it earned, and its stake if it has left.
func (d *Desk) Withdraw(ctx context.Context, class onchain.Address, r brain.Role) (Paid, error) {
	c, err := d.Class(ctx, class)
	if err != nil {
		return Paid{}, err
	}
	m := member(c, d.self, r)
	if m == nil {
		return Paid{}, fmt.Errorf("megabrain: %s is not registered for %s in this role, or has left it", d.self, class)
	}
	sent, err := d.send(ctx, order{
		name: "withdraw what was earned", calls: []onchain.Instruction{d.prog.Withdraw(d.self, class, r)},
		done: func(ctx context.Context) (bool, error) {
			c, err := d.Class(ctx, class)
			if err != nil {
				return false, err
			}
			now := member(c, d.self, r)
			return m.Earned > 0 && (now == nil || now.Earned == 0), nil
		},
	})
	if err != nil {
		return Paid{}, err
	}
	out := Paid{Sent: sent, Earned: client.Lamports(m.Earned)}
	if c, err = d.Class(ctx, class); err == nil && member(c, d.self, r) == nil {
		out.Stake = client.Lamports(m.Stake)
	}
	return out, err
}
