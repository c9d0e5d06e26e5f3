package console

import (
	"bytes"
	"errors"
	"fmt"
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
		return p, fmt.Errorf("no case of this task is here, and the market cannot be read: %w", err)
	}
	i := slices.IndexFunc(m.Offers, func(o market.Listing) bool { return o.Task == task })
	if i < 0 {
		return p, casefile.ErrNoCase
	}
	o := m.Offers[i]
	stage := stageAt(o.Terms)
	p = comingPage{Task: casefile.Address(task).String(), Short: picture.Short(task), Subject: picture.Line(o.Subject), Words: "This task is not disputed.", Next: stage.next}
	switch {
	case stage.name == "":
		p.Words = "This node does not know the state of this task."
	case o.Terms.Status == program.Disputed:
		p.Words = "The creator objects to the result of this task. There is no case before the worker insists."
	case byEngine(o.Terms):
		p.Words = "The parties disagree, and this task names a program of its own that decides."
	case o.Terms.Status == program.Judiciary:
		p.Words, p.Next = "The judges of this case are about to be drawn.", "The chain draws them by lot, and this page then shows them by itself."
	}
	return p, nil
}

// gone is what viewers see of a task whose page they have open, and that left the market.
func gone(task voting.Key) comingPage {
	return comingPage{Task: casefile.Address(task).String(), Short: picture.Short(task), Words: "This task is over, and this node knows no case of it."}
}

// follows draws pages for those who have them open.
func (a *answers) follows(render func(view) ([]byte, error), execute func(*bytes.Buffer, string, any) error) func(view) ([]byte, error) {
	return func(v view) ([]byte, error) {
		body, err := render(v)
		if v.name != "case" || !errors.Is(err, casefile.ErrNoCase) {
			return body, err
		}
		var out bytes.Buffer
		err = execute(&out, "coming", gone(v.key))
		return out.Bytes(), err
	}
}

// missing answers for addresses that no page has.
func missing(c *Console) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { c.fail(w, http.StatusNotFound, "There is no such page.") }
}
