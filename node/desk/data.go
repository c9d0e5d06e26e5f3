package desk

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"

	"ojud/casefile/picture"
	"ojud/datasource"
	"ojud/ledger/onchain"
	"ojud/node/api"
	"ojud/node/evidence"
	"ojud/node/sources"
)

// Data is the data of a node's home, which a desk may manage.
type Data struct {
	Home *sources.Home
	// Ask has the node of the home ask the judges of the court. The error is api.ErrNotRunning if
	// no node runs.
	Ask func(ctx context.Context, q evidence.Query) (api.QueryView, error)
	// Known names the sources that the nodes of the court announce.
	Known func(ctx context.Context) ([]string, error)
}

// desktop is what a desk remembers of the data that it manages.
type desktop struct {
	Data

	mu     sync.Mutex
	draft  url.Values               // what was written into the form of a new source
	trials map[string]sources.Trial // the last one of each source
	asked  *api.QueryView           // the last answers of the court
}

// maxTrials bounds the trials that are remembered; an answer has 1 MiB at most.
const maxTrials = 16

func newDesktop(d Data) *desktop { return &desktop{Data: d, trials: map[string]sources.Trial{}} }

// keep remembers a trial.
func (d *desktop) keep(name string, t sources.Trial) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.trials) >= maxTrials {
		clear(d.trials)
	}
	d.trials[name] = t
}

// sourcesPage lists the sources of the home.
type sourcesPage struct {
	Rows            []sourceRow
	Court           []string // that nodes of the court announce
	Silent          string   // why Court is not known
	Request, Source string   // that stand in the form
	Asked           *askedPage
}

// sourceRow is a source in a list.
type sourceRow struct {
	sources.Listing
	Price string
}

// askedPage shows what the judges of the court answered.
type askedPage struct {
	Source, Request, As, Took string
	Contradict                bool
	Answers                   []answerRow
	Failures                  []failureRow
	Problem                   string
}

// answerRow is the answer of one holder.
type answerRow struct {
	Holder, Judge, Price, Fetched, Hash string
	Stale                               bool
	Bad                                 string // why its receipt does not hold
	Passages                            []picture.Passage
}

// failureRow is a holder that gave nothing.
type failureRow struct{ Who, Why, Next string }

// sources lists the data of the home, and what the judges of the court answered last.
func (d *Desk) sources(v *visit) (string, any, error) {
	all, err := d.data.Home.List()
	if err != nil {
		return "", nil, err
	}
	var p sourcesPage
	for _, one := range all {
		one.Name, one.Description, one.Problem, one.Who = picture.Line(one.Name), picture.Line(one.Description), picture.Line(one.Problem), picture.Line(one.Who)
		p.Rows = append(p.Rows, sourceRow{one, price(uint64(one.Price))})
	}
	if p.Court, err = d.data.Known(v.r.Context()); err != nil {
		p.Silent = picture.Line(d.needs.Plain(err))
	}
	p.Source, p.Request = picture.Line(v.r.FormValue("source")), "{}"
	d.data.mu.Lock()
	defer d.data.mu.Unlock()
	if last := d.data.asked; last != nil {
		shown := shownAnswers(*last)
		p.Asked = &shown
		if p.Source == "" {
			p.Source, p.Request = shown.Source, shown.Request
		}
	}
	return "sources", p, nil
}

// price writes the price of an answer.
func price(lamports uint64) string {
	if lamports == 0 {
		return "free"
	}
	return onchain.SOL(lamports)
}

// shownAnswers makes the answers of strangers fit to be shown.
func shownAnswers(q api.QueryView) askedPage {
	p := askedPage{Source: picture.Line(q.Source), Request: picture.Line(string(q.Request)), As: "a judge, besides any case", Took: fmt.Sprintf("%.1f s", float64(q.Millis)/1000), Problem: picture.Line(q.Problem)}
	if q.Case != nil {
		p.As = "the seat of this node in a case"
	}
	for _, a := range q.Answers {
		row := answerRow{Holder: a.Holder.String(), Judge: "no judge of this court", Price: price(uint64(a.Price)), Hash: a.Hash.String(), Stale: a.Stale, Passages: picture.Passages(a.Answer)}
		row.Fetched = fmt.Sprintf("%s, %d s before it was asked for", picture.Day(a.Receipt.FetchedAt), a.Age)
		if a.Judge != nil {
			row.Judge = a.Judge.String()
		}
		if a.Check != api.ReceiptGood {
			row.Bad = picture.Line(a.Check)
		}
		p.Contradict = p.Contradict || a.Disputed
		p.Answers = append(p.Answers, row)
	}
	for _, f := range q.Failures {
		row := failureRow{Who: "The network", Why: picture.Line(f.Reason), Next: picture.Line(f.Next)}
		if f.Holder != nil {
			row.Who = f.Holder.String()
		}
		p.Failures = append(p.Failures, row)
	}
	return p
}

// askTime is how long the judges of the court have for their answers, in seconds.
const askTime = 30

// ask has the node of the home ask the judges of the court.
func (d *Desk) ask(v *visit) error {
	q := evidence.Query{Source: strings.TrimSpace(v.r.PostFormValue("source")), Case: strings.TrimSpace(v.r.PostFormValue("case")), Seconds: askTime}
	if !datasource.ValidName(q.Source) {
		return errors.New("the field \"Source\" is not a name of a source: write 1 to 64 of the characters a-z 0-9 . _ : -")
	}
	var err error
	if q.Request, err = request(v.r.PostFormValue("request")); err != nil {
		return err
	}
	if q.Request == nil {
		q.Request = []byte("{}")
	}
	most, err := amount("The most that an answer may cost", v.r.PostFormValue("price"))
	if err != nil {
		return err
	}
	q.MaxPrice = most
	return d.begin(v, "Asking the judges for "+q.Source, "/sources#asked", func(ctx context.Context) (outcome, error) {
		found, err := d.data.Ask(ctx, q)
		if err != nil {
			return outcome{}, err
		}
		d.data.mu.Lock()
		d.data.asked = &found
		d.data.mu.Unlock()
		if len(found.Answers) == 0 {
			return outcome{told: "No judge gave an answer.", warn: picture.Line(found.Problem)}, nil
		}
		return outcome{told: fmt.Sprintf("%s came.", picture.Count(len(found.Answers), "answer", "answers"))}, nil
	})
}

// sourcePage shows a source of the home, and how it answered last.
type sourcePage struct {
	sources.Sheet
	Price                     string
	Request, Answer, Upstream string
	Terms, Promises, Demands  string
	Trial                     *trialShown
	Sample                    string // the request that stands in the form
}

// trialShown is a trial that is fit to be shown.
type trialShown struct {
	sources.Trial
	Said     string
	Given    []picture.Passage
	Hash     string
	Withheld []string
}

// source shows a source of the home.
func (d *Desk) source(v *visit) (string, any, error) {
	name := v.r.PathValue("source")
	sheet, err := d.data.Home.Show(name)
	if errors.Is(err, sources.ErrUnknown) {
		return "", nil, fmt.Errorf("%w: the home has no source of that name", errNowhere)
	}
	if err != nil {
		return "", nil, err
	}
	t := sheet.Card.Terms
	p := sourcePage{
		Sheet: sheet, Price: price(uint64(sheet.Listing.Price)), Upstream: picture.Line(string(sheet.Upstream)), Demands: picture.Line(strings.Join(t.Demands, "; ")),
		Request: picture.Line(string(sheet.Card.InputSchema)), Answer: picture.Line(string(sheet.Card.OutputSchema)),
		Terms: fmt.Sprintf("%d requests of one asker in %d s, %d of all in %d s, %d of a round of a case", t.Rate.Requests, t.Rate.Seconds, t.TotalRate.Requests, t.TotalRate.Seconds, t.Quota),
	}
	promises := []string{}
	if s := t.Promises.FreshnessSeconds; s > 0 {
		promises = append(promises, fmt.Sprintf("no answer is older than %d s", s))
	}
	if r := t.Promises.RetentionSeconds; r != nil {
		promises = append(promises, fmt.Sprintf("requests are forgotten after %d s", *r))
	}
	p.Promises = picture.Line(strings.Join(append(promises, t.Promises.Others...), "; "))
	d.data.mu.Lock()
	defer d.data.mu.Unlock()
	if last, ok := d.data.trials[name]; ok {
		p.Trial, p.Sample = shownTrial(last), string(last.Request)
	}
	return "source", p, nil
}

// shownTrial says how a trial ended.
func shownTrial(t sources.Trial) *trialShown {
	s := &trialShown{Trial: t}
	s.Problem, s.Told = picture.Line(t.Problem), picture.Line(t.Told)
	for _, w := range t.Withheld {
		s.Withheld = append(s.Withheld, picture.Line(w))
	}
	switch {
	case t.Problem != "" && t.OK:
		s.Said = "It is there. It does not know the request that was made up."
	case t.Problem != "":
		s.Said = "It did not answer."
	case t.Asked == sources.AskedServer:
		s.Said = "The server is there and has the tool. The tool was not called, because it might do something. Write a request to call it."
	case t.Asked == sources.AskedNothing:
		s.Said = "It was not asked, because no request could be made up. Write one."
	default:
		s.Said = fmt.Sprintf("It answered in %s. Of %d bytes a judge gets %d. The form of the answer: %s.", took(t.Millis), t.Fetched, t.Given, t.Schema)
	}
	if t.Hash != nil {
		s.Hash, s.Given = t.Hash.String(), picture.Passages(t.Answer)
	}
	return s
}

// took writes a time in milliseconds.
func took(millis int64) string {
	if millis == 0 {
		return "less than 1 ms"
	}
	return fmt.Sprintf("%d ms", millis)
}

// try asks a source of the home as a judge would.
func (d *Desk) try(v *visit) error {
	name := v.r.PostFormValue("source")
	if !datasource.ValidName(name) {
		return errNowhere
	}
	asked, err := request(v.r.PostFormValue("request"))
	if err != nil {
		return err
	}
	return d.begin(v, "Asking "+name, sourcePath(name), func(ctx context.Context) (outcome, error) {
		trial, err := d.data.Home.Test(ctx, name, asked)
		if err != nil {
			return outcome{}, err
		}
		d.data.keep(name, trial)
		return outcome{told: shownTrial(trial).Said, warn: picture.Line(trial.Problem)}, nil
	})
}

// remove stops offering a source.
func (d *Desk) remove(v *visit) error {
	name := v.r.PostFormValue("source")
	if !datasource.ValidName(name) || v.r.PostFormValue("sure") == "" {
		return errors.New("tick the box beside the button, because it cannot be undone here")
	}
	return d.begin(v, "Taking "+name+" back", "/sources", func(context.Context) (outcome, error) {
		return outcome{told: "The home offers " + name + " no more."}, d.data.Home.Remove(name)
	})
}

func sourcePath(name string) string { return "/sources/" + url.PathEscape(name) }
