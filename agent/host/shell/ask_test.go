package shell

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ojud/agent/host"
	"ojud/agent/host/attest"
	"ojud/casefile"
	"ojud/ledger/transact"
)

// TestAsk: an agent asks the data sources that its file names, by its own key, as long as its call
// is open and its delegation allows it, and so often.
func TestAsk(t *testing.T) {
	t.Parallel()
	dir := home(t)
	for id, sources := range map[string]string{"one": `["site.post"]`, "all": `["*"]`} {
		text := fmt.Sprintf("sources = %s\n", sources) + fmt.Sprintf(file, host.LevelSpawns)
		if err := os.WriteFile(filepath.Join(dir, Folder, id+".toml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var who string
	h, err := Open(dir, Means{LookupEnv: os.LookupEnv, Ask: func(_ context.Context, key *transact.Keypair, q Question) (json.RawMessage, error) {
		who = casefile.DID(key.Address()).String()
		return json.Marshal(q)
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	}()
	in := func(id string, o attest.Commission) Caller {
		t.Helper()
		o.Target, o.Payload = id+"/do", json.RawMessage(`"sleep"`)
		ctx, leave := context.WithCancel(t.Context())
		leave() // the call goes on without its caller
		c, err := h.Invoke(ctx, operator, o)
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("%+v, %v", c, err)
		}
		return Caller{id, c.ID}
	}
	one := in("one", attest.Commission{})
	const question = `{"data_source":"site.post","request":{"id":"7"}}`
	for name, k := range map[string]struct {
		by       Caller
		question string
		want     string // in the error
	}{
		"whole":             {one, question, ""},
		"no request":        {one, `{"data_source":"site.post"}`, ""},
		"another source":    {one, `{"data_source":"bank.account"}`, "does not name the source"},
		"all sources":       {in("all", attest.Commission{}), `{"data_source":"bank.account"}`, ""},
		"no sources":        {in("a4", attest.Commission{}), question, "does not name the source"},
		"denied":            {in("all", attest.Commission{Deny: []string{"agent.ask"}}), question, "agent/ask"},
		"not among allowed": {in("one", attest.Commission{Allow: []string{"agent.recall"}}), question, "agent/ask"},
		"outside of a call": {Caller{"one", "over"}, question, "is over"},
		"the operator":      {operator, question, "ojud source ask"},
		"an unknown member": {one, `{"data_source":"site.post","max_price":"1"}`, "max_price"},
	} {
		raw, err := h.Use(t.Context(), k.by, "agent.ask", json.RawMessage(k.question))
		if k.want == "" && (err != nil || !strings.Contains(string(raw), `"data_source":"`)) || k.want != "" && (err == nil || !strings.Contains(err.Error(), k.want)) {
			t.Errorf("%s: %s, %v; want %q", name, raw, err, k.want)
		}
	}
	if _, err := h.Use(t.Context(), one, "agent.ask", json.RawMessage(question)); err != nil {
		t.Error(err)
	}
	if v, err := h.Look(operator, "one"); err != nil || v.DID != who {
		t.Errorf("%s asks by the key %s, %v", v.DID, who, err)
	}
	for range maxAsked {
		_, err = h.Use(t.Context(), one, "agent.ask", json.RawMessage(question))
	}
	var refused *host.Refused
	if !errors.As(err, &refused) || refused.Code != host.Budget {
		t.Errorf("after %d questions: %v", maxAsked, err)
	}
	spawn := json.RawMessage(`{"id":"copy","like":"all"}`)
	if _, err := h.Use(t.Context(), one, "agent.spawn", spawn); err == nil || !strings.Contains(err.Error(), "may not ask the source") {
		t.Errorf("an agent makes a copy that may ask more: %v", err)
	}
	for name, text := range map[string]string{
		"of little autonomy": "sources = [\"a\"]\n" + fmt.Sprintf(file, 0), "no name": "sources = [\"a b\"]\n" + fmt.Sprintf(file, 1),
	} {
		if err := h.Spawn(operator, Seed{ID: "wrong", Text: text}); err == nil || !strings.Contains(err.Error(), "sources") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
