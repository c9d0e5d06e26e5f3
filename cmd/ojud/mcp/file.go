package mcp

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"ojud/agent/face"
	"ojud/cmd/ojud/cli"
	"ojud/node/client"
	"ojud/node/client/compare"
	"ojud/node/client/offline"
)

type fileOut struct {
	File  string `json:"file"` // its name in the folder
	Bytes int    `json:"bytes"`
	// Complete means that every judge of the last round who revealed has confirmed the result.
	Complete bool `json:"complete"`
}

func (c *court) caseFile(ctx context.Context, in taskIn, _ face.Say) (any, error) {
	at, err := address("task", in.Task)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(c.files, 0o700); err != nil {
		return nil, err
	}
	there, err := os.ReadDir(c.files)
	if err != nil {
		return nil, err
	}
	if len(there) >= mostFiles {
		return nil, cli.Fail("the folder of case files has %d files, and it takes no more", len(there)).Next("the operator has to remove some")
	}
	running, err := c.app.Node()
	if err != nil {
		return nil, err
	}
	complete, err := running.Await(ctx, at, patience)
	if err != nil {
		return nil, err
	}
	file, err := running.CaseFile(ctx, at)
	if err != nil {
		return nil, err
	}
	name := at.String() + suffix
	return fileOut{name, len(file), complete}, replace(filepath.Join(c.files, name), file)
}

// replace writes the whole file or nothing.
func replace(path string, content []byte) error {
	part, err := os.CreateTemp(filepath.Dir(path), "part-*")
	if err != nil {
		return err
	}
	_, err = part.Write(content)
	if err = errors.Join(err, part.Close()); err == nil {
		err = os.Rename(part.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(part.Name()))
	}
	return nil
}

// path finds a case file in the folder by its name. A name that leads elsewhere is refused.
func (c *court) path(name string) (string, error) {
	if name != filepath.Base(name) || !strings.HasSuffix(name, suffix) || strings.ContainsAny(name, `/\:`) {
		return "", cli.Usage("file has to be the name of a case file in the folder of case files, such as TASK%s", suffix)
	}
	path := filepath.Join(c.files, name)
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return "", cli.Fail("the folder of case files has no file %s", name).Next("write it with the tool case_file")
	}
	return path, nil
}

type verifyIn struct {
	File    string `json:"file" jsonschema:"name of a case file, as the tool case_file returns it"`
	Offline bool   `json:"offline,omitempty" jsonschema:"check the file by itself, without the court's chain; then it may be consistent and of no court"`
}

type verifyOut struct {
	OK     bool             `json:"ok"`
	Court  compare.Compared `json:"court"`
	Report client.Report    `json:"report"`
}

func (c *court) verify(ctx context.Context, in verifyIn, _ face.Say) (any, error) {
	path, err := c.path(in.File)
	if err != nil {
		return nil, err
	}
	select {
	case c.verifying <- struct{}{}:
		defer func() { <-c.verifying }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	var out verifyOut
	if in.Offline {
		out.Report, err = offline.Verify(path)
	} else {
		of, opened := c.open()
		if opened != nil {
			return nil, opened
		}
		out.Report, out.Court, err = of.VerifyFile(ctx, path)
	}
	out.OK = err == nil && out.Report.OK() && out.Court.Fault == ""
	return out, err
}

type whyIn struct {
	Task  string `json:"task,omitempty" jsonschema:"address of the task, to ask the node that runs here"`
	File  string `json:"file,omitempty" jsonschema:"name of a case file, to read it instead"`
	Judge string `json:"judge,omitempty" jsonschema:"address of the judge; without it the judge of the node, or the file's exporter"`
}

func (c *court) why(ctx context.Context, in whyIn, _ face.Say) (any, error) {
	judge, err := cli.Address("judge", in.Judge)
	if err != nil {
		return nil, err
	}
	if (in.File == "") == (in.Task == "") {
		return nil, cli.Usage("give either task or file")
	}
	if in.File != "" {
		path, err := c.path(in.File)
		if err != nil {
			return nil, err
		}
		return offline.Why(path, judge)
	}
	at, err := address("task", in.Task)
	if err != nil {
		return nil, err
	}
	running, err := c.app.Node()
	if err != nil {
		return nil, err
	}
	return running.Why(ctx, at, judge)
}
