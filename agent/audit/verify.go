package audit

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ojud/agent/delegation"
)

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

// LogLine is a line of a log, which follows from the lines before it and which the agent signed.
type LogLine struct {
	At  int64 // Unix seconds, as the agent says
	Act AgentInvoke
	Raw []byte // as it stands in the log, without its end
}

// verify reads a log and checks each line: its form, its number, the hash of the line before it and
// the signature. The error names the line. see gets each line that is right, if it is not nil.
func verify(r io.Reader, c Expected, see func(LogLine)) (s Verified, err error) {
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
		if see != nil {
			see(LogLine{e.At, e.Act, bytes.Clone(line)})
		}
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
		c.Head = want
		if s, err = verifyFile(path, c, nil); err != nil {
			return s, err
		}
	}
	return s, nil
}

func verifyFile(path string, c Expected, see func(LogLine)) (s Verified, err error) {
	f, err := os.Open(path)
	if err != nil {
		return s, err
	}
	s, err = verify(f, c, see)
	return s, errors.Join(err, f.Close())
}

// Read verifies the log in a file as VerifyFile does, and calls see with each line that is right.
// The host of the agent may write to it meanwhile.
func Read(path string, see func(LogLine)) (s Verified, err error) {
	kept, err := readHead(path + headEnd)
	if err != nil {
		return s, err
	}
	return verifyFile(path, Expected{Head: kept.text()}, see)
}

// File is the name of an agent's log in a folder.
func File(dir string, agent delegation.Principal) string {
	return filepath.Join(dir, strings.TrimPrefix(agent.String(), "did:key:")+ending)
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
