// Package audit keeps the audit log of an agent: one file with a line of canonical JSON for each
// thing that the agent did for others or asked of others. Each line has a number, the hash of the
// line before it, and the agent's signature. A second file has the number and hash of the last
// line, so that lines that are cut off are missed.
//
// The log proves what the agent wrote, in which order. Who has the agent's key can write another
// log from its beginning; only a head that somebody else kept shows that (Expected.Head).
package audit

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"ojud/agent/delegation"
	"ojud/casefile/canon"
	"ojud/ledger/journal/durable"
)

const (
	tag      = "ojud:audit:v1"
	maxLine  = 16 << 10
	maxLines = 10_000_000
	// ending ends the name of an audit log.
	ending  = ".audit"
	headEnd = ".head"
)

// AgentInvoke is what an entry says: who called whom, under which delegations, and what became of
// it.
type AgentInvoke struct {
	From       delegation.Principal `json:"from"`
	To         delegation.Principal `json:"to"`
	Capability string               `json:"capability"`
	Call       string               `json:"call"`  // CID of the invocation
	Chain      []string             `json:"chain"` // CIDs of the delegations, root first
	Result     string               `json:"result"`
	Reason     string               `json:"reason"` // of a refusal, what was spent, or the status at the end
	// Outcome is the hash of status, result and error that the agent attested at the end of a call.
	Outcome string `json:"outcome,omitempty"`
	// Conversation names an ANEX conversation or meeting, as Conversation returns it.
	Conversation string `json:"conversation,omitempty"`
}

// Conversation is how a log names a conversation: by a hash, because a peer chooses the id, and a
// log has no words of peers.
func Conversation(id string) string {
	if id == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(id))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// entry is one line of a log.
type entry struct {
	Agent delegation.Principal `json:"agent"`
	At    int64                `json:"at"` // Unix seconds, as the agent says
	Act   AgentInvoke          `json:"act"`
	Prev  string               `json:"prev"` // hash of the line before it, zeros in the first
	Seq   uint64               `json:"seq"`  // from 1
	Sig   []byte               `json:"sig"`
}

// zeros is the hash before the first line.
var zeros = strings.Repeat("0", 2*sha256.Size)

// message is what the agent signs: the tag and the hash of the line without its signature.
func (e entry) message() ([]byte, error) {
	e.Sig = nil
	raw, err := e.encode()
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(raw)
	return append([]byte(tag), sum[:]...), nil
}

func (e entry) encode() ([]byte, error) {
	raw, err := json.Marshal(e)
	if err != nil {
		return nil, err
	}
	return canon.JSON(raw, maxLine)
}

// parseEntry reads one line without its end.
func parseEntry(line []byte) (e entry, err error) {
	if err := canon.Exact(line, maxLine); err != nil {
		return e, err
	}
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&e); err != nil {
		return e, err
	}
	again, err := e.encode()
	if err == nil && !bytes.Equal(again, line) {
		err = errors.New("a member is missing or spelled in another way")
	}
	return e, err
}

// Trail appends to the log of one agent. It may be used by several goroutines at once; one process
// opens a log.
type Trail struct {
	signer delegation.Signer
	path   string
	now    func() int64

	mu   sync.Mutex
	file *os.File
	lock *durable.Lock
	last head
	bad  error // a write of a line failed: nothing is appended any more
	late bool  // the last line is on the disk, and its head is not yet
}

// Open opens the log of the signer in a folder, or makes it. It checks the whole log, and cuts off
// a last line that a crash left unfinished.
func Open(dir string, s delegation.Signer, now func() int64) (t *Trail, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	t = &Trail{signer: s, now: now, path: File(dir, s.Principal())}
	if t.lock, err = durable.Acquire(t.path + ".lock"); err != nil {
		return nil, fmt.Errorf("audit: %s: %w", t.path, err)
	}
	if t.file, err = os.OpenFile(t.path, os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("audit: %w", err), t.lock.Release())
	}
	if err := t.resume(); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

// resume finds the end of the log.
func (t *Trail) resume() error {
	s, err := verify(t.file, Expected{}, nil)
	if err != nil {
		return fmt.Errorf("audit: %s: %w; keep it as evidence, and move it away to begin a new log", t.path, err)
	}
	kept, err := readHead(t.path + headEnd)
	if err != nil {
		return err
	}
	if kept.Seq > s.Entries {
		return fmt.Errorf("audit: %s has %d lines, and its head says %d: the end is missing; keep both as evidence, and move them away to begin a new log", t.path, s.Entries, kept.Seq)
	}
	t.last = head{s.Entries, s.hash}
	if err := t.file.Truncate(s.size); err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	_, err = t.file.Seek(s.size, io.SeekStart)
	return err
}

// Append writes an entry. When it returns nil, the entry is on the disk. If only the head could not
// be written, because the process has no file descriptor left, say, the next Append tries again.
func (t *Trail) Append(act AgentInvoke) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.bad != nil {
		return t.bad
	}
	if t.late {
		if err := t.writeHead(); err != nil {
			return err
		}
	}
	if act.Chain == nil {
		act.Chain = []string{}
	}
	if t.last.Seq >= maxLines {
		return fmt.Errorf("audit: %s has %d lines, which is the most; move it away to begin a new log", t.path, t.last.Seq)
	}
	e := entry{Agent: t.signer.Principal(), At: t.now(), Act: act, Prev: t.last.Hash, Seq: t.last.Seq + 1}
	if e.Seq == 1 {
		e.Prev = zeros
	}
	message, err := e.message()
	if err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	sig := t.signer.Sign(message)
	e.Sig = sig[:]
	line, err := e.encode()
	if err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	sum := sha256.Sum256(line)
	_, err = t.file.Write(append(line, '\n'))
	if err == nil {
		err = t.file.Sync()
	}
	if err != nil {
		t.bad = fmt.Errorf("audit: %s could not be written, and nothing more is done until it is opened again: %w", t.path, err)
		return t.bad
	}
	t.last, t.late = head{e.Seq, hex.EncodeToString(sum[:])}, true
	return t.writeHead()
}

// Complete writes an entry that a crash may have kept from the log, unless the log has one that
// says the same of the same call. It reads the whole log.
func (t *Trail) Complete(act AgentInvoke) error {
	if act.Chain == nil {
		act.Chain = []string{}
	}
	want, err := json.Marshal(act)
	if err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	f, err := os.Open(t.path)
	if err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	there := false
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, maxLine+2)
	for !there && lines.Scan() {
		if !bytes.Contains(lines.Bytes(), []byte(act.Call)) {
			continue
		}
		e, err := parseEntry(lines.Bytes())
		if err != nil {
			continue // it is the line of a crash, which Open cuts off
		}
		has, err := json.Marshal(e.Act)
		there = err == nil && bytes.Equal(has, want)
	}
	if err := errors.Join(lines.Err(), f.Close()); err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	if there {
		return nil
	}
	return t.Append(act)
}

// Close closes the log.
func (t *Trail) Close() error { return errors.Join(t.file.Close(), t.lock.Release()) }
