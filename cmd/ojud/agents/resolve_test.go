package agents

import (
	"fmt"
	"strings"
	"testing"

	"ojud/agent/delegation"
	"ojud/casefile"
	"ojud/casefile/agentcard"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node/agents"
)

// TestPlaces: who copies the address of an agent into a card of its own, or names another place
// under the key of its operator, neither becomes the one who has to sign nor hides the agent.
func TestPlaces(t *testing.T) {
	t.Parallel()
	operator, worker, mallory := casefile.Address{1}, casefile.Address{2}, casefile.Address{3}
	key := strings.TrimPrefix(casefile.DID(operator).String(), "did:key:")
	card := func(signer, declared casefile.Address, hosts ...string) agents.Profile {
		s := &agentcard.Signed{CourtTerms: agentcard.CourtTerms{Authority: signer}}
		for _, at := range hosts {
			s.Interfaces = append(s.Interfaces, agentcard.Interface{URL: scheme + at + "/counter", Binding: agentcard.Hosted})
		}
		return agents.Profile{Agent: &program.Agent{Authority: onchain.Address(signer), Operator: onchain.Address(declared)}, Card: s}
	}
	none, w, m := casefile.Address{}, key+"@w.example:1", key+"@m.example:1"
	for name, v := range map[string]struct {
		root   casefile.Address
		cards  []agents.Profile
		places int
		first  string
		signer casefile.Address // zero: nobody is known to sign
	}{
		"copy alone":             {operator, []agents.Profile{card(mallory, none, w)}, 1, w, none},
		"copy and own":           {operator, []agents.Profile{card(mallory, none, w), card(worker, none, w)}, 1, w, none},
		"two texts":              {operator, []agents.Profile{card(worker, none, key+"@[::1]:1", w), card(mallory, none, key+"@W.example:1", key+"@[0::1]:1")}, 2, key + "@[::1]:1", none},
		"another place":          {operator, []agents.Profile{card(mallory, none, m), card(worker, none, w)}, 2, m, none},
		"another place, signed":  {operator, []agents.Profile{card(mallory, none, m), card(worker, operator, w)}, 1, w, none},
		"another operator":       {mallory, []agents.Profile{card(worker, operator, w)}, 0, "", none},
		"chain of the agent":     {worker, []agents.Profile{card(mallory, none, "w.example:1"), card(worker, none, "w.example:1")}, 1, "w.example:1", worker},
		"another id":             {operator, []agents.Profile{card(worker, operator, key+"@w.example:1/x")}, 0, "", none},
		"an agent with no place": {operator, []agents.Profile{card(worker, operator), {Agent: &program.Agent{}}}, 0, "", none},
	} {
		root := &delegation.Delegation{}
		root.Subject = delegation.Principal(v.root)
		got := placesOf(agents.Directory{Agents: v.cards}, "counter", []*delegation.Delegation{root})
		if len(got) != v.places {
			t.Errorf("%s: %d places: %v", name, len(got), got)
		} else if len(got) > 0 && (got[0].address != scheme+v.first+"/counter" || got[0].agent != casefile.DID(v.signer)) {
			t.Errorf("%s: %s, pinned to %s", name, got[0].address, fmt.Sprint(got[0].agent))
		}
	}
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
