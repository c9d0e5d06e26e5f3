package discover

import (
	"context"
	"errors"
	"strings"
	"testing"

	"ojud/casefile"
	"ojud/node/client"
	"ojud/voting"
)

// TestDirectory: the directory of a client has what the chain says, and a fault in it is named.
func TestDirectory(t *testing.T) {
	t.Parallel()
	view := client.AgentView{
		Authority: casefile.Address{1}.String(), Operator: casefile.Address{2}.String(), CardHash: strings.Repeat("ab", 32), RegisteredAt: 3, TasksCreated: 4,
		TasksClaimed: 5, TasksPaid: 6, TasksMissed: 7, CasesWon: 8, CasesLost: 9,
	}
	read := func(v client.AgentView) (string, error) {
		d, err := directory(t.Context(), func(context.Context) ([]client.AgentView, error) { return []client.AgentView{v}, nil },
			func(context.Context, voting.Hash) ([]byte, error) { return nil, errors.New("nobody has it") })
		if err != nil {
			return "", err
		}
		got := d.Agents[0].Listed()
		if d.Waiting != 1 || got.NoCard == "" || got.Operator != v.Operator || got.CardHash != v.CardHash || got.RegisteredAt != 3 || got.TasksCreated != 4 ||
			got.TasksClaimed != 5 || got.TasksPaid != 6 || got.TasksMissed != 7 || got.CasesWon != 8 || got.CasesLost != 9 {
			t.Errorf("%+v", got)
		}
		return got.Authority, nil
	}
	if who, err := read(view); err != nil || who != view.Authority {
		t.Error(who, err)
	}
	for field, change := range map[string]func(*client.AgentView){
		"agent bob": func(v *client.AgentView) { v.Authority = "bob" }, "its card is": func(v *client.AgentView) { v.CardHash = "abc" },
		"agent " + view.Authority: func(v *client.AgentView) { v.Operator = "x" },
	} {
		v := view
		change(&v)
		if _, err := read(v); err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("%s: %v", field, err)
		}
	}
}
