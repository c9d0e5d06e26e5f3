package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"ojud/cmd/ojud/cli"
	"ojud/node/cluster"
	"ojud/test/longtest"
)

// brainTyped types the commands of MegaBrain on a chain without judges.
type brainTyped struct {
	*person
	class string
}

// each types a command with several keys at once.
func (b *brainTyped) each(keys []string, args func(i int) []string) {
	b.t.Helper()
	var all sync.WaitGroup
	for i, key := range keys {
		all.Go(func() {
			line := append(args(i), "--key", key)
			if code, _, errs := lineIn(b.t.Context(), b.environ, line...); code != 0 {
				b.t.Errorf("%v: exit %d: %s", line, code, errs)
			}
		})
	}
	all.Wait()
	if b.t.Failed() {
		b.t.FailNow()
	}
}

// refuses types a command that fails, and checks what it says.
func (b *brainTyped) refuses(want string, args ...string) {
	b.t.Helper()
	code, _, errs := lineIn(b.t.Context(), b.environ, args...)
	if code == cli.ExitOK || !strings.Contains(unwrapped(errs), want) {
		b.t.Errorf("%v: exit %d, %q does not say %q", args, code, errs, want)
	}
}

// file writes a file of the person.
func (b *brainTyped) file(name, content string) string {
	b.t.Helper()
	path := filepath.Join(b.t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		b.t.Fatal(err)
	}
	return path
}

// until types "crank --once" with keys until a task is at a stage.
func (b *brainTyped) until(task, stage string, keys ...string) {
	b.t.Helper()
	for began := time.Now(); time.Since(began) < time.Minute; {
		b.each(keys, func(int) []string { return []string{"brain", "crank", "--once"} })
		if b.json("brain", "list", "--class", b.class)[0]["status"] == stage {
			return
		}
	}
	b.t.Fatalf("the task %s is not at %q after a minute: %v", task, stage, b.json("brain", "list"))
}

// keysOf are the keys of the workers of a task, in the order of its seats.
func (b *brainTyped) keysOf(task string, keys []string) (out []string) {
	b.t.Helper()
	byAddress := map[string]string{}
	for _, key := range keys {
		byAddress[addressOf(b.t, key)] = key
	}
	v := b.json("brain", "show", task)[0]
	for _, seat := range v["worker_seats"].([]any) {
		if key := byAddress[fmt.Sprint(seat.(map[string]any)["worker"])]; key != "" {
			out = append(out, key)
		}
	}
	return out
}

// TestBrain types every command of a task of MegaBrain on the embedded chain, from its class to the
// payment, with a crank that is started anew for each step.
func TestBrain(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	cfg := cluster.DefaultConfig().Sized(0).Fast()
	cfg.Dir, cfg.Chain.RPC, cfg.Chain.WS, cfg.Chain.Chain.SlotTime = t.TempDir(), "127.0.0.1:0", "127.0.0.1:0", 50*time.Millisecond
	c, err := cluster.Start(t.Context(), cfg, cluster.Deps{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
	})
	b := &brainTyped{person: &person{t: t, environ: []string{"HOME=" + t.TempDir(), "OJUD_NETWORK=" + c.Chain().RPC()}, shapes: map[string]any{}}}
	requester, workers, evaluators := mustKey(t), []string{mustKey(t), mustKey(t), mustKey(t)}, []string{mustKey(t), mustKey(t)}
	all := append(append([]string{requester}, workers...), evaluators...)
	b.each(all, func(int) []string { return []string{"airdrop", "5sol"} })

	memory, stranger := b.memory(), []string{"HOME=" + t.TempDir(), "OJUD_NETWORK=" + c.Chain().RPC()}
	_, document, _ := lineIn(t.Context(), b.environ, "brain", "class", "example")
	document = strings.Replace(document, "{", fmt.Sprintf("{%q: [%q],", "memory", memory), 1)
	class := b.file("facts.class.json", document)
	b.refuses("0 of the 1 memory nodes", "brain", "class", "create", b.file("a", strings.Replace(document, memory, "http://169.254.169.254", 1)), "--key", requester)
	b.refuses("reveal is 0; it is 1 to", "brain", "class", "create", class, "--key", requester, "--set", "reveal=0s")
	b.refuses("worker_pool, evaluator_pool and bonus_pool are 10001 together", "brain", "class", "create", class, "--key", requester, "--set", "bonus_pool=1001")
	create := []string{"brain", "class", "create", class, "--key", requester, "--set", "dispute=40s", "--set", "bond=0.01sol", "--set", "golden=10"}
	b.class = b.json(create...)[0]["class"].(string)
	if again := b.json(create...)[0]; again["result"] != "already_done" {
		t.Errorf("a second class: %v", again)
	}
	b.text("the bond brings: it is 0.01 SOL and the court's fee", "brain", "show", b.class)
	b.refuses("--role is \"\"", "brain", "register", b.class, "--stake", "1sol", "--key", workers[0])
	b.refuses("is no account of the program", "brain", "register", addressOf(t, requester), "--role", "worker", "--stake", "1sol", "--key", workers[0])
	b.each(workers, func(int) []string {
		return []string{"brain", "register", b.class, "--role", "worker", "--stake", "1sol"}
	})
	b.each(evaluators, func(int) []string {
		return []string{"brain", "register", b.class, "--role", "evaluator", "--stake", "1sol"}
	})
	if again := b.json("brain", "register", b.class, "--role", "worker", "--stake", "1sol", "--key", workers[0])[0]; again["result"] != "already_done" {
		t.Errorf("a second registration: %v", again)
	}

	b.refuses("it is 87001 to 346200 s", "brain", "task", "create", b.class, "--about", "When?", "--budget", "1sol", "--due", "10s", "--key", requester)
	b.refuses("has at most 7", "brain", "task", "create", b.class, "--about", "When?", "--budget", "1sol", "--evaluators", "8", "--key", requester)
	question := "When did the bridge open, and why?\n" + strings.Repeat("Look at the plaque, at the plans and at the accounts of the town. ", 20)
	b.refuses("write a longer question into a file", "brain", "task", "create", b.class, "--about", question, "--budget", "1sol", "--key", requester)
	answer := `{"why":"The bridge opened in the spring after four years of work by two firms","year":1931}`
	post := []string{"brain", "task", "create", b.class, "--about-file", b.file("question.txt", question), "--budget", "1sol", "--golden", b.file("answer.json", answer), "--key", requester}
	task := b.json(post...)[0]["task"].(string)
	if again := b.json(post...)[0]; again["result"] != "already_done" || again["task"] != task {
		t.Errorf("a second task: %v", again)
	}
	b.until(task, "workers work", requester)

	right := []string{
		`{"year": 1931, "why": "The bridge opened in the spring after four years of work by two firms"}`,
		`{"year": 1931, "why": "After four years of work two firms opened the bridge in spring"}`,
		`{"year": 1935, "why": "Nobody remembers well when the old crossing was finished by its owners"}`,
	}
	seated := b.keysOf(task, workers)
	b.refuses("it has at most 22528", "brain", "commit", task, b.file("large.json", `{"why":"`+strings.Repeat("a", 30_000)+`"}`), "--key", seated[0])
	b.refuses("the summary has 501 characters", "brain", "commit", task, b.file("r.json", right[0]), "--summary", strings.Repeat("é", 501), "--key", seated[0])
	b.refuses("was not drawn for this task", "brain", "commit", task, b.file("r.json", right[0]), "--key", requester)
	files := []string{b.file("0.json", right[0]), b.file("1.json", right[1]), b.file("2.json", right[2])}
	commit := func(i int) []string {
		return []string{"brain", "commit", task, files[i], "--summary", "a year", "--proof", "seen by a notary"}
	}
	b.each(seated[:2], commit)
	if again := b.json(append(commit(0), "--key", seated[0])...)[0]; again["result"] != "already_done" {
		t.Errorf("a second commitment: %v", again)
	}
	b.refuses("committed to something else", "brain", "commit", task, files[1], "--key", seated[0])
	b.refuses("so that nobody copies", "brain", "submit", task, "--key", seated[0])
	b.each(seated[2:], func(int) []string { return []string{"brain", "commit", task, files[2]} })
	b.json("brain", "submit", task, "--key", seated[0])
	b.until(task, "evaluators evaluate", seated...) // a crank of each worker reveals

	// Who has the task's address alone finds the class and the results.
	if code, out, errs := lineIn(t.Context(), stranger, "brain", "results", task); code != 0 || strings.Count(out, "1931") != 2 || strings.Count(out, "1935") != 1 {
		t.Errorf("a stranger sees: %s%s", out, errs)
	}
	if code, out, errs := lineIn(t.Context(), []string{"HOME=" + t.TempDir(), stranger[1]}, "brain", "show", task, "--json"); code != 0 || strings.Count(out, "1931") != 2 || !strings.Contains(out, "facts with reasons") || !strings.Contains(out, "and why?\\nLook at the plaque") {
		t.Errorf("a stranger is shown: %s%s", out, errs)
	}
	if shown := b.json("brain", "results", task); len(shown) != 3 || !strings.Contains(shown[0]["text"].(string), "1931") {
		t.Errorf("the results: %v", shown)
	}
	var scores []string
	for i, key := range seated {
		scores = append(scores, fmt.Sprintf(`{"worker": %q, "score": %d, "confidence": 90, "why": "I looked", "corrections": [{"at": "/year"}]}`, addressOf(t, key), []int{90, 88, 20}[i]))
	}
	says := b.file("scores.json", `{"scores": [`+strings.Join(scores, ", ")+`]}`)
	b.refuses("score is 101; it is 0 to 100", "brain", "evaluate", task, b.file("s.json", `{"scores":[{"worker":"`+addressOf(t, seated[0])+`","score":101}]}`), "--key", evaluators[0])
	b.refuses("is no worker of this task", "brain", "evaluate", task, b.file("s.json", `{"scores":[{"worker":"x","score":1}]}`), "--key", evaluators[0])
	b.each(evaluators, func(int) []string { return []string{"brain", "evaluate", task, says} })
	b.refuses("there is an outcome when evaluators revealed", "brain", "outcome", task)
	b.until(task, "outcome posted", evaluators...)

	said := fmt.Sprint(b.json("brain", "results", task)[0])
	for _, want := range []string{"proof:seen by a notary", "score:90", "rationale:I looked", "corrections:[map[at:/year]]"} {
		if !strings.Contains(said, want) {
			t.Errorf("the results do not say %q: %s", want, said)
		}
	}
	dir := filepath.Join(t.TempDir(), "out")
	b.json("brain", "results", task, "--out", dir)
	if raw, err := os.ReadFile(filepath.Join(dir, addressOf(t, seated[0]), "result.json")); err != nil || !strings.Contains(string(raw), "1931") {
		t.Errorf("--out: %q, %v", raw, err)
	}
	found := b.json("brain", "outcome", task)[0]
	if found["agrees"] != true {
		t.Errorf("the posted outcome is another one: %v", found)
	}
	if facts := found["finding"].(map[string]any)["facts"].([]any); fmt.Sprint(facts[1].(map[string]any)["cluster"]) != "1" {
		t.Fatalf("the first two do not mean the same: %v", facts)
	}
	b.text("the first of those that mean the same", "brain", "outcome", task)
	b.refuses("there is nothing to dispute", "brain", "dispute", task, "--key", seated[2])
	b.refuses("this phase lasts", "brain", "advance", task, "--key", requester)
	if err := c.Chain().Server().Warp(41 * time.Second); err != nil {
		t.Fatal(err)
	}
	b.until(task, "settled", requester)
	b.text("0.453932584 SOL", "brain", "show", task)
	b.text("2 of the 3 results that count mean the same", "brain", "show", task)
	b.text("outside the dominant cluster", "brain", "show", task)
	why := map[string]any{}
	for _, seats := range []string{"worker_seats", "evaluator_seats"} {
		for i, seat := range b.json("brain", "show", task)[0][seats].([]any) {
			why[fmt.Sprintf("%s %d", seats, i)] = seat.(map[string]any)["why"]
		}
	}
	if why["worker_seats 0"] != "in the dominant cluster, and exceptional" || why["evaluator_seats 0"] == nil || why["evaluator_seats 1"] == nil {
		t.Errorf("why each got what it got: %v", why)
	}
	b.refuses("the creator of the class opens its golden tasks", "brain", "open-golden", task, "--key", workers[0])
	b.json("brain", "crank", "--once", "--key", requester)
	b.text("its right result was known before", "brain", "show", task)
	opened := b.json("brain", "open-golden", task, "--key", requester)[0]["truth"].(map[string]any)
	if fmt.Sprint(opened) != "map[evaluators:[passed passed] workers:[passed passed failed]]" {
		t.Errorf("the golden task says %v", opened)
	}

	b.text("open to appeals until", "brain", "show", task)
	b.text("opened as wrong", "brain", "show", task)
	appeal := func(key, result, reason string) []string {
		return []string{"brain", "appeal", task, "--result", result, "--reason", reason, "--key", key}
	}
	b.refuses("did not fail this golden task", appeal(evaluators[0], "1", "It is wrong.")...)
	b.refuses("--reason has 0 bytes", appeal(seated[2], "3", "")...)
	b.refuses("has no result 4", appeal(seated[2], "4", "It is right.")...)
	b.refuses("the court refused", appeal(seated[2], "3", "The owners finished it in 1935.")...) // it has no judges
	b.refuses("may appeal for", "brain", "advance", task, "--key", requester)
	b.refuses("could not close the task", "brain", "task", "close", task, "--key", requester)
	b.text("ojud brain appeal "+task, "brain", "crank", "--once", "--key", seated[2])
	if err := c.Chain().Server().Warp(41 * time.Second); err != nil {
		t.Fatal(err)
	}
	b.json("brain", "crank", "--once", "--key", requester)
	b.text("its right result was known before: final", "brain", "show", task)
	b.refuses("is appealed after its creator opened it", appeal(seated[2], "3", "It is right.")...)

	ada, eve := addressOf(t, evaluators[0]), addressOf(t, evaluators[1])
	as := func(key string, args ...string) []string {
		return append(append([]string{"brain", "vouch"}, args...), "--role", "evaluator", "--key", key)
	}
	b.refuses("it is 1 to 2500 basis points", as(evaluators[0], "for", b.class, eve, "--stake", "0.1sol", "--share", "2501")...)
	b.refuses("is no evaluator of the class", as(evaluators[0], "for", b.class, addressOf(t, workers[0]), "--stake", "0.1sol")...)
	b.refuses("neither of them offers to vouch", as(evaluators[0], "end", b.class, eve)...)
	offered := b.json(as(evaluators[0], "for", b.class, eve, "--stake", "0.1sol", "--share", "1000")...)[0]
	if offered["agreed"] != false || fmt.Sprint(offered["share_bps"]) != "1000" {
		t.Errorf("an offer: %v", offered)
	}
	b.json(as(evaluators[1], "agree", b.class, ada)...)
	b.text(ada, "brain", "show", b.class)
	if ended := b.json(as(evaluators[1], "end", b.class, ada)...)[0]; ended["ends"] == nil || ended["sponsor"] != ada {
		t.Errorf("what was ended: %v", ended)
	}

	b.refuses("only in a class with golden tasks", "brain", "class", "create", class, "--near", b.class, "--key", workers[0])
	nearer := b.json("brain", "class", "create", class, "--set", "golden=10", "--near", b.class, "--key", workers[0])[0]["class"].(string)
	b.json("brain", "register", nearer, "--role", "evaluator", "--stake", "1sol", "--key", evaluators[0])
	link := []string{"brain", "link", nearer, b.class, "--role", "evaluator", "--agent", ada, "--key", requester}
	b.json(link...)
	if again := b.json(link...)[0]; again["result"] != "already_done" {
		t.Errorf("a second link: %v", again)
	}
	b.refuses("is not near to", "brain", "link", b.class, nearer, "--role", "evaluator", "--key", evaluators[0])
	b.text("1692", "brain", "show", nearer)
	b.text("near class 1", "brain", "show", nearer)

	paid := b.json("brain", "withdraw", b.class, "--role", "worker", "--key", seated[0])[0]
	if paid["earned"] == "0" || paid["result"] != "landed" {
		t.Errorf("a worker took %v", paid)
	}
	b.refuses("has earned nothing", "brain", "withdraw", b.class, "--role", "worker", "--key", seated[0])
	b.json("brain", "leave", b.class, "--role", "worker", "--key", seated[0])
	b.json("brain", "task", "close", task, "--key", requester)
	if left := b.json("brain", "list"); len(left) != 0 {
		t.Errorf("the closed task is listed: %v", left)
	}
}

// memory runs a memory node until the test ends, and returns its address.
func (b *brainTyped) memory() string {
	b.t.Helper()
	l, err := new(net.ListenConfig).Listen(b.t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		b.t.Fatal(err)
	}
	at := l.Addr().String()
	if err := l.Close(); err != nil {
		b.t.Fatal(err)
	}
	ctx, stop := context.WithCancel(b.t.Context())
	over := make(chan string, 1)
	dir := b.t.TempDir()
	go func() {
		_, out, errs := lineIn(ctx, b.environ, "brain", "memory", "run", dir, "--listen", at)
		over <- out + errs
	}()
	b.t.Cleanup(func() {
		stop()
		b.t.Logf("the memory node said: %s", <-over)
	})
	for began := time.Now(); time.Since(began) < time.Minute; {
		if conn, err := new(net.Dialer).DialContext(ctx, "tcp", at); err == nil {
			if err := conn.Close(); err != nil {
				b.t.Error(err)
			}
			return "http://" + at
		}
	}
	b.t.Fatal("the memory node does not answer")
	return ""
}
