package console

import (
	"cmp"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"

	"ojud/casefile"
	"ojud/casefile/agentdata"
	"ojud/casefile/picture"
	"ojud/ledger/law"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node/agents"
	"ojud/node/market"
	"ojud/voting"
)

// marketPage is what the page of the market shows.
type marketPage struct {
	Words        string // that were searched for
	Least        string // the least reward in SOL; empty: any
	Odd          bool   // Least is no amount
	Narrowed     bool   // something was asked for
	States       []choice
	Deciders     []choice
	Sources      []choice
	Found, All   int
	Offers       []offerRow
	Before, Next string // addresses of other pages of the list; empty: none
	Left         int    // tasks that are too old for the list
	Fault        string
	Thinking     []thoughtRow // open tasks of MegaBrain
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
	Beside               *besideRow // tokens beside the price
	Parties              []partyRow
	Facts                []figure // the terms
	Sources              []sourceRow
	Next                 string // who is to do what
	Until, Now           int64  // when the time for that ends; 0: never
	Waits                string
	Command              string
	Case                 bool // it is before the court
}

// partyRow is a party of a task with its record.
type partyRow struct{ Role, Key, Record string }

// sourceRow is data that a task names.
type sourceRow struct {
	Name    string
	Holders string // with a stake
}

// rowsAPage is how many rows of a long list stand on a page.
const rowsAPage = 50

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
		{program.Created, "open", "to be claimed", "open", "An agent may claim it.", "to claim it", "task claim", " --start --key WORKER.json"},
		{program.Claimed, "claimed", "claimed", "undecided", "The worker should start, and send a result.", "to work", "task start", " --key WORKER.json"},
		{program.InProgress, "work", "at work", "undecided", "The worker should send a result.", "to work", "task submit", " RESULT.json --key WORKER.json"},
		{program.Verification, "delivered", "delivered", "accept", "The creator accepts the result or objects. Silence pays the worker.", "to answer", "task object", " --file OBJECTION.json --key CREATOR.json"},
		{program.Disputed, "disputed", "disputed", "reject", "The worker works again or insists. Silence gives the creator the money back.", "to answer", "task counter-object", " --file ANSWER.json --key WORKER.json"},
		{program.Judiciary, "judges", "before the judges", "reject", "The judges decide.", "", "", ""},
	}
}

// market puts the page of the market together. What it lists depends on the query.
func (c *Console) market(query url.Values) marketPage {
	m, err := c.offers.get(listFor, c.source.Market)
	p := marketPage{All: len(m.Offers), Left: m.Left}
	if err != nil {
		p.Fault = picture.Line(err.Error())
	}
	at, err := strconv.Atoi(cmp.Or(query.Get("page"), "1"))
	if err != nil {
		at = 1
	}
	want := wishOf(query)
	p.ask(want, m)
	d, err := c.directory.get(listFor, c.source.Agents)
	if err != nil {
		c.log.Debug("console: the market without the records of its parties", "err", err)
	}
	p.list(m, want, c.source.Court(), d, at)
	if p.Thinking, err = c.brain.open(want.words); err != nil {
		c.log.Debug("console: the market without the tasks of MegaBrain", "err", err)
	}
	return p
}

// list fills in the offers that fit.
func (p *marketPage) list(m market.Market, want wish, court Court, d agents.Directory, at int) {
	var fit []market.Listing
	for _, o := range m.Offers {
		if want.fits(o) {
			fit = append(fit, o)
		}
	}
	p.Found = len(fit)
	var page []market.Listing
	page, p.Before, p.Next = paged(fit, at, "/market", want.query())
	holders := staked(court)
	for _, o := range page {
		row := offerOf(o, m.Now, holders)
		row.Parties = partiesOf(o.Terms, d)
		p.Offers = append(p.Offers, row)
	}
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

// byEngine reports whether a task waits for the engine that it names.
func byEngine(t *program.Task) bool {
	return t.Status == program.Judiciary && t.Deadline != 0 && !t.Engine.IsZero()
}

// stageAt returns the stage of a task. An engine that it names has the time until its deadline.
func stageAt(t *program.Task) (out stageOfTask) {
	all := stages()
	i := slices.IndexFunc(all, func(s stageOfTask) bool { return s.status == t.Status })
	if i < 0 {
		return out
	}
	out = all[i]
	if byEngine(t) {
		out.next, out.waits = "The engine decides.", "for the engine"
	}
	return out
}

// besideRow is tokens beside a price.
type besideRow struct{ Amount, Mint, Warning string }

// offerOf writes an offer down.
func offerOf(o market.Listing, now int64, holders map[string]int) offerRow {
	t, s := o.Terms, stageAt(o.Terms)
	row := offerRow{
		Task: casefile.Address(o.Task).String(), Short: picture.Short(o.Task), Subject: picture.Line(o.Subject), Price: onchain.SOL(o.Price),
		State: s.name, Class: s.class, Next: s.next, Waits: s.waits, Facts: factsOf(t), Case: t.Status == program.Judiciary && t.Deadline == 0,
	}
	if p := o.Pledge; p != nil {
		row.Beside = &besideRow{Amount: p.Amount, Mint: p.Mint.String(), Warning: p.Refused}
		if p.Refused == "" && p.Freezable {
			row.Beside.Warning = "the freezer of the mint can keep you from them"
		}
	}
	if s.command != "" {
		row.Command = fmt.Sprintf("ojud %s %s%s", s.command, row.Task, s.rest)
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
		who := picture.Count(holders[name], "judge offers it", "judges offer it")
		if name == agentdata.Source {
			who = "every judge reads it from the chain"
		}
		row.Sources = append(row.Sources, sourceRow{picture.Line(name), who})
	}
	return row
}

// factsOf returns the terms of a task that have a value.
func factsOf(t *program.Task) (out []figure) {
	decides := picture.Count(int(t.Seats), "judge", "judges") + ", drawn by lot"
	if !t.Engine.IsZero() {
		decides = "the program " + t.Engine.String() + ", which the creator names"
	}
	for _, f := range []figure{
		{"Who decides if they disagree", decides}, {"Time to work", span(t.WorkSeconds)},
		{"The price rises for", span(t.AuctionSeconds)}, {"Bond of the claim, which a late worker loses", lamports(t.ClaimBond)},
		{"Bond of the creator", lamports(t.CreatorBond)}, {"Bond of the worker", lamports(t.WorkerBond)}, {"Posted", picture.Day(t.CreatedAt)},
	} {
		if f.Value != "" {
			out = append(out, f)
		}
	}
	return out
}

// partiesOf returns the parties of a task with the records of those that the directory has.
func partiesOf(t *program.Task, d agents.Directory) (out []partyRow) {
	for _, p := range []struct {
		role string
		key  onchain.Address
	}{{"Creator", t.Creator}, {"Worker", t.Worker}} {
		if p.key.IsZero() {
			continue
		}
		row := partyRow{Role: p.role, Key: p.key.String()}
		if a, err := d.Agent(voting.Key(p.key)); err == nil { // without its record the party stands there all the same
			row.Record = fmt.Sprintf("ordered %s, was paid for %d and missed %d; won %s, lost %d", picture.Count(int(min(a.TasksCreated, math.MaxInt32)), "task", "tasks"),
				a.TasksPaid, a.TasksMissed, picture.Count(int(a.CasesWon), "case", "cases"), a.CasesLost)
		}
		out = append(out, row)
	}
	return out
}

// lamports returns an amount in SOL, or an empty text for zero.
func lamports(n uint64) string {
	if n == 0 {
		return ""
	}
	return onchain.SOL(n)
}

// span returns seconds in words, or an empty text for zero.
func span(seconds uint32) string {
	if seconds == 0 {
		return ""
	}
	return law.Span.Text(uint64(seconds))
}
