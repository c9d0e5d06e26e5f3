// Package container_test checks that the compose file and the files that it mounts fit each other.
package container_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestCompose: each file that compose.yaml mounts is there, and Prometheus asks each node that it
// starts, at the host name and port that its API takes.
func TestCompose(t *testing.T) {
	t.Parallel()
	read := func(name string) string {
		t.Helper()
		raw, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	text, targets := read("compose.yaml"), read("prometheus.yml")
	mounts := regexp.MustCompile(`- \./(\S+?):/`).FindAllStringSubmatch(text, -1)
	if len(mounts) != 5 {
		t.Errorf("%d files are mounted", len(mounts))
	}
	for _, m := range mounts {
		read(m[1])
	}
	nodes := regexp.MustCompile(`hostname: (\w+)`).FindAllStringSubmatch(text, -1)
	for _, n := range nodes {
		if !strings.Contains(text, "--set=api.hosts="+n[1]) || !strings.Contains(targets, `"`+n[1]+`:4601"`) {
			t.Errorf("Prometheus cannot ask %s", n[1])
		}
	}
	if len(nodes) != 2 || strings.Count(text, "--set=api.listen=0.0.0.0:4601") != 2 || regexp.MustCompile(`ports:.*4601`).MatchString(text) {
		t.Error("the API of a node is not as Prometheus expects it, or its port is published")
	}
}
