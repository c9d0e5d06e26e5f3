package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"log/slog"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ojud/cmd/ojud/cli"
	"ojud/ledger/onchain"
	"ojud/ledger/tokens"
	"ojud/node/client"
	"ojud/node/cluster"
	"ojud/node/desk"
	"ojud/test/longtest"
)

// treasury makes mints with a key, which is the authority and the freezer of each.
type treasury struct {
	t    *testing.T
	c    *client.Client
	self onchain.Address
	n    int
}

// run sends instructions in one transaction.
func (m *treasury) run(list ...onchain.Instruction) {
	m.t.Helper()
	m.n++
	if _, err := client.OfficeOf(m.c).Move(m.t.Context(), client.Order{Name: fmt.Sprint("test ", m.n), Instructions: list}); err != nil {
		m.t.Fatal(err)
	}
}

// mint makes a mint with extensions: begin are the instructions before the mint is initialized.
func (m *treasury) mint(name string, of onchain.Address, decimals uint8, size int, begin ...[]byte) *tokens.Mint {
	m.t.Helper()
	out := &tokens.Mint{Program: of, Decimals: decimals, Freezer: m.self}
	var err error
	if out.Address, err = tokens.MintAddress(m.self, name, of); err != nil {
		m.t.Fatal(err)
	}
	list := tokens.CreateMint(m.self, name, out, 10_000_000)
	binary.LittleEndian.PutUint64(list[0].Data[len(list[0].Data)-40:], uint64(size))
	frozen := &list[1]
	frozen.Data = append(append(frozen.Data[:len(frozen.Data)-1], 1), m.self[:]...)
	for _, b := range begin {
		first := *frozen
		first.Data = b
		list = slices.Insert(list, len(list)-1, first)
	}
	m.run(list...)
	return out
}

// give mints tokens into the associated account of an owner, which it makes.
func (m *treasury) give(coin *tokens.Mint, owner onchain.Address, units uint64) onchain.Address {
	m.t.Helper()
	open, err := tokens.CreateAssociated(m.self, owner, coin)
	if err != nil {
		m.t.Fatal(err)
	}
	m.run(open, tokens.MintTo(coin, open.Accounts[1].Address, m.self, units))
	return open.Accounts[1].Address
}

// freeze freezes a token account, or thaws it.
func (m *treasury) freeze(coin *tokens.Mint, at onchain.Address, kind byte) {
	m.t.Helper()
	m.run(onchain.Instruction{Program: coin.Program, Data: []byte{kind}, Accounts: []onchain.AccountMeta{
		{Address: at, Writable: true}, {Address: coin.Address}, {Address: m.self, Signer: true},
	}})
}

// unsafeMint is an extension that deposits refuse: its bytes, the instruction that begins it, and
// its name.
type unsafeMint struct {
	name  string
	size  int
	begin []byte
}

// unsafeMints are all extensions that the embedded Token-2022 can begin, with the key as authority.
func unsafeMints(self onchain.Address) []unsafeMint {
	key := self[:]
	fee := slices.Concat([]byte{26, 0, 1}, key, []byte{1}, key, []byte{250, 0}, binary.LittleEndian.AppendUint64(nil, 1_000))
	return []unsafeMint{
		{"transfer fee", 108, fee},
		{"mint close authority", 32, slices.Concat([]byte{25, 1}, key)},
		{"confidential transfer", 65, slices.Concat([]byte{27, 0}, key, make([]byte, 33))},
		{"default account state", 1, []byte{28, 0, 2}},
		{"non-transferable", 0, []byte{32}},
		{"interest-bearing", 52, slices.Concat([]byte{33, 0}, key, []byte{244, 1})},
		{"permanent delegate", 32, slices.Concat([]byte{35}, key)},
		{"transfer hook", 64, slices.Concat([]byte{36, 0}, key, bytes.Repeat([]byte{9}, 32))},
		{"scaled amount", 56, slices.Concat([]byte{43, 0}, key, binary.LittleEndian.AppendUint64(nil, math.Float64bits(1.5)))},
		{"pausable", 33, slices.Concat([]byte{44, 0}, key)},
	}
}

// withExtension is the size of a mint with one extension of that many bytes.
func withExtension(size int) int { return tokens.AccountSize + 1 + 4 + size }

// bourse is a court with agents that have tokens.
type bourse struct {
	*treasury
	dir     string
	environ []string
	who     map[string]onchain.Address
}

// newBourse starts a court with some judges, and registers agents. Alice makes the mints.
func newBourse(t *testing.T, judges int, agents ...string) *bourse {
	t.Helper()
	cfg := cluster.DefaultConfig().Sized(judges).Fast()
	cfg.Params.CoverBps = 0
	court := startCourt(t, cfg)
	b := &bourse{dir: t.TempDir(), environ: []string{"HOME=" + t.TempDir(), "OJUD_NETWORK=" + court.Chain().RPC()}, who: map[string]onchain.Address{}}
	b.treasury = &treasury{t: t}
	for _, agent := range agents {
		b.run(0, "transaction", "agent", "register", "--create-key", "--airdrop", "--deposit", "1sol", "--key", b.key(agent))
		key, err := client.LoadKey(b.key(agent))
		if err != nil {
			t.Fatal(err)
		}
		b.who[agent] = key.Address()
	}
	key, err := client.LoadKey(b.key("alice"))
	if err != nil {
		t.Fatal(err)
	}
	network, err := client.LoadNetwork(t.Context(), court.Chain().RPC(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if b.c, err = client.Open(t.Context(), network, key, client.DefaultConfig(), client.Deps{}); err != nil {
		t.Fatal(err)
	}
	b.self = key.Address()
	t.Cleanup(func() {
		if err := b.c.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

func (b *bourse) key(agent string) string { return filepath.Join(b.dir, agent+".json") }

// vault is the account that owns an agent's tokens.
func (b *bourse) vault(agent string) onchain.Address {
	return client.OfficeOf(b.c).Program().Agent(b.who[agent])
}

// run types a command, and expects its exit code and a part of what it says.
func (b *bourse) run(want int, says string, args ...string) string {
	b.t.Helper()
	code, out, errs := lineIn(b.t.Context(), b.environ, args...)
	if code != want || !strings.Contains(out+errs, says) {
		b.t.Fatalf("%q: %d, want %d and %q: %s%s", args, code, want, says, out, errs)
	}
	return out
}

// do runs a command with --json.
func (b *bourse) do(want int, says string, args ...string) (v map[string]any) {
	b.t.Helper()
	out := b.run(want, says, append(args, "--json")...)
	if want == cli.ExitOK && json.Unmarshal([]byte(out), &v) != nil {
		b.t.Fatalf("%q: %s", args, out)
	}
	return v
}

// by is a command of "agent tokens" by an agent.
func (b *bourse) by(agent string, args ...string) []string {
	return append(append([]string{"agent", "tokens"}, args...), "--key", b.key(agent))
}

// TestAgentTokens keeps tokens in vaults by the commands: with mints of both programs, each mint
// that is refused, accounts that are missing, frozen or of others, and amounts that are not exact.
func TestAgentTokens(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	m := newBourse(t, 1, "alice", "bob")
	run, do, by, who, vault := m.run, m.do, m.by, m.who, m.vault
	usd := m.mint("usd", tokens.SPL(), 6, tokens.MintSize)
	at := usd.Address.String()
	run(0, "the vault has no tokens", by("alice", "list")...)
	do(1, "it is no mint", by("alice", "deposit", who["bob"].String(), "1")...)
	do(1, "there is no such account", by("alice", "deposit", onchain.Address{1, 2, 3}.String(), "1")...)
	do(1, "the wallet has 0", by("alice", "deposit", at, "1")...)
	wallet := m.give(usd, who["alice"], 10_500_000)
	do(1, "the wallet has 10.5 of the mint "+at+", less than 10.500001", by("alice", "deposit", at, "10.500001")...)
	for _, amount := range []string{"0.0000001", "1e3", "1,5", "18446744073709551616", "all"} {
		do(1, "it is no amount of this token", by("alice", "deposit", at, amount)...)
	}
	do(1, "the amount is zero", by("alice", "deposit", at, "0.000")...)
	first := do(0, "landed", by("alice", "deposit", at, "4.000001")...)
	token := first["token"].(map[string]any)
	if first["opened"] != true || first["rent"] != "2039280" || token["amount"] != "4.000001" || token["units"] != "4000001" || token["freezer"] != m.self.String() {
		t.Errorf("%v", first)
	}
	second := do(0, "landed", by("alice", "deposit", at, "1")...)
	if second["opened"] != false || second["rent"] != "0" || second["token"].(map[string]any)["amount"] != "5.000001" {
		t.Errorf("%v", second)
	}
	mine := token["account"].(string)
	held, err := onchain.ParseAddress(mine)
	if err != nil {
		t.Fatal(err)
	}
	do(1, "the vault has 5.000001 of the mint "+at+", less than 6", by("alice", "withdraw", at, "6")...)
	do(1, "the vault has 0", by("bob", "withdraw", at, "1")...)
	do(1, "belongs to", by("bob", "withdraw", at, "1", "--from", mine)...)
	do(1, "it is no token account", by("alice", "withdraw", at, "1", "--from", at)...)
	if v := do(0, `"amount":"5"`, by("alice", "withdraw", at, "0.000001")...); v["opened"] != false {
		t.Errorf("%v", v)
	}
	run(0, who["alice"].String()+", who can freeze this account", by("alice", "withdraw", at, "1")...)

	m.freeze(usd, held, 10)
	do(0, `"frozen":true`, by("alice", "list")...)
	do(1, "is frozen: "+mine+" of the vault; only the freezer of the mint, "+m.self.String(), by("alice", "withdraw", at, "1")...)
	do(1, "is frozen", by("alice", "deposit", at, "1")...)
	m.freeze(usd, held, 11)
	m.freeze(usd, wallet, 10)
	do(1, "is frozen: "+wallet.String()+" of the wallet", by("alice", "withdraw", at, "1")...)

	// Bob got tokens from somebody, and has no account for them.
	gold := m.mint("gold", tokens.Token2022(), 9, withExtension(64), slices.Concat([]byte{39, 0}, m.self[:], bytes.Repeat([]byte{7}, 32))) // a pointer to metadata
	m.give(gold, vault("bob"), 1_000_000_001)
	do(0, `"amount":"1.000000001"`, by("alice", "list", who["bob"].String())...)
	if v := do(0, "landed", by("bob", "withdraw", gold.Address.String(), "1.000000001")...); v["opened"] != true || v["token"].(map[string]any)["amount"] != "0" {
		t.Errorf("%v", v)
	}
	do(0, `"amount":"0.5"`, by("bob", "deposit", gold.Address.String(), "0.5")...)

	for _, x := range unsafeMints(m.self) {
		coin := m.mint(x.name, tokens.Token2022(), 2, withExtension(x.size), x.begin)
		do(1, "("+x.name+")", by("alice", "deposit", coin.Address.String(), "1")...)
		if x.name != "transfer fee" && x.name != "permanent delegate" {
			continue
		}
		// What came in past the commands gets out.
		m.give(coin, vault("alice"), 1_000)
		run(0, "("+x.name+")", by("alice", "list", "--json")...)
		if v := do(0, "landed", by("alice", "withdraw", coin.Address.String(), "9.99")...); v["token"].(map[string]any)["amount"] != "0.01" {
			t.Errorf("%s: %v", x.name, v)
		}
	}
	if all := run(0, `"mint"`, by("alice", "list", "--json")...); strings.Count(all, "\n") != 3 || strings.Count(all, `"refused":`) != 2 {
		t.Errorf("the vault has %s", all)
	}
}

// TestTaskTokens puts tokens beside a reward, and pays them to the worker.
func TestTaskTokens(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	b := newBourse(t, 4, "alice", "bob")
	usd := b.mint("usd", tokens.SPL(), 6, tokens.MintSize)
	at := usd.Address.String()
	b.give(usd, b.who["alice"], 100_000_000)
	b.do(0, "landed", b.by("alice", "deposit", at, "10")...)
	order, result := filepath.Join(b.dir, "order.json"), filepath.Join(b.dir, "result.json")
	write(t, order, `{"instruction":["Draw an owl."],"output_schema":{"text":"string"}}`)
	write(t, result, `{"text":"(o,o)"}`)
	create := []string{"task", "create", order, "--reward", "0.1sol", "--key", b.key("alice")}
	b.do(2, "belong together", append(create, "--mint", at)...)
	b.do(1, "nothing was sent: there are not so many tokens: the vault has 10 of the mint "+at+", less than 11", append(create, "--mint", at, "--tokens", "11")...)
	b.run(0, "0 created, 0 claimed", "agent", "show", "--key", b.key("alice"))
	task := b.do(0, "task", append(create, "--mint", at, "--tokens", "2.5")...)["task"].(map[string]any)["task"].(string)
	own := func(agent string, words ...string) []string { return append(words, "--key", b.key(agent)) }
	if p := b.do(0, `"pledge"`, "task", "show", task)["pledge"].(map[string]any); p["mint"] != at || p["amount"] != "2.5" || p["freezer"] != b.self.String() {
		t.Errorf("%v", p)
	}
	b.do(0, "already_done", own("alice", "task", "pledge", task, at, "2.5")...)
	b.do(1, "has another pledge", own("alice", "task", "pledge", task, at, "1")...)
	b.do(1, "is not over", own("bob", "task", "pay-pledge", task)...)
	b.do(1, "can freeze accounts of it", own("bob", "task", "claim", task)...)
	b.do(0, "landed", own("bob", "task", "claim", task, "--yes", "--start")...)
	b.do(0, "landed", own("bob", "task", "submit", task, result)...)
	b.do(0, "landed", own("alice", "task", "accept", task)...)
	b.run(0, "creator 0, worker 2.5; do: ojud task pay-pledge", "task", "show", task)
	if v := b.do(0, "landed", own("bob", "task", "pay-pledge", task)...); v["pledge"] != nil {
		t.Errorf("%v", v)
	}
	b.do(0, `"amount":"2.5"`, b.by("bob", "list")...)
	b.do(0, `"amount":"7.5"`, b.by("alice", "list")...)
	b.do(0, "already_done", own("bob", "task", "pay-pledge", task)...)

	// The desk does the same.
	send := b.desk()
	form := url.Values{"instruction": {"Draw a cat."}, "schema": {`{"text":"string"}`}, "reward": {"0.1"}, "work": {"86400"}, "undecided": {"split"}, "mint": {at}, "tokens": {"3"}}
	with := func(name, value string) url.Values {
		out := maps.Clone(form)
		out[name] = []string{value}
		return out
	}
	send(with("tokens", ""), "write both, or neither")
	send(with("mint", "usd"), "is no address")
	send(with("tokens", "8"), "the vault has 7.5 of the mint "+at+", less than 8")
	form.Set("post", "1")
	send(with("tokens", "8"), "nothing was sent")
	form.Del("post")
	send(form, "Post the task for 0.1 SOL and 3 tokens", "The freezer of the mint, "+b.self.String())
	form.Set("post", "1")
	page := send(form, "with 3 tokens beside its reward")
	_, rest, _ := strings.Cut(page, "/task/")
	task, _, _ = strings.Cut(rest, `"`)
	if p := b.do(0, `"pledge"`, "task", "show", task)["pledge"].(map[string]any); p["mint"] != at || p["amount"] != "3" {
		t.Errorf("%v", p)
	}
	send(form, "with 3 tokens beside its reward") // nothing is put there twice
	b.do(0, `"amount":"4.5"`, b.by("alice", "list")...)
}

// desk returns what sends the form of a new task at the desk of Alice, and looks for words in the
// answer.
func (b *bourse) desk() func(form url.Values, says ...string) (page string) {
	b.t.Helper()
	d, err := desk.New(b.c, desk.Needs{Plain: cli.Plain, Pages: func() string { return "" }, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.t.Fatal(err)
	}
	s := httptest.NewServer(d.Handler())
	b.t.Cleanup(func() {
		s.Close()
		if err := d.Close(); err != nil {
			b.t.Error(err)
		}
	})
	var cookie string
	browser := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	load := func(method, path string, form url.Values) (string, http.Header) {
		b.t.Helper()
		r, err := http.NewRequestWithContext(b.t.Context(), method, s.URL+path, strings.NewReader(form.Encode()))
		if err != nil {
			b.t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", s.URL)
		r.Header.Set("Cookie", cookie)
		answer, err := browser.Do(r)
		if err != nil {
			b.t.Fatal(err)
		}
		raw, err := io.ReadAll(answer.Body)
		if err = errors.Join(err, answer.Body.Close()); err != nil {
			b.t.Fatal(err)
		}
		return html.UnescapeString(string(raw)), answer.Header
	}
	_, head := load(http.MethodGet, "/login?word="+d.Word(), nil)
	cookie, _, _ = strings.Cut(head.Get("Set-Cookie"), ";")
	first, _ := load(http.MethodGet, "/new", nil)
	_, word, _ := strings.Cut(first, `name="form" value="`)
	word, _, _ = strings.Cut(word, `"`)
	return func(form url.Values, says ...string) string {
		b.t.Helper()
		form = maps.Clone(form)
		form.Set("form", word)
		page, head := load(http.MethodPost, "/new", form)
		if job := head.Get("Location"); job != "" { // each look waits a little for the end
			for end := time.Now().Add(2 * time.Minute); !strings.Contains(page, `class="card done`) && !strings.Contains(page, "failure") && time.Now().Before(end); {
				page, _ = load(http.MethodGet, job, nil)
			}
		}
		for _, want := range says {
			if !strings.Contains(page, want) {
				b.t.Errorf("%v: no %q in %s", form, want, page)
			}
		}
		return page
	}
}
