package desk_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"log/slog"
	"math"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"ojud/agent/judge"
	"ojud/casefile"
	"ojud/ledger/onchain"
	"ojud/ledger/transact"
	"ojud/node/client"
	"ojud/node/cluster"
	"ojud/node/desk"
	"ojud/node/library"
	"ojud/test/browser"
	"ojud/test/longtest"
	"ojud/voting"
)

// reader accepts a result that says "tiger".
type reader struct{}

func (reader) Evaluate(_ context.Context, b judge.Brief) (casefile.Opinion, error) {
	o := casefile.Opinion{Choice: casefile.Choice(voting.Reject), Summary: "There is no tiger.", Model: "script"}
	if strings.Contains(string(b.Result.Raw), "tiger") {
		o.Choice, o.Summary = casefile.Choice(voting.Accept), "There is a tiger."
	}
	return o, nil
}

// wallet is a wallet of the browser that speaks the Wallet Standard. Its key is a seed in hex.
const wallet = `(() => {
  const bytes = (hex) => Uint8Array.from(hex.match(/../g), (x) => parseInt(x, 16));
  const key = crypto.subtle.importKey("pkcs8", bytes("302e020100300506032b657004220420" + %q), { name: "Ed25519" }, false, ["sign"]);
  const account = { address: %q, publicKey: bytes(%q), chains: sessionStorage.getItem("elsewhere") ? ["solana:mainnet"] : ["solana:mainnet", "solana:devnet", "solana:localnet"], features: ["solana:signTransaction"] };
  const sign = async ({ transaction, chain }) => {
    sessionStorage.setItem("chain", chain);
    if (sessionStorage.getItem("refuse")) throw new Error("The user <b>said</b> no.");
    const out = transaction.slice(), start = 1 + 64 * out[0];
    out.set(new Uint8Array(await crypto.subtle.sign("Ed25519", await key, out.slice(start))), 1);
    return { signedTransaction: out };
  };
  const wallet = { version: "1.0.0", name: "Test Wallet", icon: "data:image/svg+xml;base64,", chains: account.chains, accounts: [account], features: {
    "standard:connect": { version: "1.0.0", connect: async () => ({ accounts: [account] }) },
    "solana:signTransaction": { version: "1.0.0", supportedTransactionVersions: ["legacy", 0], signTransaction: (...all) => Promise.all(all.map(sign)) } } };
  const announce = ({ register }) => register(wallet);
  addEventListener("wallet-standard:app-ready", (e) => announce(e.detail));
  dispatchEvent(new CustomEvent("wallet-standard:register-wallet", { detail: announce }));
  window.faults = [];
  addEventListener("securitypolicyviolation", (e) => faults.push("policy: " + e.violatedDirective + " " + e.blockedURI));
  addEventListener("error", (e) => faults.push("error: " + e.message));
})();`

// axeFile is axe-core, which the tests of node/console install.
const axeFile = "../console/testdata/axe/node_modules/axe-core/axe.min.js"

// axeRun asks for the rules of WCAG 2.2, levels A and AA.
const axeRun = `axe.run(document, {runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}).then((r) => r.passes.length < 5 ? ["it looked at nothing"] :
  r.violations.map((v) => v.impact + " " + v.id + ": " + v.nodes.slice(0, 3).map((n) => n.target.join(" ")).join(", ")))`

// axe returns the text of axe-core; empty if it is not here, which is a failure in CI.
func axe(t *testing.T) string {
	t.Helper()
	if os.Getenv("OJUD_NO_NODE") == "1" {
		t.Log("NOT RUN: OJUD_NO_NODE=1, axe-core did not look at the pages")
		return ""
	}
	for began := time.Now(); ; {
		raw, err := os.ReadFile(axeFile)
		switch {
		case err == nil:
			return string(raw)
		case os.Getenv("CI") == "":
			t.Logf("NOT RUN: axe-core did not look at the pages; run make npm: %v", err)
			return ""
		case time.Since(began) > 3*time.Minute: // in CI another package installs it meanwhile
			t.Fatalf("axe-core is missing, and CI must look at the pages with it; run make npm: %v", err)
		}
		time.Sleep(time.Second)
	}
}

// person is a party at a desk in a tab.
type person struct {
	axe string // the text of axe-core; empty: it is not asked
	t   *testing.T
	tab context.Context
	at  string
	me  string
}

// sits opens a desk for a wallet with a seed.
func sits(root context.Context, t *testing.T, court *cluster.Cluster, seed byte) *person {
	t.Helper()
	open := func(ctx context.Context, key *client.Keypair) (*client.Client, error) {
		network, err := client.LoadNetwork(ctx, court.Chain().RPC(), nil)
		if err != nil {
			return nil, err
		}
		return client.Open(ctx, network, key, client.DefaultConfig(), client.Deps{Transport: court.Chain().Server().Transport()})
	}
	d, err := desk.New(nil, desk.Needs{Open: open, Plain: error.Error, Pages: func() string { return "http://127.0.0.1:9/" },
		Object: func(ctx context.Context, c *client.Client, task onchain.Address, doc library.Document, exhibits []library.Document) (client.TaskDone, error) {
			return c.Object(ctx, task, doc, exhibits...)
		}, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(d.Handler())
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	own := bytes.Repeat([]byte{seed}, 32)
	key, err := transact.NewKeypair(bytes.NewReader(own))
	if err != nil {
		t.Fatal(err)
	}
	address := key.Address()
	tab, cancel := chromedp.NewContext(root)
	t.Cleanup(cancel)
	p := &person{axe: axe(t), t: t, tab: tab, at: server.URL, me: address.String()}
	if err := chromedp.Run(tab); err != nil { // the tab lives as long as the context of its first run
		t.Fatal(err)
	}
	p.run(chromedp.ActionFunc(func(ctx context.Context) error {
		_, err := page.AddScriptToEvaluateOnNewDocument(fmt.Sprintf(wallet, hex.EncodeToString(own), p.me, hex.EncodeToString(address[:]))).Do(ctx)
		return err
	}), chromedp.EmulateViewport(1200, 900), chromedp.Navigate(p.at+"/login?word="+d.Word()), chromedp.Evaluate(`location.href.replace(/\/$/, "")`, &p.at),
		chromedp.Click(`[data-wallets] button`), chromedp.WaitVisible(`//h1[contains(., "Become an agent")]`))
	return p
}

func (p *person) run(actions ...chromedp.Action) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.tab, 20*time.Second)
	defer cancel()
	// A tab behind another one gets no clicks.
	front := chromedp.ActionFunc(func(ctx context.Context) error { return page.BringToFront().Do(ctx) })
	if err := chromedp.Run(ctx, append([]chromedp.Action{front}, actions...)...); err != nil {
		var text string
		broken := chromedp.Run(p.tab, chromedp.Evaluate(`location.href + " " + document.body.innerText`, &text))
		p.t.Fatalf("%v; the page says: %.1500s %v", err, text, broken)
	}
	var faults []string
	if err := chromedp.Run(p.tab, chromedp.Evaluate(`window.faults || []`, &faults)); err != nil || len(faults) > 0 {
		p.t.Errorf("%v, %v", faults, err)
	}
}

// goes opens a page of the desk.
func (p *person) goes(path string) {
	p.t.Helper()
	p.run(chromedp.EmulateViewport(375, 800), chromedp.Navigate(p.at+path), chromedp.WaitVisible("main h1"))
	var wide int
	p.run(chromedp.Evaluate(`document.documentElement.scrollWidth - document.documentElement.clientWidth`, &wide), chromedp.EmulateViewport(1200, 900))
	if wide > 0 {
		p.t.Errorf("%s: %d pixels stand outside a narrow window", path, wide)
	}
	if p.axe == "" {
		return
	}
	var found []string
	awaited := func(e *runtime.EvaluateParams) *runtime.EvaluateParams { return e.WithAwaitPromise(true) }
	p.run(chromedp.Evaluate(p.axe, nil), chromedp.Evaluate(axeRun, &found, awaited))
	for _, fault := range found {
		p.t.Errorf("%s: %s", path, fault)
	}
}

// writes fills in fields of a form by their names.
func (p *person) writes(fields map[string]string) {
	p.t.Helper()
	for name, text := range fields {
		p.run(chromedp.SetValue(`[name="`+name+`"]`, text, chromedp.ByQuery))
	}
}

// does clicks a button, has the wallet sign, and waits for the end, which has to be told as wanted.
func (p *person) does(button, told string) {
	p.t.Helper()
	p.run(chromedp.Click(`//button[normalize-space()="`+button+`"]`), chromedp.WaitVisible(".done h1, .failure h1"))
	var text string
	p.run(chromedp.Text("main", &text))
	if !strings.Contains(text, told) {
		p.t.Fatalf("%s: %s", button, text)
	}
}

// shoot keeps a picture of the page if OJUD_PICTURES names a folder.
func (p *person) shoot(name string) {
	p.t.Helper()
	dir := os.Getenv("OJUD_PICTURES")
	if dir == "" {
		return
	}
	var raw []byte
	p.run(chromedp.FullScreenshot(&raw, 100))
	if err := os.WriteFile(filepath.Join(dir, "desk-"+name+".png"), raw, 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// on returns the address of the page of the task that a desk shows first.
func (p *person) on() (path string) {
	p.t.Helper()
	p.run(chromedp.AttributeValue(`.offer h3 a`, "href", &path, nil))
	desk, err := url.Parse(p.at)
	if err != nil {
		p.t.Fatal(err)
	}
	return strings.TrimPrefix(path, desk.Path) // goes puts it there again
}

// says finds texts on the page that is open.
func (p *person) says(all ...string) {
	p.t.Helper()
	var text string
	p.run(chromedp.Text("body", &text))
	for _, want := range all {
		if !strings.Contains(text, want) {
			p.t.Errorf("no %q in %s", want, text)
		}
	}
}

// wallet returns the lamports in the wallet of a person, as the desk shows them.
func (p *person) wallet() int64 {
	p.t.Helper()
	p.goes("/")
	var text string
	p.run(chromedp.Text(".figures dd", &text, chromedp.ByQuery))
	sol, err := strconv.ParseFloat(strings.TrimSuffix(text, " SOL"), 64)
	if err != nil {
		p.t.Fatal(err)
	}
	return int64(math.Round(sol * 1e9))
}

// stays opens a page, and marks it, so that follows sees whether it was loaded again.
func (p *person) stays(path string) {
	p.t.Helper()
	p.goes(path)
	p.run(chromedp.Evaluate(`window.mark = 1`, nil))
}

// follows waits until the page that is open shows something, without being loaded again, under a
// title.
func (p *person) follows(shows, title string) {
	p.t.Helper()
	var now []string
	p.run(chromedp.WaitVisible(shows), chromedp.Evaluate(`[document.title, String(window.mark), document.querySelector("[data-pulse]").textContent]`, &now))
	if strings.Join(now, "; ") != title+"; 1; live" {
		p.t.Errorf("%s: %q", shows, now)
	}
}

// TestBrowser: a creator and a worker who have only a browser with a wallet register, order, claim,
// deliver, object and answer, and the judges of a court of whole nodes decide. What others wrote is
// text.
func TestBrowser(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	root := browser.Start(t, 5*time.Minute)
	if root == nil {
		return
	}
	court := founded(t)
	alice, bob := sits(root, t, court, 1), sits(root, t, court, 2)
	alice.shoot("register")
	for _, p := range []*person{alice, bob} {
		p.does("Ask the faucet", "5 SOL moved")
		p.goes("/")
		p.does("Register", "You are an agent")
	}
	alice.goes("/new")
	alice.writes(map[string]string{"instruction": "Draw a tiger <script>faults.push('ran')</script>", "schema": `{"text":"string"`, "reward": "0.1"})
	alice.run(chromedp.Click(`//button[normalize-space()="Look at it"]`), chromedp.WaitVisible(".card.warn"))
	alice.writes(map[string]string{"schema": `{"text": "string"}`})
	alice.run(chromedp.Click(`//button[normalize-space()="Look at it"]`), chromedp.WaitVisible(`[name="post"]`))
	alice.shoot("new")
	bob.stays("/market?q=tiger")
	alice.does("Post the task for 0.1 SOL", "The task is on the market")
	bob.follows(`//h3[contains(., "Draw a tiger")]`, "The market · ojud")
	alice.stays("/")
	bob.goes("/market?q=tiger")
	bob.shoot("market")
	task := bob.on()
	bob.goes(task + "/claim")
	bob.shoot("claim")
	var whole []string
	awaited := func(e *runtime.EvaluateParams) *runtime.EvaluateParams { return e.WithAwaitPromise(true) }
	bob.run(chromedp.Evaluate(`(async () => {
		const link = document.querySelector(".paper a[download]").href, got = await fetch(link), not = await fetch(link.slice(0, -1) + "x");
		return [got.headers.get("Content-Type"), got.headers.get("X-Content-Type-Options"), got.headers.get("Content-Disposition").split(";")[0], await got.text(), String(not.status)];
	})()`, &whole, awaited))
	if want := []string{"text/plain; charset=utf-8", "nosniff", "attachment", `{"instruction":["Draw a tiger <script>faults.push('ran')</script>"],"output_schema":{"text":"string"}}`, "404"}; !slices.Equal(whole, want) {
		t.Errorf("%q", whole)
	}
	bob.run(chromedp.Evaluate(`sessionStorage.setItem("refuse", "1")`, nil))
	bob.does("Take it all the same", "The user <b>said</b> no.")
	bob.run(chromedp.Evaluate(`sessionStorage.removeItem("refuse"), sessionStorage.setItem("elsewhere", "1")`, nil))
	bob.goes(task + "/claim")
	bob.does("Take it all the same", "This wallet does not know the chain solana:localnet")
	bob.run(chromedp.Evaluate(`sessionStorage.removeItem("elsewhere")`, nil))
	bob.goes(task + "/claim")
	bob.says("0.1 SOL", "0.002 SOL", "0.0005 SOL goes to the golden pot", "0.035 SOL", "0.0080736", "is worth nothing on Solana")
	bob.does("Take it all the same", "The task is yours")
	bob.goes(task)
	bob.writes(map[string]string{"result": `{"picture": "tiger"}`})
	bob.run(chromedp.Click(`//button[normalize-space()="Check and hand in"]`), chromedp.WaitVisible(`[name="anyway"]`))
	bob.shoot("misfit")
	bob.writes(map[string]string{"result": `{"text": "a tiger <img src=x onerror=faults.push(1)>"}`})
	bob.does("Check and hand in", "The result is handed in")
	alice.follows(`//h1[contains(., "1 task waits for you.")]`, "(1) Your desk · ojud")
	alice.follows(`//*[@data-until and contains(., " left")]`, "(1) Your desk · ojud")

	alice.goes(task)
	alice.says("0.035 SOL", "half of it is gone")
	alice.shoot("object")
	proof := filepath.Join(t.TempDir(), "proof.txt")
	if err := os.WriteFile(proof, []byte("no stripes"), 0o600); err != nil {
		t.Fatal(err)
	}
	alice.writes(map[string]string{"reason": "It has no stripes.", "kind": "contains", "at": "/text", "expected": "stripes"})
	alice.run(chromedp.SetUploadFiles(`[name="exhibit"]`, []string{proof}, chromedp.ByQuery))
	alice.does("Object", "The objection is in")
	before := bob.wallet()
	bob.goes(task)
	var rent string
	bob.run(chromedp.Evaluate(`sessionStorage.getItem("chain") + " " + [...document.querySelectorAll("[aria-labelledby=counter] .figures dd")].map((e) => e.textContent).join(" ")`, &rent))
	bob.writes(map[string]string{"reason": "It is a tiger."})
	bob.shoot("answer")
	bob.does("Let the court decide", "The case is open")
	if took := fmt.Sprintf("solana:localnet 0.035 SOL %v SOL", float64(before-bob.wallet()-5_000)/1e9); rent != took { // with the fee of the network
		t.Errorf("the page says %q, and it took %q", rent, took)
	}
	for decided := false; !decided; {
		bob.goes(task)
		bob.run(chromedp.Evaluate(`/over/.test(document.querySelector(".pill").textContent)`, &decided))
		if t.Context().Err() != nil {
			t.Fatal("no verdict")
		}
	}
	var text string
	bob.run(chromedp.Text("main", &text))
	if !strings.Contains(text, "accept") || !strings.Contains(text, "<script>faults.push('ran')</script>") || !strings.Contains(text, "It has no stripes.") || !strings.Contains(text, "proof.txt") {
		t.Errorf("%s", text)
	}
	bob.shoot("decided")
	bob.goes("/")
	bob.shoot("home")
}

// founded starts a small court.
func founded(t *testing.T) *cluster.Cluster {
	t.Helper()
	cfg := cluster.DefaultConfig().Sized(3).Fast()
	cfg.Dir, cfg.Chain.RPC, cfg.Chain.WS = t.TempDir(), "127.0.0.1:0", "127.0.0.1:0"
	court, err := cluster.Start(t.Context(), cfg, cluster.Deps{Judge: func(int) judge.Judge { return reader{} }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := court.Stop(); err != nil {
			t.Error(err)
		}
	})
	return court
}
