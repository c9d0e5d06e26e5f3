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
	"io/fs"
	"os"
	"path/filepath"
	"slices"
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
	t = &Trail{signer: s, now: now, path: filepath.Join(dir, strings.TrimPrefix(s.Principal().String(), "did:key:")+ending)}
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
	s, err := verify(t.file, Expected{})
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

// Expected is what a verifier knows besides the log.
type Expected struct {
	Agent *delegation.Principal // whose log it must be
	Head  string                // NUMBER:HASH of a line that must be there, as somebody kept it
}

// Verified is what a log that verifies has.
type Verified struct {
	Agent   string `json:"agent"`
	Entries uint64 `json:"entries"`
	First   int64  `json:"first"` // Unix seconds, 0 without entries
	Last    int64  `json:"last"`
	Head    string `json:"head"`           // NUMBER:HASH, to be kept elsewhere
	Torn    bool   `json:"torn,omitempty"` // the last line is unfinished, as a crash leaves it

	hash string
	size int64 // of the whole lines, in bytes
}

// verify reads a log and checks each line: its form, its number, the hash of the line before it and
// the signature. The error names the line.
func verify(r io.Reader, c Expected) (s Verified, err error) {
	s.hash = zeros
	found := c.Head == ""
	var agent *delegation.Principal
	lines := bufio.NewReaderSize(r, maxLine+2)
	for {
		line, err := lines.ReadSlice('\n')
		if errors.Is(err, io.EOF) {
			s.Torn = len(line) > 0
			break
		}
		n := s.Entries + 1
		if errors.Is(err, bufio.ErrBufferFull) || n > maxLines {
			return s, fmt.Errorf("line %d: it is longer than %d bytes, or there are more than %d lines", n, maxLine, maxLines)
		}
		if err != nil {
			return s, err
		}
		line = line[:len(line)-1]
		e, err := parseEntry(line)
		if err != nil {
			return s, fmt.Errorf("line %d: it is no entry of an audit log: %w", n, err)
		}
		if agent == nil {
			agent, s.First = &e.Agent, e.At
			if c.Agent != nil && *c.Agent != e.Agent {
				return s, fmt.Errorf("line %d: it is the log of %s, not of %s", n, e.Agent, *c.Agent)
			}
		}
		if err := e.follows(*agent, n, s.hash); err != nil {
			return s, fmt.Errorf("line %d: %w", n, err)
		}
		sum := sha256.Sum256(line)
		s.hash, s.Entries, s.Last, s.size = hex.EncodeToString(sum[:]), n, e.At, s.size+int64(len(line))+1
		found = found || head{n, s.hash}.String() == c.Head
	}
	if !found {
		return s, fmt.Errorf("the log has %d lines, and none is %.90s: lines were cut off, or the log was written anew", s.Entries, c.Head)
	}
	if agent != nil {
		s.Agent = agent.String()
	}
	s.Head = head{s.Entries, s.hash}.String()
	return s, nil
}

// follows checks an entry as the one with number n after the line with that hash.
func (e entry) follows(agent delegation.Principal, n uint64, before string) error {
	switch {
	case e.Agent != agent:
		return fmt.Errorf("it is of %s, and the log is of %s", e.Agent, agent)
	case e.Seq != n:
		return fmt.Errorf("it has the number %d: lines are missing, repeated or in another order", e.Seq)
	case e.Prev != before:
		return errors.New("it does not follow the line before it: that line was changed, or this one is of another log")
	}
	message, err := e.message()
	if err != nil {
		return err
	}
	if !e.Agent.Verifies(message, e.Sig) {
		return errors.New("the agent did not sign it")
	}
	return nil
}

// VerifyFile verifies the log in a file. A head that lies beside it must be in the log, too.
func VerifyFile(path string, c Expected) (s Verified, err error) {
	kept, err := readHead(path + headEnd)
	if err != nil {
		return s, err
	}
	for _, want := range slices.Compact([]string{c.Head, kept.text()}) {
		f, err := os.Open(path)
		if err != nil {
			return s, err
		}
		c.Head = want
		s, err = verify(f, c)
		if err = errors.Join(err, f.Close()); err != nil {
			return s, err
		}
	}
	return s, nil
}

// text is the head, or nothing if no line was written.
func (h head) text() string {
	if h.Seq == 0 {
		return ""
	}
	return h.String()
}

// Files returns the logs in a folder.
func Files(dir string) (out []string, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		if e.Type().IsRegular() && strings.HasSuffix(e.Name(), ending) {
			out = append(out, filepath.Join(dir, e.Name()))
		}
	}
	return out, err
}
