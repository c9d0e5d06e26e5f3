package agents

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"ojud/agent/delegation"
	"ojud/casefile"
	"ojud/casefile/agentcard"
	"ojud/casefile/canon"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node/agents"
	"ojud/voting"
)

// TestPlaces: who copies the address of an agent into a card of its own, or names another place
// under the key of its operator, neither becomes the one who has to sign nor hides the agent. No
// card counts that its agent did not sign. The clients in Python and JavaScript find the same.
func TestPlaces(t *testing.T) {
	t.Parallel()
	var v struct {
		Names struct {
			ID     string
			Agents map[string]agents.Listed
			Scenes []struct {
				Name   string
				Root   delegation.Principal
				Agents []string
				Places []struct{ Address, Agent, Signer string }
				Chosen string
			}
		}
	}
	raw, err := os.ReadFile("../../../clients/vectors.json")
	if err == nil {
		err = json.Unmarshal(raw, &v)
	}
	if err != nil || len(v.Names.Scenes) < 20 {
		t.Fatal(len(v.Names.Scenes), err)
	}
	for _, s := range v.Names.Scenes {
		d := listed(t, v.Names.Agents, s.Agents)
		root := &delegation.Delegation{}
		root.Subject = s.Root
		got := placesOf(d, v.Names.ID, []*delegation.Delegation{root})
		d.Agents = d.Find("", "/"+v.Names.ID+`"`) // what the clients ask a node for
		if narrowed := placesOf(d, v.Names.ID, []*delegation.Delegation{root}); !slices.Equal(got, narrowed) {
			t.Errorf("%s: %v; of all agents %v", s.Name, narrowed, got)
		}
		if len(got) != len(s.Places) {
			t.Errorf("%s: %d places: %v", s.Name, len(got), got)
			continue
		}
		for i, want := range s.Places {
			pin := "" // nobody is known to sign
			if got[i].agent != (casefile.DID{}) {
				pin = got[i].agent.String()
			}
			if got[i].address != want.Address || pin != want.Agent || got[i].signer.String() != want.Signer {
				t.Errorf("%s: %+v; want %v", s.Name, got[i], want)
			}
		}
		if certain := len(got) > 0 && !unclear(got); certain && s.Chosen == "" && !strings.Contains(got[0].address, "12D3KooW") || !certain && s.Chosen != "" {
			t.Errorf("%s: one place: %t; chosen: %q", s.Name, certain, s.Chosen)
		}
	}
}

// listed reads agents of an API as a directory does that asks chain and nodes.
func listed(t *testing.T, all map[string]agents.Listed, names []string) agents.Directory {
	t.Helper()
	var list []*program.Agent
	cards := map[voting.Hash][]byte{}
	address := func(text string) (a casefile.Address) {
		if text == "" {
			return a
		}
		a, err := casefile.ParseAddress(text)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	for i, name := range names {
		one := all[name]
		a := &program.Agent{Authority: onchain.Address(address(one.Authority)), Operator: onchain.Address(address(one.Operator)), RegisteredAt: int64(i)}
		if one.CardHash != "" {
			hash, err := hex.DecodeString(one.CardHash)
			if err != nil {
				t.Fatal(err)
			}
			a.CardHash = voting.Hash(hash)
			cards[a.CardHash] = one.Card
		}
		list = append(list, a)
	}
	d, err := agents.New(agents.Needs{
		List: func(context.Context) ([]*program.Agent, error) { return list, nil },
		Card: func(_ context.Context, _ voting.Key, hash voting.Hash) ([]byte, error) {
			return canon.JSON(cards[hash], agentcard.MaxBytes)
		},
	}, agents.Bounds{Ask: 10, Patience: time.Minute}).Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestWhom: no call goes to the key of --did if the address has another key.
func TestWhom(t *testing.T) {
	t.Parallel()
	a, b := casefile.DID{1}, casefile.DID{2}
	for _, v := range []struct {
		at        place
		did, want casefile.DID
		refused   bool
	}{
		{at: place{agent: a, byKey: true}, want: a},
		{at: place{agent: a, byKey: true}, did: a, want: a},
		{at: place{agent: a, byKey: true}, did: b, refused: true},
		{at: place{agent: a}, did: b, want: b},
		{at: place{}, did: b, want: b},
		{at: place{}},
	} {
		if got, err := v.at.whom(v.did); (err != nil) != v.refused || err == nil && got != v.want {
			t.Errorf("%+v with --did %s: %s, %v", v.at, v.did, got, err)
		}
	}
}
