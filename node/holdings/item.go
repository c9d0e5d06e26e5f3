package holdings

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"ojud/casefile"
	"ojud/casefile/agentdata"
	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node/client"
)

// Item is named data of an agent, as the chain has it.
type Item struct {
	Data      casefile.Address `json:"data"` // of the account; a task names it under "pda"
	Owner     casefile.Address `json:"owner"`
	Name      string           `json:"name"`
	Private   bool             `json:"private"`
	Bytes     int              `json:"bytes"` // in the account; of a private item, of its ciphertext
	Hash      casefile.Digest  `json:"hash"`  // of these bytes
	UpdatedAt int64            `json:"updated_at"`
	Grants    []Grant          `json:"grants"`
	content   []byte
}

// Grant lets an agent use an item until a task is over.
type Grant struct {
	Task  casefile.Address `json:"task"`
	To    string           `json:"to,omitempty"` // empty: the worker of the task
	Read  bool             `json:"read"`
	Write bool             `json:"write"`
}

// ItemDone is the result of an action on an item. The item is nil if it was removed.
type ItemDone struct {
	client.Sent
	Item *Item `json:"item,omitempty"`
}

// Where names an item: by its address, or by its owner and its name.
type Where struct {
	Data, Owner onchain.Address
	Name        string
}

// ErrNone means that there is no such item.
var ErrNone = errors.New("holdings: there is no such data")

// address returns the address of the item's account. An owner that is not named is the client's.
func (w Where) address(c *client.Client) (onchain.Address, error) {
	if !w.Data.IsZero() {
		return w.Data, nil
	}
	owner := w.Owner
	if owner.IsZero() {
		var err error
		if owner, err = onchain.ParseAddress(c.Me()); err != nil {
			return owner, errors.New("holdings: whose data? Name the owner, or the key")
		}
	}
	return client.OfficeOf(c).Program().Data(owner, w.Name)
}

// read reads an item; ErrNone if there is none.
func read(ctx context.Context, office client.Office, at onchain.Address) (*program.AgentData, error) {
	d, _, err := ledger.Read(ctx, office, at, program.DecodeAgentData)
	switch {
	case errors.Is(err, ledger.ErrNotFound):
		return nil, fmt.Errorf("%w: %s", ErrNone, at)
	case errors.Is(err, ledger.ErrForeign):
		return nil, fmt.Errorf("%w: the account %s is something else", ErrNone, at)
	case err != nil:
		return nil, err
	}
	return d, nil
}

// Get reads an item.
func Get(ctx context.Context, c *client.Client, w Where) (*Item, error) {
	at, err := w.address(c)
	if err != nil {
		return nil, err
	}
	d, err := read(ctx, client.OfficeOf(c), at)
	if err != nil {
		return nil, err
	}
	return item(at, d), nil
}

// Places in an AgentData account (protocol section 4).
const (
	ownerAt = 16
	nameAt  = 48
)

// atOnce is how many accounts a node reads at once.
const atOnce = 100

// List reads all items of an agent, by the address.
func List(ctx context.Context, c *client.Client, owner onchain.Address) (out []*Item, err error) {
	office := client.OfficeOf(c)
	heads, err := office.Heads(ctx, "AgentData", ledger.Filter{Offset: ownerAt, Bytes: owner[:]}, nameAt, program.MaxDataName)
	if err != nil {
		return nil, err
	}
	for some := range slices.Chunk(heads, atOnce) {
		at := make([]onchain.Address, len(some))
		for i, h := range some {
			at[i] = h.Address
		}
		accounts, _, err := office.Accounts(ctx, at...)
		if err != nil {
			return nil, err
		}
		for i, account := range accounts {
			if account == nil || account.Owner != office.Program().ID() {
				continue // removed since
			}
			d, err := program.DecodeAgentData(account.Data)
			if err != nil {
				return nil, fmt.Errorf("holdings: %s: %w", at[i], err)
			}
			out = append(out, item(at[i], d))
		}
	}
	return out, nil
}

func item(at onchain.Address, d *program.AgentData) *Item {
	out := &Item{
		Data: casefile.Address(at), Owner: casefile.Address(d.Authority), Name: d.Name, Private: agentdata.Private(d.Content), Bytes: len(d.Content),
		Hash: casefile.Digest(casefile.HashOf(d.Content)), UpdatedAt: d.UpdatedAt, Grants: []Grant{}, content: d.Content,
	}
	for _, g := range d.Grants {
		shown := Grant{Task: casefile.Address(g.Task), Read: g.Flags&program.GrantRead != 0, Write: g.Flags&program.GrantWrite != 0}
		if !g.Grantee.IsZero() {
			shown.To = g.Grantee.String()
		}
		out.Grants = append(out.Grants, shown)
	}
	return out
}

// Reading returns the item as judges read it. The content of a private one is not there.
func (i *Item) Reading() agentdata.Reading {
	return agentdata.Reading{Data: i.Data, Owner: i.Owner, Name: i.Name, Private: i.Private, UpdatedAt: i.UpdatedAt}.Fill(i.content)
}

// Content returns what an item says. A private one opens with its owner's key alone.
func (i *Item) Content(own *client.Keypair) ([]byte, error) {
	if !i.Private {
		return i.content, nil
	}
	if own == nil || own.Address() != onchain.Address(i.Owner) {
		return nil, errors.New("holdings: the data is private, and this is not its owner's key")
	}
	key, err := keyOf(own, onchain.Address(i.Data), i.content)
	if err != nil {
		return nil, err
	}
	return opened(onchain.Address(i.Data), i.content, key)
}

// Write is the content of an item, and the account that gets it.
type Write struct {
	Where
	Content []byte
	Private bool
	Task    onchain.Address // of the grant by which the client writes data of another; zero: its own
}

// Put writes an item of the client's agent, or of another that has granted it. A private item gets
// a new key. A second run with the same public content writes nothing. Content longer than one
// transaction is written in pieces: until the last one is there, readers see a mixture.
func Put(ctx context.Context, c *client.Client, w Write) (ItemDone, error) {
	self, err := onchain.ParseAddress(c.Me())
	if err != nil {
		return ItemDone{}, errors.New("holdings: this needs a key; name the key file: --key FILE")
	}
	if w.Owner.IsZero() {
		w.Owner = self
	}
	office := client.OfficeOf(c)
	at, err := office.Program().Data(w.Owner, w.Name)
	if err != nil {
		return ItemDone{}, fmt.Errorf("holdings: %w", err)
	}
	if w.Owner == self {
		if _, err := c.Agent(ctx, self); err != nil {
			return ItemDone{}, err
		}
	}
	content, err := w.bytes(at)
	if err != nil {
		return ItemDone{}, err
	}
	if w.Owner != self {
		if err := writable(ctx, office, at, len(content)); err != nil {
			return ItemDone{}, err
		}
	}
	whole := casefile.HashOf(content)
	done := ItemDone{Sent: client.Sent{Result: ledger.AlreadyDone.String()}}
	for from := 0; from == 0 || from < len(content); from += program.WritePiece {
		piece := content[from:min(from+program.WritePiece, len(content))]
		i, err := office.Program().WriteData(self, w.Owner, w.Task, program.WriteData{DataName: w.Name, Offset: uint32(from), Len: uint32(len(content)), Bytes: piece})
		if err != nil {
			return ItemDone{}, fmt.Errorf("holdings: %w", err)
		}
		sent, err := office.Send(ctx, client.Order{
			Name:         fmt.Sprintf("write the data %s from byte %d (%s)", w.Name, from, hex.EncodeToString(whole[:4])),
			Instructions: []onchain.Instruction{i},
			Done: func(ctx context.Context) (bool, error) {
				d, err := read(ctx, office, at)
				if errors.Is(err, ErrNone) {
					return false, nil
				}
				return err == nil && len(d.Content) == len(content) && bytes.Equal(d.Content[from:from+len(piece)], piece), err
			},
		})
		if err != nil {
			return ItemDone{}, err
		}
		if sent.Result != ledger.AlreadyDone.String() {
			done.Sent = sent
		}
	}
	done.Item, err = Get(ctx, c, Where{Data: at})
	return done, err
}

// bytes returns what is written into the account.
func (w Write) bytes(at onchain.Address) ([]byte, error) {
	switch {
	case w.Private:
		return encrypted(w.Owner, at, w.Content)
	case agentdata.Private(w.Content):
		return nil, fmt.Errorf("holdings: public data may not begin with %q, because it would be taken for private data", privateMark)
	case len(w.Content) > program.MaxData:
		return nil, fmt.Errorf("holdings: the content has %d bytes, and an account holds at most %d", len(w.Content), program.MaxData)
	}
	return w.Content, nil
}

// writable refuses what the program would refuse of a grantee: to make an account, or to resize it.
func writable(ctx context.Context, office client.Office, at onchain.Address, size int) error {
	d, err := read(ctx, office, at)
	if err != nil {
		return err
	}
	if len(d.Content) != size {
		return fmt.Errorf("holdings: the account has %d bytes and this would write %d; only its owner can change its size, so pad what you write", len(d.Content), size)
	}
	return nil
}

// Remove closes the account of an item of the client. Its rent goes to the vault of the agent.
func Remove(ctx context.Context, c *client.Client, name string) (ItemDone, error) {
	office, self, at, err := own(ctx, c, name)
	if err != nil {
		return ItemDone{}, err
	}
	sent, err := office.Send(ctx, client.Order{
		Name: "remove the data " + name, Instructions: []onchain.Instruction{office.Program().CloseData(self, at)},
		Done: func(ctx context.Context) (bool, error) {
			_, err := read(ctx, office, at)
			if errors.Is(err, ErrNone) {
				return true, nil
			}
			return false, err
		},
	})
	return ItemDone{Sent: sent}, err
}

// own finds an item of the client's agent.
func own(ctx context.Context, c *client.Client, name string) (office client.Office, self, at onchain.Address, err error) {
	office = client.OfficeOf(c)
	if self, err = onchain.ParseAddress(c.Me()); err != nil {
		return office, self, at, errors.New("holdings: this needs a key; name the key file: --key FILE")
	}
	if at, err = office.Program().Data(self, name); err != nil {
		return office, self, at, fmt.Errorf("holdings: %w", err)
	}
	_, err = read(ctx, office, at)
	return office, self, at, err
}

// Access is a grant that is given or taken back.
type Access struct {
	Name     string
	Task, To onchain.Address // To is zero: the worker of the task
	Write    bool            // beside reading
}

// flags returns what the grant allows.
func (a Access) flags() uint8 {
	if a.Write {
		return program.GrantRead | program.GrantWrite
	}
	return program.GrantRead
}

// find returns what an item grants by the same task to the same agent; 0 if nothing.
func (a Access) find(d *program.AgentData) uint8 {
	for _, g := range d.Grants {
		if g.Task == a.Task && g.Grantee == a.To {
			return g.Flags
		}
	}
	return 0
}

// mark tells changes of one item apart.
func (a Access) mark(after uint8) string {
	sum := casefile.HashOf(append(append(a.Task[:], a.To[:]...), after))
	return hex.EncodeToString(sum[:4])
}

// Give lets an agent use an item of the client until a task is over.
func Give(ctx context.Context, c *client.Client, a Access) (ItemDone, error) {
	if _, _, err := ledger.Read(ctx, client.OfficeOf(c), a.Task, program.DecodeTask); err != nil {
		return ItemDone{}, fmt.Errorf("holdings: a grant lasts as long as a task: %w", err)
	}
	return change(ctx, c, a, a.flags(), func(p program.Program, self, at onchain.Address) onchain.Instruction {
		return p.Grant(self, at, program.Grant{Task: a.Task, Grantee: a.To, Flags: a.flags()})
	})
}

// TakeBack removes a grant. A key that was handed over stays with the one that has it: put the item
// again, and it gets a new key.
func TakeBack(ctx context.Context, c *client.Client, a Access) (ItemDone, error) {
	return change(ctx, c, a, 0, func(p program.Program, self, at onchain.Address) onchain.Instruction {
		return p.Revoke(self, at, self, program.Revoke{Task: a.Task, Grantee: a.To})
	})
}

// change sends an instruction after which the item grants that.
func change(ctx context.Context, c *client.Client, a Access, after uint8, build func(p program.Program, self, at onchain.Address) onchain.Instruction) (ItemDone, error) {
	office, self, at, err := own(ctx, c, a.Name)
	if err != nil {
		return ItemDone{}, err
	}
	sent, err := office.Send(ctx, client.Order{
		Name: fmt.Sprintf("change the grants of the data %s (%s)", a.Name, a.mark(after)), Instructions: []onchain.Instruction{build(office.Program(), self, at)},
		Done: func(ctx context.Context) (bool, error) {
			d, err := read(ctx, office, at)
			return err == nil && a.find(d) == after, err
		},
	})
	if err != nil {
		return ItemDone{}, err
	}
	i, err := Get(ctx, c, Where{Data: at})
	return ItemDone{Sent: sent, Item: i}, err
}
