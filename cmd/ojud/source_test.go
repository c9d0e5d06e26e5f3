package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"
	_ "modernc.org/sqlite"

	"ojud/casefile"
	"ojud/cmd/ojud/cli"
	"ojud/datasource"
	"ojud/datasource/exchange"
	embedded "ojud/ledger/devnet"
	"ojud/test/parallel"
)

// role is the variable that turns this test binary into a server of the Model Context Protocol, or
// into a process that hangs.
const role = "OJUD_TEST_ROLE"

// modelKey is the variable of this process with the key of a model, plantedKey.
const (
	modelKey   = "MODEL_KEY_OF_TESTS"
	plantedKey = "sk-planted-key-of-the-owner"
)

// TestMain also checks that the tests leave no goroutine behind. Some of them start whole courts.
func TestMain(m *testing.M) {
	switch os.Getenv(role) {
	case "":
		if err := os.Setenv(modelKey, plantedKey); err != nil {
			panic(err)
		}
		// The library's search for a router goes on for some seconds after its host is closed.
		goleak.VerifyTestMain(parallel.Tests{M: m, AtOnce: 6}, goleak.IgnoreAnyFunction("github.com/koron/go-ssdp.Search"))
	case "hang":
		select {} // hangs until it is killed
	}
	if err := tools().Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// tools returns a server with a tool that repeats its input, and one that must not be called
// without a request.
func tools() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	schema := json.RawMessage(`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"q":{"type":"string"}},"required":["q"]}`)
	for _, name := range []string{"echo", "erase"} {
		s.AddTool(&mcp.Tool{Name: name, Title: "The " + name, Description: "What " + name + " says.", InputSchema: schema},
			func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				if name == "erase" {
					os.Exit(1)
				}
				return &mcp.CallToolResult{StructuredContent: map[string]any{"said": r.Params.Arguments, "key": os.Getenv("SERVER_KEY")}}, nil
			})
	}
	return s
}

const siteKey = "a-key-that-nobody-may-see"

// site serves an API that wants a key, and repeats the key in its answer.
func site(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("Authorization") != "Bearer "+siteKey:
			w.WriteHeader(http.StatusUnauthorized)
		case r.URL.Path != "/posts/7":
			w.WriteHeader(http.StatusNotFound)
		default:
			w.Header().Set("Content-Type", "application/json")
			_, err := fmt.Fprintf(w, `{"data":{"id":"7","likes":12,"author":{"name":"alice","email":"a@b.example"},"ssn":"078-05","debug":%q}}`, siteKey)
			if err != nil {
				t.Error(err)
			}
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// provider returns a person with a home of its own, for source commands.
func provider(t *testing.T, environ ...string) (*person, string) {
	t.Helper()
	home := filepath.Join(t.TempDir(), "home")
	environ = append([]string{"HOME=" + t.TempDir(), "OJUD_HOME=" + home, "PATH=" + os.Getenv("PATH"), "SITE_KEY=" + siteKey}, environ...)
	return &person{t: t, environ: environ, shapes: map[string]any{}}, home
}

// TestSource runs every source command, and compares the shape of its JSON.
func TestSource(t *testing.T) {
	t.Parallel()
	p, home := provider(t)
	url := site(t)
	added := p.json("source", "add", "site.post", "--http", url+"/posts/{id}", "--header", "Authorization=Bearer ${env:SITE_KEY}", "--pointer", "/data", "--allow-private",
		"--access", "id", "--access", "likes", "--access", "author", "--access", "debug", "--mask", "/author/email", "--remove-field", "ssn", "--price", "5000lamports", "--rate", "60/60s", "--retention", "7d", "--promise", "requests are shown to nobody",
		"--demand", "no data retention", "--freshness", "30s", "--request", `{"id":"7"}`, "--description", "Posts of site.example by number")[0]
	trial := added["test"].(map[string]any)
	if added["result"] != "added" || trial["ok"] != true || !strings.Contains(fmt.Sprint(trial["withheld"]), "/author/email masked /ssn removed") {
		t.Errorf("added: %v", added)
	}
	want := `map[author:map[email:[redacted] name:alice] debug:[secret] id:7 likes:12]`
	if got := fmt.Sprint(trial["answer"]); got != want {
		t.Errorf("the answer is %s, want %s", got, want)
	}
	again := p.json("source", "add", "site.post", "--file", filepath.Join(home, "sources", "site.post.source.json"))[0]
	if again["result"] != "unchanged" || again["card_hash"] != added["card_hash"] {
		t.Errorf("again: %v", again)
	}
	p.json("source", "test", "site.post", `{"id":"7"}`)
	shown := p.json("source", "show", "site.post")[0]
	if got := fmt.Sprint(shown["secrets"]); got != "[map[reference:${env:SITE_KEY} set:true]]" {
		t.Errorf("secrets: %s", got)
	}
	p.log(home)
	if all := p.json("source", "list"); len(all) != 1 || all[0]["who"] != "seated" || all[0]["price"] != "5000" {
		t.Errorf("%v", all)
	}
	p.texts()
	p.json("source", "remove", "site.post")
	p.text("there is no source", "source", "list")
	p.golden("TestSource", "testdata/source.golden")
}

// texts runs the commands without --json, and checks that no output contains the key.
func (p *person) texts() {
	p.t.Helper()
	for says, args := range map[string][]string{
		"schema: any value":                {"source", "test", "site.post", `{"id":"7"}`},
		"Bearer ${env:SITE_KEY}":           {"source", "show", "site.post"},
		"0.000005 SOL an answer; 60":       {"source", "show", "site.post"},
		"requests are kept for 604800 s":   {"source", "show", "site.post"},
		"Posts of site.example by number":  {"source", "list"},
		"answered  120":                    {"source", "log"},
		"says of the made-up request":      {"source", "test", "site.post"},
		"/author/email masked, /ssn remov": {"source", "test", "site.post", `{"id":"7"}`},
	} {
		code, out, errs := lineIn(p.t.Context(), p.environ, args...)
		if code != 0 || !strings.Contains(unwrapped(out), says) || strings.Contains(out+errs, siteKey) {
			p.t.Errorf("%v: exit %d, %q does not say %q, or says the key; %s", args, code, out, says, errs)
		}
	}
}

// log reads the log entries of a node.
func (p *person) log(home string) {
	p.t.Helper()
	if got := p.json("source", "log"); len(got) != 0 {
		p.t.Errorf("a log before anybody asked: %v", got)
	}
	l, err := exchange.OpenLog(filepath.Join(home, exchange.LogFile), exchange.DefaultLogConfig(), nil)
	if err != nil {
		p.t.Fatal(err)
	}
	judge, week := casefile.Address{7}, int64(7*86_400)
	for i, result := range []string{exchange.Answered, "refused"} {
		e := exchange.LogEntry{Time: time.Now().Add(time.Duration(i-2) * time.Hour), Source: "site.post", Judge: judge, Case: casefile.Address{9}, Round: 1,
			Asker: casefile.DID{1}, Request: json.RawMessage(`{"id":"7"}`), Result: result, Bytes: 120, Price: 5000, Took: 12}
		if err := l.Append(e, &week); err != nil {
			p.t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		p.t.Fatal(err)
	}
	for want, flags := range map[string][]string{
		"answered,refused": {}, "answered": {"--result", "answered"}, "refused": {"--since", "90m"}, "": {"--source", "other"},
		"refused,": {"--limit", "1", "--judge", judge.String(), "--case", casefile.Address{9}.String(), "--asker", casefile.DID{1}.String()},
	} {
		var got []string
		for _, e := range p.json(append([]string{"source", "log"}, flags...)...) {
			got = append(got, e["result"].(string))
		}
		if strings.Join(got, ",") != strings.TrimSuffix(want, ",") {
			p.t.Errorf("log %v: %v, want %s", flags, got, want)
		}
	}
}

// TestSourceKinds adds a source of every kind with one command, and queries it. A kind that only
// reads is queried without a request, too.
func TestSourceKinds(t *testing.T) {
	t.Parallel()
	p, home := provider(t, "SERVER_KEY="+siteKey)
	dir := t.TempDir()
	write(t, filepath.Join(dir, "eth.json"), `{"usd": 3}`)
	db := filepath.Join(dir, "posts.db")
	fill(t, db)
	web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return tools() }, nil))
	t.Cleanup(web.Close)
	for _, c := range []struct {
		name, request, answer string
		asked                 string // by add, as a trial
		args                  []string
	}{
		{"prices", `{"name":"eth.json"}`, `content:map[usd:3]`, "answer", []string{"--files", dir, "--allow", "*.json", "--format", "json"}},
		{"posts.by", `{"author":"alice"}`, `rows:[map[text:hello]]`, "answer", []string{"--sqlite", db, "--sql", "select text from posts where author = :author"}},
		{"echo", `{"q":"x"}`, `map[key:[secret] said:map[q:x]]`, "server", []string{"--mcp", os.Args[0], "--tool", "echo", "--env", role + "=1", "--env", "SERVER_KEY=${env:SERVER_KEY}"}},
		{"erase", ``, ``, "server", []string{"--mcp", os.Args[0], "--tool", "erase", "--env", role + "=1"}},
		{"echo.web", `{"q":"x"}`, `said:map[q:x]`, "server", []string{"--mcp-url", web.URL, "--tool", "echo", "--allow-private"}},
	} {
		added := p.json(append([]string{"source", "add", c.name}, c.args...)...)[0]
		if trial := added["test"].(map[string]any); added["result"] != "added" || trial["asked"] != c.asked || trial["ok"] != true {
			t.Errorf("%s: %v", c.name, added)
		}
		if c.request == "" {
			continue
		}
		if got := p.json("source", "test", c.name, c.request)[0]; got["ok"] != true || !strings.Contains(fmt.Sprint(got["answer"]), c.answer) {
			t.Errorf("%s: %v does not say %s", c.name, got, c.answer)
		}
	}
	p.clean(home, 5)
}

// TestSourceSolana checks that a source in a home of a court asks the court's own RPC node.
func TestSourceSolana(t *testing.T) {
	t.Parallel()
	cfg := embedded.DefaultConfig()
	cfg.RPC, cfg.WS = "127.0.0.1:0", "127.0.0.1:0"
	chain, err := embedded.New(cfg, embedded.Deps{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	where, ended := make(chan string, 1), make(chan error, 2)
	go func() { ended <- chain.Run(ctx) }()
	go func() { ended <- chain.Serve(ctx, func(rpc, _ net.Addr) { where <- "http://" + rpc.String() }) }()
	t.Cleanup(func() {
		cancel()
		for range cap(ended) {
			if err := <-ended; err != nil && ctx.Err() == nil {
				t.Error(err)
			}
		}
		if err := chain.Close(); err != nil {
			t.Error(err)
		}
	})
	url := <-where
	p, _ := provider(t, "OJUD_LEDGER__RPC="+url)
	for name, args := range map[string][]string{"account": {"--solana", "account"}, "one": {"--solana", "account", "--address", "11111111111111111111111111111111"},
		"tx": {"--solana", "transaction"}, "own": {"--solana", "transaction", "--rpc", url, "--allow-private"}} {
		v := p.json(append([]string{"source", "add", name}, args...)...)[0]["test"].(map[string]any)
		if answer := fmt.Sprint(v["answer"]); v["asked"] != "answer" || !strings.Contains(answer, "commitment:finalized") {
			t.Errorf("%s: %v", name, v)
		}
	}
	p.bad("no node", []string{"source", "add", "none", "--solana", "account", "--rpc", "http://127.0.0.1:1", "--allow-private"}, 1, []string{"none was not added"})
}

// clean checks that a node can use all files in the home, and that there are no others.
func (p *person) clean(home string, sources int) {
	p.t.Helper()
	dir := filepath.Join(home, "sources")
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != sources {
		p.t.Errorf("%v in the folder, %v", entries, err)
	}
	book, err := datasource.New(datasource.DefaultConfig(), datasource.Deps{Home: home})
	if err != nil {
		p.t.Fatal(err)
	}
	if len(book.Cards()) != sources || len(book.Broken()) != 0 {
		p.t.Errorf("%v, broken %v", book.Cards(), book.Broken())
	}
	if err := book.Close(); err != nil {
		p.t.Error(err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func fill(t *testing.T, path string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(`create table posts (author text, text text); insert into posts values ('alice', 'hello'), ('bob', 'no')`); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestSourceBad checks that each error names its flag, its limit and the next step, and that no
// file is written.
func TestSourceBad(t *testing.T) {
	t.Parallel()
	p, home := provider(t)
	dir := t.TempDir()
	schema, other := filepath.Join(dir, "s.json"), filepath.Join(dir, "other.source.json")
	write(t, schema, `{"type":"strin"}`)
	write(t, other, `{"name":"other","description":"x","inputSchema":{},"upstream":{"kind":"files","dir":"/x","allow":[]}}`)
	api := []string{"--http", "https://api.site.example/posts/{id}", "--no-test"}
	for name, c := range map[string]struct {
		args []string
		code int
		says []string
	}{
		"no kind":         {nil, 2, []string{"--http", "--solana", "--file"}},
		"two kinds":       {[]string{"--http", "https://x.example", "--files", dir}, 2, []string{"--files", "--http", "two kinds"}},
		"file and kind":   {[]string{"--file", other, "--http", "https://x.example"}, 2, []string{"--file", "--http"}},
		"file and price":  {[]string{"--file", other, "--price", "1lamports"}, 2, []string{"--price", "say it in the file"}},
		"no file":         {[]string{"--file", "none.json"}, 2, []string{"--file", "none.json", "no such file"}},
		"bad file":        {[]string{"--file", other}, 2, []string{other, `field "upstream.allow"`, "1 to 100"}},
		"wrong kind":      {append(api, "--sql", "select 1"), 2, []string{"--sql", "--http", "it goes with --sqlite"}},
		"wrong kind 2":    {[]string{"--files", dir, "--header", "a=b"}, 2, []string{"--header", "--http, --mcp-url, --solana"}},
		"empty":           {append(api, "--tool", ""), 2, []string{"--tool"}},
		"name":            {append(api, "--title", "Bad\x07"), 2, []string{"--title", "200 bytes"}},
		"description":     {append(api, "--description", strings.Repeat("x", 3000)), 2, []string{"--description", "3000 bytes", "1 to 2000"}},
		"url":             {[]string{"--http", "ftp://x.example"}, 2, []string{"--http", "https://"}},
		"url host":        {[]string{"--http", "https://{host}/x"}, 2, []string{"--http", "host that is fixed"}},
		"key in url":      {[]string{"--http", "https://x.example/?api_key=" + siteKey}, 2, []string{"--http", "api_key", "${env:NAME}"}},
		"key in header":   {append(api, "--header", "Authorization=Bearer "+siteKey), 2, []string{"--header", "carries a key", "${env:NAME}"}},
		"key in query":    {append(api, "--query", "token="+siteKey), 2, []string{"--query", "carries a key"}},
		"key unencrypted": {[]string{"--http", "http://x.example/", "--header", "Authorization=${env:SITE_KEY}"}, 2, []string{"--http", "unencrypted", "https"}},
		"header":          {append(api, "--header", siteKey), 2, []string{"--header", "NAME=VALUE"}},
		"header twice":    {append(api, "--header", "a=b", "--header", "a=c"), 2, []string{"--header", `"a" is there twice`}},
		"host":            {append(api, "--allow", "other.example"), 2, []string{"--allow", "add \"api.site.example\""}},
		"method":          {append(api, "--method", "PUT"), 2, []string{"--method", "GET nor POST"}},
		"body":            {append(api, "--body", "{"), 2, []string{"--body", "JSON"}},
		"body of a GET":   {append(api, "--method", "GET", "--body", "{}"), 2, []string{"--body", "POST"}},
		"pointer":         {append(api, "--pointer", "data"), 2, []string{"--pointer"}},
		"missing":         {append(api, "--missing", "nil"), 2, []string{"--missing", "null"}},
		"price":           {append(api, "--price", "lots"), 2, []string{"--price", "0.5sol"}},
		"rate":            {append(api, "--rate", "often"), 2, []string{"--rate", `"often"`, "60/60s"}},
		"rate 0":          {append(api, "--rate", "0/60s"), 2, []string{"--rate", "is 0", "1 to 1000000"}},
		"total rate":      {append(api, "--total-rate", "1/48h"), 2, []string{"--total-rate", "172800", "1 to 86400"}},
		"quota":           {append(api, "--quota", "-1"), 2, []string{"--quota", "-1", "1 to 1000000"}},
		"quota 0":         {append(api, "--quota", "0"), 2, []string{"--quota is 0"}},
		"who":             {append(api, "--who", "friends"), 2, []string{"--who", `"friends"`, "seated, judges, roster, agents, parties or anyone"}},
		"who twice": {append(api, "--who", "7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2,7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2"), 2,
			[]string{"--who", "different"}},
		"freshness":       {append(api, "--freshness", "60d"), 2, []string{"--freshness", "5184000", "2592000"}},
		"freshness text":  {append(api, "--freshness", "soon"), 2, []string{"--freshness", `"soon" is not a time`, "2d"}},
		"promise":         {append(api, "--promise", "a", "--promise", "a"), 2, []string{"--promise", "once"}},
		"demand":          {append(api, "--demand", strings.Repeat("x", 201)), 2, []string{"--demand", "128 bytes"}},
		"access":          {append(api, "--access", "/a~b"), 2, []string{"--access", "~0"}},
		"remove":          {append(api, "--remove-field", strings.Repeat("x", 257)), 2, []string{"--remove-field", "256 bytes"}},
		"mask":            {append(api, "--mask", "a", "--mask", "a"), 2, []string{"--mask", "once"}},
		"pattern":         {append(api, "--pattern", "("), 2, []string{"--pattern", "RE2"}},
		"input schema":    {append(api, "--input-schema", schema), 2, []string{"--input-schema", "no JSON Schema 2020-12"}},
		"output schema":   {append(api, "--output-schema", "none.json"), 2, []string{"--output-schema", "none.json"}},
		"timeout":         {append(api, "--timeout", "10m"), 2, []string{"--timeout", "600", "1 to 300"}},
		"request":         {append(api, "--request", "[]"), 2, []string{"--request", "JSON object"}},
		"request file":    {append(api, "--request", "@none.json"), 2, []string{"--request", "none.json"}},
		"mcp words":       {[]string{"--mcp", "npx 'x", "--tool", "a"}, 2, []string{"--mcp", "quote"}},
		"mcp nothing":     {[]string{"--mcp", " ", "--tool", "a"}, 2, []string{"--mcp", "no program"}},
		"mcp secret":      {[]string{"--mcp", "x ${env:SITE_KEY}", "--tool", "a"}, 2, []string{"--mcp", "refers to a secret", "env"}},
		"mcp env":         {[]string{"--mcp", "x", "--tool", "a", "--env", "API_KEY=" + siteKey}, 2, []string{"--env", "carries a key"}},
		"mcp start":       {[]string{"--mcp", "x", "--tool", "a", "--start", "1h"}, 2, []string{"--start", "3600", "300"}},
		"mcp tool":        {[]string{"--mcp", os.Args[0], "--env", role + "=1"}, 2, []string{"--tool", "echo, erase"}},
		"mcp other tool":  {[]string{"--mcp", os.Args[0], "--env", role + "=1", "--tool", "eco"}, 1, []string{`no tool "eco"`, "echo, erase"}},
		"mcp no program":  {[]string{"--mcp", "/no/such/program", "--tool", "a"}, 1, []string{"/no/such/program"}},
		"mcp url":         {[]string{"--mcp-url", "https://x.example/${env:SITE_KEY}", "--tool", "a"}, 2, []string{"--mcp-url", "secrets in headers"}},
		"files allow":     {[]string{"--files", dir}, 2, []string{"--allow", "1 to 100"}},
		"files up":        {[]string{"--files", dir, "--allow", "../x"}, 2, []string{"--allow", "without .."}},
		"files format":    {[]string{"--files", dir, "--allow", "x", "--format", "xml"}, 2, []string{"--format", "text, json, csv, lines"}},
		"files rows":      {[]string{"--files", dir, "--allow", "x", "--max-rows", "20000"}, 2, []string{"--max-rows", "20000", "10000"}},
		"files not there": {[]string{"--files", filepath.Join(dir, "none"), "--allow", "x.txt"}, 1, []string{"cannot be opened", "--no-test"}},
		"file not there":  {[]string{"--files", dir, "--allow", "x.txt"}, 1, []string{`no file "x.txt"`, "--no-test"}},
		"sql missing":     {[]string{"--sqlite", "x.db"}, 2, []string{"--sql", "missing", "select"}},
		"sql write":       {[]string{"--sqlite", "x.db", "--sql", "delete from posts"}, 2, []string{"--sql", "must be one SELECT"}},
		"sql two":         {[]string{"--sqlite", "x.db", "--sql", "select 1; select 2"}, 2, []string{"--sql", "more than one statement"}},
		"sqlite no file":  {[]string{"--sqlite", filepath.Join(dir, "no.db"), "--sql", "select 1"}, 1, []string{"--no-test"}},
		"solana":          {[]string{"--solana", "block"}, 2, []string{"--solana", "account"}},
		"solana address":  {[]string{"--solana", "account", "--address", "x"}, 2, []string{"--address", `"x"`, "base58"}},
		"solana program":  {[]string{"--solana", "transaction", "--program", "11111111111111111111111111111111"}, 2, []string{"account"}},
		"solana no rpc":   {[]string{"--solana", "account", "--header", "a=b"}, 2, []string{"--rpc", "header"}},
	} {
		line := append([]string{"source", "add"}, c.args...)
		if name != "bad file" && name != "no file" && name != "file and price" && name != "file and kind" {
			line = slices.Insert(line, 2, "some.source")
		}
		p.bad(name, line, c.code, c.says)
	}
	for _, c := range []struct {
		code int
		line []string
		says []string
	}{
		{2, []string{"source", "add", "Bad Name", "--http", "https://x.example"}, []string{"NAME", `"Bad Name"`, "1 to 64"}},
		{2, []string{"source", "add", "--http", "https://x.example"}, []string{"needs a name"}},
		{2, []string{"source", "add", "a", "b"}, []string{`does not take "b"`}},
		{2, []string{"source", "ad"}, []string{"did you mean: ojud source add"}},
		{1, []string{"source", "show", "none"}, []string{`"none"`, home, "ojud source list"}},
		{1, []string{"source", "show", "../x"}, []string{"no such source"}},
		{1, []string{"source", "remove", "none"}, []string{`"none"`, "ojud source list"}},
		{1, []string{"source", "test", "none"}, []string{`"none"`, "ojud source list"}},
		{2, []string{"source", "test", "none", "{"}, []string{"REQUEST", "JSON object"}},
		{2, []string{"source", "test"}, []string{"needs the source's name"}},
		{2, []string{"source", "log", "--case", "x"}, []string{"--case", `"x" is not an address`}},
		{2, []string{"source", "log", "--asker", "x"}, []string{"--asker", "did:key"}},
		{2, []string{"source", "log", "--limit", "0"}, []string{"--limit", "1 or more"}},
		{2, []string{"source", "log", "--limit", "9999999"}, []string{"--limit", "100000"}},
		{2, []string{"source", "log", "--since", "soon"}, []string{"--since", "8h"}},
	} {
		p.bad(strings.Join(c.line, " "), c.line, c.code, c.says)
	}
	if entries, err := os.ReadDir(filepath.Join(home, "sources")); err != nil && !os.IsNotExist(err) || len(entries) > 0 {
		t.Errorf("%v was written, %v", entries, err)
	}
}

// bad runs a command, and checks that it fails with one plain line without the key.
func (p *person) bad(name string, line []string, code int, says []string) {
	p.t.Helper()
	got, out, errs := lineIn(p.t.Context(), p.environ, line...)
	if got != code || out != "" || strings.Count(errs, "\n") != 1 || strings.Contains(errs, siteKey) {
		p.t.Errorf("%s: exit %d, want %d; %q, %q", name, got, code, out, errs)
	}
	for _, word := range says {
		if !strings.Contains(errs, word) {
			p.t.Errorf("%s: no %q in %q", name, word, errs)
		}
	}
}

// TestSourceFails checks that a source that does not answer is not added. Its error differs from
// "not found".
func TestSourceFails(t *testing.T) {
	t.Parallel()
	p, home := provider(t)
	url := site(t)
	add := []string{"source", "add", "post", "--http", url + "/posts/{id}", "--allow-private"}
	p.bad("no key", add, 1, []string{"post was not added", "--no-test"})
	p.bad("no such secret", append(add, "--header", "Authorization=Bearer ${env:NONE_SUCH}"), 1, []string{"NONE_SUCH", "not set"})
	key := append(add, "--header", "Authorization=Bearer ${env:SITE_KEY}")
	p.bad("not there", append(key, "--request", `{"id":"8"}`), 1, []string{"not added"})
	p.bad("private", append(slices.Clone(key[:5]), "--header", "a=b"), 1, []string{"not added"})
	schema := filepath.Join(t.TempDir(), "s.json")
	write(t, schema, `{"type":"array"}`)
	p.bad("wrong form", append(key, "--request", `{"id":"7"}`, "--output-schema", schema), 1, []string{"schema"})
	if v := p.json(key...)[0]; v["test"].(map[string]any)["ok"] != true {
		t.Errorf("of a made-up request: %v", v)
	}
	p.bad("another", append(key, "--price", "1lamports"), 2, []string{"NAME", "--replace"})
	if v := p.json(append(key, "--price", "1lamports", "--replace")...)[0]; v["result"] != "changed" {
		t.Errorf("replaced: %v", v)
	}
	if code, out, errs := lineIn(t.Context(), p.environ, "source", "test", "post", `{"id":"8"}`); code != 1 || !strings.Contains(out, "peers hear") || !strings.Contains(errs, "did not answer") {
		t.Errorf("%d %q %q", code, out, errs)
	}
	write(t, filepath.Join(home, "sources", "broken.source.json"), `{"name":"broken"}`)
	if code, out, errs := lineIn(t.Context(), p.environ, "source", "list"); code != 1 || !strings.Contains(out, "CANNOT BE USED") || !strings.Contains(errs, "description") {
		t.Errorf("%d %q %q", code, out, errs)
	}
}

// TestSourceStopped stops a command that waits for a server, and checks that no file is left.
func TestSourceStopped(t *testing.T) {
	t.Parallel()
	p, home := provider(t)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(300*time.Millisecond, cancel)
	code, out, errs := lineIn(ctx, p.environ, "source", "add", "hangs", "--mcp", os.Args[0], "--env", role+"=hang", "--tool", "x")
	if code != cli.ExitFailed || out != "" || !strings.HasPrefix(errs, "ojud: stopped") {
		t.Errorf("%d %q %q", code, out, errs)
	}
	if entries, err := os.ReadDir(filepath.Join(home, "sources")); err != nil || len(entries) != 0 {
		t.Errorf("%v, %v", entries, err)
	}
}
