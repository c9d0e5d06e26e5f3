//go:build !linux

package process

import "errors"

// becomeProgram is only available on Linux, like power cuts.
func becomeProgram() error { return errors.New("only Linux can lose syncs") }

// loseSyncs is only available on Linux, like power cuts.
func loseSyncs() {}
