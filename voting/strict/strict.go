// Package strict verifies signatures as strictly as Solana's Ed25519 program.
package strict

import "crypto/ed25519"

// Verify reports whether sig is the signature of message by key. Unlike the standard library, it
// refuses keys and nonce points of small order, as Solana's Ed25519 program does.
func Verify(key [32]byte, message []byte, sig [64]byte) bool {
	if SmallOrder(key) || SmallOrder([32]byte(sig[:32])) {
		return false
	}
	return ed25519.Verify(key[:], message, sig[:])
}

// SmallOrder reports whether point encodes one of the eight points whose order divides the
// cofactor, canonically or not: the y coordinate decides, and the sign bit does not matter.
func SmallOrder(point [32]byte) bool {
	point[31] &= 0x7f
	for y := smallOrderY; y != ""; y = y[32:] {
		if y[:32] == string(point[:]) {
			return true
		}
	}
	return false
}

// smallOrderY are the y coordinates of the points of small order, 32 little-endian bytes each, and
// p + y for those that fit in 255 bits. TestSmallOrder multiplies each by the cofactor.
const (
	smallOrderY = "\x01" + zeros + "\x00" + // 1: the identity
		"\x00" + zeros + "\x00" + // 0: order 4
		"\xec" + ones + "\x7f" + // −1: order 2
		"\xed" + ones + "\x7f" + // p, another way to write 0
		"\xee" + ones + "\x7f" + // p + 1, another way to write 1
		"\x26\xe8\x95\x8f\xc2\xb2\x27\xb0\x45\xc3\xf4\x89\xf2\xef\x98\xf0" +
		"\xd5\xdf\xac\x05\xd3\xc6\x33\x39\xb1\x38\x02\x88\x6d\x53\xfc\x05" + // order 8
		"\xc7\x17\x6a\x70\x3d\x4d\xd8\x4f\xba\x3c\x0b\x76\x0d\x10\x67\x0f" +
		"\x2a\x20\x53\xfa\x2c\x39\xcc\xc6\x4e\xc7\xfd\x77\x92\xac\x03\x7a" // order 8

	zeros = "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" +
		"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" // 30 bytes
	ones = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff" +
		"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"
)
