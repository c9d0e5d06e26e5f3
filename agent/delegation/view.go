package delegation

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"ojud/ledger/onchain"
)

// ChainView is a chain as people and programs read it: the DelegationChain of the agents'
// architecture.
type ChainView struct {
	Origin      Principal   `json:"origin"`
	Holder      Principal   `json:"holder"` // the last audience
	Chain       []Hop       `json:"chain"`
	Constraints Constraints `json:"constraints"`
	Token       AgentToken  `json:"token"`
}

// Hop is one link.
type Hop struct {
	From         Principal `json:"from"`
	To           Principal `json:"to"`
	Attestation  string    `json:"attestation"`  // signature of the issuer, base64
	Restrictions []string  `json:"restrictions"` // in words, as the link states them
	Timestamp    int64     `json:"timestamp"`    // when it was issued, as the issuer says, Unix seconds
	ID           string    `json:"id"`           // CID
}

// Constraints are what the whole chain allows its holder.
type Constraints struct {
	Allow      []string   `json:"allow"`
	Deny       []string   `json:"deny"`
	Budget     BudgetView `json:"budget"`
	NotBefore  int64      `json:"not_before"`
	ValidUntil *int64     `json:"valid_until"` // null is never
	Approval   []string   `json:"require_approval_domains"`
	Conditions []string   `json:"conditions"` // statements of policies that the other members do not say
}

// BudgetView are the parts of a budget; null is no limit.
type BudgetView struct {
	Lamports *string `json:"lamports"`
	Tokens   *string `json:"tokens"`
	Dollars  *string `json:"dollars"`
}

// AgentToken is what the holder has, in short.
type AgentToken struct {
	AgentID      Principal `json:"agent_id"`
	IssuedBy     Principal `json:"issued_by"`
	ValidUntil   *int64    `json:"valid_until"`
	Capabilities []string  `json:"capabilities"`
	Signature    string    `json:"signature"`
}

// Show returns the view of a chain. It checks no signature.
func Show(links []*Delegation) (v ChainView, err error) {
	if len(links) == 0 {
		return v, Refuse(InvalidClaim, "prf", "a chain has at least one link")
	}
	var t Scope
	c := Constraints{Allow: []string{}, Deny: []string{}, Approval: []string{}, Conditions: []string{}}
	for n, d := range links {
		var more []string
		if t, more, err = d.Scope(); err != nil {
			return v, inLink(n, err)
		}
		c.Deny, c.Approval, c.Conditions = append(c.Deny, t.Deny...), append(c.Approval, t.Approval...), append(c.Conditions, more...)
		issued, _ := d.Meta["issued"].(int64)
		v.Chain = append(v.Chain, Hop{
			From: d.Issuer, To: d.Audience, Attestation: base64.StdEncoding.EncodeToString(d.signature),
			Restrictions: append(t.words(), more...), Timestamp: issued, ID: d.ID(),
		})
	}
	last := links[len(links)-1]
	c.Allow, c.NotBefore, c.ValidUntil = t.Allow, t.NotBefore, until(t.Until)
	c.Budget = BudgetView{text(t.Budget[0]), text(t.Budget[1]), nil}
	if most := t.Budget[2]; most != Unlimited {
		dollars := Dollars(most)
		c.Budget.Dollars = &dollars
	}
	for _, l := range []*[]string{&c.Deny, &c.Approval, &c.Conditions} {
		slices.Sort(*l)
		*l = slices.Compact(*l)
	}
	v.Origin, v.Holder, v.Constraints = links[0].Issuer, last.Audience, c
	v.Token = AgentToken{last.Audience, last.Issuer, c.ValidUntil, c.Allow, base64.StdEncoding.EncodeToString(last.signature)}
	return v, nil
}

// Dollars shows millionths of a dollar.
func Dollars(micro int64) string {
	whole := fmt.Sprintf("%d.%06d", micro/1_000_000, micro%1_000_000)
	short := strings.TrimRight(whole, "0")
	return short + strings.Repeat("0", max(0, 2-(len(short)-strings.IndexByte(short, '.')-1)))
}

func until(at int64) *int64 {
	if at == never {
		return nil
	}
	return &at
}

func text(n int64) *string {
	if n == Unlimited {
		return nil
	}
	s := fmt.Sprint(n)
	return &s
}

// words are the terms of one link in words.
func (t Scope) words() []string {
	out := []string{"allow " + strings.Join(t.Allow, ", ")}
	if len(t.Deny) > 0 {
		out = append(out, "deny "+strings.Join(t.Deny, ", "))
	}
	for i, most := range t.Budget {
		switch {
		case most == Unlimited:
		case i == 0:
			out = append(out, "spend at most "+onchain.SOL(uint64(most)))
		case i == 2:
			out = append(out, "spend at most "+Dollars(most)+" dollars")
		default:
			out = append(out, fmt.Sprintf("spend at most %d %s", most, units[i]))
		}
	}
	if t.NotBefore > 0 {
		out = append(out, "from "+clock(t.NotBefore))
	}
	if t.Until != never {
		out = append(out, "until "+clock(t.Until))
	}
	if len(t.Approval) > 0 {
		out = append(out, "ask a person about "+strings.Join(t.Approval, ", "))
	}
	return out
}
