package console

import (
	"cmp"
	"maps"
	"net/url"
	"strconv"
	"strings"

	"ojud/casefile"
	"ojud/casefile/agentcard"
	"ojud/casefile/picture"
	"ojud/node/agents"
	"ojud/voting"
)

// agentsPage is what the directory of agents shows.
type agentsPage struct {
	Skill, Words string // that were searched for
	Found, All   int
	Waiting      int // cards that are not here yet
	Agents       []agentRow
	Before, Next string
	Fault        string
	Members      []memberRow // of classes of MegaBrain
	More         int
}

// agentRow is an agent in the directory. The words of its card are its own.
type agentRow struct {
	Key, Short, Operator, Since      string
	Created                          uint64
	Claimed, Paid, Missed, Won, Lost uint32
	Card                             string // hash of its card; empty: it has none
	NoCard                           string // why the card is not shown
	Name, Does                       string
	Skills                           []skillRow
	More                             int // skills that are not listed
}

// skillRow is a skill with what the agent asks for it.
type skillRow struct{ ID, Name, Price string }

// maxSkillsShown bounds the skills in a line of the directory.
const maxSkillsShown = 8

// agents puts the directory of agents together. What it lists depends on the query.
func (c *Console) agents(query url.Values) agentsPage {
	d, err := c.directory.get(listFor, c.source.Agents)
	p := agentsPage{Skill: sought(query.Get("skill")), Words: sought(query.Get("q")), All: len(d.Agents), Waiting: d.Waiting}
	if err != nil {
		p.Fault = picture.Line(err.Error())
	}
	at, err := strconv.Atoi(cmp.Or(query.Get("page"), "1"))
	if err != nil {
		at = 1
	}
	p.list(d, at)
	if p.Members, p.More, err = c.brain.membersOf(strings.TrimSpace(p.Skill + " " + p.Words)); err != nil {
		c.log.Debug("console: the agents without the members of MegaBrain", "err", err)
	}
	p.Skill, p.Words = picture.Line(p.Skill), picture.Line(p.Words)
	return p
}

// sought bounds what a reader searches for.
func sought(text string) string { return strings.ToValidUTF8(text[:min(len(text), maxWords)], "") }

// soughtAgents is what a query looks for in the directory.
func soughtAgents(query url.Values) map[string]string {
	out := map[string]string{"q": sought(query.Get("q")), "skill": sought(query.Get("skill"))}
	maps.DeleteFunc(out, func(_, text string) bool { return text == "" })
	return out
}

// list fills in the agents that fit.
func (p *agentsPage) list(d agents.Directory, at int) {
	fit := d.Find(p.Skill, p.Words)
	p.Found = len(fit)
	fit, p.Before, p.Next = paged(fit, at, "/agents", map[string]string{"q": p.Words, "skill": p.Skill})
	for _, a := range fit {
		p.Agents = append(p.Agents, agentLine(a))
	}
}

func agentLine(a agents.Profile) agentRow {
	row := agentRow{
		Key: a.Authority.String(), Short: picture.Short(voting.Key(a.Authority)), Since: picture.Date(a.RegisteredAt), Created: a.TasksCreated,
		Claimed: a.TasksClaimed, Paid: a.TasksPaid, Missed: a.TasksMissed, Won: a.CasesWon, Lost: a.CasesLost, NoCard: a.NoCard,
	}
	if !a.Operator.IsZero() {
		row.Operator = a.Operator.String()
	}
	if a.CardHash != (voting.Hash{}) {
		row.Card = casefile.Digest(a.CardHash).String()
	}
	if a.Card == nil {
		return row
	}
	row.Name, row.Does = picture.Line(a.Card.Name), picture.Line(a.Card.Description)
	shown := a.Card.Skills[:min(len(a.Card.Skills), maxSkillsShown)]
	row.More = len(a.Card.Skills) - len(shown)
	for _, s := range shown {
		row.Skills = append(row.Skills, skillOf(a, s))
	}
	return row
}

func skillOf(a agents.Profile, s agentcard.Skill) skillRow {
	return skillRow{s.ID, picture.Line(s.Name), priceOf(a, s.ID)}
}
