package bank_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/devnet/bank"
	"ojud/test/longtest"
)

// crashDir is the environment variable with the chain that the test binary must run as a child
// until it is killed.
const crashDir = "OJUD_TEST_CRASH_DIR"

// TestMain runs the child of TestKilledChainKeepsItsWord instead of the tests if crashDir is set.
func TestMain(m *testing.M) {
	if dir := os.Getenv(crashDir); dir != "" {
		if err := crashChild(dir, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// crashChild sends transactions from four goroutines and reports each when it is acknowledged,
// until it is killed.
func crashChild(dir string, out io.Writer) error {
	b, err := bank.Open(onDisk(dir), testGenesis(), time.Now(), nil, quiet())
	if err != nil {
		return err
	}
	lines := make(chan string)
	failed := make(chan error)
	for worker := range 4 {
		go func() {
			for i := 0; ; i++ {
				got, _, err := b.Airdrop(solana.PublicKey{200, byte(worker)}, solana.LAMPORTS_PER_SOL, solana.Hash{})
				if err == nil && i%20 == 19 {
					err = b.Seal(time.Now())
				}
				if err != nil {
					failed <- err
					return
				}
				lines <- fmt.Sprintf("%s %d %d\n", got.Signature(), worker, got.Slot)
			}
		}()
	}
	for {
		select {
		case line := <-lines:
			if _, err := io.WriteString(out, line); err != nil {
				return err
			}
		case err := <-failed:
			return err
		}
	}
}

// TestKilledChainKeepsItsWord kills a process that runs a chain at random moments. Every
// acknowledged transaction must be there, balances must be exactly the sum of the landed ones, and
// no lamport may be made or lost.
func TestKilledChainKeepsItsWord(t *testing.T) {
	longtest.Only(t)
	rounds := 12
	if testing.Short() {
		rounds = 4
	}
	config := onDisk(t.TempDir())
	acknowledged := map[solana.Signature]uint64{}
	total := uint64(0)
	for round := range rounds {
		killAfter(t, config.Dir, 20+rand.IntN(400), acknowledged)
		b, err := bank.Open(config, testGenesis(), time.Now(), nil, quiet())
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		total = checkPromises(t, b, acknowledged, total)
		closeBank(t, b)
	}
	t.Logf("%d acknowledged transactions in %d kills, none lost", len(acknowledged), rounds)
}

// killAfter runs a child, kills it after that many acknowledgements, and records all of them.
func killAfter(t *testing.T, dir string, n int, acknowledged map[solana.Signature]uint64) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), crashDir+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	in := bufio.NewReader(out)
	for i := 0; ; i++ {
		line, err := in.ReadString('\n')
		if err != nil {
			break // the child is gone; the rest is half a line
		}
		parts := strings.Fields(line)
		slot, err := strconv.ParseUint(parts[2], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		acknowledged[solana.MustSignatureFromBase58(parts[0])] = slot
		if i == n {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != -1 {
		t.Fatalf("the child was not killed: %v", err)
	}
}

// checkPromises returns the capitalization, which must equal total unless total is zero.
func checkPromises(t *testing.T, b *bank.Bank, acknowledged map[solana.Signature]uint64, total uint64) uint64 {
	t.Helper()
	for signature, slot := range acknowledged {
		s, ok, err := b.Status(signature)
		if err != nil || !ok || s.Transaction.Err != nil || s.Transaction.Slot != slot {
			t.Fatalf("acknowledged %s in slot %d is lost or another: %+v %v %v", signature, slot, s, ok, err)
		}
	}
	var now uint64
	b.Read(bank.Processed, func(v *bank.View) {
		landed := uint64(0)
		for worker := range 4 {
			a, _ := v.Account(solana.PublicKey{200, byte(worker)})
			landed += a.Lamports / solana.LAMPORTS_PER_SOL
		}
		if landed != v.Transactions() {
			t.Fatalf("%d airdrops arrived, %d transactions landed", landed, v.Transactions())
		}
		if now = v.Capitalization(); total != 0 && now != total {
			t.Fatalf("capitalization was %d, is %d", total, now)
		}
	})
	return now
}
