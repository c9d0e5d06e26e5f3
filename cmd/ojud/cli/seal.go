package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"ojud/casefile"
	"ojud/cmd/ojud/view"
	"ojud/ledger/onchain"
	"ojud/node/client"
	"ojud/node/client/fit"
	"ojud/node/library"
)

// Openings are those of the checks that the home's creator sealed.
func (a *App) Openings() (library.Openings, error) {
	home, err := a.HomeDir()
	return library.Openings{Dir: filepath.Join(home, "openings")}, err
}

// Checked holds the flags with which a creator shows that the checks of a task work, and seals
// some.
type Checked struct {
	Example string
	Modules []string
	seals   []string
	// Unpinned is whether the data of agents that the task names may change.
	Unpinned bool
}

// Add adds the flags to a command.
func (o *Checked) Add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.Example, "example", "", "file with a right result, on which the task's checks are tried")
	cmd.Flags().StringArrayVar(&o.Modules, "module", nil, "file with a WASI module that a check program of the task names; repeat it for several")
	cmd.Flags().BoolVar(&o.Unpinned, "unpinned", false, "do not pin the data of agents that the task names: a change of it may decide nothing")
	cmd.Flags().StringArrayVar(&o.seals, "seal", nil, "file with a check (path, program or tests, settles, rework) that is added to the task sealed; repeat it for several")
}

// Prepare reads a task and its modules, tries its checks on the example, and seals those that are
// to be sealed. Again is whether an equal task is posted again.
func (o *Checked) Prepare(ctx context.Context, a *App, path string, again bool) (task library.Document, modules []library.Document, err error) {
	if task, err = library.TaskFile(path); err != nil {
		return task, nil, err
	}
	modules, contents, err := library.Modules(o.Modules)
	if err != nil {
		return task, nil, err
	}
	var checks []casefile.Check
	for _, file := range o.seals {
		k, err := library.CheckFile(file)
		if err != nil {
			return task, nil, Usage("--seal: %s", Plain(err))
		}
		checks = append(checks, k)
	}
	in, err := a.Openings()
	if err != nil {
		return task, nil, err
	}
	open, err := in.Open(task, checks)
	if err != nil {
		return task, nil, Usage("--seal: %s", Plain(err))
	}
	if err := o.tried(ctx, open, contents); err != nil {
		return task, nil, err
	}
	switch task, err = in.Seal(task, checks, again); {
	case errors.Is(err, library.ErrOpened):
		return task, nil, Fail("--seal: %s", Plain(err)).Next("post the task with other seals: --again")
	case err != nil:
		return task, nil, err
	}
	return task, modules, o.advise(a, task, checks, in.Dir)
}

// advise says what a creator has to know of its seals. In the task, they are closed.
func (o *Checked) advise(a *App, open library.Document, checks []casefile.Check, dir string) error {
	if len(checks) == 0 {
		return nil
	}
	_, err := fmt.Fprintf(a.Err, "keep %s: an objection opens what you sealed from there, and without it the sealed checks count for nothing\n", view.Escape(dir))
	if err == nil && !slices.ContainsFunc(checks, func(k casefile.Check) bool { return k.Rework > 0 }) {
		_, err = fmt.Fprintln(a.Err, `what you sealed is for the first result; a worker that works again knows it, so that readers have to decide what it settles; seal other checks for that result, with "rework": 1`)
	}
	if err == nil && closedPython(open, checks) {
		_, err = fmt.Fprintln(a.Err, `only sealed checks say that the program is in Python, so judges make counterexamples in JavaScript; add {"path": …, "parses": "python"} to the task`)
	}
	return err
}

// closedPython reports whether tests in Python are sealed, and no open check of the task says that
// their place has Python.
func closedPython(open library.Document, checks []casefile.Check) bool {
	doc, err := casefile.ParseTask(open.Content)
	return err == nil && slices.ContainsFunc(checks, func(k casefile.Check) bool {
		return k.Python() && !slices.ContainsFunc(doc.Value.Expected, func(o casefile.Check) bool { return o.Path == k.Path && o.Python() })
	})
}

// tried tries the check programs of a task on the example.
func (o *Checked) tried(ctx context.Context, task library.Document, modules [][]byte) error {
	if o.Example == "" {
		if fit.Programmed(task.Content) {
			return Usage("the task has check programs, and no example shows that they work").Next("write a right result into a file, and name it: --example RESULT.json")
		}
		return nil
	}
	result, err := library.ResultFile(o.Example)
	if err != nil {
		return err
	}
	if err := fit.Example(ctx, task.Content, result.Content, modules...); err != nil {
		return Fail("the example %s: %s", view.Escape(o.Example), Plain(err)).Next("correct the example or the task: ojud check run tries a program")
	}
	return nil
}

// Object objects to a result, and opens the sealed checks of the task.
func Object(ctx context.Context, a *App, c *client.Client, task onchain.Address, doc library.Document, exhibits []library.Document, unopened bool) (client.TaskDone, error) {
	in, err := a.Openings()
	if err != nil {
		return client.TaskDone{}, err
	}
	raw, err := c.Document(ctx, task)
	switch {
	case errors.Is(err, library.ErrNoContent) && unopened:
		return c.Object(ctx, task, doc, exhibits...)
	case errors.Is(err, library.ErrNoContent):
		return client.TaskDone{}, Fail("no node has the task's file, so that its sealed checks cannot be opened").
			Next("bring it to nodes with \"ojud task publish\"; --unopened objects without it")
	case err != nil:
		return client.TaskDone{}, err
	}
	shown, err := c.Task(ctx, task)
	if err != nil {
		return client.TaskDone{}, err
	}
	doc, openings, absent, err := in.Add(raw, shown.Reworks, doc)
	if err != nil {
		return client.TaskDone{}, err
	}
	if len(absent) > 0 && !unopened {
		return client.TaskDone{}, Fail("expected[%d] of the task is sealed, and its opening is not in %s; what is not opened counts for nothing", absent[0], view.Escape(in.Dir)).
			Next("name the home that created the task with --home, or the opening with --exhibit; --unopened objects without it")
	}
	return c.Object(ctx, task, doc, append(exhibits, openings...)...)
}
