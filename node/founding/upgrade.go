package founding

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ojud/ledger"
	"ojud/ledger/deploy"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/transact"
	"ojud/node/client"
)

// ProgramChange is a change of the program that was checked and not sent.
type ProgramChange struct {
	Act         string // for people: "freeze the program"
	By          onchain.Address
	Instruction onchain.Instruction
	Warning     string // what is strange about the address that gets the power
	wanted      string // who may upgrade the program afterwards; empty: nobody
}

// LookUpgrade says what it costs to replace the program by that of this ojud. The rent comes back.
func LookUpgrade(ctx context.Context, w Wish) (Cost, error) {
	var out Cost
	err := with(w, func(c *ledger.Client) error {
		p, err := deploy.Look(ctx, c, w.upgrade(), 0)
		out = costOf(p, 0)
		return err
	})
	return out, err
}

// Upgrade replaces the program by that of this ojud. If the key may not do that, it writes the
// program into a buffer, gives the buffer to the authority, and returns what that has to sign.
func Upgrade(ctx context.Context, w Wish, tell deploy.Progress) (cost Cost, left *ProgramChange, err error) {
	err = with(w, func(c *ledger.Client) error {
		s, err := ledger.OpenSender(ctx, c, &ledger.MemoryOutbox{})
		if err != nil {
			return err
		}
		defer s.Close()
		p, err := deploy.Run(ctx, c, s, w.upgrade(), 0, tell)
		if cost = costOf(p, 0); p.Awaited != nil {
			left = &ProgramChange{Act: "upgrade the program", By: p.Authority, Instruction: *p.Awaited}
		}
		return err
	})
	return cost, left, err
}

func (w Wish) upgrade() deploy.Wanted {
	o := w.order(Deployment{})
	o.Upgrade = true
	return o
}

// HandOverProgram plans to let another address upgrade the program. The zero address freezes the
// program for ever.
func HandOverProgram(ctx context.Context, w Wish, to onchain.Address) (ProgramChange, error) {
	out := ProgramChange{Act: "freeze the program for ever"}
	if !to.IsZero() {
		out.Act, out.wanted = "let "+to.String()+" upgrade the program, and nobody else", to.String()
	}
	err := with(w, func(c *ledger.Client) error {
		who, err := upgrader(ctx, c)
		switch {
		case err != nil:
			return err
		case who == out.wanted:
			return fmt.Errorf("%w: %s may upgrade it already", errNothing, cmp.Or(who, "nobody"))
		case who == "":
			return fmt.Errorf("%w: the program is frozen, for ever", ErrNotAllowed)
		}
		if out.By, err = onchain.ParseAddress(who); err != nil {
			return err
		}
		if !to.IsZero() {
			if out.Warning, err = signer(ctx, c, to); err != nil {
				return err
			}
		}
		out.Instruction = deploy.HandOver(c.Program().ProgramData(), out.By, to)
		return nil
	})
	return out, err
}

// signer refuses an address for which nothing can ever sign, and warns of one for which perhaps
// nothing can. A multisig signs with an account that has no data.
func signer(ctx context.Context, c *ledger.Client, a onchain.Address) (warning string, err error) {
	all, _, err := c.Accounts(ctx, a)
	if err != nil {
		return "", err
	}
	return canSign(a, all[0])
}

// canSign is signer for an address and its account, which may be nil.
func canSign(a onchain.Address, at *ledger.Account) (warning string, err error) {
	foreign := at != nil && at.Owner != onchain.SystemProgram()
	switch key := transact.CheckKey(a) == nil; {
	case ofCluster(a), at != nil && at.Executable:
		return "", fmt.Errorf("%w: %s is an account of the cluster or a program, for which nobody can ever sign", ErrNotAllowed, a)
	case foreign && (ofCluster(at.Owner) || ofTokens(at.Owner)):
		return "", fmt.Errorf("%w: %s is an account of the program %s, such as a mint, a stake or a program's code, for which nobody can sign any more", ErrNotAllowed, a, at.Owner)
	case key && foreign:
		return "The account of " + a.String() + " belongs to the program " + at.Owner.String() + ". Its key may have been thrown away after the account was made.", nil
	case key:
		return "", nil
	case at == nil:
		return "No key has the address " + a.String() + ", and there is no account at it (yet). If no program signs for it, nobody can.", nil
	case at.Owner != onchain.SystemProgram():
		return "No key has the address " + a.String() + ". Its account belongs to the program " + at.Owner.String() + ", and a multisig mostly signs with another one, its vault.", nil
	}
	return "", nil
}

// ofCluster reports whether an address is one that the cluster chose: a program such as
// Stake11111111111111111111111111111111111111, or a sysvar. Nobody finds a key whose address ends
// so.
func ofCluster(a onchain.Address) bool {
	text := a.String()
	return strings.HasPrefix(text, "Sysvar") || strings.HasSuffix(text, strings.Repeat("1", 8)) || [31]byte(a[:31]) == [31]byte{} || ofTokens(a)
}

// ofTokens reports whether an address is a program of tokens, names or memos that everybody uses.
func ofTokens(a onchain.Address) bool {
	return slices.Contains([]string{
		"TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA", "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb", "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL",
		"MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr", "metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s",
	}, a.String())
}

var errNothing = errors.New("founding: there is nothing to change")

// upgrader returns who may upgrade the program; nobody is empty.
func upgrader(ctx context.Context, c *ledger.Client) (string, error) {
	all, _, err := c.Accounts(ctx, c.Program().ProgramData())
	if err != nil {
		return "", err
	}
	if all[0] == nil {
		return "", fmt.Errorf("%w: the upgradeable loader has no program at %s", errOtherProgram, c.Program().ID())
	}
	authority, _, err := programData(all[0].Data)
	if err != nil || authority.IsZero() {
		return "", err
	}
	return authority.String(), nil
}

// Send sends a change with the key of the wish, which must be the one that may.
func (g ProgramChange) Send(ctx context.Context, w Wish) error {
	if w.Key == nil || w.Key.Address() != g.By {
		return fmt.Errorf("%w: only %s may %s; name its key file with --key, or print what it has to sign with --unsigned", ErrNotAllowed, g.By, g.Act)
	}
	return with(w, func(c *ledger.Client) error {
		s, err := ledger.OpenSender(ctx, c, &ledger.MemoryOutbox{})
		if err != nil {
			return err
		}
		defer s.Close()
		out, err := s.Submit(ctx, []onchain.Instruction{g.Instruction}, ledger.SubmitOptions{Payer: w.Key, Done: func(ctx context.Context) (bool, error) {
			who, err := upgrader(ctx, c)
			return err == nil && who == g.wanted, err
		}})
		switch {
		case err != nil:
			return fmt.Errorf("founding: %w", err)
		case out.Class == ledger.Rejected:
			return fmt.Errorf("founding: the cluster refused: %w", out.Rejection)
		case out.Class != ledger.Landed && out.Class != ledger.AlreadyDone:
			return errors.New("founding: the chain did not take the transaction in time; do it again")
		}
		return nil
	})
}

// Of returns the wish that stands for a court which is there, to change its program.
func Of(cfg ledger.Config, at onchain.Address, name string, key *client.Keypair) Wish {
	return Wish{Ledger: cfg, Program: at, Key: key, Name: name, Params: program.DefaultParams()}
}
