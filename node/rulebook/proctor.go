package rulebook

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node/client"
)

// Proctor is a key that may commit batches of golden cases.
type Proctor struct {
	Proctor string `json:"proctor"`
	Payer   string `json:"payer"` // gets the rent back
}

// Bytes of a Proctor account (protocol, section 4).
const (
	proctorKey  = 16
	proctorKeys = 2 * 32
)

const _ = uint(program.ProctorSize - proctorKey - proctorKeys)

// Proctors lists the keys that the authority has admitted.
func Proctors(ctx context.Context, c *client.Client) ([]Proctor, error) {
	all, err := client.OfficeOf(c).Heads(ctx, "Proctor", ledger.Filter{Offset: ledger.StatusOffset, Bytes: []byte{0}}, proctorKey, proctorKeys)
	if err != nil {
		return nil, err
	}
	out := []Proctor{}
	for _, a := range all {
		out = append(out, Proctor{onchain.Address(a.Data[:32]).String(), onchain.Address(a.Data[32:]).String()})
	}
	slices.SortFunc(out, func(a, b Proctor) int { return cmp.Compare(a.Proctor, b.Proctor) })
	return out, nil
}

// AdmitProctor plans to let a key commit batches.
func AdmitProctor(ctx context.Context, c *client.Client, who onchain.Address) (Plan, error) {
	office := client.OfficeOf(c)
	_, by, err := read(ctx, office)
	if err != nil {
		return Plan{}, err
	}
	return plan(by, client.Order{
		Name: "admit the proctor " + who.String(), Instructions: one(office.Program().AdmitProctor(by, program.AdmitProctor{Proctor: who})),
		Done: func(ctx context.Context) (bool, error) {
			p, err := proctor(ctx, office, who)
			return p != nil, err
		},
	}), nil
}

// RevokeProctor plans to let a key commit no further batches. Those that run go on.
func RevokeProctor(ctx context.Context, c *client.Client, who onchain.Address) (Plan, error) {
	office := client.OfficeOf(c)
	_, by, err := read(ctx, office)
	if err != nil {
		return Plan{}, err
	}
	p, err := proctor(ctx, office, who)
	if err != nil {
		return Plan{}, err
	}
	if p == nil {
		return Plan{}, fmt.Errorf("%w: %s is no proctor of this court; \"ojud court proctor list\" lists them", errNotNow, who)
	}
	return plan(by, client.Order{
		Name: "revoke the proctor " + who.String(), Instructions: one(office.Program().RevokeProctor(by, who, p.Payer)),
		Done: func(ctx context.Context) (bool, error) {
			p, err := proctor(ctx, office, who)
			return err == nil && p == nil, err
		},
	}), nil
}

// proctor reads whether a key is a proctor; nil: it is none.
func proctor(ctx context.Context, office client.Office, who onchain.Address) (*program.Proctor, error) {
	p, _, err := ledger.Read(ctx, office, office.Program().Proctor(who), program.DecodeProctor)
	if errors.Is(err, ledger.ErrNotFound) {
		return nil, nil
	}
	return p, err
}
