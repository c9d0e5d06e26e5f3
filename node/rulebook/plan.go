package rulebook

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"

	"ojud/ledger/law"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/transact"
	"ojud/node/client"
)

// Plan is an act that was checked and not sent.
type Plan struct {
	Act   string `json:"act"` // for people: "pause the court"
	By    string `json:"by"`  // the key that signs
	by    onchain.Address
	order client.Order
}

func plan(by onchain.Address, o client.Order) Plan {
	return Plan{Act: o.Name, By: by.String(), by: by, order: o}
}

func one(i onchain.Instruction) []onchain.Instruction { return []onchain.Instruction{i} }

// authority returns who has the authority.
func authority(r *law.Rules) (onchain.Address, error) {
	if r.Config.Authority.IsZero() {
		return r.Config.Authority, fmt.Errorf("%w: this court has no authority any more, so its rules stay as they are, for ever", errNotNow)
	}
	return r.Config.Authority, nil
}

// HandOver plans to name the key that may accept the authority. Zero withdraws the name.
func HandOver(ctx context.Context, c *client.Client, to onchain.Address) (Plan, error) {
	office := client.OfficeOf(c)
	r, by, err := read(ctx, office)
	if err != nil {
		return Plan{}, err
	}
	if to == by {
		return Plan{}, fmt.Errorf("%w: %s has the authority already; name another key, or withdraw a name with --withdraw", errNotNow, to)
	}
	name := "offer the authority to " + to.String()
	if to.IsZero() {
		if name = "withdraw the offer of the authority"; r.Config.PendingAuthority.IsZero() {
			return Plan{}, fmt.Errorf("%w: the authority is offered to nobody, so there is nothing to withdraw", errNotNow)
		}
	}
	return plan(by, client.Order{
		Name: name, Instructions: one(office.Program().ProposeAuthority(by, program.ProposeAuthority{Authority: to})),
		Done: shown(office, func(r *law.Rules) bool { return r.Config.PendingAuthority == to }),
	}), nil
}

// Accept plans to take the authority that was offered.
func Accept(ctx context.Context, c *client.Client) (Plan, error) {
	office := client.OfficeOf(c)
	r, err := law.Read(ctx, office)
	if err != nil {
		return Plan{}, err
	}
	by := r.Config.PendingAuthority
	if by.IsZero() {
		return Plan{}, fmt.Errorf("%w: the authority is offered to nobody; who has it offers it with: ojud court authority hand-over ADDRESS", errNotNow)
	}
	return plan(by, client.Order{
		Name: "accept the authority", Instructions: one(office.Program().AcceptAuthority(by)),
		Done: shown(office, func(r *law.Rules) bool { return r.Config.Authority == by }),
	}), nil
}

// GiveUp plans to leave the court without an authority, for ever.
func GiveUp(ctx context.Context, c *client.Client) (Plan, error) {
	office := client.OfficeOf(c)
	r, by, err := read(ctx, office)
	if err != nil {
		return Plan{}, err
	}
	if r.Config.Paused != 0 {
		return Plan{}, fmt.Errorf("%w: the court is paused, and without an authority it would stay paused for ever; run first: ojud court resume", errNotNow)
	}
	if r.Config.Listed != 0 {
		return Plan{}, fmt.Errorf("%w: the court is listed, and without an authority nobody could admit judges; run first: ojud court open", errNotNow)
	}
	return plan(by, client.Order{
		Name: "give up the authority", Instructions: one(office.Program().GiveUp(by)),
		Done: shown(office, func(r *law.Rules) bool { return r.Config.Authority.IsZero() }),
	}), nil
}

// Pause plans to pause the court, or to resume.
func Pause(ctx context.Context, c *client.Client, paused bool) (Plan, error) {
	office := client.OfficeOf(c)
	_, by, err := read(ctx, office)
	if err != nil {
		return Plan{}, err
	}
	name, flag := "resume the court", uint8(0)
	if paused {
		name, flag = "pause the court", 1
	}
	return plan(by, client.Order{
		Name: name, Instructions: one(office.Program().Pause(by, program.Pause{Paused: flag})),
		Done: shown(office, func(r *law.Rules) bool { return r.Config.Paused == flag }),
	}), nil
}

func read(ctx context.Context, office client.Office) (*law.Rules, onchain.Address, error) {
	r, err := law.Read(ctx, office)
	if err != nil {
		return nil, onchain.Address{}, err
	}
	by, err := authority(r)
	return r, by, err
}

// Signable returns nil if the client's key is the one that signs.
func (p Plan) Signable(c *client.Client) error {
	if c.Me() != p.By {
		return fmt.Errorf("%w: only the key %s can %s, and the command's key is %s; name its file with --key FILE, "+
			"or if it is an account of a multisig program, print what that has to sign with --print", errNotNow, p.By, p.Act, cmp.Or(c.Me(), "missing"))
	}
	return nil
}

// Send sends the plan with the client's key.
func (p Plan) Send(ctx context.Context, c *client.Client) (client.Sent, error) {
	if err := p.Signable(c); err != nil {
		return client.Sent{}, err
	}
	return client.OfficeOf(c).Send(ctx, p.order)
}

// Unsigned is a plan for signers that this program cannot ask, such as a multisig.
type Unsigned struct {
	Act      string         `json:"act"`
	Signer   string         `json:"signer"`
	Program  string         `json:"program"`
	Accounts []NamedAccount `json:"accounts"`
	Data     string         `json:"data"` // of the instruction, base64
	// Message is a whole message with only this instruction and the signer as its payer, base64.
	// Its blockhash is zero; whoever signs puts a recent one there.
	Message string `json:"message"`
	// Transaction is the message behind an empty signature, base64.
	Transaction string `json:"transaction"`
}

// NamedAccount is an account of an instruction.
type NamedAccount struct {
	Address  string `json:"address"`
	Signer   bool   `json:"signer"`
	Writable bool   `json:"writable"`
}

// Unsigned returns what the signer has to sign.
func (p Plan) Unsigned() (Unsigned, error) { return UnsignedOf(p.Act, p.by, p.order.Instructions[0]) }

// UnsignedOf returns an instruction as its signer has to sign it.
func UnsignedOf(act string, by onchain.Address, i onchain.Instruction) (Unsigned, error) {
	u := Unsigned{Act: act, Signer: by.String(), Program: i.Program.String(), Data: base64.StdEncoding.EncodeToString(i.Data)}
	for _, a := range i.Accounts {
		u.Accounts = append(u.Accounts, NamedAccount{Address: a.Address.String(), Signer: a.Signer, Writable: a.Writable})
	}
	tx, err := transact.Bare(by, i)
	if err != nil {
		return u, err
	}
	raw, err := tx.Message().MarshalBinary()
	if err != nil {
		return u, fmt.Errorf("rulebook: encoding the message: %w", err)
	}
	u.Message, u.Transaction = base64.StdEncoding.EncodeToString(raw), base64.StdEncoding.EncodeToString(tx.Raw(nil))
	return u, nil
}

// shown returns a check of rules and authority, as an order wants it.
func shown(office client.Office, so func(*law.Rules) bool) func(context.Context) (bool, error) {
	return func(ctx context.Context) (bool, error) {
		r, err := law.Read(ctx, office)
		return err == nil && so(r), err
	}
}
