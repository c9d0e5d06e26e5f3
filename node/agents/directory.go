package agents

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"ojud/casefile"
	"ojud/casefile/agentcard"
	"ojud/ledger/program"
	"ojud/voting"
)

// Profile is an agent of the court, with its card if that is here.
type Profile struct {
	*program.Agent
	Card *agentcard.Signed // nil: it has none, or NoCard says why it is not here
	// NoCard says why a card that the chain names is not shown; empty: it is, or there is none.
	NoCard string
}

// Directory is what a court knows of its agents, those with the best record first.
type Directory struct {
	Agents []Profile
	// Waiting counts the cards that the chain names and that are not here yet. Another look asks
	// for more of them.
	Waiting int
}

// Find returns the agents that have a skill and some words. A skill is the id of a skill or one of
// its tags, and no case counts. A word stands in what a card says, or is a part of an address. An
// empty text fits all.
func (d Directory) Find(skill, words string) (out []Profile) {
	all := strings.Fields(words)
	for _, p := range d.Agents {
		if p.can(skill) && p.says(all) {
			out = append(out, p)
		}
	}
	return out
}

// Agent returns an agent by its authority. The error is ErrNone if there is none.
func (d Directory) Agent(authority voting.Key) (Profile, error) {
	at := slices.IndexFunc(d.Agents, func(p Profile) bool { return voting.Key(p.Authority) == authority })
	if at < 0 {
		return Profile{}, ErrNone
	}
	return d.Agents[at], nil
}

// can reports whether the card has a skill with that id or tag.
func (p Profile) can(skill string) bool {
	if skill == "" {
		return true
	}
	return p.Card != nil && slices.ContainsFunc(p.Card.Skills, func(s agentcard.Skill) bool { return fits(s, skill) })
}

// fits reports whether a skill has that id or tag. An empty text fits all.
func fits(s agentcard.Skill, skill string) bool {
	return skill == "" || strings.EqualFold(s.ID, skill) || slices.ContainsFunc(s.Tags, func(tag string) bool { return strings.EqualFold(tag, skill) })
}

// Asks returns what the card asks for the first of its skills with that id or tag that has a price,
// in lamports; false: it does not say.
func (p Profile) Asks(skill string) (casefile.Amount, bool) {
	if p.Card == nil {
		return 0, false
	}
	for _, s := range p.Card.Skills {
		if asked, ok := p.Price(s.ID); ok && fits(s, skill) {
			return asked, true
		}
	}
	return 0, false
}

// says reports whether each of some words stands in the card, or is a part of an address.
func (p Profile) says(words []string) bool {
	if len(words) == 0 {
		return true
	}
	authority, operator, card := p.Authority.String(), "", ""
	if !p.Operator.IsZero() {
		operator = p.Operator.String()
	}
	if p.Card != nil {
		card = strings.ToLower(string(p.Card.Content))
	}
	return !slices.ContainsFunc(words, func(word string) bool {
		return !strings.Contains(authority, word) && !strings.Contains(operator, word) && !strings.Contains(card, strings.ToLower(word))
	})
}

// Price returns what the card asks for a skill, in lamports; false: it does not say.
func (p Profile) Price(skill string) (casefile.Amount, bool) {
	if p.Card == nil {
		return 0, false
	}
	at := slices.IndexFunc(p.Card.Prices, func(price agentcard.Price) bool { return price.Skill == skill })
	if at < 0 {
		return 0, false
	}
	return p.Card.Prices[at].Lamports, true
}

// order puts the better record first.
func order(a, b Profile) int {
	return cmp.Or(cmp.Compare(standing(b.Agent), standing(a.Agent)), cmp.Compare(deeds(b.Agent), deeds(a.Agent)),
		cmp.Compare(a.RegisteredAt, b.RegisteredAt), slices.Compare(a.Authority[:], b.Authority[:]))
}

// deeds counts what an agent's record has.
func deeds(a *program.Agent) uint64 {
	return uint64(a.TasksPaid) + uint64(a.TasksMissed) + uint64(a.CasesWon) + uint64(a.CasesLost)
}

// standing is the share of good deeds in thousandths, as if each agent had one good and one bad
// deed before its first. So one payment does not put an agent above another one with forty.
func standing(a *program.Agent) uint64 {
	return (uint64(a.TasksPaid) + uint64(a.CasesWon) + 1) * 1_000 / (deeds(a) + 2)
}

// Listed is an agent as the API and commands show it.
type Listed struct {
	Authority    string `json:"authority"`
	Operator     string `json:"operator,omitempty"`
	RegisteredAt int64  `json:"registered_at"` // Unix seconds
	TasksCreated uint64 `json:"tasks_created"`
	TasksClaimed uint32 `json:"tasks_claimed"`
	TasksPaid    uint32 `json:"tasks_paid"`
	TasksMissed  uint32 `json:"tasks_missed"`
	CasesWon     uint32 `json:"cases_won"`
	CasesLost    uint32 `json:"cases_lost"`
	CardHash     string `json:"card_hash,omitempty"`
	// Card is the signed card, whose SHA-256 is CardHash. It is left out if it is not here.
	Card json.RawMessage `json:"card,omitempty"`
	// NoCard says why a card that the chain names is not here.
	NoCard string `json:"no_card,omitempty"`
}

// Listed returns an agent as the API and commands show it.
func (p Profile) Listed() Listed {
	v := Listed{
		Authority: p.Authority.String(), RegisteredAt: p.RegisteredAt, TasksCreated: p.TasksCreated, TasksClaimed: p.TasksClaimed,
		TasksPaid: p.TasksPaid, TasksMissed: p.TasksMissed, CasesWon: p.CasesWon, CasesLost: p.CasesLost, NoCard: p.NoCard,
	}
	if !p.Operator.IsZero() {
		v.Operator = p.Operator.String()
	}
	if p.CardHash != (voting.Hash{}) {
		v.CardHash = casefile.Digest(p.CardHash).String()
	}
	if p.Card != nil {
		v.Card = p.Card.Content
	}
	return v
}
