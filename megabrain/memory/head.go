package memory

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"ojud/agent/delegation"
)

// MaxLog is the most promises that a log has.
const MaxLog = 1 << 31

const (
	// maxHead bounds a tree head in bytes.
	maxHead = 1 << 10
	// logName follows the node's did:key in the name of its log.
	logName = "/memory"
	timeKey = "time "
)

// TreeHead is what a node has signed about its log: how many promises there are, and the root of
// their tree. Its form is a checkpoint of transparency logs, a signed note whose key is the node's
// did:key. Make it by SignHead or ParseHead.
type TreeHead struct {
	Node delegation.Principal
	Size int64
	Root Digest
	At   int64 // Unix seconds, as the node says
	text string
}

// signer signs notes for an agent.
type signer struct {
	delegation.Signer
	verifier note.Verifier
}

func (s signer) Name() string    { return s.verifier.Name() }
func (s signer) KeyHash() uint32 { return s.verifier.KeyHash() }
func (s signer) Sign(message []byte) ([]byte, error) {
	sig := s.Signer.Sign(message)
	return sig[:], nil
}

// verifier returns the key by which notes of a node verify.
func verifier(node delegation.Principal) (note.Verifier, error) {
	key, err := note.NewEd25519VerifierKey(node.String()+logName, node[:])
	if err != nil {
		return nil, err
	}
	return note.NewVerifier(key)
}

// SignHead signs a head.
func SignHead(s delegation.Signer, size int64, root Digest, at int64) (TreeHead, error) {
	h := TreeHead{Node: s.Principal(), Size: size, Root: root, At: at}
	v, err := verifier(h.Node)
	if err != nil {
		return TreeHead{}, err
	}
	text, err := note.Sign(&note.Note{Text: h.body()}, signer{s, v})
	h.text = string(text)
	return h, err
}

// body is what is signed.
func (h TreeHead) body() string {
	return fmt.Sprintf("%s%s\n%d\n%s\n%s%d\n", h.Node, logName, h.Size, base64.StdEncoding.EncodeToString(h.Root[:]), timeKey, h.At)
}

// ParseHead reads a head, and verifies its signature.
func ParseHead(text []byte) (TreeHead, error) {
	h, err := parseHead(text)
	if err != nil {
		return TreeHead{}, fmt.Errorf("memory: tree head: %w", err)
	}
	return h, nil
}

func parseHead(text []byte) (h TreeHead, err error) {
	if len(text) > maxHead {
		return h, fmt.Errorf("it has %d bytes; at most %d", len(text), maxHead)
	}
	lines := strings.SplitN(string(text), "\n", 5)
	if len(lines) != 5 {
		return h, errors.New("it has a log, a size, a root and a time, each in a line")
	}
	node, ok := strings.CutSuffix(lines[0], logName)
	if !ok {
		return h, fmt.Errorf("the log is %.80q; it is did:key:z6Mk…%s", lines[0], logName)
	}
	if h.Node, err = delegation.ParsePrincipal(node); err != nil {
		return h, err
	}
	if h.Size, err = strconv.ParseInt(lines[1], 10, 64); err != nil || h.Size < 0 || h.Size > MaxLog {
		return h, fmt.Errorf("the size is %.20q; it is 0 to %d", lines[1], int64(MaxLog))
	}
	root, err := base64.StdEncoding.DecodeString(lines[2])
	if err != nil || len(root) != len(h.Root) {
		return h, fmt.Errorf("the root is %.60q; it is 32 bytes in base64", lines[2])
	}
	copy(h.Root[:], root)
	at, _ := strings.CutPrefix(lines[3], timeKey)
	if h.At, err = strconv.ParseInt(at, 10, 64); err != nil || h.At < 0 || h.At > maxTime {
		return h, fmt.Errorf("the line after the root is %.40q; it is time and Unix seconds", lines[3])
	}
	if none, err := tlog.TreeHash(0, nil); err != nil || h.Size == 0 && h.Root != Digest(none) {
		return h, errors.New("a log of no promises has another root")
	}
	v, err := verifier(h.Node)
	if err != nil {
		return h, err
	}
	n, err := note.Open(text, note.VerifierList(v))
	if err != nil {
		return h, err
	}
	if len(n.Sigs) != 1 || string(text) != fmt.Sprintf("%s\n— %s %s\n", h.body(), n.Sigs[0].Name, n.Sigs[0].Base64) {
		return h, errors.New("it is spelled in another way, or has further signatures")
	}
	h.text = string(text)
	return h, nil
}

// Note returns the signed note.
func (h TreeHead) Note() []byte { return []byte(h.text) }

// String says in a line which head it is.
func (h TreeHead) String() string { return fmt.Sprintf("%d promises, root %.16s", h.Size, h.Root) }

// MarshalText returns the signed note.
func (h TreeHead) MarshalText() ([]byte, error) {
	if h.text == "" {
		return nil, errors.New("memory: a tree head that was not signed")
	}
	return h.Note(), nil
}

// UnmarshalText reads a signed note.
func (h *TreeHead) UnmarshalText(text []byte) (err error) {
	*h, err = ParseHead(text)
	return err
}
