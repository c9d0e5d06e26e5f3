package console

import (
	"errors"
	"net/http"
	"slices"

	"ojud/casefile"
	"ojud/casefile/picture"
	"ojud/ledger/program"
	"ojud/node/market"
	"ojud/voting"
)

// comingPage is the page of a task that has no case yet. It becomes that of the case by itself.
type comingPage struct {
	Task, Short, Subject string
	Words                string // where the task stands
	Next                 string // what comes next
}

// before returns the page of a task that is in the market and whose judges are not drawn yet. The
// error is casefile.ErrNoCase if there is no such task.
func (a *answers) before(task voting.Key, from Scenery) (p comingPage, err error) {
	m, err := a.offers.get(listFor, from.Market)
	if err != nil {
		return p, errors.Join(casefile.ErrNoCase, err)
	}
	i := slices.IndexFunc(m.Offers, func(o market.Listing) bool { return o.Task == task })
	if i < 0 {
		return p, casefile.ErrNoCase
	}
	o := m.Offers[i]
	p = comingPage{Task: casefile.Address(task).String(), Short: picture.Short(task), Subject: picture.Line(o.Subject), Words: "This task is not disputed.", Next: stageAt(o.Terms).next}
	switch o.Terms.Status {
	case program.Disputed:
		p.Words = "The creator objects to the result of this task. There is no case before the worker insists."
	case program.Judiciary:
		p.Words, p.Next = "The judges of this case are about to be drawn.", "The chain draws them by lot, and this page then shows them by itself."
	}
	return p, nil
}

// missing answers for addresses that no page has.
func missing(c *Console) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { c.fail(w, http.StatusNotFound, "There is no such page.") }
}
