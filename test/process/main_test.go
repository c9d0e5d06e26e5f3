package process

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"ojud/test/parallel"
)

// The roles of this test binary in other processes. A roleProgram becomes the program at binaryVar
// after it has lost its syncs. A roleJudge runs a node by a plan, a roleHost a host of the network
// without a chain, a roleMarket agents that trade, and a roleRelay is the program of an agent.
const (
	role        = "PROCESS_TEST_ROLE"
	roleProgram = "ojud"
	roleJudge   = "judge"
	roleHost    = "host"
	roleMarket  = "market"
	roleRelay   = "relay"
)

// The variables of these roles. planVar holds the plan of a roleJudge as JSON, and binaryVar the
// path of the program. If noSyncs is 1, fsync does nothing.
const (
	planVar   = "PROCESS_TEST_PLAN"
	binaryVar = "PROCESS_TEST_BINARY"
	noSyncs   = "PROCESS_TEST_NO_SYNCS"
)

// TestMain plays a role, or runs the tests.
func TestMain(m *testing.M) {
	var err error
	switch loseSyncs(); os.Getenv(role) {
	case roleProgram:
		err = becomeProgram()
	case roleJudge:
		err = playJudge()
	case roleHost:
		err = playHost()
	case roleMarket:
		err = playMarket()
	case roleRelay:
		err = playRelay()
	default:
		code := parallel.Tests{M: m, AtOnce: courts}.Run()
		if err := program.remove(); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(code)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// courts is the number of tests that run side by side.
const courts = 7

// program is cmd/ojud, built by the first test that needs it.
var program builder

// builder builds the program at most once.
type builder struct {
	once sync.Once
	dir  string
	err  error
}

// built returns the path of the program.
func built(t testing.TB) string {
	t.Helper()
	program.once.Do(program.build)
	if program.err != nil {
		t.Fatal(program.err)
	}
	return program.binary()
}

func (b *builder) binary() string { return filepath.Join(b.dir, "ojud") }

func (b *builder) build() {
	if b.dir, b.err = os.MkdirTemp("", "ojud-process-"); b.err != nil {
		return
	}
	// Without debug information the link takes half the time.
	if out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", b.binary(), "ojud/cmd/ojud").CombinedOutput(); err != nil {
		b.err = fmt.Errorf("go build: %w\n%s", err, out)
	}
}

// remove removes the binary, if there is one.
func (b *builder) remove() error {
	if b.dir == "" {
		return nil
	}
	return os.RemoveAll(b.dir)
}

// testBinary returns the path of this test binary, which plays the roles.
func testBinary(t testing.TB) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}
