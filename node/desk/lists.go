package desk

import (
	"context"
	"errors"
	"time"

	"ojud/casefile/picture"
	"ojud/ledger/onchain"
	"ojud/node/client"
	"ojud/node/client/discover"
	"ojud/node/holdings"
	"ojud/voting"
)

// homePage shows the party and its tasks.
type homePage struct {
	Wallet  client.Lamports
	Agent   *client.AgentView // nil: it is not registered
	Faucet  bool
	Mine    []taskRow // that are not over
	Past    []taskRow
	Waiting int // of Mine, for the party
	Fault   string
}

// maxRows bounds the tasks of a list.
const maxRows = 50

func (d *Desk) home(v *visit) (string, any, error) {
	party, err := d.who()
	if errors.Is(err, errNoWallet) {
		return "wallets", nil, nil
	}
	if err != nil {
		return "", nil, err
	}
	ctx := v.r.Context()
	p := homePage{Faucet: party.Network().Faucet}
	if p.Wallet, err = party.Balance(ctx, onchain.Address{}); err != nil {
		return "", nil, err
	}
	a, err := party.Agent(ctx, onchain.Address{})
	switch {
	case errors.Is(err, client.ErrNoAgent):
		return "home", p, nil
	case err != nil:
		return "", nil, err
	}
	p.Agent = &a
	all, err := d.own.list(ctx, party)
	if err != nil {
		p.Fault = picture.Line(d.needs.Plain(err)) // the rest of the page is useful without them
	}
	for _, row := range d.rows(ctx, party, all) {
		switch {
		case row.Over:
			p.Past = append(p.Past, row)
		default:
			p.Mine = append(p.Mine, row)
			if row.Yours {
				p.Waiting++
			}
		}
	}
	return "home", p, nil
}

// taskRow is a task in a list.
type taskRow struct {
	client.TaskView
	Short, Subject string
	State          string // its status in words
	Role           string // creator, worker, or empty
	Yours          bool   // the next step is the party's
	Over           bool
	Read           bool // its document is here
	Next           string
	Beside         *holdings.Pledge // tokens beside the reward
}

// beside reads the tokens beside the rewards of tasks.
func beside(ctx context.Context, party *client.Client, rows ...*taskRow) error {
	tasks := make([]onchain.Address, 0, len(rows))
	for _, r := range rows {
		at, err := onchain.ParseAddress(r.Task)
		if err != nil {
			return err
		}
		tasks = append(tasks, at)
	}
	all, err := holdings.Pledges(ctx, party, tasks...)
	for i, r := range rows {
		r.Beside = all[tasks[i]]
	}
	return err
}

// subjectTime bounds the wait for the documents of a list.
const subjectTime = 2 * time.Second

// rows returns the rows of the first tasks.
func (d *Desk) rows(ctx context.Context, party *client.Client, all []client.TaskView) (out []taskRow) {
	ctx, cancel := context.WithTimeout(ctx, subjectTime)
	defer cancel()
	fetch := func(ctx context.Context, hash voting.Hash) ([]byte, error) { return d.folder.fetch(ctx, party, hash) }
	for _, l := range discover.Subjects(ctx, fetch, all[:min(len(all), maxRows)]) {
		row := rowOf(l.TaskView, party.Me())
		row.Subject, row.Read = picture.Line(l.Subject), l.Subject != ""
		out = append(out, row)
	}
	return out
}

// rowOf returns the row of a task for an agent, without its subject.
func rowOf(v client.TaskView, me string) taskRow {
	row := taskRow{TaskView: v, Short: short(v.Task), State: states()[v.Status], Role: role(v, me)}
	row.Next = next(v.Move, row.Role)
	row.Over = v.Move.Who == ""
	row.Yours = !row.Over && (v.Move.Who == row.Role || row.Role != "" && v.Move.Who == "anyone" && v.Status != "created")
	return row
}

func short(address string) string { return address[:min(4, len(address))] + "…" }

// role is what an agent is in a task: creator, worker, or nothing.
func role(v client.TaskView, me string) string {
	switch me {
	case v.Creator:
		return "creator"
	case v.Worker:
		return "worker"
	}
	return ""
}

// states are the words for the statuses of a task, as the court's pages have them.
func states() map[string]string {
	return map[string]string{
		"created": "to be claimed", "claimed": "claimed", "in progress": "at work", "verification": "delivered", "disputed": "disputed", "judiciary": "before the judges",
		"complete": "over", "cancelled": "cancelled", "expired": "expired", "undecided": "undecided",
	}
}

// next says whose move it is to a role.
func next(m client.Move, role string) string {
	who := map[string]string{"anyone": "Anyone can: ", "court": "The judges: ", "creator": "The creator: ", "worker": "The worker: ", "": ""}[m.Who]
	if m.Who == role && role != "" {
		who = "You: "
	}
	return who + m.What
}
