//go:build !windows

package durable

import "os"

func syncDir(d *os.File) error { return d.Sync() }
