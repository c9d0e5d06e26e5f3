package verify

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ojud/casefile"
	"ojud/casefile/canon"
)

// form reads the file and checks that it is byte for byte in the one spelling of its content.
func (v *verifier) form() (int, *fault) {
	if len(v.file) > casefile.MaxBundle {
		return 0, faultAt("$", "the file is %d bytes; at most %d", len(v.file), casefile.MaxBundle)
	}
	canonical, err := canon.JSON(v.file, casefile.MaxBundle)
	if err != nil {
		return 0, syntax(v.file, err)
	}
	b, err := casefile.ParseBundle(canonical)
	if err == nil {
		err = b.Check()
	}
	if err != nil {
		var f *casefile.FieldError
		if errors.As(err, &f) {
			return 0, faultAt("$."+f.Field, "%s", f.Problem)
		}
		return 0, faultAt("$", "%v", err)
	}
	v.bundle, v.canonical = b, canonical
	want, err := canon.Indent(canonical)
	if err != nil {
		return 0, faultAt("$", "%v", err)
	}
	if i := firstDifference(v.file, want); i >= 0 {
		return 0, faultAt(pathAt(v.file, int64(i)), "byte %d (line %d): the file is not canonical JSON indented by two spaces with one newline at the end",
			i, 1+bytes.Count(v.file[:min(i, len(v.file))], []byte("\n")))
	}
	return v.known.form(b, len(v.file))
}

// form checks a bundle against what the verifier knows.
func (a Anchors) form(b casefile.Bundle, size int) (int, *fault) {
	if a.Network != nil && b.Network != casefile.Digest(*a.Network) {
		return 0, faultAt("$.network", "is another network than %s", a.Network)
	}
	if a.Program != nil && b.Program != casefile.Address(*a.Program) {
		return 0, faultAt("$.program", "is another program than %s", casefile.Address(*a.Program))
	}
	return size, nil
}

// syntax finds where the file stops being JSON.
func syntax(file []byte, err error) *fault {
	var syntax *json.SyntaxError
	var value json.RawMessage
	if bad := json.Unmarshal(file, &value); errors.As(bad, &syntax) {
		return faultAt(pathAt(file, syntax.Offset-1), "byte %d: %v", syntax.Offset-1, syntax)
	}
	return faultAt("$", "%v", err)
}

// firstDifference returns the first index at which a and b differ, or −1.
func firstDifference(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	if len(a) == len(b) {
		return -1
	}
	return min(len(a), len(b))
}

// pathAt returns the JSON path of the value at a byte of a text, as far as the text can be read.
func pathAt(text []byte, offset int64) string {
	type level struct {
		array bool
		index int
		key   string
		value bool // in an object: the key is read, the value comes
	}
	var stack []level
	d := json.NewDecoder(bytes.NewReader(text))
	for {
		token, err := d.Token()
		if err != nil || d.InputOffset() > offset {
			if key, ok := token.(string); ok && err == nil && len(stack) > 0 && !stack[len(stack)-1].array && !stack[len(stack)-1].value {
				stack[len(stack)-1].key = key
			}
			break
		}
		if delim, ok := token.(json.Delim); ok && (delim == '}' || delim == ']') {
			stack = stack[:len(stack)-1]
		} else if n := len(stack); n > 0 && !stack[n-1].array && !stack[n-1].value {
			stack[n-1].key, stack[n-1].value = token.(string), true
			continue
		} else if ok {
			stack = append(stack, level{array: delim == '['})
			continue
		}
		if n := len(stack); n > 0 {
			stack[n-1].index++
			stack[n-1].value = false
		}
	}
	var path strings.Builder
	path.WriteByte('$')
	for _, l := range stack {
		switch {
		case l.array:
			fmt.Fprintf(&path, "[%d]", l.index)
		case l.key != "":
			path.WriteString(casefile.MemberPath(l.key))
		}
	}
	return path.String()
}

// seal checks the exporter's signature, which covers everything.
func (v *verifier) seal() (int, *fault) {
	if err := v.bundle.VerifySeal(v.canonical); !errors.Is(err, casefile.ErrSignature) && err != nil {
		return 0, faultAt("$", "%v", err)
	} else if err != nil {
		return 0, faultAt("$.seal", "is not the exporter's signature of this content: something in the file was changed after the export")
	}
	return 1, nil
}

// blobs checks that content has the hash it stands under, and that something names it.
func (v *verifier) blobs() (int, *fault) {
	for _, hash := range slices.SortedFunc(maps.Keys(v.bundle.Blobs), casefile.Digest.Compare) {
		if casefile.Digest(casefile.HashOf(v.bundle.Blobs[hash])) != hash {
			return 0, faultAt("$.blobs."+hash.String(), "the content has another hash")
		}
	}
	seen := v.bundle.Named()
	for _, hash := range slices.SortedFunc(maps.Keys(v.bundle.Blobs), casefile.Digest.Compare) {
		if !seen[hash] {
			return 0, faultAt("$.blobs."+hash.String(), "no event and no document names this content")
		}
	}
	return len(v.bundle.Blobs), nil
}

// blob returns content of the file.
func (v *verifier) blob(hash casefile.Digest) ([]byte, bool) {
	content, ok := v.bundle.Blobs[hash]
	return content, ok
}
