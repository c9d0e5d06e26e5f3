package desk

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"

	"ojud/casefile"
	"ojud/node/client"
	"ojud/node/client/cost"
	"ojud/node/holdings"
	"ojud/node/market"
	"ojud/voting"
)

// offered returns tasks of creators, the newest first, and what their documents say.
func offered(t *testing.T, spam, honest int) ([]client.TaskView, *market.Words) {
	t.Helper()
	docs := map[voting.Hash][]byte{}
	var all []client.TaskView
	put := func(creator, text string, price client.Lamports) {
		raw := []byte(`{"instruction":["` + text + `"],"output_schema":{"type":"object"}}`)
		hash := casefile.HashOf(raw)
		docs[hash] = raw
		v := client.TaskView{Task: fmt.Sprint("task", len(all), creator), Status: "created", TaskParties: client.TaskParties{Creator: creator}}
		v.Price, v.TaskHash = price, hex.EncodeToString(hash[:])
		all = append(all, v)
	}
	for i := range spam {
		put("Mallory", fmt.Sprint("Cheap work ", i), 1_000_000)
	}
	for i := range honest {
		put(fmt.Sprint("Honest", i), fmt.Sprint("Write a haiku ", i), client.Lamports(1_000_000_000+i))
	}
	return all, market.NewWords(func(_ context.Context, h voting.Hash) ([]byte, error) {
		if raw, ok := docs[h]; ok {
			return raw, nil
		}
		return nil, errors.New("no node has it")
	})
}

// TestAttackCrowdedMarket: many cheap tasks of one creator hide no task of others at a desk: they
// are read last, fill a few rows, and all tasks are searched, listed and sorted by pay.
func TestAttackCrowdedMarket(t *testing.T) {
	t.Parallel()
	all, words := offered(t, 300, 60)
	look := func(q, by, page string) (p marketPage, text string) {
		p = marketPage{Words: q, By: by}
		p.list(all, words, "Bob", page)
		for _, row := range p.Rows {
			text += row.Subject + "; "
		}
		return p, text
	}
	words.Learn(t.Context(), fairly(all)) // 32 documents in one look
	p, text := look("haiku", "", "1")
	if p.Found < 31 || p.Unread != len(all)-32 || !strings.Contains(text, "Write a haiku") {
		t.Errorf("after one look %d are found and %d are not read: %s", p.Found, p.Unread, text)
	}
	for p.Unread > 0 {
		words.Learn(t.Context(), fairly(all))
		p, _ = look("haiku 59", "", "1")
	}
	if len(p.Rows) != 1 {
		t.Errorf("%+v", p)
	}
	p, text = look("", "", "1")
	if strings.Count(text, "Cheap") != maxOfOne || p.Rows[maxOfOne-1].More != 300-maxOfOne || len(p.Rows) != maxRows || p.Next != "/market?page=2" {
		t.Errorf("%d rows, next %s: %s", len(p.Rows), p.Next, text)
	}
	if p, text = look("", "pay", "2"); len(p.Rows) != 15 || !strings.HasSuffix(text, "Cheap work 4; ") || p.Before != "/market?by=pay&page=1" || p.Next != "" {
		t.Errorf("%+v %s", p, text)
	}
	if p, text = look("", "pay", "x"); !strings.HasPrefix(text, "Write a haiku 59; ") {
		t.Error(text)
	}
	// The control: somebody who asks for this creator gets all of them.
	if p, _ = look("Mallory", "", "6"); p.Found != 300 || len(p.Rows) != 50 || p.Next != "" {
		t.Errorf("%d found, %d rows", p.Found, len(p.Rows))
	}
}

// TestTokens: the market, the page of a task and the page before a claim show tokens beside the
// reward by the address of their mint, and what is wrong with them.
func TestTokens(t *testing.T) {
	t.Parallel()
	d, _ := opened(t)
	for want, p := range map[string]holdings.Pledge{
		" can freeze them":        {Amount: "12.5", Freezer: "F"},
		"They are frozen":         {Amount: "12.5", Frozen: true, Freezer: "F"},
		"a &lt;transfer hook&gt;": {Amount: "12.5", Refused: "a <transfer hook>"},
		", beside the reward</p>": {Amount: "12.5"},
	} {
		row := taskRow{TaskView: client.TaskView{Task: "task"}, Beside: &p}
		of := taskPage{taskRow: row, Costs: &cost.Steps{}}
		for name, data := range map[string]any{
			"market": marketPage{All: 1, Rows: []offerLine{{taskRow: row}}}, "task": of, "offer": offerPage{taskPage: of},
		} {
			var out strings.Builder
			err := d.templates.ExecuteTemplate(&out, name, frame{Data: data})
			if page := out.String(); err != nil || !strings.Contains(page, want) || !strings.Contains(page, "12.5 tokens of the mint <code>"+p.Mint.String()+"</code>") {
				t.Errorf("%s has no %q: %v", name, want, err)
			}
		}
	}
}
