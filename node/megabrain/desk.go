package megabrain

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ojud/ledger"
	"ojud/ledger/brain"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node/client"
	"ojud/node/dispute"
	"ojud/node/library"
)

// ErrNoAccount means that an address is not the account that it has to be.
var ErrNoAccount = errors.New("megabrain: no such account")

// errNoKey means that an action needs a key.
var errNoKey = errors.New("megabrain: this needs a key; name the key file: --key FILE")

// Means are what a desk works with.
type Means struct {
	Client  *client.Client // of the court
	Program onchain.Address
	Folder  Folder
	// Named returns the memory node at an address that a class or a task names. Nil: none is asked.
	Named func(address string) Archive
	// Made reads the transaction that made a task. Nil: it is not read.
	Made func(ctx context.Context, at onchain.Address, t *brain.TaskAccount) (brain.Told, error)
	// Words reads the data of the instructions that name a task. Nil: they are not read.
	Words func(ctx context.Context, at onchain.Address) ([][]byte, error)
}

// Desk acts on tasks with the client's key.
type Desk struct {
	office client.Office
	prog   brain.Megabrain
	self   onchain.Address // zero without a key
	store  Folder
	nodes  *nodes
	words  func(ctx context.Context, at onchain.Address) ([][]byte, error)

	publish func(ctx context.Context, dispute onchain.Address, docs ...library.Document) ([]library.Publication, error)
	// join answers a dispute as its respondent.
	join func(ctx context.Context, at onchain.Address, answer library.Document, more ...library.Document) (client.Sent, []library.Publication, error)
}

// Open returns a desk.
func Open(n Means) (*Desk, error) {
	d := &Desk{office: client.OfficeOf(n.Client), prog: brain.New(n.Program), store: n.Folder, nodes: &nodes{reach: n.Named, made: n.Made}, words: n.Words, publish: n.Client.Publish}
	d.join = func(ctx context.Context, at onchain.Address, answer library.Document, more ...library.Document) (client.Sent, []library.Publication, error) {
		done, err := dispute.Join(ctx, n.Client, at, answer, more...)
		return done.Sent, done.Published, err
	}
	if me := n.Client.Me(); me != "" {
		var err error
		if d.self, err = onchain.ParseAddress(me); err != nil {
			return nil, fmt.Errorf("megabrain: the client's key: %w", err)
		}
	}
	return d, nil
}

// Seen is a task as the chain has it, at a time of the chain.
type Seen struct {
	At   onchain.Address
	Task *brain.TaskAccount
	Now  int64 // Unix seconds
}

// Task reads a task.
func (d *Desk) Task(ctx context.Context, at onchain.Address) (Seen, error) {
	data, now, err := d.account(ctx, at)
	if err != nil {
		return Seen{}, err
	}
	t, err := brain.DecodeTask(data)
	if err != nil {
		return Seen{}, fmt.Errorf("%w: %s is no task: %w", ErrNoAccount, at, err)
	}
	return Seen{at, t, now}, nil
}

// Class reads a class.
func (d *Desk) Class(ctx context.Context, at onchain.Address) (*brain.ClassAccount, error) {
	data, _, err := d.account(ctx, at)
	if err != nil {
		return nil, err
	}
	c, err := brain.DecodeClass(data)
	if err != nil {
		return nil, fmt.Errorf("%w: %s is no class: %w", ErrNoAccount, at, err)
	}
	return c, nil
}

// timeAt is where the sysvar Clock has the time.
const timeAt = 32

// account reads an account of the program, and the chain's time.
func (d *Desk) account(ctx context.Context, at onchain.Address) ([]byte, int64, error) {
	all, _, err := d.office.Accounts(ctx, at, onchain.ClockAccount())
	switch {
	case err != nil:
		return nil, 0, err
	case all[1] == nil || len(all[1].Data) < timeAt+8:
		return nil, 0, errors.New("megabrain: the RPC node does not have the chain's clock")
	}
	now := int64(binary.LittleEndian.Uint64(all[1].Data[timeAt:]))
	if all[0] == nil || all[0].Owner != d.prog.ID() {
		return nil, now, fmt.Errorf("%w: %s is no account of the program %s; a task that is over may be closed", ErrNoAccount, at, d.prog.ID())
	}
	return all[0].Data, now, nil
}

// clock reads the chain's time.
func (d *Desk) clock(ctx context.Context) (int64, error) {
	_, now, err := d.account(ctx, d.prog.Treasury())
	if errors.Is(err, ErrNoAccount) && now != 0 {
		err = nil
	}
	return now, err
}

// headBytes are those of a task before its seats.
var headBytes = binary.Size(brain.TaskAccount{}) - binary.Size([brain.MaxSeats]brain.WorkSeat{}) -
	binary.Size([brain.MaxSeats]brain.Evaluator{}) - 2*binary.Size(brain.Conclusion{})

// Tasks lists the tasks of the program by address, without their seats. With a class, it lists
// those of that class.
func (d *Desk) Tasks(ctx context.Context, class onchain.Address) ([]Seen, error) {
	now, err := d.clock(ctx)
	if err != nil {
		return nil, err
	}
	treasury, err := d.treasury(ctx)
	if err != nil {
		return nil, err
	}
	all, err := d.office.Heads(ctx, "Task", ledger.Filter{Offset: len(brain.Head{}.Kind), Bytes: []byte{treasury.Head.Version}, Owner: d.prog.ID()}, 0, headBytes)
	if err != nil {
		return nil, err
	}
	var out []Seen
	for _, a := range all {
		t, err := brain.DecodeTask(append(slices.Clone(a.Data), make([]byte, binary.Size(brain.TaskAccount{})-headBytes)...))
		if err != nil {
			return nil, fmt.Errorf("megabrain: %s: %w", a.Address, err)
		}
		if class.IsZero() || t.Parties.Class == class {
			out = append(out, Seen{a.Address, t, now})
		}
	}
	return out, nil
}

// treasury reads which court decides disputes.
func (d *Desk) treasury(ctx context.Context) (*brain.Treasury, error) {
	data, _, err := d.account(ctx, d.prog.Treasury())
	if err != nil {
		return nil, fmt.Errorf("megabrain: the program %s has no treasury: %w", d.prog.ID(), err)
	}
	return brain.DecodeTreasury(data)
}

// order is a transaction.
type order struct {
	name  string // for people
	pays  uint64
	with  []*client.Client
	calls []onchain.Instruction
	done  func(context.Context) (bool, error)
}

// send sends a transaction with the client's key. A refusal of the program is a brain.Denial.
func (d *Desk) send(ctx context.Context, o order) (client.Sent, error) {
	if d.self.IsZero() {
		return client.Sent{}, errNoKey
	}
	sent, err := d.office.Send(ctx, client.Order{Name: o.name, Pays: client.Lamports(o.pays), With: o.with, Instructions: o.calls, Done: o.done})
	var r *ledger.Rejection
	if !errors.As(err, &r) || !r.Failure.HasCustom {
		return sent, err
	}
	switch failed(r.Logs) {
	case d.prog.ID().String():
		return sent, fmt.Errorf("megabrain: could not %s: %w", o.name, brain.Denial(r.Failure.Custom))
	case d.office.Program().ID().String():
		return sent, fmt.Errorf("megabrain: could not %s: the court refused: %w", o.name, program.Code(r.Failure.Custom))
	}
	return sent, err
}

// failed is the program that failed first, the innermost one.
func failed(logs []string) string {
	for _, line := range logs {
		word, rest, _ := strings.Cut(line, " ")
		if name, _, ok := strings.Cut(rest, " failed: custom program error"); ok && word == "Program" {
			return name
		}
	}
	return ""
}
