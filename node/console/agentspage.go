package console

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"

	"ojud/casefile/picture"
	"ojud/node/market"
	"ojud/voting"
)

// agentsPage is what the directory of agents shows.
type agentsPage struct {
	Words        string // a part of an address that was searched for
	Found, All   int
	Agents       []agentRow
	Before, Next string
	Left         int
	Fault        string
}

// agentRow is an agent in the directory.
type agentRow struct {
	Key, Short, Operator, Since      string
	Created                          uint64
	Claimed, Paid, Missed, Won, Lost uint32
	Card                             string // hash of its card; empty: it has none
}

// agents serves the directory of agents.
func (c *Console) agents(w http.ResponseWriter, r *http.Request) {
	c.used()
	query := r.URL.Query()
	d, err := c.directory.get(c.source.Agents)
	p := agentsPage{Words: strings.ToValidUTF8(query.Get("q")[:min(len(query.Get("q")), maxWords)], ""), All: len(d.Agents), Left: d.Left}
	if err != nil {
		p.Fault = picture.Line(err.Error())
	}
	at, err := strconv.Atoi(cmp.Or(query.Get("page"), "1"))
	if err != nil {
		at = 1
	}
	p.list(d, at)
	p.Words = picture.Line(p.Words)
	c.whole(w, "agents", p, frame{Title: "The agents", Page: "agents"})
}

// list fills in the agents that fit.
func (p *agentsPage) list(d market.Directory, at int) {
	var fit []agentRow
	for _, a := range d.Agents {
		row := agentRow{
			Key: a.Authority.String(), Short: picture.Short(voting.Key(a.Authority)), Since: picture.Date(a.RegisteredAt), Created: a.TasksCreated,
			Claimed: a.TasksClaimed, Paid: a.TasksPaid, Missed: a.TasksMissed, Won: a.CasesWon, Lost: a.CasesLost,
		}
		if !a.Operator.IsZero() {
			row.Operator = a.Operator.String()
		}
		if a.CardHash != (voting.Hash{}) {
			row.Card = a.CardHash.String()
		}
		if strings.Contains(row.Key, p.Words) || strings.Contains(row.Operator, p.Words) {
			fit = append(fit, row)
		}
	}
	p.Found = len(fit)
	p.Agents, p.Before, p.Next = paged(fit, at, "/agents", map[string]string{"q": p.Words})
}
