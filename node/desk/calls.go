package desk

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"ojud/agent/delegation"
	"ojud/agent/delegation/keep"
	"ojud/agent/delegation/keeper"
	"ojud/casefile/picture"
	"ojud/ledger/onchain"
)

// Calls are those of an agent host that wait for a person, its operator.
type Calls interface {
	// Waits returns the calls that wait, by their ids.
	Waits() (map[string]keeper.OpenCall, error)
	// Question returns what the operator is asked about a call, or keep.ErrNotWaiting.
	Question(call string) (keep.AskedCall, error)
	// Answer signs the operator's answer. It signs no yes to a call with a Problem.
	Answer(call string, yes bool) error
}

const (
	maxListed = 20 // calls of the list
	maxSaid   = 20 // answers that are remembered
)

// approvals are the calls that wait, and what a desk remembers of them.
type approvals struct {
	Calls
	log *slog.Logger

	mu   sync.Mutex
	said []said
}

// said is an answer of the person.
type said struct {
	Call, What, Clock string
	Yes               bool
}

// callsPage lists the calls that wait, those that end first at its top.
type callsPage struct {
	Rows    []callPage
	Waiting int
	More    int    // that are not listed
	Said    []said // the latest first
}

// callPage is a call that waits. Its texts are harmless: strangers wrote them.
type callPage struct {
	Call, What       string
	Asks, With       string // in the list in short, on the page of the call whole
	Problem          string
	Asker, Caller    string
	Root, Executor   string
	Spend, Domains   string
	Until, Now       int64
	Left             string
	Bytes, WithBytes int
	Gone             bool
}

func callOf(id string, q keep.AskedCall, now time.Time) callPage {
	return callPage{
		Call: id, What: strings.TrimPrefix(picture.Line(q.Command), "/"), Problem: picture.Line(q.Problem), Asker: picture.Line(q.Asker), Caller: q.By().String(),
		Root: q.Root().String(), Executor: q.Executor.String(), Domains: strings.Join(q.Domains, ", "), Until: q.Until, Now: now.Unix(),
		Spend: fmt.Sprintf("%s, %d tokens, %s dollars", onchain.SOL(uint64(q.Spend[0])), q.Spend[1], delegation.Dollars(q.Spend[2])),
		Left:  "until " + picture.Clock(q.Until) + " UTC", Bytes: len(q.Input), WithBytes: len(q.Beside),
	}
}

// waiting returns the ids of the calls that wait for an answer, those that end first at the front.
func (a *approvals) waiting() ([]string, error) {
	all, err := a.Waits()
	a.mu.Lock()
	for _, s := range a.said {
		delete(all, s.Call) // the host takes the answer within a second
	}
	a.mu.Unlock()
	ids := slices.SortedFunc(maps.Keys(all), func(x, y string) int { return cmp.Or(cmp.Compare(all[x].Until, all[y].Until), cmp.Compare(x, y)) })
	return ids, err
}

// list shows which calls wait.
func (a *approvals) list(*visit) (string, any, error) {
	ids, err := a.waiting()
	if err != nil && len(ids) == 0 {
		return "", nil, err
	}
	p := callsPage{Waiting: len(ids), More: max(0, len(ids)-maxListed)}
	for _, id := range ids[:min(len(ids), maxListed)] {
		q, err := a.Question(id)
		if errors.Is(err, keep.ErrNotWaiting) {
			continue // since the list was made
		}
		if err != nil {
			q.Problem = "what is asked cannot be read: " + err.Error() // the others are shown
		}
		row := callOf(id, q, time.Now())
		row.Asks, row.With = picture.Line(string(q.Input)), picture.Line(string(q.Beside))
		p.Rows = append(p.Rows, row)
	}
	a.mu.Lock()
	p.Said = slices.Clone(a.said)
	a.mu.Unlock()
	slices.Reverse(p.Said)
	return "calls", p, nil
}

// one shows all that a person is asked about one call.
func (a *approvals) one(v *visit) (string, any, error) {
	id := v.r.PathValue("call")
	q, err := a.Question(id)
	if errors.Is(err, keep.ErrNotWaiting) {
		return "call", callPage{Call: picture.Line(id), Gone: true}, nil
	}
	if err != nil {
		return "", nil, err
	}
	p := callOf(id, q, time.Now())
	p.Asks, p.With = picture.Whole(q.Input), picture.Whole(q.Beside)
	return "call", p, nil
}

// answer signs what the person says to a call, and shows the list.
func (a *approvals) answer(v *visit) error {
	id, word := v.r.PathValue("call"), v.r.PostFormValue("answer")
	if word != "yes" && word != "no" {
		return errors.New("the answer to a call is yes or no")
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if slices.ContainsFunc(a.said, func(s said) bool { return s.Call == id }) {
		return keep.ErrNotWaiting // two clicks, or two open pages: only one of the answers would count
	}
	q, err := a.Question(id)
	if err != nil {
		return err
	}
	if err := a.Answer(id, word == "yes"); err != nil {
		return err
	}
	now := time.Now()
	if a.said = append(a.said, said{Call: id, What: callOf(id, q, now).What, Clock: picture.Clock(now.Unix()), Yes: word == "yes"}); len(a.said) > maxSaid {
		a.said = a.said[1:]
	}
	a.log.Info("a person answered a call", "call", id, "answer", word)
	http.Redirect(v.w, v.r, "/calls", http.StatusSeeOther)
	return nil
}
