package sbpf

import "fmt"

// ElfError says why a file was refused. Its text is Agave's.
type ElfError string

func (e ElfError) Error() string { return string(e) }

// Reasons without parameters.
const (
	ErrEntrypointOutOfBounds ElfError = "Entrypoint out of bounds"
	ErrInvalidEntrypoint     ElfError = "Invalid entrypoint"
	ErrWrongEndianness       ElfError = "Incompatible ELF: wrong endianess"
	ErrWrongABI              ElfError = "Incompatible ELF: wrong ABI"
	ErrWrongMachine          ElfError = "Incompatible ELF: wrong machine"
	ErrWrongClass            ElfError = "Incompatible ELF: wrong class"
	ErrWrongType             ElfError = "Incompatible ELF: wrong type"
	ErrNotOneTextSection     ElfError = "Multiple or no text sections, consider removing llc option: -function-sections"
	ErrValueOutOfBounds      ElfError = "Offset or value is out of bounds"
	ErrInvalidProgramHeader  ElfError = "Invalid ELF program header"
	ErrUnsupportedVersion    ElfError = "Detected sbpf_version required by the executable which are not enabled"
)

// Reasons of the ELF parser below. The caller sees them as "Failed to parse ELF file: …".
const (
	errInvalidFileHeader    = parseFailure + "invalid file header"
	errInvalidSectionHeader = parseFailure + "invalid section header"
	errInvalidSize          = parseFailure + "invalid size"
	errOverlap              = parseFailure + "values overlap"
	errSectionNotInOrder    = parseFailure + "sections not in ascending order"
	errNoSectionNames       = parseFailure + "no section name string table found"
	errInvalidDynamic       = parseFailure + "invalid dynamic section table"
	errInvalidAlignment     = parseFailure + "invalid alignment"

	parseFailure ElfError = "Failed to parse ELF file: "
)

func errStringTooLong(s string, limit int) error {
	return ElfError(fmt.Sprintf("%sSection or symbol name `%s` is longer than `%d` bytes", string(parseFailure), s, limit))
}

func errWritableSection(name string) error {
	return ElfError("Found writable section (" + name + ") in ELF, read-write data not supported")
}

func errJumpOutOfBounds(pc int) error {
	return ElfError(fmt.Sprintf("Relative jump out of bounds at instruction #%d", pc))
}

func errHashCollision(hash uint32) error {
	return ElfError(fmt.Sprintf("Symbol hash collision %#x", hash))
}

func errInvalidVirtualAddress(addr uint64) error {
	return ElfError(fmt.Sprintf("Relocation failed, invalid referenced virtual address %#x", addr))
}

func errUnknownRelocation(kind uint32) error {
	return ElfError(fmt.Sprintf("Relocation failed, unknown type %d", kind))
}

func errUnknownSymbol(index uint64) error {
	return ElfError(fmt.Sprintf("Unknown symbol with index %d", index))
}

func errUnresolvedSymbol(name string, insn, offset uint64) error {
	return ElfError(fmt.Sprintf("Unresolved symbol (%s) at instruction #%d (ELF file offset %#x)", name, insn, offset))
}

// verifierError says why the verifier refused a program. Its text is Agave's.
type verifierError string

func (e verifierError) Error() string { return "Verifier error: " + string(e) }

// Fault says why a running program stopped, except for system calls. Its text is Agave's.
type Fault string

func (f Fault) Error() string { return string(f) }

// Faults without parameters.
const (
	FaultCallDepthExceeded      Fault = "exceeded max BPF to BPF call depth"
	FaultDivideByZero           Fault = "divide by zero at BPF instruction"
	FaultExecutionOverrun       Fault = "attempted to execute past the end of the text segment at BPF instruction"
	FaultCallOutsideText        Fault = "callx attempted to call outside of the text segment"
	FaultExceededInstructions   Fault = "exceeded CUs meter at BPF instruction"
	FaultUnsupportedInstruction Fault = "unsupported BPF instruction"
)

// SyscallError carries the error of a system call.
type SyscallError struct{ Err error }

func (e *SyscallError) Error() string { return "Syscall error: " + e.Err.Error() }

// Unwrap returns the system call's own error.
func (e *SyscallError) Unwrap() error { return e.Err }
