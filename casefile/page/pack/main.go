// Command pack is the build step of the verifiers for pages. It compiles them to WebAssembly, packs
// them with xz, and writes them where the next build of ojud embeds them:
//
//	go run ./casefile/page/pack
//	go run ./casefile/page/pack -o FOLDER
//
// It needs the go command and xz (Debian: xz-utils; macOS: brew install xz). It takes about a
// minute the first time, and packs again only what has changed.
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"ojud/casefile/page"
)

func main() {
	folder := flag.String("o", "casefile/page/release/files", "folder to write into")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := pack(ctx, *folder); err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

// source is the package of the verifier.
const source = "ojud/casefile/page/wasm"

func pack(ctx context.Context, folder string) (err error) {
	if _, err := exec.LookPath("xz"); err != nil {
		return errors.New("xz is missing; Debian: apt-get install -y xz-utils, macOS: brew install xz")
	}
	temp, err := os.MkdirTemp("", "ojud-pack")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	root, err := run(ctx, nil, "go", "env", "GOROOT")
	if err != nil {
		return err
	}
	script, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return err
	}
	for _, e := range []page.Engine{page.Plain, page.Whole} {
		fmt.Fprintf(os.Stderr, "the %s verifier for pages: compiling\n", e)
		module := filepath.Join(temp, string(e)+".wasm")
		args := slices.Concat([]string{"build", "-trimpath", "-buildvcs=false", "-tags", string(e), "-ldflags=-s -w -buildid=", "-o", module}, inlining(), []string{source})
		if _, err := run(ctx, []string{"GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS="}, "go", args...); err != nil {
			return err
		}
		raw, err := os.ReadFile(module)
		if err != nil {
			return err
		}
		if err := squeeze(ctx, module, filepath.Join(folder, string(e)+".wasm.xz"), raw); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(folder, "wasm_exec.js"), script, 0o644) //nolint:gosec // it is no secret
}

// inlining compiles without inlined calls, because a module packs a tenth smaller then, and with
// them where the time goes: hashes and signatures, canonical JSON, the runtime, and the engine of
// check programs.
func inlining() []string {
	out := []string{"-gcflags=all=-l"}
	for _, quick := range []string{"crypto/...", "ojud/casefile/canon", "runtime/...", "github.com/tetratelabs/wazero/..."} {
		out = append(out, "-gcflags="+quick+"=")
	}
	return out
}

// squeeze packs a module, unless the same one was packed before.
func squeeze(ctx context.Context, module, to string, raw []byte) error {
	sum := sha256.Sum256(raw)
	mark := hex.EncodeToString(sum[:])
	if had, err := os.ReadFile(to + ".of"); err == nil && string(had) == mark {
		if _, err := os.Stat(to); err == nil {
			return nil
		}
	}
	fmt.Fprintf(os.Stderr, "packing %d bytes\n", len(raw))
	packed, err := run(ctx, nil, "xz", "--check=crc32", "-9e", "-T1", "--stdout", module)
	if err != nil {
		return err
	}
	if err := os.WriteFile(to, packed, 0o644); err != nil { //nolint:gosec // it is no secret
		return err
	}
	return os.WriteFile(to+".of", []byte(mark), 0o644) //nolint:gosec // it is no secret
}

// run runs a command and returns what it printed.
func run(ctx context.Context, environ []string, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), environ...)
	var faults bytes.Buffer
	cmd.Stderr = &faults
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, faults.String())
	}
	return out, nil
}
