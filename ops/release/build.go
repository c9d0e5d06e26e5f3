package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// target is an operating system and an architecture, as Go names them.
type target struct{ os, arch string }

func (t target) String() string { return t.os + "/" + t.arch }

func targetsOf(text string) (out []target, err error) {
	for word := range strings.SplitSeq(text, ",") {
		system, arch, ok := strings.Cut(word, "/")
		if !ok || system == "" || arch == "" {
			return nil, fmt.Errorf("target %q: write it as linux/amd64", word)
		}
		out = append(out, target{system, arch})
	}
	return out, nil
}

// program is the name of the binary.
func (t target) program() string {
	if t.os == "windows" {
		return "ojud.exe"
	}
	return "ojud"
}

// source is the commit that a release is made from.
type source struct {
	version string // "v1.2.0", or the last tag, the commits since, and the commit
	time    time.Time
}

func readSource(ctx context.Context) (s source, err error) {
	described, err := run(ctx, "", nil, "git", "describe", "--tags", "--always", "--dirty", "--abbrev=12")
	if err != nil {
		return s, err
	}
	when, err := run(ctx, "", nil, "git", "log", "-1", "--format=%cI")
	if err != nil {
		return s, err
	}
	s.version = strings.TrimSpace(string(described))
	s.time, err = time.Parse(time.RFC3339, strings.TrimSpace(string(when)))
	return s, err
}

// name is the name of a target's files, without what they end in.
func (s source) name(t target) string { return fmt.Sprintf("ojud_%s_%s_%s", s.version, t.os, t.arch) }

// make builds and packs one target.
func (s source) make(ctx context.Context, folder string, t target) error {
	name := s.name(t)
	binary := filepath.Join(folder, name, t.program())
	if err := build(ctx, binary, t); err != nil {
		return err
	}
	info, err := os.Stat(binary)
	if err != nil {
		return err
	}
	if err := writeBOM(filepath.Join(folder, name+".cdx.json"), binary, s); err != nil {
		return err
	}
	archive, err := s.pack(folder, t)
	if err != nil {
		return err
	}
	packed, err := os.Stat(archive)
	if err != nil {
		return err
	}
	fmt.Printf("%s: %.1f MB, packed %.1f MB\n", name, float64(info.Size())/1e6, float64(packed.Size())/1e6)
	return nil
}

// build compiles ojud. What could differ between two machines is fixed here: paths, C, the level of
// the processor, and the build ID.
func build(ctx context.Context, to string, t target) error {
	environ := []string{"GOOS=" + t.os, "GOARCH=" + t.arch, "CGO_ENABLED=0", "GOFLAGS=", "GOAMD64=v1", "GOARM64=v8.0", "GOEXPERIMENT=", "GOWORK=off"}
	_, err := run(ctx, "", environ, "go", "build", "-trimpath", "-buildvcs=true", "-mod=readonly", "-ldflags=-s -w -buildid=", "-o", to, "./cmd/ojud")
	return err
}

// run runs a command in a folder and returns what it printed.
func run(ctx context.Context, dir string, environ []string, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), environ...)
	var faults bytes.Buffer
	cmd.Stderr = &faults
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, faults.String())
	}
	return out, nil
}
