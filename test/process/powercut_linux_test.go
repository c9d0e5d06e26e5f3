package process

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

var cutsFlag = flag.Int("cuts", 1, "how often TestCourtPowerCut cuts the power of a judge's disk, and as often of the chain's")

// volume is a small disk of its own: an ext4 image on a loop device, whose power can be cut, or
// memory, which can be full.
type volume struct {
	t     *testing.T
	image string // empty: tmpfs
	dir   string
	up    bool
}

// newVolume makes and mounts an image; the error says why that cannot be done here.
func newVolume(t *testing.T, size int64) (*volume, error) {
	t.Helper()
	if os.Geteuid() != 0 {
		return nil, errors.New("only root can mount")
	}
	base := t.TempDir()
	v := &volume{t: t, image: filepath.Join(base, "image"), dir: filepath.Join(base, "disk")}
	if err := errors.Join(os.Mkdir(v.dir, 0o700), os.WriteFile(v.image, nil, 0o600), os.Truncate(v.image, size)); err != nil {
		return nil, err
	}
	if err := command("mkfs.ext4", "-q", "-F", v.image); err != nil {
		return nil, err
	}
	return v, v.mount()
}

func (v *volume) mount() error {
	if err := command("mount", "-o", "loop", v.image, v.dir); err != nil {
		return err
	}
	if !v.up {
		v.t.Cleanup(func() {
			if err := command("umount", "-l", v.dir); err != nil {
				v.t.Error(err)
			}
		})
	}
	v.up = true
	return nil
}

// cut cuts the power: from now on every write fails, and what was not on the device is gone
// (EXT4_IOC_SHUTDOWN without a flush of the log). Torn sectors and disks that lie are not modelled.
func (v *volume) cut() error {
	const shutdown, noLogFlush = 0x8004587d, 2 // _IOR('X', 125, __u32)
	d, err := os.Open(v.dir)
	if err != nil {
		return err
	}
	flag := uint32(noLogFlush)
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, d.Fd(), shutdown, uintptr(unsafe.Pointer(&flag)))
	if err := d.Close(); errno == 0 {
		return err
	}
	return fmt.Errorf("EXT4_IOC_SHUTDOWN: %w", errno)
}

// again brings the disk back, as it was on the device. Nobody may use it.
func (v *volume) again() error {
	if err := command("umount", v.dir); err != nil {
		return err
	}
	return command("mount", "-o", "loop", v.image, v.dir)
}

// TestCourtPowerCut cuts the power of the disk of a judge, and of the chain's, at random points of
// running cases. What each acknowledged is there when it is back: own votes that others heard of,
// transactions. make powercut: 100 of each.
func TestCourtPowerCut(t *testing.T) {
	if testing.Short() {
		t.Log("NOT RUN: -short, no power was cut")
		return
	}
	t.Parallel()
	c, disks, err := newPowered(t)
	if err != nil {
		t.Logf("NOT RUN: NO POWER WAS CUT: no ext4 image can be mounted here: %v", err)
		return
	}
	k, lost, gone := c.cutPower(disks, *cutsFlag, time.Minute)
	if lost > 0 || gone > 0 {
		t.Errorf("%d votes that others may have heard of, and %d acknowledged transactions, were lost", lost, gone)
	}
	c.calm(k)
	c.inspect()
}

// TestCourtPowerCutControl: when syncs mean nothing, acknowledged votes and transactions are lost,
// and this harness sees it. It runs alone: newPowered syncs all disks.
func TestCourtPowerCutControl(t *testing.T) {
	if testing.Short() {
		t.Log("NOT RUN: -short, no power was cut")
		return
	}
	c, disks, err := newPowered(t, noSyncs+"=1")
	if err != nil {
		t.Logf("NOT RUN: NO POWER WAS CUT: no ext4 image can be mounted here: %v", err)
		return
	}
	if _, lost, gone := c.cutPower(disks, 1, 8*time.Second); lost == 0 || gone == 0 {
		t.Errorf("%d votes and %d transactions were lost without syncs: this harness would not notice a loss", lost, gone)
	}
}

// powered are the disks of a court: of its first judge, and of the chain.
type powered struct{ judge, chain *volume }

// newPowered is a court whose first judge and whose chain have disks of their own.
func newPowered(t *testing.T, env ...string) (*laboratory, powered, error) {
	t.Helper()
	var p powered
	var err error
	if p.judge, err = newVolume(t, 512<<20); err != nil {
		return nil, p, err
	}
	if p.chain, err = newVolume(t, 512<<20); err != nil {
		return nil, p, err
	}
	c := emptyLaboratory(t, "--commit", "10s", "--reveal", "10s")
	if len(env) > 0 { // a plain binary cannot lose its syncs
		c.env = append(env, role+"="+roleProgram, binaryVar+"="+c.binary)
		c.binary = testBinary(t)
	}
	c.data = filepath.Join(p.chain.dir, "court")
	c.connect()
	c.openChain()
	for i, home := range []string{filepath.Join(p.judge.dir, "home"), "", ""} {
		s := c.addJudge(fmt.Sprint("j", i+1), home, nil)
		s.env = env
	}
	s := c.seats[0]
	s.kill()
	unix.Sync() // the keys stay whatever is lost
	s.start()
	c.gather()
	return c, p, nil
}

// cutPower cuts the power of both disks so often, and counts the votes that were lost although they
// may have been sent, and the transactions that were although the chain had acknowledged them: all,
// if it does not start within patience.
func (c *laboratory) cutPower(disks powered, cuts int, patience time.Duration) (k *storm, votes, transactions int) {
	c.t.Helper()
	k, end := c.startCases()
	for n := 0; n < cuts && !c.t.Failed(); n++ {
		votes += c.cutPowerOfJudge(k, disks.judge)
		transactions += c.cutPowerOfChain(k, disks.chain, patience)
		if votes+transactions > 0 {
			break // a court that has forgotten does not go on
		}
	}
	if err := end(); err != nil && votes+transactions == 0 { // a court that is lost takes no case
		c.t.Error(err)
	}
	c.t.Logf("%d power cuts of a judge with %d statements sent, and %d of the chain with %d transactions acknowledged", k.kills, len(c.statements(c.seats[0])), k.chains, len(k.acks.sent))
	return k, votes, transactions
}

// cutPowerOfJudge cuts the power of the first judge's disk a random moment after it has signed
// something.
func (c *laboratory) cutPowerOfJudge(k *storm, disk *volume) (lost int) {
	c.t.Helper()
	s := c.seats[0]
	signed := func() int { return len(c.statements(s)) }
	before := signed()
	c.until(90*time.Second, "j1 signs", func() bool { return signed() > before || len(k.failed) > 0 })
	if len(k.failed) > 0 {
		c.t.Fatalf("nobody brings a case any more: %v", <-k.failed)
	}
	<-time.After(time.Duration(rand.IntN(1500)) * time.Millisecond)
	sent := c.statements(s)
	if err := disk.cut(); err != nil {
		c.t.Fatal(err)
	}
	k.timed(s)
	s.fell()
	if err := disk.again(); err != nil {
		c.t.Fatal(err)
	}
	k.kills++
	have := s.own()
	for _, v := range sent {
		name := voteFile(v)
		if _, err := readVote(have[name]); err != nil && !c.outlived(name) { // no file, an empty one, or a torn one
			lost++
		}
	}
	s.kept = have
	if lost == 0 {
		s.start()
		c.collect(s)
	}
	return lost
}

// cutPowerOfChain cuts the power of the chain's disk after it has acknowledged some transactions.
func (c *laboratory) cutPowerOfChain(k *storm, disk *volume, patience time.Duration) (lost int) {
	c.t.Helper()
	for range 5 {
		if err := k.acks.pay(c.t.Context()); err != nil {
			c.t.Fatal(err)
		}
	}
	if err := disk.cut(); err != nil {
		c.t.Fatal(err)
	}
	if err := fall(c.chain); err != nil {
		c.t.Fatal(err)
	}
	if err := disk.again(); err != nil {
		c.t.Fatal(err)
	}
	k.chains++
	since := time.Now()
	if !c.opensChain(patience) {
		return len(k.acks.sent)
	}
	k.up = append(k.up, time.Since(since))
	gone, err := k.acks.lost(c.t.Context())
	if err != nil {
		c.t.Fatal(err)
	}
	return len(gone)
}
