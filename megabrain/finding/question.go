package finding

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// The bounds of a question, in bytes: of one in the description of a task, and of one that stands
// on memory nodes.
const (
	MaxDescription = 400
	MaxQuestion    = 64 << 10
	maxSpelled     = 72 << 10 // in JSON, where a line break has two: agents get it beside all results
)

// elsewhere begins the description of a task whose question stands on memory nodes.
const elsewhere = "sha256:"

// Reference is the description of a task whose question stands on memory nodes.
func Reference(question []byte) string {
	hash := sha256.Sum256(question)
	return elsewhere + hex.EncodeToString(hash[:])
}

// Elsewhere returns the hash of the question that stands on memory nodes, if a description says so.
func Elsewhere(description string) (hash [32]byte, ok bool) {
	digits, ok := strings.CutPrefix(description, elsewhere)
	raw, err := hex.DecodeString(digits)
	if !ok || err != nil || len(raw) != len(hash) || digits != strings.ToLower(digits) {
		return hash, false
	}
	return [32]byte(raw), true
}

// ReadQuestion checks a question that a stranger may have put on memory nodes.
func ReadQuestion(raw []byte) (string, error) {
	switch {
	case len(raw) > MaxQuestion:
		return "", fmt.Errorf("finding: the question has %d bytes; it has at most %d", len(raw), MaxQuestion)
	case !utf8.Valid(raw):
		return "", errors.New("finding: the question is no text in UTF-8")
	case strings.TrimSpace(string(raw)) == "":
		return "", errors.New("finding: the question is empty")
	}
	var spelled bytes.Buffer
	e := json.NewEncoder(&spelled)
	e.SetEscapeHTML(false)
	if err := e.Encode(string(raw)); err != nil {
		return "", fmt.Errorf("finding: the question: %w", err)
	}
	if n := spelled.Len() - len("\n"); n > maxSpelled {
		return "", fmt.Errorf("finding: the question has %d bytes in JSON; it has at most %d", n, maxSpelled)
	}
	return string(raw), nil
}

// Opening is how a question begins, for lists.
func Opening(question string) string {
	if len(question) <= MaxDescription {
		return question
	}
	return strings.ToValidUTF8(question[:MaxDescription], "") + "…"
}
