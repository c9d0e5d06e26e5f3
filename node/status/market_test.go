package status

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"ojud/casefile"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node/market"
	"ojud/p2p/directory"
	"ojud/p2p/wire"
	"ojud/voting"
)

// stall is a market with 150 tasks, of which every third has a case.
type stall struct{ fault error }

func (s stall) Latest(context.Context) (market.Market, error) {
	m := market.Market{Now: 1_000}
	for i := range 150 {
		o := market.Listing{Task: voting.Key{byte(i), 1}, Price: 5, Subject: fmt.Sprintf("Task %d: \"draw\"", i), Sources: []string{"rates"}[:i%2], Terms: &program.Task{Status: program.Created, Creator: onchain.Address{9}, ClaimBy: 2_000}}
		if i%3 == 0 {
			o.Terms.Status, o.Terms.Worker = program.Judiciary, onchain.Address{8}
		}
		m.Offers = append(m.Offers, o)
	}
	return m, s.fault
}

// TestTasks: the market is open to every program on this machine, in lists that are bounded.
func TestTasks(t *testing.T) {
	a := newTestAPI(t, data{})
	for path, want := range map[string]struct {
		code  int
		says  string
		tasks int
	}{
		"":                               {http.StatusOK, `"found":150`, 100},
		"?status=judiciary":              {http.StatusOK, `"worker":"` + casefile.Address{8}.String(), 50},
		"?source=rates&limit=7":          {http.StatusOK, `"found":75`, 7},
		"?q=Task+149":                    {http.StatusOK, `"subject":"Task 149: \"draw\""`, 1},
		"?q=nothing":                     {http.StatusOK, `"tasks":[]`, 0},
		"?limit=101":                     {http.StatusBadRequest, "from 1 to 100", 0},
		"?q=" + strings.Repeat("x", 201): {http.StatusBadRequest, "q has 201 bytes; at most 200", 0},
	} {
		if code, body := send(a, http.MethodGet, "/v1/tasks"+path, nil, ""); code != want.code || !strings.Contains(body, want.says) || strings.Count(body, `"task":`) != want.tasks {
			t.Errorf("%s: %d, %d tasks, %.300s", path, code, strings.Count(body, `"task":`), body)
		}
	}
	a.d.Market = stall{errors.New("lists are refused")}
	if code, body := send(a, http.MethodGet, "/v1/tasks", nil, ""); code != http.StatusBadGateway || !strings.Contains(body, "lists are refused") {
		t.Error(code, body)
	}
}

// TestOffers: sources stand by their staked holders. Nodes without a stake count as others.
func TestOffers(t *testing.T) {
	t.Parallel()
	var judges []directory.Judge
	for i := range 5 {
		j := directory.Judge{Announcement: directory.Announcement{Authority: casefile.Address{byte(i)}.String()}}
		for _, name := range []string{"rates", "site.post", "made.up"}[:1+i%3] {
			j.Sources = append(j.Sources, wire.Source{Name: name})
		}
		judges = append(judges, j)
	}
	staked := func(a directory.Announcement) bool {
		return a.Authority < judges[2].Authority || a.Authority == judges[2].Authority
	}
	var got []string
	for _, o := range offers(judges, staked, "") {
		got = append(got, fmt.Sprintf("%s %d %d %d", o.Source, o.Staked, len(o.Judges), o.Others))
	}
	if want := "rates 3 3 2, site.post 2 2 1, made.up 1 1 0"; strings.Join(got, ", ") != want {
		t.Errorf("%v, want %s", got, want)
	}
	if found := offers(judges, staked, "POST"); len(found) != 1 || found[0].Source != "site.post" {
		t.Errorf("%+v", found)
	}
	if found := offers(nil, staked, ""); found == nil || len(found) != 0 {
		t.Errorf("%v", found)
	}
}
