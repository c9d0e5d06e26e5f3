package mcp

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"ojud/agent/face"
	"ojud/cmd/ojud/cli"
	"ojud/ledger/journal/durable"
	"ojud/node/client"
	"ojud/node/library"
)

// queue is the folder from which ojud agent post takes orders. That command has the key and the
// budget: it posts them, and answers their results.
type queue struct{ folder string }

// maxOrders bounds the entries of the folder. ojud agent post takes as many orders, of all its
// files.
const maxOrders = 1000

var orderName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,63}$`)

func (q queue) tools() []face.Tool {
	return []face.Tool{
		face.Make(face.About{Name: "queue_order", Acts: true, Description: "Put a task into the queue of the program \"ojud agent post\", which posts it with its own key within its own budget, checks the result, and accepts or objects by itself. Use it for a task that nobody will look after. The same order is posted once. Follow it with the tool tasks, by the address of that program's key as creator."}, q.put),
	}
}

type orderIn struct {
	Task    map[string]any `json:"task" jsonschema:"the task document: instruction, output_schema, and perhaps input_data, data_sources and expected; with checks in expected, code judges the result"`
	Reward  string         `json:"reward,omitempty" jsonschema:"the reward with its unit, such as 0.1sol; without it that of the queue's settings"`
	ID      string         `json:"id,omitempty" jsonschema:"your name of the order, of a-z, 0-9 and -; the same name is the same order; without it one that follows from the task"`
	Example any            `json:"example,omitempty" jsonschema:"a right result; a task with check programs needs one"`
}

// orderOut says where an order is.
type orderOut struct {
	Order   string `json:"order"` // as ojud agent post names it
	File    string `json:"file"`
	Already bool   `json:"already"` // it was there
}

func (q queue) put(ctx context.Context, in orderIn, _ face.Say) (any, error) {
	raw, err := json.Marshal(in.Task)
	if err != nil {
		return nil, err
	}
	doc, err := library.ReadTask(raw)
	if err != nil {
		return nil, err
	}
	if in.Reward != "" {
		if n, err := client.ParseLamports(in.Reward); err != nil || n == 0 {
			return nil, cli.Usage("reward is %.40q; give an amount with its unit, such as 0.1sol", in.Reward)
		}
	}
	if err := example(ctx, doc, in.Example); err != nil {
		return nil, err
	}
	if in.ID == "" {
		in.ID = hex.EncodeToString(doc.Hash[:12])
	}
	if !orderName.MatchString(in.ID) {
		return nil, cli.Usage("id is %.80q; write 1 to 64 of a-z, 0-9 and -", in.ID)
	}
	line, err := json.Marshal(struct {
		ID     string          `json:"id"`
		Reward string          `json:"reward,omitempty"`
		Task   json.RawMessage `json:"task"`
	}{in.ID, in.Reward, doc.Content})
	if err != nil {
		return nil, err
	}
	line = append(line, '\n')
	name := in.ID + ".jsonl"
	out := orderOut{Order: name + ":" + in.ID, File: filepath.Join(q.folder, name)}
	there, err := os.ReadDir(q.folder)
	if err != nil {
		return nil, cli.Fail("the queue cannot be read: %v", err).Next("the operator names the folder of ojud agent post with --queue")
	}
	if _, err := os.Stat(out.File); len(there) >= maxOrders && errors.Is(err, fs.ErrNotExist) {
		return nil, cli.Fail("the queue has %d files, and takes no more", len(there)).Next("the operator removes those that are done")
	}
	err = durable.Create(out.File, line)
	if errors.Is(err, fs.ErrExist) {
		old, failed := library.ReadFile(out.File, len(line))
		if failed != nil || !bytes.Equal(old, line) {
			return nil, cli.Fail("another order has the id %s", in.ID).Next("choose another id, or the same reward")
		}
		out.Already, err = true, nil
	}
	return out, err
}
