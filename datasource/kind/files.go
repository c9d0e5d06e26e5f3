package kind

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"
)

// filesSource is a folder with some readable files. The request is {"name": …}, with "from" and
// "count" for csv and lines. A source of one file needs no name. The answer is {"name", "modified",
// "content"}, and "more" if there are more rows.
type filesSource struct {
	// Dir is the folder. Nothing outside of it is returned, whatever names and links say.
	Dir string `json:"dir"`
	// Allow lists names or patterns such as "reports/*.json". * and ? do not match a slash.
	Allow []string `json:"allow"`
	// Format is the form of the content: "text" a string, "json" the value, "csv" a list of objects
	// with the names of the first row, "lines" a list of strings. By default text.
	Format string `json:"format,omitempty"`
	// MaxRows bounds the rows or lines of one answer, by default 1000, at most 10000.
	MaxRows int `json:"max_rows,omitempty"`
}

const (
	rowsDefault = 1000
	rowsMost    = 10_000
)

func (f *filesSource) Validate() error {
	if f.Dir == "" {
		return wrong("dir", "is empty; name the folder")
	}
	if len(f.Allow) == 0 || len(f.Allow) > 100 {
		return wrong("allow", "has %d entries; list 1 to 100 names or patterns of files that may be given out", len(f.Allow))
	}
	for i, pattern := range f.Allow {
		if _, err := path.Match(pattern, ""); err != nil || !fs.ValidPath(pattern) || pattern == "." || len(pattern) > 500 {
			return wrong(fmt.Sprintf("allow[%d]", i), "is no name or pattern below dir; write it with slashes and without .., such as \"reports/*.json\"")
		}
	}
	if !slices.Contains([]string{"", "text", "json", "csv", "lines"}, f.Format) {
		return wrong("format", "is none of text, json, csv, lines")
	}
	if f.MaxRows < 0 || f.MaxRows > rowsMost {
		return wrong("max_rows", "is %d; set it to 0 (the default, %d) to %d", f.MaxRows, rowsDefault, rowsMost)
	}
	return nil
}

func filesForm() Form {
	return Form{
		Flag: Flag{"files", "files: their folder; a relative path begins at the working directory", Text},
		More: []Flag{
			{"allow", "name or pattern of files that may be read", List},
			{"format", "text, json, csv or lines (default text)", Text},
			{"max-rows", "rows or lines of one answer, at most 10000 (default 1000)", Count},
		},
		fields: map[string]string{"dir": "files"},
		make: func(v Values) (Settings, error) {
			return &filesSource{Dir: absolute(v.text("files")), Allow: v["allow"], Format: v.text("format"), MaxRows: v.count("max-rows")}, nil
		},
	}
}

const filesAnswer = `{"type":"object","properties":{"name":{"type":"string"},"modified":{"type":"string"},"content":{},"more":{"type":"boolean"}},` +
	`"required":["name","modified","content"]}`

func (f *filesSource) Shape() Shape {
	members, what := map[string]string{"name": schemaText}, "files"
	if f.Format == "csv" || f.Format == "lines" {
		members["from"], members["count"] = schemaCount, schemaCount
	}
	required := []string{"name"}
	if f.single() != "" {
		required, what = nil, "a file"
	}
	return Shape{requestSchema(members, required), json.RawMessage(filesAnswer), what + "; " + asks([]string{"name"})}
}

// single returns the name of the file if the source has only one.
func (f *filesSource) single() string {
	if len(f.Allow) == 1 && !strings.ContainsAny(f.Allow[0], `*?[\`) {
		return f.Allow[0]
	}
	return ""
}

const mostLooked = 10_000 // files

// Sample implements Settings. It asks for the first allowed file.
func (f *filesSource) Sample(env Env) (Sample, error) {
	dir := inside(env.Dir, f.Dir)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return Sample{}, noFolder(dir, err)
	}
	if name := f.single(); name != "" {
		return sampleOf(map[string]any{"name": name})
	}
	found, looked := "", 0
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if looked++; err != nil || looked > mostLooked {
			return fs.SkipAll
		}
		if entry.Type().IsRegular() && f.allows(name) {
			found = name
			return fs.SkipAll
		}
		return nil
	})
	if err != nil || found == "" {
		return Sample{}, err
	}
	return sampleOf(map[string]any{"name": found})
}

func (f *filesSource) allows(name string) bool {
	return fs.ValidPath(name) && slices.ContainsFunc(f.Allow, func(pattern string) bool {
		ok, err := path.Match(pattern, name)
		return err == nil && ok
	})
}

// noFolder returns why a folder cannot be opened.
func noFolder(dir string, err error) error {
	var at *fs.PathError
	switch {
	case errors.As(err, &at):
		return fmt.Errorf("%w: the folder %s cannot be opened: %w", ErrSetup, dir, at.Err)
	case err != nil:
		return fmt.Errorf("%w: the folder %s cannot be opened", ErrSetup, dir)
	}
	return fmt.Errorf("%w: %s is not a folder", ErrSetup, dir)
}

func (f *filesSource) open(env Env, _ *secrets) (Upstream, error) {
	return &folder{f, inside(env.Dir, f.Dir), env.MaxBytes}, nil
}

// folder opens its folder at every answer, because it may be mounted or replaced.
type folder struct {
	*filesSource
	dir      string
	maxBytes int
}

func (*folder) Close() error { return nil }

func (f *folder) Answer(_ context.Context, request json.RawMessage) (json.RawMessage, error) {
	fields, err := members(request)
	if err != nil {
		return nil, err
	}
	name, err := f.name(fields)
	if err != nil {
		return nil, err
	}
	from, count, err := f.window(fields)
	if err != nil {
		return nil, err
	}
	raw, modified, err := f.read(name)
	if err != nil {
		return nil, err
	}
	answer := map[string]any{"name": name, "modified": modified.UTC().Format(time.RFC3339)}
	if err := f.content(answer, raw, from, count); err != nil {
		return nil, err
	}
	return encode(answer)
}

// name returns the requested file, if it is allowed.
func (f *folder) name(fields map[string]any) (string, error) {
	if single := f.single(); fields["name"] == nil && single != "" {
		return single, nil
	}
	name, err := scalar(fields, "name")
	if err != nil {
		return "", err
	}
	if !f.allows(name) {
		return "", fmt.Errorf("%w: %.80q is none of the files of this source", ErrRequest, name)
	}
	return name, nil
}

// window reads the range of requested rows.
func (f *folder) window(fields map[string]any) (from, count int, err error) {
	count = f.MaxRows
	if count == 0 {
		count = rowsDefault
	}
	from, err = whole(fields, "from", 0, 1<<31-1)
	if err != nil {
		return 0, 0, err
	}
	count, err = whole(fields, "count", count, count)
	return from, count, err
}

// whole reads an optional number from 0 to most.
func whole(fields map[string]any, name string, otherwise, most int) (int, error) {
	if fields[name] == nil {
		return otherwise, nil
	}
	number, ok := fields[name].(json.Number)
	n, err := number.Int64()
	if !ok || err != nil || n < 0 || n > int64(most) {
		return 0, fmt.Errorf("%w: %q is no whole number from 0 to %d", ErrRequest, name, most)
	}
	return int(n), nil
}

// read reads a regular file below the folder. Another one could block or have an effect.
func (f *folder) read(name string) (raw []byte, modified time.Time, err error) {
	root, err := os.OpenRoot(f.dir)
	if err != nil {
		return nil, modified, noFolder(f.dir, err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	if info, err := root.Stat(name); err != nil {
		return nil, modified, unread(name, err)
	} else if !info.Mode().IsRegular() {
		return nil, modified, fmt.Errorf("%w: %q is no regular file", ErrRefused, name)
	}
	file, err := root.OpenFile(name, os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return nil, modified, unread(name, err)
	}
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, modified, errors.Join(fmt.Errorf("%w: %q is no regular file", ErrRefused, name), file.Close())
	}
	raw, err = readBounded(file, f.readMost())
	return raw, info.ModTime(), err
}

// unread explains why a file could not be opened, without the path of the folder.
func unread(name string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: there is no file %q", ErrRequest, name)
	}
	return fmt.Errorf("%w: %q cannot be read, or leads out of the folder", ErrRefused, name)
}

// readMost returns the bound on reading a file. Tables may be larger than one answer.
func (f *folder) readMost() int {
	if f.Format == "csv" || f.Format == "lines" {
		return 64 << 20
	}
	return f.maxBytes
}
