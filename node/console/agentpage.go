package console

import (
	"cmp"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"

	"ojud/casefile/picture"
	"ojud/ledger/onchain"
	"ojud/node/agents"
	"ojud/voting"
)

// agentPage is what the page of an agent shows. The words of its card are its own.
type agentPage struct {
	agentRow
	Figures []figure
	Says    []paidSkill
	Reach   []reached
	Sources []string
	Tasks   []offerRow // not over, in which it is a party
	More    int        // tasks that are not listed
	Asked   string     // why the tasks are not known
	Cases   []partyIn  // that this node knows, the newest first
}

// partyIn is a case of an agent.
type partyIn struct{ Task, Short, Subject, Role, Word, Class, Reward string }

// paidSkill is a skill in full.
type paidSkill struct {
	skillRow
	Does           string
	Tags, Examples []string
}

// reached is where an agent says that it is reached.
type reached struct{ URL, By string }

// maxAgentTasks bounds the tasks on the page of an agent.
const maxAgentTasks = 20

// agent puts the page of an agent together.
func (c *Console) agent(key voting.Key) (agentPage, error) {
	a, err := c.profile(key)
	if err != nil {
		return agentPage{}, err
	}
	p := agentPage{agentRow: agentLine(a)}
	p.Figures = []figure{
		{"tasks paid", fmt.Sprint(p.Paid)}, {"tasks missed", fmt.Sprint(p.Missed)}, {"cases won", fmt.Sprint(p.Won)}, {"cases lost", fmt.Sprint(p.Lost)},
		{"tasks ordered", fmt.Sprint(p.Created)}, {"agent since", p.Since},
	}
	if a.Card != nil {
		p.says(a)
	}
	m, err := c.offers.get(listFor, c.source.Market)
	if err != nil {
		p.Asked = picture.Line(err.Error())
	}
	for _, o := range m.Offers {
		if o.Terms.Creator != a.Authority && o.Terms.Worker != a.Authority {
			continue
		}
		if len(p.Tasks) < maxAgentTasks {
			p.Tasks = append(p.Tasks, offerOf(o, m.Now, nil))
		} else {
			p.More++
		}
	}
	rows, _ := c.rows(c.source.Court().Cases, voting.Key{}, math.MaxInt)
	slices.SortFunc(rows, newest)
	for _, row := range rows {
		one := partyIn{row.Task, row.Short, row.Subject, "creator", row.State.Word, row.State.Class, row.Reward}
		switch {
		case len(p.Cases) == maxAgentTasks:
		case onchain.Address(row.Worker) == a.Authority:
			one.Role = "worker"
			p.Cases = append(p.Cases, one)
		case onchain.Address(row.Creator) == a.Authority:
			p.Cases = append(p.Cases, one)
		}
	}
	return p, nil
}

// says fills in what the card says.
func (p *agentPage) says(a agents.Profile) {
	for _, s := range a.Card.Skills {
		one := paidSkill{skillRow: skillOf(a, s), Does: picture.Line(s.Description)}
		for _, tag := range s.Tags {
			one.Tags = append(one.Tags, picture.Line(tag))
		}
		for _, example := range s.Examples {
			one.Examples = append(one.Examples, picture.Line(example))
		}
		p.Says = append(p.Says, one)
	}
	for _, e := range a.Card.Interfaces {
		p.Reach = append(p.Reach, reached{picture.Line(e.URL), picture.Line(strings.TrimSpace(e.Binding + " " + e.Protocol))})
	}
	for _, source := range a.Card.Sources {
		p.Sources = append(p.Sources, picture.Line(source))
	}
}

// agentCard serves the signed card of an agent, to be saved and checked elsewhere.
func (c *Console) agentCard(w http.ResponseWriter, r *http.Request) {
	c.used()
	v, err := agentView(r)
	var a agents.Profile
	if err == nil {
		a, err = c.profile(v.key)
	}
	if err == nil && a.Card == nil {
		err = fmt.Errorf("%w: %s", errNoCard, cmp.Or(a.NoCard, "it has none"))
	}
	if err != nil {
		c.failed(w, err)
		return
	}
	c.give(w, "application/json", "agent-"+a.Authority.String()+".json", a.Card.Content)
}

// profile finds an agent.
func (c *Console) profile(key voting.Key) (agents.Profile, error) {
	d, err := c.directory.get(listFor, c.source.Agents)
	if err != nil {
		return agents.Profile{}, err
	}
	return d.Agent(key)
}

// priceOf returns what an agent asks for a skill; empty: its card does not say.
func priceOf(a agents.Profile, skill string) string {
	if price, ok := a.Price(skill); ok {
		return onchain.SOL(uint64(price))
	}
	return ""
}
