package sbpf

import "fmt"

// Syscall is a function that the host offers to programs. It returns the value for r0, or an error
// that ends the run.
type Syscall func(m *Machine, a, b, c, d, e uint64) (uint64, error)

// Environment is the set of a program's system calls. It is immutable.
type Environment struct {
	calls  []Syscall
	byHash map[uint32]int
	strict bool
}

// NewEnvironment hashes the names. Two names with one hash are an error. If strict is set, it also
// refuses the ELF defects that Agave accepts when it runs a program and refuses when it deploys one
// (reject_broken_elfs).
func NewEnvironment(syscalls map[string]Syscall, strict bool) (*Environment, error) {
	env := &Environment{byHash: make(map[uint32]int, len(syscalls)), strict: strict}
	for name, call := range syscalls {
		hash := HashName(name)
		if _, taken := env.byHash[hash]; taken {
			return nil, fmt.Errorf("sbpf: system call %s: hash %#x is taken", name, hash)
		}
		env.byHash[hash] = len(env.calls)
		env.calls = append(env.calls, call)
	}
	return env, nil
}

// lookup returns the index of the call with that hash.
func (e *Environment) lookup(hash uint32) (int, bool) {
	i, ok := e.byHash[hash]
	return i, ok
}
