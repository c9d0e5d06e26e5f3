package sbpf

import (
	"encoding/binary"
	"math/bits"
)

// HashName returns the murmur3 (32 bit, seed 0) hash by which programs name a system call.
func HashName(name string) uint32 { return murmur3([]byte(name)) }

// hashPC returns the hash by which v0 programs call the function at instruction pc.
func hashPC(pc int) uint32 {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(pc))
	return murmur3(b[:])
}

func murmur3(data []byte) uint32 {
	const c1, c2 = 0xcc9e2d51, 0x1b873593
	h := uint32(0)
	n := uint32(len(data))
	for ; len(data) >= 4; data = data[4:] {
		k := binary.LittleEndian.Uint32(data) * c1
		h ^= bits.RotateLeft32(k, 15) * c2
		h = bits.RotateLeft32(h, 13)*5 + 0xe6546b64
	}
	var k uint32
	for i := len(data) - 1; i >= 0; i-- {
		k = k<<8 | uint32(data[i])
	}
	h ^= bits.RotateLeft32(k*c1, 15) * c2
	h ^= n
	h = (h ^ h>>16) * 0x85ebca6b
	h = (h ^ h>>13) * 0xc2b2ae35
	return h ^ h>>16
}
