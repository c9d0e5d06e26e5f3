// Package car writes a case file as a CAR, which any IPFS node can pin, and reads it back (ADR
// 0166).
//
// The root is a folder of UnixFS. It has the file case.json, which is the case file byte for byte,
// and the folder blobs, in which each content of the case has its SHA-256 as its name. So
// the CID of a content is CIDv1 raw of the hash by which the documents of the case name it, and
// each IPFS node that pins the root gives the content to whoever asks for that hash.
//
// A case file has one CAR and one root. The reader makes the blocks of the case file that it found
// again, and refuses a CAR with other blocks. It takes them in any order.
package car

import "ojud/casefile"

// The bounds of a CAR.
const (
	// MaxCAR bounds the bytes of a CAR. It has a case file, its content once more, and less than
	// 4 MiB of names and hashes.
	MaxCAR = 2*casefile.MaxBundle + 4<<20
	// maxBlobs is how many contents a CAR may have: all their names have room in one block of
	// 1 MiB, which is the most that every IPFS node takes.
	maxBlobs = 8_000

	maxBlock = 1 << 20
)

// A content is one raw block, so its CID is its hash.
const _ = uint(maxBlock - casefile.MaxBlob)

// About is what a CAR is.
type About struct {
	Root   string `json:"root"` // its CID
	Blocks int    `json:"blocks"`
}
