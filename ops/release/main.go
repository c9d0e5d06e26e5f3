// Command release makes the files of a release of ojud, from a clone whose verifiers for pages are
// packed (make pages):
//
//	go run ./ops/release
//	go run ./ops/release -o FOLDER -targets linux/amd64,linux/arm64
//	go run ./ops/release -check
//
// For each target it builds a static binary without symbols, packs it into an archive, and writes
// an SBOM in CycloneDX 1.6 from what the Go linker put into the binary. SHA256SUMS has the sums of
// all these. The same commit, Go and xz give the same bytes in any folder. With -check it clones
// the commit into another folder, makes the release there again, and fails if a file differs.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
)

// allTargets are those of a release. Only linux is run by our tests.
const allTargets = "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64"

func main() {
	folder := flag.String("o", "dist", "folder to write into")
	targets := flag.String("targets", allTargets, "targets to build, separated by commas")
	check := flag.Bool("check", false, "make the release once more from another folder, and compare")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	made, err := targetsOf(*targets)
	if err == nil {
		err = release(ctx, *folder, made, *check)
	}
	if err == nil && *check {
		err = again(ctx, *folder, *targets)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// release makes all files of a release in folder, which it empties first. If clean is set, it
// refuses a source with changes that are not committed, because no other folder has them.
func release(ctx context.Context, folder string, targets []target, clean bool) error {
	if err := packed("casefile/page/release/files"); err != nil {
		return err
	}
	src, err := readSource(ctx)
	if err != nil {
		return err
	}
	if clean && strings.HasSuffix(src.version, "-dirty") {
		return errors.New("there are changes that are not committed, so no other folder can give the same bytes; commit them first")
	}
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil { //nolint:gosec // a release is public
		return err
	}
	for _, t := range targets {
		if err := src.make(ctx, folder, t); err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
	}
	return writeSums(folder)
}

// packed fails if the verifiers for pages are missing: ojud would then be built without them, and
// nothing would say so.
func packed(folder string) error {
	for _, name := range []string{"plain.wasm.xz", "whole.wasm.xz", "wasm_exec.js"} {
		if _, err := os.Stat(filepath.Join(folder, name)); err != nil {
			return fmt.Errorf("the verifiers for pages are not packed (%w); run: make pages", err)
		}
	}
	return nil
}

// again makes the release in a clone of this commit, and compares.
func again(ctx context.Context, folder, targets string) (err error) {
	temp, err := os.MkdirTemp("", "ojud-release-of-another-folder")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	clone := filepath.Join(temp, "clone")
	commit, err := run(ctx, "", nil, "git", "rev-parse", "HEAD")
	if err != nil {
		return err
	}
	for _, args := range [][]string{
		{"git", "clone", "--quiet", "--no-checkout", ".", clone},
		{"git", "-C", clone, "checkout", "--quiet", "--detach", strings.TrimSpace(string(commit))},
	} {
		if _, err := run(ctx, "", nil, args[0], args[1:]...); err != nil {
			return err
		}
	}
	for _, args := range [][]string{{"run", "./casefile/page/pack"}, {"run", "./ops/release", "-o", "dist", "-targets", targets}} {
		if _, err := run(ctx, clone, nil, "go", args...); err != nil {
			return err
		}
	}
	if err := same(folder, filepath.Join(clone, "dist")); err != nil {
		return err
	}
	fmt.Printf("another folder gives the same bytes: %s\n", targets)
	return nil
}
