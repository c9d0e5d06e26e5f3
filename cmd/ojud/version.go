package main

import (
	"io"
	"runtime/debug"

	"github.com/spf13/cobra"

	"ojud/node/client"
)

// build is what is known of this binary.
type build struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"` // of the source
	Changed  bool   `json:"changed,omitempty"`  // the source had changes that were not committed
	Time     string `json:"time,omitempty"`     // of the revision
	Go       string `json:"go"`
	Program  string `json:"program_sha256"` // of the oju program inside
}

func newVersion(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Say which version this is, and which program is in it",
		Long: `Version prints the version of ojud, the revision of the source that it was built from, and the SHA-256 of the oju program (an
ELF) that is in it and that a devnet deploys.`,
		Example: `  ojud version
  ojud version --json`,
		Args: takes(0),
		RunE: func(*cobra.Command, []string) error {
			b := thisBuild()
			return a.show(b, func(w io.Writer) error {
				var s sheet
				s.add("ojud", b.Version)
				s.add("revision", b.Revision+map[bool]string{true: " with changes"}[b.Changed])
				s.add("time", b.Time)
				s.add("go", b.Go)
				s.add("program", b.Program)
				return s.write(w)
			})
		},
	}
}

func thisBuild() build {
	b := build{Version: "devel", Program: client.ProgramSHA256()}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	b.Go = info.GoVersion
	if info.Main.Version != "" {
		b.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = s.Value
		case "vcs.time":
			b.Time = s.Value
		case "vcs.modified":
			b.Changed = s.Value == "true"
		}
	}
	return b
}
