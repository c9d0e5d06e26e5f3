package guard

import (
	"encoding/binary"
	"math/bits"
)

// syscalls are the syscalls of the embedded chain. The program may call no others.
var syscalls = [...]string{
	"abort",
	"sol_panic_",
	"sol_log_",
	"sol_log_64_",
	"sol_log_pubkey",
	"sol_log_compute_units_",
	"sol_log_data",
	"sol_memcpy_",
	"sol_memmove_",
	"sol_memset_",
	"sol_memcmp_",
	"sol_sha256",
	"sol_set_return_data",
	"sol_get_return_data",
	"sol_get_sysvar",
	"sol_create_program_address",
	"sol_try_find_program_address",
	"sol_invoke_signed_c",
	"sol_get_stack_height",
	"sol_remaining_compute_units",
}

// syscallHashes maps the number of a syscall in sBPF v3 to its name.
func syscallHashes() map[uint32]string {
	hashes := make(map[uint32]string, len(syscalls))
	for _, name := range syscalls {
		hashes[murmur3([]byte(name))] = name
	}
	return hashes
}

// murmur3 is MurmurHash3_x86_32 with seed 0.
func murmur3(data []byte) uint32 {
	var hash uint32
	whole := len(data) / 4 * 4
	for at := 0; at < whole; at += 4 {
		hash ^= mix(binary.LittleEndian.Uint32(data[at:]))
		hash = bits.RotateLeft32(hash, 13)*5 + 0xe6546b64
	}
	var tail [4]byte
	copy(tail[:], data[whole:])
	hash ^= mix(binary.LittleEndian.Uint32(tail[:])) ^ uint32(len(data))
	hash = (hash ^ hash>>16) * 0x85ebca6b
	hash = (hash ^ hash>>13) * 0xc2b2ae35
	return hash ^ hash>>16
}

func mix(word uint32) uint32 {
	return bits.RotateLeft32(word*0xcc9e2d51, 15) * 0x1b873593
}
