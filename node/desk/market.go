package desk

import (
	"cmp"
	"context"
	"encoding/hex"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"ojud/casefile/picture"
	"ojud/node/client"
	"ojud/node/market"
	"ojud/voting"
)

// The limits of the market at a desk.
const (
	maxWords = 200 // bytes of what is searched for
	// maxOfOne bounds the rows of one creator, so that many cheap tasks hide no others.
	maxOfOne = 5
	openTime = 5 * time.Second // how long the list of the chain is shown again
)

// marketPage lists the tasks that may be claimed.
type marketPage struct {
	Words, By    string
	Rows         []offerLine
	All, Found   int
	Unread       int    // tasks whose documents are not here yet
	Before, Next string // addresses of other pages of the list; empty: none
}

// offerLine is a task that may be claimed.
type offerLine struct {
	taskRow
	More int // tasks of the same creator that are not listed after it
}

// openTasks are the tasks of a court that may be claimed, as the chain listed them last, and what
// their documents say.
type openTasks struct {
	words *market.Words

	mu    sync.Mutex
	party *client.Client
	at    time.Time
	all   []client.TaskView
}

// list returns the tasks that may be claimed, the newest first.
func (o *openTasks) list(ctx context.Context, party *client.Client) ([]client.TaskView, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.party == party && time.Since(o.at) < openTime {
		return o.all, nil
	}
	at := time.Now()
	all, err := party.Tasks(ctx, client.Filter{Status: "created"})
	if err == nil {
		o.party, o.at, o.all = party, at, all
	}
	return all, err
}

// hashOf returns the hash of a task's document.
func hashOf(v client.TaskView) (h voting.Hash) {
	raw, err := hex.DecodeString(v.TaskHash)
	if err == nil && len(raw) == len(h) {
		h = voting.Hash(raw)
	}
	return h
}

// fairly puts the best paid task of each creator first, then the second of each, and so on. So the
// documents of many cheap tasks do not keep others from being read.
func fairly(all []client.TaskView) (out []voting.Hash) {
	rank, sorted := map[string]int{}, slices.Clone(all)
	slices.SortStableFunc(sorted, func(a, b client.TaskView) int { return cmp.Compare(b.Price, a.Price) })
	at := make(map[string]int, len(sorted))
	for _, v := range sorted {
		at[v.Task] = rank[v.Creator]
		rank[v.Creator]++
	}
	slices.SortStableFunc(sorted, func(a, b client.TaskView) int { return cmp.Compare(at[a.Task], at[b.Task]) })
	for _, v := range sorted {
		out = append(out, hashOf(v))
	}
	return out
}

func (d *Desk) market(v *visit) (string, any, error) {
	party, err := d.who()
	if err != nil {
		return "", nil, err
	}
	all, err := d.offers.list(v.r.Context(), party)
	if err != nil {
		return "", nil, err
	}
	d.offers.words.Learn(v.r.Context(), fairly(all))
	words := v.r.FormValue("q")
	p := marketPage{Words: picture.Line(words[:min(len(words), maxWords)]), All: len(all)}
	if p.By = v.r.FormValue("by"); p.By != "pay" {
		p.By = ""
	}
	p.list(all, d.offers.words, party.Me(), v.r.FormValue("page"))
	rows := make([]*taskRow, len(p.Rows))
	for i := range p.Rows {
		rows[i] = &p.Rows[i].taskRow
	}
	return "market", p, beside(v.r.Context(), party, rows...)
}

// list fills in a page of the tasks that fit.
func (p *marketPage) list(all []client.TaskView, words *market.Words, me, page string) {
	if p.By == "pay" {
		all = slices.Clone(all)
		slices.SortStableFunc(all, func(a, b client.TaskView) int { return cmp.Compare(b.Price, a.Price) })
	}
	var rows []offerLine
	last, of := map[string]int{}, map[string]int{}
	for _, v := range all {
		subject, sources, read := words.Of(hashOf(v))
		if !read {
			p.Unread++
		}
		if !contains(strings.Join(append([]string{subject, v.Task, v.Creator}, sources...), " "), p.Words) {
			continue
		}
		p.Found++
		if of[v.Creator]++; of[v.Creator] > maxOfOne && !strings.Contains(p.Words, v.Creator) {
			rows[last[v.Creator]].More++
			continue
		}
		row := rowOf(v, me)
		row.Subject, row.Read = picture.Line(subject), read
		last[v.Creator] = len(rows)
		rows = append(rows, offerLine{taskRow: row})
	}
	pages := max(1, (len(rows)+maxRows-1)/maxRows)
	at, err := strconv.Atoi(page)
	if err != nil {
		at = 1
	}
	at = min(max(at, 1), pages)
	address := func(n int) string {
		values := url.Values{"page": {strconv.Itoa(n)}}
		for name, value := range map[string]string{"q": p.Words, "by": p.By} {
			if value != "" {
				values.Set(name, value)
			}
		}
		return "/market?" + values.Encode()
	}
	if at > 1 {
		p.Before = address(at - 1)
	}
	if at < pages {
		p.Next = address(at + 1)
	}
	p.Rows = rows[(at-1)*maxRows : min(at*maxRows, len(rows))]
}

// contains reports whether each of some words stands in a text.
func contains(text, words string) bool {
	text = strings.ToLower(text)
	for _, word := range strings.Fields(strings.ToLower(words)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}
