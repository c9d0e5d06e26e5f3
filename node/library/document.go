package library

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"ojud/agent/judge"
	"ojud/casefile"
	"ojud/casefile/ground"
	"ojud/casefile/settle"
	"ojud/schema"
	"ojud/voting"
)

// Document is content with its hash. The content is canonical JSON, or the bytes of an exhibit.
type Document struct {
	Content []byte
	Hash    voting.Hash
}

// TaskFile reads a task. Its error names the file, the field and the fix. It refuses a schema that
// judges cannot use, and checks of form that settle an instruction, before the reward is locked.
func TaskFile(path string) (Document, error) { return document(path, parseTask) }

// ReadTask is TaskFile for the bytes of a task.
func ReadTask(raw []byte) (Document, error) { return parsed(raw, parseTask) }

// ReadResult is ResultFile for the bytes of a result.
func ReadResult(raw []byte) (Document, error) { return parsed(raw, casefile.ParseResult) }

// parsed reads a document of at most the size that a court takes.
func parsed[T any](raw []byte, parse func([]byte) (casefile.Doc[T], error)) (Document, error) {
	if len(raw) > casefile.MaxDocument {
		return Document{}, fmt.Errorf("%d bytes; a court takes at most %d", len(raw), casefile.MaxDocument)
	}
	doc, err := parse(raw)
	return Document{Content: doc.Raw, Hash: doc.Hash}, err
}

func parseTask(raw []byte) (casefile.Doc[casefile.Task], error) {
	doc, err := settle.Create(raw)
	if err != nil {
		return doc, err
	}
	s, err := judge.Compile(doc.Value.OutputSchema, judge.DefaultLimits())
	switch {
	case err != nil:
		return doc, fmt.Errorf("task file: field %q: %w; give a JSON Schema or the short form, such as {\"text\":\"string\"}", "output_schema", err)
	case s.Idle && string(doc.Value.OutputSchema) != "{}":
		return doc, fmt.Errorf("task file: field %q: accepts every result, so that something in it is misspelt; the short form has the types "+
			"string, number, integer, boolean, object, array, null and any, and {} means that every result will do", "output_schema")
	case s.UnknownFormat != "":
		return doc, fmt.Errorf("task file: field %q: no judge checks the format %q; say it with pattern, or use one of: %s", "output_schema", s.UnknownFormat,
			strings.Join(schema.Formats(), ", "))
	}
	return doc, nil
}

// ResultFile reads a result, which is any JSON.
func ResultFile(path string) (Document, error) { return document(path, casefile.ParseResult) }

// ObjectionFile reads an objection: {"reason", "evidence"}.
func ObjectionFile(path string) (Document, error) { return document(path, casefile.ParseObjection) }

// CounterObjectionFile reads a counter-objection: {"reason", "evidence"}.
func CounterObjectionFile(path string) (Document, error) {
	return document(path, casefile.ParseCounterObjection)
}

func document[T any](path string, parse func([]byte) (casefile.Doc[T], error)) (Document, error) {
	raw, err := ReadFile(path, casefile.MaxDocument)
	if err != nil {
		return Document{}, err
	}
	doc, err := parse(raw)
	if err != nil {
		return Document{}, fmt.Errorf("%s: %w", path, err)
	}
	return Document{Content: doc.Raw, Hash: doc.Hash}, nil
}

// Exhibit reads evidence: any bytes, at most 1 MiB.
func Exhibit(path string) (Document, error) {
	raw, err := ReadFile(path, casefile.MaxBlob)
	if err != nil {
		return Document{}, err
	}
	if len(raw) == 0 {
		return Document{}, fmt.Errorf("%s: is empty; an exhibit has to show something", path)
	}
	return Document{Content: raw, Hash: casefile.HashOf(raw)}, nil
}

// Modules reads the files of modules that a task names.
func Modules(paths []string) (docs []Document, contents [][]byte, err error) {
	for _, path := range paths {
		d, err := Exhibit(path)
		if err != nil {
			return nil, nil, err
		}
		docs, contents = append(docs, d), append(contents, d.Content)
	}
	return docs, contents, nil
}

// WriteObjection makes an objection or counter-objection of a reason, the files of its exhibits and
// grounds, as Argue does.
func WriteObjection(reason string, exhibits []string, grounds ...ground.Ground) (Document, []Document, error) {
	var names []string
	var content []Document
	for _, path := range exhibits {
		d, err := Exhibit(path)
		if err != nil {
			return Document{}, nil, err
		}
		names, content = append(names, filepath.Base(path)), append(content, d)
	}
	doc, err := Argue(reason, names, content, grounds...)
	return doc, content, err
}

// Argue makes an objection or counter-objection of a reason, exhibits with names, and grounds. If
// there is no reason, the grounds say it. Publish the exhibits after it, because nodes take them
// only if they have the document that names them.
func Argue(reason string, names []string, exhibits []Document, grounds ...ground.Ground) (Document, error) {
	o := casefile.Objection{Reason: reason, Grounds: grounds}
	if reason == "" {
		o.Reason = ground.Reason(grounds)
	}
	for i, d := range exhibits {
		o.Evidence = append(o.Evidence, casefile.Exhibit{Name: names[i], SHA256: casefile.Digest(d.Hash), Bytes: uint64(len(d.Content))})
	}
	raw, err := json.Marshal(o)
	if err != nil {
		return Document{}, fmt.Errorf("library: objection: %w", err)
	}
	return parsed(raw, casefile.ParseObjection)
}

// ReadFile reads a file of at most limit bytes. The path "-" is standard input.
func ReadFile(path string, limit int) (raw []byte, err error) {
	in := os.Stdin
	if path != "-" {
		if in, err = os.Open(path); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, in.Close()) }()
	}
	raw, err = io.ReadAll(io.LimitReader(in, int64(limit)+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(raw) > limit {
		return nil, fmt.Errorf("%s: more than %d bytes; that is the most a court takes", path, limit)
	}
	return raw, nil
}
