package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ojud/ledger/onchain"
	"ojud/ledger/tokens"
	"ojud/test/longtest"
)

// TestTradePledge: a worker without a person takes a task for the tokens beside its reward, if its
// owner named their mint; the same number of a mint with the same name counts for nothing. The
// tokens come to the worker, and back to the creator, without a person.
func TestTradePledge(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	m := newBourse(t, 3, "alice", "bob")
	usd, fake := m.mint("usd", tokens.SPL(), 6, tokens.MintSize), m.mint("usd, too", tokens.SPL(), 6, tokens.MintSize)
	held := map[*tokens.Mint]onchain.Address{}
	for _, coin := range []*tokens.Mint{usd, fake} {
		held[coin] = m.give(coin, m.vault("alice"), 100_000_000)
	}
	write := func(agent, name, text string) {
		t.Helper()
		path := filepath.Join(m.dir, agent, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const order = `{"id":%q,"reward":"0.01sol","mint":%q,"tokens":"25","task":{"instruction":["Say yes, please."],"output_schema":{"answer":"string"},"expected":[{"path":"/answer","equals":"yes","settles":[0]}]}}` + "\n"
	write("alice", "orders.jsonl", fmt.Sprintf(order, "real", usd.Address)+fmt.Sprintf(order, "worthless", fake.Address)+
		strings.Replace(fmt.Sprintf(order, "too many", usd.Address), `"25"`, `"2500"`, 1))
	write("alice", "post.toml", "queue = \"orders.jsonl\"\npatience = \"8s\"\nends = true\npoll = \"300ms\"\n[budget]\nloss = \"0.5sol\"\n")
	write("bob", "work.toml", "poll = \"300ms\"\n[[mint]]\naddress = \""+usd.Address.String()+"\"\nworth = \"0.001sol\"\n[[skill]]\nname = \"yes\"\nwords = [\"yes\"]\nleast = \"0.03sol\"\ncommand = [\"echo\", '{\"answer\":\"yes\"}']\n")
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	stop := make(chan string, 1)
	go func() {
		_, out, errs := lineIn(ctx, m.environ, "agent", "work", "--home", filepath.Join(m.dir, "bob"), "--key", m.key("bob"))
		stop <- out + errs
	}()
	_, out, errs := lineIn(ctx, m.environ, "agent", "post", "--home", filepath.Join(m.dir, "alice"), "--key", m.key("alice"))
	said := out + errs
	leave()
	did := <-stop
	if brings := "brings 25 tokens of the mint " + usd.Address.String(); !strings.Contains(strings.Join(strings.Fields(said+did), " "), brings) {
		t.Errorf("neither side brings the tokens:\n%s\n%s", said, did) // whoever looks first brings them
	}
	for _, want := range []string{"and 25 tokens of the mint " + usd.Address.String(), "brings 25 tokens of the mint " + fake.Address.String(), "less than 2500"} {
		if !strings.Contains(strings.Join(strings.Fields(said), " "), want) {
			t.Errorf("the creator does not say %q:\n%s", want, said)
		}
	}
	if !strings.Contains(did, "and 25 tokens of the mint "+usd.Address.String()) || strings.Contains(did, fake.Address.String()) {
		t.Errorf("the worker says:\n%s\nthe creator says:\n%s", did, said)
	}
	// The list reads what is final, which comes some slots later.
	for end := time.Now().Add(time.Minute); time.Now().Before(end); {
		if _, out, _ := lineIn(t.Context(), m.environ, m.by("bob", "list", "--json")...); out != "" {
			break
		}
	}
	m.run(0, `"amount":"25"`, m.by("bob", "list", "--json")...)
	if all := m.run(0, `"mint"`, m.by("bob", "list", "--json")...); strings.Contains(all, fake.Address.String()) {
		t.Errorf("the worker paid rent for worthless tokens: %s", all)
	}
	for _, left := range []string{"75", "100"} {
		m.run(0, `"amount":"`+left+`"`, m.by("alice", "list", "--json")...)
	}
}
