package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/signers"
	"ojud/ledger/transact"
	"ojud/voting"
)

// EngineDone is the result of an action on a group of signers.
type EngineDone struct {
	Sent
	Signers SignersView `json:"signers"`
	Settled bool        `json:"settled,omitempty"` // the task was settled by the verdict
}

// SignersView is a group of signers, and what they signed about a subject.
type SignersView struct {
	Engine    string       `json:"engine"` // PROGRAM/GROUP
	Threshold uint8        `json:"threshold"`
	Members   []MemberView `json:"members"`
	Subject   string       `json:"subject,omitempty"`
	Verdict   string       `json:"verdict,omitempty"` // of as many as the threshold says
	Account   string       `json:"account,omitempty"` // the verdict, by which programs pay
}

// MemberView is a member of a group.
type MemberView struct {
	Member string `json:"member"`
	Signed string `json:"signed,omitempty"` // the verdict
}

// signedWords are the verdicts that a member can sign, in the order of the program's numbers.
func signedWords() []string { return []string{"accept", "reject", "undecided"} }

// CreateSigners makes a group, of which as many members as the threshold says decide together. It
// is a group of the program of signers at an address; zero means that of every devnet.
func CreateSigners(ctx context.Context, c *Client, of onchain.Address, threshold int, members ...onchain.Address) (EngineDone, error) {
	if c.key == nil {
		return EngineDone{}, errNoKey
	}
	of = cmp.Or(of, signers.Devnet())
	g, err := signers.NewKeys(threshold, members...)
	if err != nil {
		return EngineDone{}, err
	}
	if err := c.serves(ctx, of); err != nil {
		return EngineDone{}, err
	}
	at := g.Address(of)
	sent, err := c.landed(ctx, action{
		name: "make the group", purpose: "signers:" + at.String(), instructions: []onchain.Instruction{signers.Create(of, c.self, g)},
		done: func(ctx context.Context) (bool, error) {
			_, _, err := ledger.Read(ctx, engineChain{c.chain, of}, at, signers.DecodeKeys)
			if errors.Is(err, ledger.ErrNotFound) {
				return false, nil
			}
			return err == nil, err
		},
	})
	if err != nil {
		return EngineDone{}, err
	}
	v, err := c.signersView(ctx, Decider{of, at}, onchain.Address{})
	return EngineDone{Sent: sent, Signers: v}, err
}

// serves refuses a program that is not on the chain.
func (c *court) serves(ctx context.Context, of onchain.Address) error {
	all, _, err := c.chain.Accounts(ctx, of)
	if err == nil && (all[0] == nil || !all[0].Executable) {
		err = fmt.Errorf("%w: there is no program %s on this chain; name the program of signers with --program", errNotNow, of)
	}
	return err
}

// SignVerdict signs what the client's key, a member of the engine's group, says about a task. The
// last one whose word is needed writes the verdict with it, and settles the task in the same
// transaction, so that no verdict waits for somebody until the engine's time is over.
func SignVerdict(ctx context.Context, c *Client, task onchain.Address, word string) (EngineDone, error) {
	verdict := voting.Verdict(slices.Index(signedWords(), word) + 1)
	switch {
	case c.key == nil:
		return EngineDone{}, errNoKey
	case verdict == 0:
		return EngineDone{}, fmt.Errorf("client: %q is no verdict; say accept, reject or undecided", word)
	}
	t, err := c.task(ctx, task)
	if err != nil {
		return EngineDone{}, err
	}
	by := deciderOf(t)
	g, b, err := c.signed(ctx, by, task)
	if err != nil {
		return EngineDone{}, err
	}
	place := slices.Index(g.Members, c.self)
	now, err := c.chain.Now(ctx)
	switch {
	case err != nil:
		return EngineDone{}, err
	case place < 0:
		return EngineDone{}, fmt.Errorf("%w: only members of the group %s sign, and %s is none; see: ojud engine show %s", errNotNow, by.Group, c.self, by)
	case b.Signed[place] == verdict:
		v, err := c.signersView(ctx, by, task)
		return EngineDone{Sent{Result: ledger.AlreadyDone.String()}, v, t.Resolution == program.ByEngine}, err
	case b.Signed[place] != 0:
		return EngineDone{}, fmt.Errorf("%w: you signed %s already, and nobody signs twice", errNotNow, signedWords()[b.Signed[place]-1])
	case b.Decided != 0:
		return EngineDone{}, fmt.Errorf("%w: the group has decided: %s; settle the task: ojud task settle %s", errNotNow, signedWords()[b.Decided-1], task)
	case !waits(t):
		return EngineDone{}, fmt.Errorf("%w: no engine decides this task now; %s", errNotNow, turn(t, now.Unix).sentence())
	case now.Unix >= t.Deadline:
		return EngineDone{}, fmt.Errorf("%w: the engine's time is over; %s", errNotNow, turn(t, now.Unix).sentence())
	}
	d := action{
		name: "sign the verdict", purpose: "sign:" + task.String(),
		instructions: []onchain.Instruction{signers.Sign(by.Program, c.self, c.self, by.Group, task, verdict)},
		done: func(ctx context.Context) (bool, error) {
			_, b, err := c.signed(ctx, by, task)
			return err == nil && b.Signed[place] == verdict, err
		},
	}
	sent, err := signAndSettle(ctx, c, d, c.program.SettleByEngine(task, t), decides(b, g, verdict))
	if err != nil {
		return EngineDone{}, err
	}
	if t, err = c.task(ctx, task); err != nil {
		return EngineDone{}, err
	}
	v, err := c.signersView(ctx, by, task)
	return EngineDone{sent, v, t.Resolution == program.ByEngine}, err
}

// decides reports whether one more signature for a verdict reaches the threshold.
func decides(b *signers.Ballot, g *signers.Keys, verdict voting.Verdict) bool {
	count := 1
	for _, v := range b.Signed {
		if v == verdict {
			count++
		}
	}
	return count == int(g.Threshold)
}

// signAndSettle signs, and settles with the signature that decides. If the two do not go together,
// the signature counts alone.
func signAndSettle(ctx context.Context, c *Client, d action, settle onchain.Instruction, decides bool) (Sent, error) {
	if decides {
		both := d
		both.instructions = append(slices.Clone(d.instructions), settle)
		sent, err := c.landed(ctx, both)
		var refused *ledger.Rejection
		if !errors.As(err, &refused) && !errors.Is(err, transact.ErrTooLarge) {
			return sent, err
		}
	}
	return c.landed(ctx, d)
}

// Signers shows a group.
func (c *court) Signers(ctx context.Context, by Decider) (SignersView, error) {
	return c.signersView(ctx, by, onchain.Address{})
}

// TaskSigners shows the group that decides a task, and what its members signed about it.
func (c *court) TaskSigners(ctx context.Context, task onchain.Address) (SignersView, error) {
	t, err := c.task(ctx, task)
	if err != nil {
		return SignersView{}, err
	}
	return c.signersView(ctx, deciderOf(t), task)
}

// signed reads a group and what it signed about a subject. Without a Ballot nobody has signed.
func (c *court) signed(ctx context.Context, by Decider, subject onchain.Address) (*signers.Keys, *signers.Ballot, error) {
	if by.Group.IsZero() {
		return nil, nil, fmt.Errorf("%w: no group of signers decides; %s", errNotNow, map[bool]string{
			true: "the court does", false: "the program " + by.Program.String() + " does, and only it knows how",
		}[by.Program.IsZero()])
	}
	from := engineChain{c.chain, by.Program}
	g, _, err := ledger.Read(ctx, from, by.Group, signers.DecodeKeys)
	if err != nil {
		return nil, nil, fmt.Errorf("client: the group of signers %s: %w", by, err)
	}
	b, _, err := ledger.Read(ctx, from, signers.BallotAt(by.Program, by.Group, subject), signers.DecodeBallot)
	if errors.Is(err, ledger.ErrNotFound) {
		return g, &signers.Ballot{Group: by.Group, Subject: subject}, nil
	}
	return g, b, err
}

func (c *court) signersView(ctx context.Context, by Decider, subject onchain.Address) (SignersView, error) {
	g, b, err := c.signed(ctx, by, subject)
	if err != nil {
		return SignersView{}, err
	}
	v := SignersView{Engine: by.String(), Threshold: g.Threshold, Subject: address(subject), Members: []MemberView{}}
	for i, m := range g.Members {
		view := MemberView{Member: m.String()}
		if s := b.Signed[i]; s != 0 {
			view.Signed = signedWords()[s-1]
		}
		v.Members = append(v.Members, view)
	}
	if b.Decided != 0 {
		v.Verdict, v.Account = signedWords()[b.Decided-1], program.EngineVerdict(by.Program, by.Group, subject).String()
	}
	return v, nil
}
