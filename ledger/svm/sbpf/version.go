package sbpf

import "encoding/binary"

// Version is the sBPF version that an ELF requests in e_flags.
type Version uint32

// The versions this package runs.
const (
	V0 Version = 0
	V3 Version = 3
)

// eFlagsOffset is the offset of e_flags in an ELF64 header.
const eFlagsOffset = 48

// readVersion returns the version of the file, or ErrUnsupportedVersion if this package cannot run
// it.
func readVersion(elf []byte) (Version, error) {
	if len(elf) < eFlagsOffset+4 {
		return 0, ErrValueOutOfBounds
	}
	switch v := Version(binary.LittleEndian.Uint32(elf[eFlagsOffset:])); v {
	case V0, V3:
		return v, nil
	default:
		return 0, ErrUnsupportedVersion
	}
}
