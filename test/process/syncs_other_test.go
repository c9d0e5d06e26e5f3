//go:build !linux

package process

import "errors"

// becomeProgram is there on Linux, where power is cut.
func becomeProgram() error { return errors.New("only Linux can lose syncs") }

// loseSyncs is there on Linux, where power is cut.
func loseSyncs() {}
