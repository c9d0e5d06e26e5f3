package cli

import (
	"ojud/node/client"
	"runtime/debug"
)

// Build describes this binary.
type Build struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"` // of the source
	Changed  bool   `json:"changed,omitempty"`  // the source had changes that were not committed
	Time     string `json:"time,omitempty"`     // of the revision
	Go       string `json:"go"`
	Program  string `json:"program_sha256"` // of the oju program inside
}

// Line describes the build on one line.
func (b Build) Line() string {
	text := "ojud " + b.Version
	if b.Revision != "" {
		text += " (" + b.Revision + map[bool]string{true: " with changes"}[b.Changed] + ")"
	}
	return text
}

// ThisBuild reads the description of this binary.
func ThisBuild() Build {
	b := Build{Version: "devel", Program: client.ProgramSHA256()}
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
