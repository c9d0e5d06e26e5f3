package trader

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ojud/agent/work"
	"ojud/node/client"
	"ojud/node/library"
)

// The limits of a queue.
const (
	maxOrders = 1_000
	maxQueue  = 16 << 20 // bytes of a file with orders
)

// queue has the orders of a folder or of a file.
type queue struct {
	path    string
	reward  client.Lamports // of an order that names none
	tokens  work.Tokens     // the same
	files   map[string]seenFile
	refused []string // orders that cannot be posted, and why
}

// seenFile is a file as it was read last.
type seenFile struct {
	at     time.Time
	bytes  int64
	orders []order
	faults []string
}

// order is an order with its document.
type order struct {
	work.Order
	document library.Document
}

// line is an order in a file of JSON lines.
type line struct {
	ID     string          `json:"id"`
	Reward string          `json:"reward"`
	Mint   string          `json:"mint"`
	Tokens string          `json:"tokens"`
	Task   json.RawMessage `json:"task"`
}

// read returns the orders, by the names of files, and in a file by lines. Files that did not change
// are not read again.
func (q *queue) read() (all []order, err error) {
	info, err := os.Stat(q.path)
	if err != nil {
		return nil, fmt.Errorf("trader: the queue: %w", err)
	}
	names := []string{q.path}
	if info.IsDir() {
		entries, err := os.ReadDir(q.path)
		if err != nil {
			return nil, fmt.Errorf("trader: the queue: %w", err)
		}
		names = nil
		for _, e := range entries {
			if end := filepath.Ext(e.Name()); e.Type().IsRegular() && (end == ".json" || end == ".jsonl") {
				names = append(names, filepath.Join(q.path, e.Name()))
			}
		}
		slices.Sort(names)
	}
	files := map[string]seenFile{}
	q.refused = nil
	for _, name := range names {
		if len(all) >= maxOrders {
			q.refused = append(q.refused, fmt.Sprintf("%s and later files: a queue has at most %d orders; remove those that are done", filepath.Base(name), maxOrders))
			break
		}
		f, err := q.file(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // removed meanwhile
		}
		if err != nil {
			return nil, err
		}
		files[name] = f
		all = append(all, f.orders[:min(len(f.orders), maxOrders-len(all))]...)
		q.refused = append(q.refused, f.faults...)
	}
	q.files = files
	return all, nil
}

func (q *queue) file(name string) (f seenFile, err error) {
	info, err := os.Stat(name)
	if err != nil {
		return f, err
	}
	if old, ok := q.files[name]; ok && old.at.Equal(info.ModTime()) && old.bytes == info.Size() {
		return old, nil
	}
	f = seenFile{at: info.ModTime(), bytes: info.Size()}
	raw, err := library.ReadFile(name, maxQueue)
	base := filepath.Base(name)
	if err != nil {
		f.faults = append(f.faults, fmt.Sprintf("%s: %v", base, err))
		return f, nil
	}
	if filepath.Ext(name) != ".jsonl" {
		f.add(base, base, raw, q.reward, q.tokens)
		return f, nil
	}
	for n, text := range bytes.Split(raw, []byte("\n")) {
		where := fmt.Sprintf("%s:%d", base, n+1)
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		var l line
		d := json.NewDecoder(bytes.NewReader(text))
		d.DisallowUnknownFields()
		if err := d.Decode(&l); err != nil {
			f.faults = append(f.faults, fmt.Sprintf("%s: %v; a line is such as {\"id\": \"a\", \"reward\": \"0.1sol\", \"task\": {…}}", where, err))
			continue
		}
		reward := q.reward
		if l.Reward != "" {
			if reward, err = client.ParseLamports(l.Reward); err != nil {
				f.faults = append(f.faults, fmt.Sprintf("%s: reward: %v", where, err))
				continue
			}
		}
		beside, err := tokensOf(l.Mint, l.Tokens)
		if err != nil {
			f.faults = append(f.faults, fmt.Sprintf("%s: %v", where, err))
			continue
		}
		if l.Mint == "" {
			beside = q.tokens
		}
		id := where
		if l.ID != "" {
			id = base + ":" + l.ID
		}
		if slices.ContainsFunc(f.orders, func(o order) bool { return o.ID == id }) {
			f.faults = append(f.faults, fmt.Sprintf("%s: the id %.80q stands in an earlier line; give each order its own", where, l.ID))
			continue
		}
		f.add(where, id, l.Task, reward, beside)
	}
	return f, nil
}

// maxID bounds the name of an order, in bytes.
const maxID = 200

func (f *seenFile) add(where, id string, raw []byte, reward client.Lamports, beside work.Tokens) {
	doc, err := library.ReadTask(raw)
	switch {
	case len(id) > maxID:
		f.faults = append(f.faults, fmt.Sprintf("%s: its id has more than %d bytes", where, maxID))
	case err != nil:
		f.faults = append(f.faults, where+": "+strings.TrimSpace(err.Error()))
	case reward == 0:
		f.faults = append(f.faults, where+": it has no reward; name one in the line, or reward in the settings")
	default:
		f.orders = append(f.orders, order{work.Order{ID: id, Document: hex.EncodeToString(doc.Hash[:]), Reward: uint64(reward), Tokens: beside}, doc})
	}
}
