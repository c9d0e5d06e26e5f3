package console

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"ojud/casefile"
	"ojud/casefile/picture"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node/market"
	"ojud/voting"
)

// marketPage is what the page of the market shows.
type marketPage struct {
	Words        string // that were searched for
	State        string // that was asked for; empty: all
	States       []choice
	Found, All   int
	Offers       []offerRow
	Before, Next string // addresses of other pages of the list; empty: none
	Left         int    // tasks that are too old for the list
	Fault        string
}

// choice is an option of a filter.
type choice struct {
	Value, Name string
	Chosen      bool
}

// offerRow is a task in the market.
type offerRow struct {
	Task, Short, Subject string
	State, Class         string
	Price, Rises         string
	Creator, Worker      string // addresses
	Decides              string // who decides a dispute
	Sources              []sourceRow
	Next                 string // who is to do what
	Until, Now           int64  // when the time for that ends; 0: never
	Waits                string
	Command              string
	Case                 bool // it is before the court
}

// sourceRow is data that a task names.
type sourceRow struct {
	Name    string
	Holders string // with a stake
}

// The limits of a search.
const (
	maxWords  = 200 // bytes
	rowsAPage = 50
)

// stageOfTask is a status of a task that is not over: its name in the filter and on the page, who
// is to do what, and with which command.
type stageOfTask struct {
	status                     program.TaskStatus
	value, name, class         string
	next, waits, command, rest string
}

// stages are the statuses that tasks of the market have.
func stages() []stageOfTask {
	return []stageOfTask{
		{program.Created, "open", "to be claimed", "open", "An agent may claim it.", "to claim it", "claim", " --start --key WORKER.json"},
		{program.Claimed, "claimed", "claimed", "undecided", "The worker should start, and send a result.", "to work", "start", " --key WORKER.json"},
		{program.InProgress, "work", "at work", "undecided", "The worker should send a result.", "to work", "submit", " RESULT.json --key WORKER.json"},
		{program.Verification, "delivered", "delivered", "accept", "The creator accepts the result or objects. Silence pays the worker.", "to answer", "object", " --file OBJECTION.json --key CREATOR.json"},
		{program.Disputed, "disputed", "disputed", "reject", "The worker works again or insists. Silence gives the creator the money back.", "to answer", "counter-object", " --file ANSWER.json --key WORKER.json"},
		{program.Judiciary, "judges", "before the judges", "reject", "The judges decide.", "", "", ""},
	}
}

// market serves the page of the market. What it lists depends on the query: q, state and page.
func (c *Console) market(w http.ResponseWriter, r *http.Request) {
	c.used()
	query := r.URL.Query()
	m, err := c.offers.get(c.source.Market)
	p := marketPage{Words: strings.ToValidUTF8(query.Get("q")[:min(len(query.Get("q")), maxWords)], ""), State: query.Get("state"), All: len(m.Offers), Left: m.Left}
	if err != nil {
		p.Fault = picture.Line(err.Error())
	}
	at, err := strconv.Atoi(cmp.Or(query.Get("page"), "1"))
	if err != nil {
		at = 1
	}
	p.list(m, c.source.Court(), at)
	p.Words = picture.Line(p.Words)
	c.whole(w, "market", p, frame{Title: "The market", Page: "market"})
}

// list fills in the offers that fit, and the filter.
func (p *marketPage) list(m market.Market, court Court, at int) {
	holders := staked(court)
	var fit []offerRow
	known := false
	for _, s := range stages() {
		p.States = append(p.States, choice{s.value, s.name, s.value == p.State})
		known = known || s.value == p.State
	}
	if !known {
		p.State = ""
	}
	for _, o := range m.Offers {
		row, value := offerOf(o, m.Now, holders)
		if (p.State == "" || p.State == value) && o.Has(p.Words) {
			fit = append(fit, row)
		}
	}
	p.Found = len(fit)
	p.Offers, p.Before, p.Next = paged(fit, at, "/market", map[string]string{"q": p.Words, "state": p.State})
}

// paged returns a page of a list, or the nearest one that there is, and the addresses of the pages
// before and after it.
func paged[T any](all []T, at int, path string, query map[string]string) (out []T, before, next string) {
	address := func(page int) string {
		values := url.Values{"page": {strconv.Itoa(page)}}
		for name, value := range query {
			values.Set(name, value)
		}
		return path + "?" + values.Encode()
	}
	last := max(1, (len(all)+rowsAPage-1)/rowsAPage)
	at = min(max(at, 1), last)
	if at > 1 {
		before = address(at - 1)
	}
	if at < last {
		next = address(at + 1)
	}
	return all[(at-1)*rowsAPage : min(at*rowsAPage, len(all))], before, next
}

// staked counts the judges with a stake that offer each source.
func staked(court Court) map[string]int {
	out := map[string]int{}
	for _, l := range court.Links {
		if !l.Staked {
			continue
		}
		for _, s := range l.Sources {
			out[s]++
		}
	}
	return out
}

// offerOf writes an offer down, and returns the name of its status in the filter.
func offerOf(o market.Listing, now int64, holders map[string]int) (row offerRow, value string) {
	t := o.Terms
	row = offerRow{
		Task: casefile.Address(o.Task).String(), Short: picture.Short(o.Task), Subject: picture.Line(o.Subject), Price: onchain.SOL(o.Price),
		Creator: t.Creator.String(), Decides: picture.Count(int(t.Seats), "judge", "judges") + ", drawn by lot", Case: t.Status == program.Judiciary && t.Engine.IsZero(),
	}
	if !t.Worker.IsZero() {
		row.Worker = t.Worker.String()
	}
	if !t.Engine.IsZero() {
		row.Decides = "the program " + picture.Short(voting.Key(t.Engine)) + ", which the creator names"
	}
	for _, s := range stages() {
		if s.status != t.Status {
			continue
		}
		value, row.State, row.Class, row.Next, row.Waits = s.value, s.name, s.class, s.next, s.waits
		if s.command != "" {
			row.Command = fmt.Sprintf("ojud task %s %s%s", s.command, row.Task, s.rest)
		}
	}
	until := t.Deadline
	if t.Status == program.Created {
		until = t.ClaimBy
		if t.Auction == voting.ReverseDutch && o.Price < t.RewardMax {
			row.Rises = "rises to " + onchain.SOL(t.RewardMax)
		}
	}
	if until > now && row.Waits != "" {
		row.Until, row.Now = until, now
	}
	for _, name := range o.Sources {
		row.Sources = append(row.Sources, sourceRow{picture.Line(name), picture.Count(holders[name], "judge offers it", "judges offer it")})
	}
	return row, value
}
