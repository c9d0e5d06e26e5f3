package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ojud/agent/face"
	"ojud/cmd/ojud/cli"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/transact"
	"ojud/node/client"
	"ojud/node/client/advice"
	"ojud/node/client/fit"
	"ojud/node/library"
	"ojud/voting"
)

// ending is what becomes of an act of a payer.
type ending int

const (
	answered  ending = iota
	lost             // it landed, and no answer came
	forgotten        // it was signed, and did not land
	unnamed          // it landed, and no node took the document
)

// payer is a party with a chain of its own, which counts what it paid. It signs real transactions.
type payer struct {
	t       *testing.T
	key     *client.Keypair // as the server has it
	paid    client.Lamports
	number  uint64            // of its next task
	open    map[string]string // unclaimed tasks by documents
	next    ending
	warns   bool
	status  string          // of tasks that it is asked for
	claimed map[string]bool // by itself
	misfit  error           // of each result
	shows   string          // hash of the result
}

func newPayer(t *testing.T) *payer {
	return &payer{t: t, open: map[string]string{}, status: "created", claimed: map[string]bool{}}
}

// self is the key of a payer, which the server holds for it.
func self(t *testing.T) *client.Keypair {
	t.Helper()
	key, err := transact.NewKeypair(bytes.NewReader(bytes.Repeat([]byte{1}, 32)))
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// sign signs a transaction, as a client does.
func (p *payer) sign(build func(c program.Program, me onchain.Address) []onchain.Instruction) error {
	me := p.key.Address()
	u, err := transact.Compile(me, onchain.Hash{1}, transact.Budget{Units: 200_000}, build(program.New(onchain.Address{7}), me))
	if err != nil {
		return err
	}
	_, _, err = u.Sign(map[onchain.Address]*client.Keypair{me: p.key})
	return err
}

func (p *payer) made(task string, bond client.Lamports, paid bool) client.TaskDone {
	done := client.TaskDone{Task: client.TaskView{Task: task, TaskMoney: client.TaskMoney{ClaimBond: bond}}}
	if bond > 0 {
		done.Task.Worker = p.Me()
	}
	if done.Result = "already_done"; paid {
		done.Result, done.Signature = "landed", "s"
	}
	return done
}

// Me implements party.
func (p *payer) Me() string { return p.key.Address().String() }

// ReviewOffer implements party.
func (p *payer) ReviewOffer(context.Context, library.Document, client.Offer) (advice.Review, error) {
	return advice.Review{}, nil
}

// CreateTask implements party.
func (p *payer) CreateTask(_ context.Context, doc library.Document, o client.Offer, _ bool, _ ...library.Document) (client.TaskDone, error) {
	task, there := p.open[string(doc.Content)]
	if !there {
		err := p.sign(func(c program.Program, me onchain.Address) []onchain.Instruction {
			task = c.Task(me, p.number).String()
			return []onchain.Instruction{c.CreateTask(me, p.number, 1, program.CreateTask{RewardMax: uint64(o.RewardMax)})}
		})
		if err != nil {
			return client.TaskDone{}, err
		}
		if p.next != forgotten {
			p.open[string(doc.Content)] = task
			p.paid += o.RewardMax
			p.number++
		}
	}
	switch {
	case p.next == unnamed:
		return p.made(task, 0, !there), library.ErrNotPublished
	case p.next != answered:
		return client.TaskDone{}, errors.New("no answer from the chain")
	}
	return p.made(task, 0, !there), nil
}

// Task implements party.
func (p *payer) Task(_ context.Context, task onchain.Address) (client.TaskView, error) {
	return client.TaskView{Task: task.String(), Status: p.status, TaskMoney: client.TaskMoney{RewardMax: 100_000_000}, TaskHashes: client.TaskHashes{ResultHash: p.shows}}, nil
}

// ReviewTask implements party.
func (p *payer) ReviewTask(context.Context, onchain.Address, ...client.Trust) (advice.Review, error) {
	if p.warns {
		return advice.Review{Warnings: []advice.Warning{{Why: "a refund to the creator"}}}, nil
	}
	return advice.Review{}, nil
}

// Claim implements party.
func (p *payer) Claim(_ context.Context, task onchain.Address, _ client.Lamports, _ bool, _ ...client.Trust) (client.TaskDone, error) {
	if p.claimed[task.String()] {
		return p.made(task.String(), bond, false), nil
	}
	err := p.sign(func(c program.Program, me onchain.Address) []onchain.Instruction {
		return []onchain.Instruction{c.ClaimTask(me, task, 1, program.ClaimTask{}), c.StartTask(me, task)}
	})
	if err != nil {
		return client.TaskDone{}, err
	}
	p.paid += bond
	if p.next != answered {
		return client.TaskDone{}, errors.New("no answer from the chain")
	}
	return p.made(task.String(), bond, true), nil
}

// CheckResult implements party.
func (p *payer) CheckResult(context.Context, onchain.Address, library.Document) error {
	return p.misfit
}

// Fetch implements party.
func (p *payer) Fetch(context.Context, voting.Hash) ([]byte, error) {
	return []byte(`{"text":"la"}`), nil
}

// answered signs an answer to a task.
func (p *payer) answered(task onchain.Address, paid client.Lamports, build func(c program.Program, me onchain.Address) []onchain.Instruction) (client.TaskDone, error) {
	if err := p.sign(build); err != nil {
		return client.TaskDone{}, err
	}
	p.paid += paid
	done := p.made(task.String(), 0, true)
	done.Task.CreatorBond = paid
	if p.next != answered {
		return client.TaskDone{}, errors.New("no answer from the chain")
	}
	return done, nil
}

// Submit implements party.
func (p *payer) Submit(_ context.Context, task onchain.Address, result library.Document) (client.TaskDone, error) {
	return p.answered(task, 0, func(c program.Program, me onchain.Address) []onchain.Instruction {
		return []onchain.Instruction{c.StartTask(me, task), c.SubmitResult(me, me, task, 1, program.SubmitResult{ResultHash: result.Hash})}
	})
}

// Accept implements party.
func (p *payer) Accept(_ context.Context, task onchain.Address) (client.TaskDone, error) {
	return p.answered(task, 0, func(c program.Program, me onchain.Address) []onchain.Instruction {
		return []onchain.Instruction{c.Accept(me, me, task)}
	})
}

// Object implements party.
func (p *payer) Object(_ context.Context, task onchain.Address, doc library.Document, _ ...library.Document) (client.TaskDone, error) {
	return p.answered(task, bond, func(c program.Program, me onchain.Address) []onchain.Instruction {
		return []onchain.Instruction{c.Object(me, task, 1, program.Object{ObjectionHash: doc.Hash})}
	})
}

// bond is what a claim of a payer, or an objection, takes.
const bond = 2_000_000

// dealing opens the tools of a party in a folder.
func dealing(t *testing.T, dir string, p *payer, limit client.Lamports) map[string]face.Tool {
	t.Helper()
	purse, err := openPurse(dir, limit)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := purse.close(); err != nil {
			t.Error(err)
		}
	})
	p.key = purse.hold(self(t))
	d := &dealer{purse: purse, open: func() (party, error) { return p, nil }, pin: func(_ context.Context, doc library.Document) (library.Document, error) { return doc, nil },
		bond: func(context.Context, onchain.Address) (client.Lamports, error) { return bond + 1, nil }}
	out := map[string]face.Tool{}
	for _, tool := range d.tools() {
		out[tool.Name] = tool
	}
	return out
}

func order(what string) json.RawMessage {
	return json.RawMessage(`{"reward":"0.1sol","task":{"instruction":["` + what + `"],"output_schema":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}}}`)
}

// use calls a tool, whose answer or error has to contain words.
func use(t *testing.T, tools map[string]face.Tool, name string, args json.RawMessage, want string) {
	t.Helper()
	answer, err := tools[name].Call(t.Context(), args, nil)
	raw, _ := json.Marshal(answer)
	text := string(raw)
	if err != nil {
		text = cli.Plain(err)
	}
	if !strings.Contains(text, want) {
		t.Errorf("%s %.80s: %.300s, not %q", name, args, text, want)
	}
}

func claimOf(task byte) json.RawMessage {
	return json.RawMessage(`{"task":"` + onchain.Address{task}.String() + `"}`)
}

// TestAttackMCPSpending: tools take at most what the operator allowed, also by many acts, after a
// restart, and if the end of an act is not known. TestActs says that only these tools move money.
func TestAttackMCPSpending(t *testing.T) {
	t.Parallel()
	const limit = 350_000_000
	dir, p := t.TempDir(), newPayer(t)
	t.Run("first", func(t *testing.T) {
		tools := dealing(t, dir, p, limit)
		use(t, tools, "post_task", order("Sing."), `"counted":"110000000"`)
		use(t, tools, "post_task", order("Sing."), `"counted":"0"`) // it is open
		p.next = lost
		use(t, tools, "post_task", order("Dance."), "not known whether money moved")
		p.next = answered
		use(t, tools, "spending", nil, `"left":"130000000"`)
		if _, err := openPurse(dir, limit); err == nil || !strings.Contains(err.Error(), "another server") {
			t.Errorf("two servers spend from one purse: %v", err)
		}
	})
	t.Run("after a restart", func(t *testing.T) {
		tools := dealing(t, dir, p, limit)
		use(t, tools, "post_task", order("Dance."), `"counted":"0"`) // it is on the chain, and was counted
		use(t, tools, "post_task", order("Paint."), `"left":"20000000"`)
		use(t, tools, "post_task", order("Carve."), "tools may spend only")
		use(t, tools, "claim_task", claimOf(9), "tools may spend only")
		use(t, tools, "post_task", json.RawMessage(`{"reward":"0.1sol","task":{}}`), "instruction")
		use(t, tools, "post_task", json.RawMessage(strings.Replace(string(order("Hum.")), "0.1sol", "-1sol", 1)), "reward")
		use(t, tools, "post_task", json.RawMessage(strings.Replace(string(order("Hum.")), "0.1sol", "18446744073709551615lamports", 1)), "too large")
	})
	if p.paid != 300_000_000 {
		t.Errorf("%d lamports were paid", p.paid)
	}
	t.Run("with more", func(t *testing.T) {
		tools := dealing(t, dir, p, limit+100_000_000)
		p.warns = true
		use(t, tools, "claim_task", claimOf(9), "a refund to the creator")
		p.warns = false
		use(t, tools, "claim_task", claimOf(9), `"counted":"12000000"`)
		use(t, tools, "claim_task", claimOf(9), `"counted":"12000000"`) // it was given back meanwhile
		use(t, tools, "spending", nil, `"left":"96000000"`)
	})
	if err := os.WriteFile(filepath.Join(dir, "mcp.spent"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := openPurse(dir, limit); err == nil {
		t.Error("a damaged purse is an empty one")
	}
}

// TestAttackMCPPurse: answers that are lost, nodes that take no document, other rewards, tasks that
// an accomplice claims, and bonds of tasks that come back take no more than the limit together.
func TestAttackMCPPurse(t *testing.T) {
	t.Parallel()
	small := func(what string) json.RawMessage {
		return json.RawMessage(strings.Replace(string(order(what)), "0.1sol", "1000lamports", 1))
	}
	for name, attack := range map[string]func(tools map[string]face.Tool, p *payer, what string){
		"the same again, after it was claimed": func(tools map[string]face.Tool, p *payer, _ string) {
			p.next = lost
			_, _ = tools["post_task"].Call(t.Context(), order("Sing."), nil)
			clear(p.open)
		},
		"no node takes the document": func(tools map[string]face.Tool, p *payer, _ string) {
			p.next = unnamed
			_, _ = tools["post_task"].Call(t.Context(), order("Sing."), nil)
			clear(p.open)
		},
		"a small reward after a lost answer": func(tools map[string]face.Tool, p *payer, what string) {
			p.next = lost
			_, _ = tools["post_task"].Call(t.Context(), order(what), nil)
			p.next = answered
			_, _ = tools["post_task"].Call(t.Context(), small(what), nil)
		},
		"a small reward before one that lands": func(tools map[string]face.Tool, p *payer, what string) {
			p.next = forgotten
			_, _ = tools["post_task"].Call(t.Context(), small(what), nil)
			p.next = answered
			_, _ = tools["post_task"].Call(t.Context(), order(what), nil)
		},
		"one that lands after a smaller one was signed": func(tools map[string]face.Tool, p *payer, what string) {
			p.next = forgotten
			_, err := tools["post_task"].Call(t.Context(), order(what), nil)
			_, _ = tools["post_task"].Call(t.Context(), small(what), nil)
			if !strings.Contains(cli.Plain(err), "tools may spend only") {
				p.paid += 100_000_000
				p.number++
			}
		},
		"a claim whose answer is lost": func(tools map[string]face.Tool, p *payer, _ string) {
			p.next = lost
			_, _ = tools["claim_task"].Call(t.Context(), claimOf(9), nil)
		},
		"a task that seems to be claimed": func(tools map[string]face.Tool, p *payer, _ string) {
			p.status = "claimed"
			_, _ = tools["claim_task"].Call(t.Context(), claimOf(9), nil)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const limit = 350_000_000
			p, dir := newPayer(t), t.TempDir()
			for n := range 40 {
				t.Run("start", func(t *testing.T) { attack(dealing(t, dir, p, limit), p, "task "+strconv.Itoa(n)) })
			}
			if p.paid > limit || p.paid == 0 {
				t.Errorf("the limit is %d, and %d were paid", limit, p.paid)
			}
		})
	}
}

// TestPurseCountsOnce: what the chain did not take counts once with what is tried again, and what
// is on it counts no more when it is found.
func TestPurseCountsOnce(t *testing.T) {
	t.Parallel()
	p := newPayer(t)
	tools := dealing(t, t.TempDir(), p, 150_000_000)
	p.next = forgotten
	use(t, tools, "post_task", order("Sing."), "0.11 SOL count as spent")
	use(t, tools, "post_task", order("Sing."), "0.000005 SOL count as spent") // the fee
	p.next = unnamed
	use(t, tools, "post_task", order("Sing."), "no node took its document")
	use(t, tools, "post_task", order("Sing."), "no node took its document")
	p.next = answered
	use(t, tools, "post_task", order("Sing."), `"counted":"0","left":"39990000"`)
	use(t, tools, "post_task", order("Dance."), "tools may spend only 0.03999 SOL more")
	p.claimed[onchain.Address{9}.String()] = true
	use(t, tools, "claim_task", claimOf(9), `"counted":"0"`)
}

// TestPurseSigns: the key of a server signs only for the tool that runs, and only what it does.
func TestPurseSigns(t *testing.T) {
	t.Parallel()
	p := newPayer(t)
	purse, err := openPurse(t.TempDir(), 1_000_000_000)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := purse.close(); err != nil {
			t.Error(err)
		}
	}()
	p.key = purse.hold(self(t))
	posts := func(c program.Program, me onchain.Address) []onchain.Instruction {
		return []onchain.Instruction{c.CreateTask(me, 0, 1, program.CreateTask{RewardMax: 5})}
	}
	claims := func(c program.Program, me onchain.Address) []onchain.Instruction {
		return []onchain.Instruction{c.ClaimTask(me, onchain.Address{8}, 1, program.ClaimTask{})}
	}
	starts := func(c program.Program, me onchain.Address) []onchain.Instruction {
		return []onchain.Instruction{c.StartTask(me, onchain.Address{8})}
	}
	accepts := func(c program.Program, me onchain.Address) []onchain.Instruction {
		return []onchain.Instruction{c.Accept(me, me, onchain.Address{8})}
	}
	for n, c := range []struct {
		now   *act
		build func(program.Program, onchain.Address) []onchain.Instruction
		wrong string
	}{
		{nil, posts, "no tool asked"}, {&act{}, posts, ""}, {&act{}, claims, "another task"}, {&act{}, starts, "another task"}, {&act{}, accepts, "accept"},
		{&act{claims: onchain.Address{8}}, posts, "does not post"}, {&act{claims: onchain.Address{8}}, claims, ""}, {&act{claims: onchain.Address{8}}, starts, ""},
		{&act{claims: onchain.Address{9}}, claims, "another task"},
		{&act{answers: onchain.Address{8}, may: accepting}, accepts, ""}, {&act{answers: onchain.Address{9}, may: accepting}, accepts, "not asked to"},
		{&act{answers: onchain.Address{8}, may: objecting}, accepts, "not asked to"}, {&act{answers: onchain.Address{8}, may: accepting}, posts, "does not post"},
		{&act{answers: onchain.Address{8}, may: accepting}, starts, "another task"}, {&act{answers: onchain.Address{8}, may: submitting}, starts, ""},
		{&act{answers: onchain.Address{8}, may: submitting}, claims, "another task"},
	} {
		purse.begin(c.now)
		if err := p.sign(c.build); (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%d: %v", n, err)
		}
	}
}

// TestAnswers: tools hand in, accept and refuse results of the tasks that tools posted or claimed,
// also after a restart, and of no others: a text that tricks the model cannot have it give away the
// reward of a task that a person posted. What a check refutes is neither handed in nor accepted.
// The bond of an objection counts.
func TestAnswers(t *testing.T) {
	t.Parallel()
	dir, p := t.TempDir(), newPayer(t)
	var posted string
	t.Run("first", func(t *testing.T) {
		tools := dealing(t, dir, p, 200_000_000)
		use(t, tools, "post_task", order("Sing."), `"counted":"110000000"`)
		use(t, tools, "claim_task", claimOf(9), `"counted":"12000000"`)
		posted = p.open[slices.Collect(maps.Keys(p.open))[0]]
	})
	tools := dealing(t, dir, p, 200_000_000)
	on := func(task, more string) json.RawMessage { return json.RawMessage(`{"task":"` + task + `"` + more + `}`) }
	other, mine := onchain.Address{5}.String(), onchain.Address{9}.String()
	use(t, tools, "accept_result", on(other, ""), "no tool of this server")
	use(t, tools, "object", on(other, `,"reason":"No."`), "no tool of this server")
	use(t, tools, "submit_result", on(other, `,"result":{"text":"la"}`), "no tool of this server")
	use(t, tools, "accept_result", on(posted, ""), "nobody has handed in")
	p.shows = strings.Repeat("01", 32)
	p.misfit = fit.ErrMisfit
	use(t, tools, "submit_result", on(mine, `,"result":{"text":"la"}`), "does not")
	use(t, tools, "accept_result", on(posted, ""), "does not")
	p.misfit = library.ErrNoContent
	use(t, tools, "accept_result", on(posted, ""), "no check was made")
	p.misfit = nil
	use(t, tools, "submit_result", on(mine, `,"result":{"text":"la"}`), `"counted":"5000"`)
	use(t, tools, "object", on(posted, `,"reason":""`), "reason is missing")
	use(t, tools, "object", on(posted, `,"reason":"No.","grounds":[{"pointer":"/text","kind":"odd"}]`), "kind")
	use(t, tools, "object", on(posted, `,"reason":"No.","grounds":[{"path":"/text","kind":"value","expected":"lo"}]`), "unknown field")
	use(t, tools, "object", on(posted, `,"reason":"No.","grounds":[{"pointer":"/text","kind":"value","expected":"lo"}]`), `"counted":"12000000"`)
	p.misfit = fit.ErrSilent
	use(t, tools, "accept_result", on(posted, ""), `"unchecked":"`)
	use(t, tools, "spending", nil, `"left":"65990000"`)
	p.next = lost
	for range 6 {
		_, _ = tools["object"].Call(t.Context(), on(posted, `,"reason":"No."`), nil)
	}
	use(t, tools, "object", on(posted, `,"reason":"No."`), "tools may spend only")
}

// TestQueueOrder: an order is put into the queue once, in the form that ojud agent post reads.
func TestQueueOrder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	tools := map[string]face.Tool{}
	for _, tool := range (queue{dir}).tools() {
		if tools[tool.Name] = tool; !tool.Acts {
			t.Error("a tool that has money spent is marked as one that only reads")
		}
	}
	with := func(more string) json.RawMessage {
		return json.RawMessage(strings.TrimSuffix(string(order("Sing.")), "}") + more + "}")
	}
	use(t, tools, "queue_order", with(`,"id":"song"`), `"already":false`)
	use(t, tools, "queue_order", with(`,"id":"song"`), `"already":true`)
	use(t, tools, "queue_order", json.RawMessage(strings.Replace(string(with(`,"id":"song"`)), "0.1sol", "9sol", 1)), "another order has the id")
	use(t, tools, "queue_order", with(`,"id":"../song"`), "id is")
	use(t, tools, "queue_order", json.RawMessage(`{"reward":"1","task":{"instruction":["Sing."],"output_schema":{"text":"string"}}}`), "reward is")
	use(t, tools, "queue_order", json.RawMessage(`{"task":{}}`), "instruction")
	raw, err := os.ReadFile(filepath.Join(dir, "song.jsonl"))
	if want := `{"id":"song","reward":"0.1sol","task":{"instruction":["Sing."],`; err != nil || !strings.HasPrefix(string(raw), want) || strings.Count(string(raw), "\n") != 1 {
		t.Errorf("%s, %v", raw, err)
	}
	for n := range maxOrders {
		if err := os.WriteFile(filepath.Join(dir, strconv.Itoa(n)+".json"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	use(t, tools, "queue_order", with(`,"id":"more"`), "takes no more")
}
