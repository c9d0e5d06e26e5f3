package anex_test

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "write what the scenarios under testdata print now; read the diff before you keep it")

// TestScenarios plays conversations between an asker A and a holder B. A file has blocks of comment
// lines, a command, "----", the results and an empty line, and can be read as documentation. A
// frame goes to the other side at once unless it is held.
func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/*_*.txt")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d scenarios: %v", len(files), err)
	}
	for _, file := range files {
		if filepath.Base(file) == "seed_messages.txt" {
			continue
		}
		t.Run(filepath.Base(file), func(t *testing.T) { playFile(t, file) })
	}
}

func playFile(t *testing.T, file string) {
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	got, err := play(string(want))
	if err != nil {
		t.Fatal(err)
	}
	if *rewrite {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got != string(want) {
		t.Errorf("%s: go test ./datasource/anex -run Scenarios -rewrite, then git diff; it prints now:\n%s", file, got)
	}
}

// play runs the commands of a scenario and returns it with the actual results.
func play(text string) (string, error) {
	s := newStage()
	var out strings.Builder
	lines := bufio.NewScanner(strings.NewReader(text))
	for output := false; lines.Scan(); {
		line := lines.Text()
		switch {
		case output:
			output = line != ""
		case line == "----":
			output = true
		case line == "" || strings.HasPrefix(line, "#"):
			out.WriteString(line + "\n")
		default:
			happened, err := s.run(line)
			if err != nil {
				return "", err
			}
			fmt.Fprintf(&out, "%s\n----\n%s\n", line, happened)
		}
	}
	return out.String(), lines.Err()
}

// TestSeedFlow: seven of the seed's ten messages are the meeting example. The first scenario
// contains each of them byte for byte, in order.
func TestSeedFlow(t *testing.T) {
	text, err := os.ReadFile("testdata/01_seed_meeting.txt")
	if err != nil {
		t.Fatal(err)
	}
	rest := string(text)
	for i, raw := range seedMessages(t) {
		if i == 3 || i == 4 || i == 9 {
			continue // refusal, modification and failure are other endings: scenarios 02, 03 and 04
		}
		_, after, ok := strings.Cut(rest, "send "+string(raw)+"\n")
		if !ok {
			t.Fatalf("message %d is not there, or not in its place: %s", i+1, raw)
		}
		rest = after
	}
}

// TestSeedEndings: the seed's other three messages are in the scenarios of their endings.
func TestSeedEndings(t *testing.T) {
	for i, file := range map[int]string{3: "02_seed_refusal.txt", 4: "03_modification.txt", 9: "04_seed_failure.txt"} {
		text, err := os.ReadFile(filepath.Join("testdata", file))
		if err != nil {
			t.Fatal(err)
		}
		if raw := string(seedMessages(t)[i]); !strings.Contains(string(text), raw+"\n") {
			t.Errorf("%s has not %s", file, raw)
		}
	}
}
