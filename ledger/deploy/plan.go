package deploy

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/transact"
)

var (
	// ErrTaken means that the address has something else already.
	ErrTaken = errors.New("deploy: the program's address is taken")
	// ErrOther means that another program is there, or another key may upgrade it.
	ErrOther = errors.New("deploy: another program is there")
	// errRent means that a node names a rent that no known cluster has.
	errRent = errors.New("deploy: the rent of the RPC node is not that of a known cluster; ask another node")
)

// Wanted is a program that somebody wants on a cluster.
type Wanted struct {
	Program onchain.Address
	ELF     []byte
	Room    int // bytes by which the program may grow later
	Payer   *ledger.Keypair
	Key     *ledger.Keypair // of the program's address; it is needed only until the program is there
	Upgrade bool            // replace the program that is there
}

// Survey is what is there, and what a run has left to do.
type Survey struct {
	Program onchain.Address
	Buffer  onchain.Address
	// Deployed means that the program is there, and nothing is left to do.
	Deployed bool
	// Authority may upgrade the program: the payer, or that of the program which is there.
	Authority    onchain.Address
	Transactions int    // that are left
	Rent         uint64 // lamports, for as long as the program is there
	Fees         uint64 // lamports of signatures, without priority fees
	Held         uint64 // lamports of an earlier run's buffer, which count towards the rent
	Balance      uint64 // lamports that the payer has
	Missing      uint64 // lamports that the payer has too little

	// Awaited is what the authority has to sign, if the payer is not the authority and the buffer
	// of an upgrade is ready. Nothing else is left to do then.
	Awaited *onchain.Instruction

	sizes  sizes
	pieces []int // offsets of the pieces that are left
	stage  stage
	ready  bool // the program runs already
}

// sizes are the lamports of the accounts.
type sizes struct{ buffer, data, program, wallet uint64 }

// Lent is the rent of the buffer, in lamports.
func (p *Survey) Lent() uint64 { return p.sizes.buffer }

// stage is what a run does next.
type stage uint8

const (
	done stage = iota
	clearing
	creating
	writing
	starting
	awaiting // the authority has to sign
)

// Look says what a run would do. also is what the payer needs afterwards, in lamports.
func Look(ctx context.Context, c *ledger.Client, o Wanted, also uint64) (p Survey, err error) {
	p.Program, p.Authority = o.Program, o.Payer.Address()
	if len(o.ELF) == 0 || o.Room < 0 || dataHead+len(o.ELF)+o.Room > maxAccount {
		return p, fmt.Errorf("deploy: a program of %d bytes with room for %d more does not fit: an account has at most %d bytes", len(o.ELF), o.Room, maxAccount)
	}
	if p.Buffer, err = bufferOf(p.Authority); err != nil {
		return p, err
	}
	data := program.New(o.Program).ProgramData()
	all, slot, err := c.Accounts(ctx, o.Program, data, p.Buffer, p.Authority)
	if err != nil {
		return p, err
	}
	if all[3] != nil {
		p.Balance = all[3].Lamports
	}
	if all[0] != nil && o.Upgrade {
		return p, p.replacing(ctx, c, all, slot, o)
	}
	if o.Upgrade {
		return p, fmt.Errorf("%w: there is no program at %s", ErrOther, p.Program)
	}
	if all[0] != nil && (!bare(all[0]) || o.Program == p.Authority || all[0].Lamports > mostLost) {
		return p, p.standing(all[0], all[1], slot, o)
	}
	if all[1] != nil { // the loader makes it, and does not take one that is there
		return p, fmt.Errorf("%w: somebody has sent %s to %s, where the data of the program %s would be; take another key for the program (--program-key), "+
			"and what is written already is used for it", ErrTaken, onchain.SOL(all[1].Lamports), data, p.Program)
	}
	if p.sizes, err = rents(ctx, c, o); err != nil {
		return p, err
	}
	if all[0] != nil {
		p.sizes.program -= min(p.sizes.program, all[0].Lamports)
	}
	if err := p.missing(all[2], o); err != nil {
		return p, err
	}
	p.Rent = p.sizes.data + p.sizes.program
	p.Fees = lamportsPerSignature * uint64(p.Transactions+1) // the last one has two signatures
	if needs := p.Rent + p.Fees + also + p.sizes.wallet; needs > p.Balance+p.Held {
		p.Missing = needs - p.Balance - p.Held
	}
	return p, nil
}

const (
	lamportsPerSignature = 5000
	maxAccount           = 10 << 20 // bytes
	// mostLost is the most at the program's address that is kept there for ever. What is above is
	// taken for somebody's wallet.
	mostLost = onchain.LamportsPerSOL / 100
	// usualRent and emptyRoom give the rent of an account on every known cluster: lamports for each
	// byte, and bytes that each account counts besides its own.
	usualRent = 6960
	emptyRoom = 128
)

// bare reports whether an account has lamports and nothing else, so that its key can make anything
// of it. Anybody can send lamports to an address that has no account yet.
func bare(a *ledger.Account) bool {
	return a.Owner == onchain.SystemProgram() && len(a.Data) == 0 && !a.Executable
}

// ours reports whether the loader has made something of an account.
func ours(a *ledger.Account) bool { return a != nil && a.Owner == loader() }

// rents asks the cluster for the rent of the accounts. What is in the program's account stays there
// for ever, so a node that names a rent far above the usual is not believed.
func rents(ctx context.Context, c *ledger.Client, o Wanted) (s sizes, err error) {
	for _, one := range []struct {
		to   *uint64
		size int
	}{{&s.buffer, bufferHead + len(o.ELF)}, {&s.data, dataHead + len(o.ELF) + o.Room}, {&s.program, programSize}, {&s.wallet, 0}} {
		if *one.to, err = c.RentMinimum(ctx, one.size); err != nil {
			return s, err
		}
		if usual := uint64(emptyRoom+one.size) * usualRent; *one.to > 2*usual {
			return s, fmt.Errorf("%w: for %d bytes it wants %s, and the usual is %s", errRent, one.size, onchain.SOL(*one.to), onchain.SOL(usual))
		}
	}
	return s, nil
}

// standing looks at what is at the program's address.
func (p *Survey) standing(at, data *ledger.Account, slot uint64, o Wanted) error {
	if bare(at) {
		return fmt.Errorf("%w: %s has %s, which would be lost there; take them away, or take another key for the program", ErrTaken, p.Program, onchain.SOL(at.Lamports))
	}
	if at.Owner != loader() || !at.Executable || data == nil {
		return fmt.Errorf("%w: %s has an account of %s; take another key for the program", ErrTaken, p.Program, at.Owner)
	}
	h, elf, err := readHead(data.Data)
	if err != nil || h.state != isProgramData {
		return fmt.Errorf("%w: at %s", errors.Join(errLayout, err), data.Address)
	}
	p.Deployed, p.Authority, p.ready = true, h.authority, slot > h.slot
	if !same(elf, o.ELF) {
		return fmt.Errorf("%w: that at %s is not that of this ojud; take another key for the program, or upgrade it", ErrOther, p.Program)
	}
	if h.authority != o.Payer.Address() {
		who := h.authority.String()
		if h.authority.IsZero() {
			who = "nobody"
		}
		return fmt.Errorf("%w: %s may upgrade the program at %s, and not the key %s; to found a court on it, or to write its network.json again, name it with --program %s", ErrOther, who, p.Program, o.Payer.Address(), p.Program)
	}
	return nil
}

// replacing looks at what an upgrade has left to do. The rent of the buffer comes back at its end.
func (p *Survey) replacing(ctx context.Context, c *ledger.Client, all []*ledger.Account, slot uint64, o Wanted) (err error) {
	if all[0].Owner != loader() || all[1] == nil {
		return fmt.Errorf("%w: %s is no program of the upgradeable loader", ErrTaken, p.Program)
	}
	h, elf, err := readHead(all[1].Data)
	if err != nil || h.state != isProgramData {
		return fmt.Errorf("%w: at %s", errors.Join(errLayout, err), all[1].Address)
	}
	p.Authority = h.authority
	switch {
	case same(elf, o.ELF):
		p.Deployed, p.ready = true, slot > h.slot
		return nil
	case h.authority.IsZero():
		return fmt.Errorf("%w: the program at %s is frozen, so nobody can upgrade it", ErrOther, p.Program)
	case len(elf) < len(o.ELF):
		return fmt.Errorf("%w: the new program has %d bytes, and there is room for %d; extend it first: solana program extend %s %d",
			ErrTaken, len(o.ELF), len(elf), p.Program, len(o.ELF)-len(elf))
	}
	if p.sizes, err = rents(ctx, c, o); err != nil {
		return err
	}
	if err := p.missing(all[2], o); err != nil {
		return err
	}
	if p.stage == awaiting {
		i := upgrading(p.Program, all[1].Address, p.Buffer, o.Payer.Address(), p.Authority)
		p.Awaited, p.Transactions = &i, 0
		return nil
	}
	p.Fees = lamportsPerSignature * uint64(p.Transactions)
	if needs := p.sizes.buffer + p.Fees + p.sizes.wallet; needs > p.Balance+p.Held {
		p.Missing = needs - p.Balance - p.Held
	}
	return nil
}

// same reports whether an account has this program, and only zeros after it.
func same(there, elf []byte) bool {
	return len(there) >= len(elf) && bytes.Equal(there[:len(elf)], elf) && len(bytes.Trim(there[len(elf):], "\x00")) == 0
}

// missing finds what the buffer lacks.
func (p *Survey) missing(buffer *ledger.Account, o Wanted) error {
	p.stage = creating
	var there []byte
	switch {
	case buffer == nil:
	case bare(buffer): // somebody sent lamports, which come back with the rest
		p.Held = buffer.Lamports
	default:
		p.Held = buffer.Lamports
		h, program, err := readHead(buffer.Data)
		switch {
		case err != nil || h.state != isBuffer || buffer.Owner != loader():
			return fmt.Errorf("%w: the buffer %s", errLayout, p.Buffer)
		case o.Upgrade && h.authority == p.Authority && h.authority != o.Payer.Address() && bytes.Equal(program, o.ELF):
			p.stage = awaiting
			return nil
		case h.authority != o.Payer.Address():
			return fmt.Errorf("%w: the buffer %s belongs to %s now, so use it or close it first", ErrTaken, p.Buffer, h.authority)
		case len(program) != len(o.ELF): // of another program
			p.stage = clearing
		default:
			there, p.stage = program, writing
		}
	}
	for at := 0; at < len(o.ELF); at += pieceSize {
		end := min(at+pieceSize, len(o.ELF))
		if there == nil && len(bytes.Trim(o.ELF[at:end], "\x00")) > 0 || there != nil && !bytes.Equal(there[at:end], o.ELF[at:end]) {
			p.pieces = append(p.pieces, at)
		}
	}
	if p.stage == writing && len(p.pieces) == 0 {
		p.stage = starting
	}
	p.Transactions = len(p.pieces) + 1
	switch p.stage {
	case clearing:
		p.Transactions += 2
	case creating:
		p.Transactions++
	}
	return nil
}

// enough returns an error that names how much the payer lacks.
func (p *Survey) enough(payer onchain.Address) error {
	if p.Missing == 0 {
		return nil
	}
	return fmt.Errorf("%w: %s has %s, and it needs %s more for rent and fees; send it there", transact.ErrNoFunds, payer, onchain.SOL(p.Balance), onchain.SOL(p.Missing))
}
