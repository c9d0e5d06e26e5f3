package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ojud/agent/face"
	"ojud/cmd/ojud/cli"
	"ojud/ledger/onchain"
	"ojud/node/client"
	"ojud/node/client/advice"
	"ojud/node/library"
)

// payer is a party without a chain. It counts what it paid.
type payer struct {
	paid  client.Lamports
	open  map[string]string // tasks by documents
	fails bool              // after it paid
	warns bool
}

func (p *payer) made(task string, bond client.Lamports, paid bool) client.TaskDone {
	done := client.TaskDone{Task: client.TaskView{Task: task, TaskMoney: client.TaskMoney{ClaimBond: bond}}}
	if done.Result = "already_done"; paid {
		done.Result, done.Signature = "landed", "s"
	}
	return done
}

// ReviewOffer implements party.
func (p *payer) ReviewOffer(context.Context, library.Document, client.Offer) (advice.Review, error) {
	return advice.Review{}, nil
}

// CreateTask implements party.
func (p *payer) CreateTask(_ context.Context, doc library.Document, o client.Offer, _ bool, _ ...library.Document) (client.TaskDone, error) {
	task, there := p.open[string(doc.Content)]
	if !there {
		task = onchain.Address{byte(len(p.open) + 1)}.String()
		p.open[string(doc.Content)] = task
		p.paid += o.RewardMax
		if p.fails {
			return client.TaskDone{}, errors.New("no answer from the chain")
		}
	}
	return p.made(task, 0, !there), nil
}

// Task implements party.
func (p *payer) Task(_ context.Context, task onchain.Address) (client.TaskView, error) {
	return client.TaskView{Task: task.String(), Status: created, TaskMoney: client.TaskMoney{RewardMax: 100_000_000}}, nil
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
	p.paid += 2_000_000
	return p.made(task.String(), 2_000_000, true), nil
}

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
	d := &dealer{purse: purse, open: func() (party, error) { return p, nil }, data: func(context.Context, []byte) error { return nil }}
	out := map[string]face.Tool{}
	for _, tool := range d.tools() {
		out[tool.Name] = tool
	}
	return out
}

func order(what string) json.RawMessage {
	return json.RawMessage(`{"reward":"0.1sol","task":{"instruction":["` + what + `"],"output_schema":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}}}`)
}

// TestAttackMCPSpending: tools take at most what the operator allowed, also by many acts, after a
// restart, and if the end of an act is not known. TestActs says that only these tools move money.
func TestAttackMCPSpending(t *testing.T) {
	t.Parallel()
	const limit = 350_000_000
	dir, p := t.TempDir(), &payer{open: map[string]string{}}
	use := func(tools map[string]face.Tool, name string, args json.RawMessage, want string) {
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
	t.Run("first", func(t *testing.T) {
		tools := dealing(t, dir, p, limit)
		use(tools, "post_task", order("Sing."), `"counted":"110000000"`)
		use(tools, "post_task", order("Sing."), `"counted":"0"`) // it is open
		p.fails = true
		use(tools, "post_task", order("Dance."), "not known whether money moved")
		p.fails = false
		use(tools, "spending", nil, `"left":"130000000"`)
		if _, err := openPurse(dir, limit); err == nil || !strings.Contains(err.Error(), "another server") {
			t.Errorf("two servers spend from one purse: %v", err)
		}
	})
	t.Run("after a restart", func(t *testing.T) {
		tools := dealing(t, dir, p, limit)
		use(tools, "post_task", order("Dance."), `"counted":"110000000"`) // its end is known now, and it counts once
		use(tools, "post_task", order("Paint."), `"left":"20000000"`)
		use(tools, "post_task", order("Carve."), "tools may spend only")
		use(tools, "claim_task", json.RawMessage(`{"task":"`+onchain.Address{9}.String()+`"}`), "tools may spend only")
		use(tools, "post_task", json.RawMessage(`{"reward":"0.1sol","task":{}}`), "instruction")
		use(tools, "post_task", json.RawMessage(strings.Replace(string(order("Hum.")), "0.1sol", "-1sol", 1)), "reward")
		use(tools, "post_task", json.RawMessage(strings.Replace(string(order("Hum.")), "0.1sol", "18446744073709551615lamports", 1)), "too large")
	})
	if p.paid != 300_000_000 {
		t.Errorf("%d lamports were paid", p.paid)
	}
	t.Run("with more", func(t *testing.T) {
		tools := dealing(t, dir, p, limit+100_000_000)
		p.warns = true
		use(tools, "claim_task", json.RawMessage(`{"task":"`+onchain.Address{9}.String()+`"}`), "a refund to the creator")
		p.warns = false
		use(tools, "claim_task", json.RawMessage(`{"task":"`+onchain.Address{9}.String()+`"}`), `"counted":"12000000"`)
		use(tools, "claim_task", json.RawMessage(`{"task":"`+onchain.Address{9}.String()+`"}`), `"counted":"12000000"`) // it was given back meanwhile
		use(tools, "spending", nil, `"left":"96000000"`)
	})
	if err := os.WriteFile(filepath.Join(dir, "mcp.spent"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := openPurse(dir, limit); err == nil {
		t.Error("a damaged purse is an empty one")
	}
}
