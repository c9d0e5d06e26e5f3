package holdings

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"ojud/casefile"
	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/tokens"
	"ojud/node/client"
)

// Token is what an agent has of a mint in one token account.
type Token struct {
	Mint    casefile.Address `json:"mint"`
	Account casefile.Address `json:"account"`
	Program string           `json:"program"` // SPL Token or Token-2022
	Amount  string           `json:"amount"`  // with the decimals of the mint, exact
	Units   uint64           `json:"units,string"`
	Frozen  bool             `json:"frozen"`
	Freezer string           `json:"freezer,omitempty"` // who may freeze the account; empty: nobody
	Refused string           `json:"refused,omitempty"` // why a deposit is refused; empty: it is not
}

// TokenDone is the result of a deposit or a withdrawal, with what the vault has afterwards.
type TokenDone struct {
	client.Sent
	Opened bool            `json:"opened"` // whether a token account was made
	Rent   client.Lamports `json:"rent"`   // that the wallet paid for it
	Token  *Token          `json:"token"`
}

// Transfer is what a deposit or a withdrawal moves.
type Transfer struct {
	Mint   onchain.Address
	Amount string // with decimals, such as 1.5
	// From is the account of the vault that a withdrawal takes from. Zero is the associated one.
	From onchain.Address
}

// Why tokens do not move.
var (
	errFrozen  = errors.New("holdings: the token account is frozen")
	errTooFew  = errors.New("holdings: there are not so many tokens")
	errNothing = errors.New("holdings: the amount is zero")
	errForeign = errors.New("holdings: the token account belongs to somebody else")
)

// maxRent is what the largest account costs that is made here: one of Token-2022 with two
// extensions.
const maxRent client.Lamports = 2_157_600

// Tokens lists what an agent's vault has, by mint and account. It also has what others sent there
// past the commands.
func Tokens(ctx context.Context, c *client.Client, authority onchain.Address) ([]*Token, error) {
	office := client.OfficeOf(c)
	owner := office.Program().Agent(authority)
	out := []*Token{}
	for _, of := range []onchain.Address{tokens.SPL(), tokens.Token2022()} {
		found, _, err := office.TokenAccounts(ctx, of, owner)
		if err != nil {
			return nil, err
		}
		for some := range slices.Chunk(found, atOnce) {
			more, err := described(ctx, office, owner, some)
			if err != nil {
				return nil, err
			}
			out = append(out, more...)
		}
	}
	slices.SortFunc(out, func(a, b *Token) int {
		return cmp.Or(slices.Compare(a.Mint[:], b.Mint[:]), slices.Compare(a.Account[:], b.Account[:]))
	})
	return out, nil
}

// described reads the mints of token accounts of an owner.
func described(ctx context.Context, office client.Office, owner onchain.Address, some []*ledger.Account) (out []*Token, err error) {
	held := make([]*tokens.TokenAccount, len(some))
	at := make([]onchain.Address, len(some))
	for i, a := range some {
		if held[i], err = tokens.DecodeAccount(a.Owner, a.Data); err != nil || held[i].Owner != owner {
			return nil, fmt.Errorf("%w: the node lists %s as a token account of %s: %w", ledger.ErrAnswer, a.Address, owner, cmp.Or(err, errForeign))
		}
		at[i] = held[i].Mint
	}
	mints, _, err := office.Accounts(ctx, at...)
	if err != nil {
		return nil, err
	}
	for i, a := range mints {
		m, err := mint(at[i], a)
		if err != nil { // somebody closed the mint, and must not hide the other tokens by that
			m = &tokens.Mint{Address: at[i], Program: some[i].Owner}
		}
		t := token(some[i].Address, held[i], m)
		if err != nil {
			t.Refused = err.Error()
		}
		out = append(out, t)
	}
	return out, nil
}

func mint(at onchain.Address, a *ledger.Account) (*tokens.Mint, error) {
	if a == nil {
		return nil, fmt.Errorf("%w: %s: there is no such account", tokens.ErrNoMint, at)
	}
	return tokens.DecodeMint(at, a.Owner, a.Data)
}

func token(at onchain.Address, held *tokens.TokenAccount, m *tokens.Mint) *Token {
	t := &Token{
		Mint: casefile.Address(m.Address), Account: casefile.Address(at), Program: "SPL Token", Units: held.Amount,
		Amount: tokens.Amount(held.Amount, m.Decimals), Frozen: held.Frozen,
	}
	if m.Program == tokens.Token2022() {
		t.Program = "Token-2022"
	}
	if !m.Freezer.IsZero() {
		t.Freezer = m.Freezer.String()
	}
	if err := m.Safe(); err != nil {
		t.Refused = err.Error()
	}
	return t
}

// purse is a token account, which need not exist.
type purse struct {
	what  string // for people
	at    onchain.Address
	owner onchain.Address
	open  onchain.Instruction  // makes it
	held  *tokens.TokenAccount // nil: there is none
}

// table has what a deposit or a withdrawal is about.
type table struct {
	self          onchain.Address
	mint          *tokens.Mint
	vault, wallet purse
	units         uint64
}

// look reads a mint and the token accounts of the client's wallet and vault.
func look(ctx context.Context, c *client.Client, t Transfer) (out table, err error) {
	if out.self, err = onchain.ParseAddress(c.Me()); err != nil {
		return out, errors.New("holdings: this needs a key; name the key file: --key FILE")
	}
	if _, err := c.Agent(ctx, out.self); err != nil {
		return out, err
	}
	office := client.OfficeOf(c)
	first, _, err := office.Accounts(ctx, t.Mint)
	if err != nil {
		return out, err
	}
	if out.mint, err = mint(t.Mint, first[0]); err != nil {
		return out, err
	}
	if out.units, err = tokens.Parse(t.Amount, out.mint.Decimals); err != nil {
		return out, err
	}
	if out.units == 0 {
		return out, errNothing
	}
	for _, p := range []struct {
		to    *purse
		what  string
		owner onchain.Address
	}{{&out.vault, "the vault", office.Program().Agent(out.self)}, {&out.wallet, "the wallet", out.self}} {
		open, err := tokens.CreateAssociated(out.self, p.owner, out.mint)
		if err != nil {
			return out, err
		}
		*p.to = purse{what: p.what, at: open.Accounts[1].Address, owner: p.owner, open: open}
	}
	if !t.From.IsZero() {
		out.vault.at = t.From
	}
	return out, out.read(ctx, office)
}

// read reads the two token accounts.
func (t *table) read(ctx context.Context, office client.Office) error {
	all, _, err := office.Accounts(ctx, t.vault.at, t.wallet.at)
	if err != nil {
		return err
	}
	for i, p := range []*purse{&t.vault, &t.wallet} {
		if p.held = nil; all[i] == nil || all[i].Owner == onchain.SystemProgram() {
			continue
		}
		held, err := tokens.DecodeAccount(all[i].Owner, all[i].Data)
		switch {
		case err != nil:
			return fmt.Errorf("%w: %s", err, p.at)
		case held.Owner != p.owner || held.Mint != t.mint.Address:
			return fmt.Errorf("%w: %s belongs to %s and is of the mint %s", errForeign, p.at, held.Owner, held.Mint)
		}
		p.held = held
	}
	return nil
}

// pays returns why one token account cannot pay to the other.
func (t *table) pays(from, to *purse) error {
	have := uint64(0)
	if from.held != nil {
		have = from.held.Amount
	}
	for _, p := range []*purse{from, to} {
		if p.held != nil && p.held.Frozen {
			return fmt.Errorf("%w: %s of %s; only the freezer of the mint, %s, can thaw it", errFrozen, p.at, p.what, t.mint.Freezer)
		}
	}
	if have < t.units {
		d := t.mint.Decimals
		return fmt.Errorf("%w: %s has %s of the mint %s, less than %s", errTooFew, from.what, tokens.Amount(have, d), t.mint.Address, tokens.Amount(t.units, d))
	}
	return nil
}

// Deposit moves tokens from the wallet's associated account into the vault's, which it makes if
// there is none. It refuses mints that are not safe. Every call moves them again.
func Deposit(ctx context.Context, c *client.Client, t Transfer) (TokenDone, error) {
	t.From = onchain.Address{}
	at, err := look(ctx, c, t)
	if err != nil {
		return TokenDone{}, err
	}
	if err := at.mint.Safe(); err != nil {
		return TokenDone{}, fmt.Errorf("holdings: %w", err)
	}
	if err := at.pays(&at.wallet, &at.vault); err != nil {
		return TokenDone{}, err
	}
	return at.move(ctx, c, "deposit", &at.vault, tokens.Transfer(at.mint, at.wallet.at, at.vault.at, at.self, at.units))
}

// Withdraw moves tokens from the vault to the wallet's associated account, which it makes if there
// is none. Every call moves them again.
func Withdraw(ctx context.Context, c *client.Client, t Transfer) (TokenDone, error) {
	at, err := look(ctx, c, t)
	if err != nil {
		return TokenDone{}, err
	}
	if err := at.pays(&at.vault, &at.wallet); err != nil {
		return TokenDone{}, err
	}
	accounts := program.TokenAccounts{Mint: at.mint.Address, Source: at.vault.at, Destination: at.wallet.at, Program: at.mint.Program}
	return at.move(ctx, c, "withdraw", &at.wallet, accounts.Withdraw(client.OfficeOf(c).Program(), at.self, at.units))
}

// move makes the account that gets tokens if need be, moves them, and reads what the vault has
// then.
func (t *table) move(ctx context.Context, c *client.Client, what string, to *purse, i onchain.Instruction) (TokenDone, error) {
	office, done := client.OfficeOf(c), TokenDone{Opened: to.held == nil}
	wanted := client.Order{
		Name:         fmt.Sprintf("%s %s of the mint %s", what, tokens.Amount(t.units, t.mint.Decimals), t.mint.Address),
		Instructions: []onchain.Instruction{i},
	}
	if done.Opened {
		wanted.Instructions, wanted.Pays = []onchain.Instruction{to.open, i}, maxRent
	}
	var err error
	if done.Sent, err = office.Move(ctx, wanted); err != nil {
		return TokenDone{}, err
	}
	if err := t.read(ctx, office); err != nil {
		return done, err
	}
	if done.Opened {
		if done.Rent, err = c.Balance(ctx, to.at); err != nil {
			return done, err
		}
	}
	if t.vault.held != nil {
		done.Token = token(t.vault.at, t.vault.held, t.mint)
	}
	return done, nil
}
