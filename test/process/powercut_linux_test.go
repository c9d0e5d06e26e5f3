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

	"ojud/test/longtest"
)

var cutsFlag = flag.Int("cuts", 1, "how often TestCourtPowerCut cuts the power of a judge's disk, and as often of the chain's")

// volume is a small disk. Either it is an ext4 image on a loop device, and its power can be cut, or
// it is memory, and it can be full.
type volume struct {
	t     *testing.T
	image string // empty: tmpfs
	dir   string
	up    bool
}

// newVolume makes and mounts an image. The error says why this machine cannot do that.
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

// cut cuts the power: from now on every write fails, and unflushed data is lost (EXT4_IOC_SHUTDOWN
// without a flush of the log). It does not model torn sectors and disks that lie.
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

// sync writes everything on this disk to its device, and nothing on others.
func (v *volume) sync() error {
	d, err := os.Open(v.dir)
	if err != nil {
		return err
	}
	return errors.Join(unix.Syncfs(int(d.Fd())), d.Close())
}

// again brings the disk back with the data on the device. No process may be using it.
func (v *volume) again() error {
	if err := command("umount", v.dir); err != nil {
		return err
	}
	return command("mount", "-o", "loop", v.image, v.dir)
}

// TestCourtPowerCut cuts the power of a judge's disk and of the chain's disk at random points of
// running cases. Acknowledged data must survive: own votes that others heard of, and transactions.
// make powercut: 100 cuts of each.
func TestCourtPowerCut(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	c, disks, err := newPowered(t)
	if err != nil {
		t.Logf("NOT RUN: NO POWER WAS CUT: no ext4 image can be mounted here: %v", err)
		return
	}
	k, lost, gone := c.cutPower(disks, *cutsFlag, patience)
	if lost > 0 || gone > 0 {
		t.Errorf("%d votes that others may have heard of, and %d acknowledged transactions, were lost", lost, gone)
	}
	c.calm(k)
	c.inspect()
}

// TestCourtPowerCutControl checks that this harness notices lost votes and transactions if syncs do
// nothing.
func TestCourtPowerCutControl(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	c, disks, err := newPowered(t, noSyncs+"=1")
	if err != nil {
		t.Logf("NOT RUN: NO POWER WAS CUT: no ext4 image can be mounted here: %v", err)
		return
	}
	if _, lost, gone := c.cutPower(disks, 1, 8*time.Second); lost == 0 || gone == 0 {
		t.Errorf("%d votes and %d transactions were lost without syncs: this harness would not notice a loss", lost, gone)
	}
}

// powered holds the disks of a court: that of its first judge and that of the chain.
type powered struct{ judge, chain *volume }

// newPowered starts a court whose first judge and chain have disks of their own.
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
	if len(env) > 0 { // only a test binary can lose its syncs
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
	if err := errors.Join(p.judge.sync(), p.chain.sync()); err != nil { // the keys must survive every cut
		t.Fatal(err)
	}
	s.start()
	c.gather()
	return c, p, nil
}

// cutPower cuts the power of both disks cuts times. It counts lost votes that may have been sent,
// and lost transactions that the chain had acknowledged. If the chain does not start within
// limit, all its transactions count as lost.
func (c *laboratory) cutPower(disks powered, cuts int, limit time.Duration) (k *storm, votes, transactions int) {
	c.t.Helper()
	k, end := c.startCases()
	for n := 0; n < cuts && !c.t.Failed(); n++ {
		votes += c.cutPowerOfJudge(k, disks.judge)
		transactions += c.cutPowerOfChain(k, disks.chain, limit)
		if votes+transactions > 0 {
			c.closing.Store(true)
			c.abandon() // a court that lost data cannot continue, and a command would wait for minutes
			break
		}
	}
	if err := end(); err != nil && votes+transactions == 0 { // a court that lost data takes no case
		c.t.Error(err)
	}
	c.t.Logf("%d power cuts of a judge with %d statements sent, and %d of the chain with %d transactions acknowledged", k.kills, len(c.statements(c.seats[0])), k.chains, len(k.acks.sent))
	return k, votes, transactions
}

// cutPowerOfJudge cuts the power of the first judge's disk at a random moment after a signature.
func (c *laboratory) cutPowerOfJudge(k *storm, disk *volume) (lost int) {
	c.t.Helper()
	s := c.seats[0]
	signed := func() int { return len(c.statements(s)) }
	before := signed()
	c.until("j1 signs", func() bool { return signed() > before || len(k.failed) > 0 })
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
		if _, err := readVote(have[name]); err != nil && !c.outlived(name) { // the file is missing, empty or torn
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

// cutPowerOfChain cuts the power of the chain's disk after some acknowledged transactions.
func (c *laboratory) cutPowerOfChain(k *storm, disk *volume, limit time.Duration) (lost int) {
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
	if !c.opensChain(limit) {
		return len(k.acks.sent)
	}
	k.up = append(k.up, time.Since(since))
	gone, err := k.acks.lost(c.t.Context())
	if err != nil {
		c.t.Fatal(err)
	}
	return len(gone)
}
