package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// bom is the part of CycloneDX 1.6 that we write.
type bom struct {
	Format     string      `json:"bomFormat"`
	Spec       string      `json:"specVersion"`
	Version    int         `json:"version"`
	Metadata   metadata    `json:"metadata"`
	Components []component `json:"components"`
}

type metadata struct {
	Timestamp string    `json:"timestamp"`
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	PURL       string     `json:"purl,omitempty"`
	Hashes     []hash     `json:"hashes,omitempty"`
	Properties []property `json:"properties,omitempty"`
}

type hash struct {
	Alg     string `json:"alg"`
	Content string `json:"content"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// writeBOM lists the modules that the linker says are in a binary.
func writeBOM(to, binary string, s source) error {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return err
	}
	content, err := os.ReadFile(binary)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(content)
	b := newBOM(info, s)
	b.Metadata.Component.Hashes = []hash{{"SHA-256", hex.EncodeToString(sum[:])}}
	raw, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(to, append(raw, '\n'), 0o644) //nolint:gosec // a release is public
}

func newBOM(info *debug.BuildInfo, s source) bom {
	main := component{Type: "application", Ref: "ojud", Name: "ojud", Version: s.version}
	for _, setting := range info.Settings {
		main.Properties = append(main.Properties, property{"ojud:build:" + setting.Key, setting.Value})
	}
	standard := strings.TrimPrefix(info.GoVersion, "go")
	b := bom{
		Format: "CycloneDX", Spec: "1.6", Version: 1,
		Metadata:   metadata{s.time.UTC().Format(time.RFC3339), main},
		Components: []component{{Type: "library", Ref: purl("std", standard), Name: "std", Version: standard, PURL: purl("std", standard)}},
	}
	for _, m := range info.Deps {
		for m.Replace != nil {
			m = m.Replace
		}
		at := purl(m.Path, m.Version)
		b.Components = append(b.Components, component{
			Type: "library", Ref: at, Name: m.Path, Version: m.Version, PURL: at,
			Properties: []property{{"go:sum", m.Sum}},
		})
	}
	slices.SortFunc(b.Components, func(a, b component) int { return strings.Compare(a.Ref, b.Ref) })
	return b
}

// purl names a Go module as package URLs do.
func purl(path, version string) string {
	return fmt.Sprintf("pkg:golang/%s@%s", path, url.QueryEscape(version))
}
