package process

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func noRoom(err error) bool { return errors.Is(err, syscall.ENOSPC) }

// newMemory mounts a memory disk of that size.
func newMemory(t *testing.T, size string) (*volume, error) {
	t.Helper()
	if os.Geteuid() != 0 {
		return nil, errors.New("only root can mount")
	}
	v := &volume{t: t, dir: filepath.Join(t.TempDir(), "disk")}
	if err := errors.Join(os.Mkdir(v.dir, 0o700), command("mount", "-t", "tmpfs", "-o", "size="+size, "tmpfs", v.dir)); err != nil {
		return nil, err
	}
	t.Cleanup(func() {
		if err := command("umount", "-l", v.dir); err != nil {
			t.Error(err)
		}
	})
	return v, nil
}

// TestDiskFull fills the disk of a judge before, during and after its vote. Its node must stop, say
// why, and continue when there is room. It runs with -scenarios all.
func TestDiskFull(t *testing.T) {
	if testing.Short() {
		t.Log("NOT RUN: -short, no disk was full")
		return
	}
	chosen := scenarios(t, "disk")
	if len(chosen) == 0 {
		return
	}
	disk, err := newMemory(t, "256m")
	if err != nil {
		t.Logf("NOT RUN: NO DISK WAS FULL: %v", err)
		return
	}
	c := emptyLaboratory(t, "--commit", "20s", "--reveal", "20s")
	c.connect()
	c.openChain()
	c.addJudge("j1", filepath.Join(disk.dir, "home"), nil)
	for _, name := range []string{"j2", "j3", "j4"} {
		c.addJudge(name, "", nil)
	}
	c.gather()
	for _, s := range chosen {
		t.Run(s.name, func(t *testing.T) { c.play(t, s, nil) })
	}
	c.inspect()
}
