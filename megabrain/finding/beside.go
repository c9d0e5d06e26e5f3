package finding

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"

	"ojud/casefile/canon"
)

// The bounds of what stands beside results and scores, in bytes.
const (
	MaxAttachments = 4
	MaxAttachment  = 256 << 10
	maxFileName    = 100
	maxList        = 4 << 10
	maxDocument    = 256 << 10 // of an evaluation
	maxRationale   = 4_000
	maxRemarks     = 16 << 10 // of one evaluator
)

// Attachment is a file beside a result.
type Attachment struct {
	Name   string `json:"name"`
	Type   string `json:"type"`
	Bytes  int    `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// FileName reports whether an attachment may have this name: it is no path, and shows all that it
// has.
func FileName(name string) bool {
	bad := func(r rune) bool { return !unicode.IsPrint(r) || r == '/' || r == '\\' }
	return name != "" && len(name) <= maxFileName && utf8.ValidString(name) && !strings.ContainsFunc(name, bad)
}

// Hash is that of the content.
func (a Attachment) Hash() (hash [32]byte) {
	raw, err := hex.DecodeString(a.SHA256)
	if err == nil {
		copy(hash[:], raw)
	}
	return hash
}

// ReadAttachments reads the list of attachments that a stranger may have written. Nil: it is none.
func ReadAttachments(raw []byte) []Attachment {
	var list struct {
		Attachments []Attachment `json:"attachments"`
	}
	if !readStrict(raw, maxList, &list) || len(list.Attachments) == 0 || len(list.Attachments) > MaxAttachments {
		return nil
	}
	for _, a := range list.Attachments {
		hash, err := hex.DecodeString(a.SHA256)
		plain := len(a.Type) <= maxFileName && !strings.ContainsFunc(a.Type, func(r rune) bool { return r <= ' ' || r > '~' })
		if err != nil || len(hash) != 32 || a.Bytes < 0 || a.Bytes > MaxAttachment || !plain || !FileName(a.Name) {
			return nil
		}
	}
	return list.Attachments
}

// Remark is what the document of an evaluation says of a result beside the score.
type Remark struct {
	Rationale   string            `json:"rationale,omitempty"`
	Corrections []json.RawMessage `json:"corrections,omitempty"` // specific issues, each any JSON
	SameAs      []string          `json:"same_as,omitempty"`     // workers whose results mean the same
}

// ReadRemarks reads the document of an evaluation that a stranger may have written: what it says of
// each worker, by its address. What is too long is cut, or left out.
func ReadRemarks(raw []byte) map[string]Remark {
	type said struct {
		Worker      string            `json:"worker"`
		Rationale   string            `json:"rationale"`
		Why         string            `json:"why"`
		Corrections []json.RawMessage `json:"corrections"`
	}
	var document struct {
		Evaluations []said `json:"evaluations"` // as the API writes it
		Scores      []said `json:"scores"`      // as people and agents write it
		Says
	}
	if canon.Exact(raw, maxDocument) != nil || json.Unmarshal(raw, &document) != nil {
		return nil
	}
	out, left := map[string]Remark{}, maxRemarks
	for _, one := range append(document.Evaluations, document.Scores...) {
		if _, twice := out[one.Worker]; twice {
			continue
		}
		text := one.Rationale + one.Why
		r := Remark{Rationale: strings.ToValidUTF8(text[:min(len(text), maxRationale, left)], "")}
		left -= len(r.Rationale)
		for _, c := range one.Corrections {
			if len(c) <= left {
				left -= len(c)
				r.Corrections = append(r.Corrections, c)
			}
		}
		r.SameAs = document.sameAs(one.Worker)
		if r.Rationale != "" || len(r.Corrections) > 0 || len(r.SameAs) > 0 {
			out[one.Worker] = r
		}
	}
	return out
}

// Proof is what shows a result, as people read it: a text, or hexadecimal digits. The hash of a
// list of attachments is one, too; then it is shown by the list.
func Proof(raw []byte) string {
	if utf8.Valid(raw) && !bytes.ContainsFunc(raw, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return string(raw)
	}
	return "0x" + hex.EncodeToString(raw)
}

func readStrict(raw []byte, limit int, into any) bool {
	if len(raw) > limit {
		return false
	}
	if _, err := canon.JSON(raw, limit); err != nil { // a name stands twice, or it is too deep
		return false
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	return d.Decode(into) == nil
}
