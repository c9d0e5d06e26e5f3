package reputation

import "fmt"

// voucher is what one agent has put in for another.
type voucher struct {
	by    string
	stake uint64
	share int   // basis points of its value
	ends  int64 // Unix seconds; 0: it was not ended
}

// offer is who would vouch for whom.
type offer struct {
	by  string
	who key
}

// Forfeit is a stake that one who vouched for another has lost. It goes to the treasury.
type Forfeit struct {
	By    string `json:"by"`
	For   string `json:"for"`
	Stake uint64 `json:"stake,string"`
}

// Forfeits are all stakes that were lost by vouching.
func (b *Records) Forfeits() []Forfeit { return b.forfeits }

// vouched is the voucher that stands for an agent at this time.
func (b *Records) vouched(k key, at int64) (voucher, bool) {
	v, ok := b.vouchers[k]
	return v, ok && (v.ends == 0 || at < v.ends)
}

// lent is what an agent vouches with.
func (b *Records) lent(k key, own int, at int64) (sum int) {
	for of := range b.vouchers {
		if v, ok := b.vouched(of, at); ok && v.by == k.agent && of.role == k.role {
			sum += mulDivInt(own, v.share)
		}
	}
	return sum
}

// Vouch offers to stand in for another agent with stake and a share of the own reputation. It
// counts when the other agrees, so that a stranger with one lamport keeps no better sponsor away.
func (b *Records) Vouch(by, agent string, role Role, at int64, stake uint64, share int) error {
	k := key{agent, role}
	sum := share
	for of := range b.vouchers {
		if v, ok := b.vouched(of, at); ok && v.by == by && of.role == role {
			sum += v.share
		}
	}
	for o, v := range b.offers {
		if o.by == by && o.who.role == role && o.who != k {
			sum += v.share
		}
	}
	switch v, has := b.vouched(k, at); {
	case by == agent:
		return fmt.Errorf("%.64q vouches for itself", by)
	case has && v.by == by:
		return fmt.Errorf("%.64q vouches for %.64q already", by, agent)
	case stake == 0:
		return fmt.Errorf("%.64q vouches without a stake", by)
	case share < 1 || sum > b.terms.Vouch:
		return fmt.Errorf("%.64q vouches with %d basis points of its reputation; all together are 1 to %d", by, sum, b.terms.Vouch)
	}
	if _, dependent := b.vouched(key{by, role}, at); dependent {
		return fmt.Errorf("%.64q lives on the word of another", by)
	}
	b.offers[offer{by, k}] = voucher{by: by, stake: stake, share: share}
	return nil
}

// Agree takes an offer. From now on the reputation moves, so that no agent has more by vouching for
// itself under another name. Stake and share are lost together if the agent stamps, makes no
// effort, is slashed or loses a dispute.
func (b *Records) Agree(by, agent string, role Role, at int64) error {
	k := key{agent, role}
	v, offered := b.offers[offer{by, k}]
	if !offered {
		return fmt.Errorf("%.64q does not offer to vouch for %.64q", by, agent)
	}
	if _, has := b.vouched(k, at); has {
		return fmt.Errorf("somebody vouches for %.64q already", agent)
	}
	if _, dependent := b.vouched(key{by, role}, at); dependent {
		return fmt.Errorf("%.64q lives on the word of another", by)
	}
	delete(b.offers, offer{by, k})
	b.vouchers[k] = v
	return nil
}

// Release ends an offer at once. It ends a voucher after the time of the constants, and says when:
// until then it stands, so that none leaves when the alarm of the other rises. Either of them may
// end it.
func (b *Records) Release(by, agent string, role Role, at int64) (ends int64, err error) {
	k := key{agent, role}
	if _, offered := b.offers[offer{by, k}]; offered {
		delete(b.offers, offer{by, k})
		return at, nil
	}
	v, ok := b.vouched(k, at)
	switch {
	case !ok || v.by != by:
		return 0, fmt.Errorf("%.64q does not vouch for %.64q", by, agent)
	case v.ends == 0:
		v.ends = at + int64(b.terms.Release)*day
		b.vouchers[k] = v
	}
	return v.ends, nil
}

// lose takes from one who vouched the share of each of its records.
func (b *Records) lose(k key, at int64) {
	v, ok := b.vouched(k, at)
	if !ok {
		return
	}
	delete(b.vouchers, k)
	b.forfeits = append(b.forfeits, Forfeit{v.by, k.agent, v.stake})
	a := b.account(key{v.by, k.role})
	for class, s := range a.classes {
		s = s.until(at, b.terms.Keep)
		s.golden.good -= part(s.golden.good, v.share)
		s.outcomes.good -= part(s.outcomes.good, v.share)
		a.classes[class] = s
	}
}
