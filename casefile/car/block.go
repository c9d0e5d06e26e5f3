package car

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"ojud/casefile"
	"ojud/casefile/canon"
)

// The codecs of the blocks, as multicodec numbers them.
const (
	codecRaw   = 0x55
	codecDagPB = 0x70
)

// id is a CIDv1 with a SHA-256: version, codec, the kind and the length of the hash, the hash.
type id [4 + sha256.Size]byte

// String spells it in base32, as IPFS does.
func (c id) String() string {
	return "b" + strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(c[:]))
}

func idOf(codec byte, content []byte) (c id) {
	sum := sha256.Sum256(content)
	copy(c[:], []byte{1, codec, 0x12, sha256.Size})
	copy(c[4:], sum[:])
	return c
}

// block is a block, and the bytes that it and all below it have.
type block struct {
	id      id
	content []byte
	total   uint64
}

func blockOf(codec byte, content []byte, below uint64) block {
	return block{id: idOf(codec, content), content: content, total: below + uint64(len(content))}
}

// link is a named block in a node of DAG-PB.
type link struct {
	name string
	to   block
}

// node writes a node of DAG-PB: the links first, then the data, which is of UnixFS.
func node(links []link, data []byte) block {
	var content []byte
	var below uint64
	for _, l := range links {
		var one []byte
		one = protowire.AppendTag(one, 1, protowire.BytesType)
		one = protowire.AppendBytes(one, l.to.id[:])
		one = protowire.AppendTag(one, 2, protowire.BytesType)
		one = protowire.AppendString(one, l.name)
		one = protowire.AppendTag(one, 3, protowire.VarintType)
		one = protowire.AppendVarint(one, l.to.total)
		content = protowire.AppendTag(content, 2, protowire.BytesType)
		content = protowire.AppendBytes(content, one)
		below += l.to.total
	}
	content = protowire.AppendTag(content, 1, protowire.BytesType)
	content = protowire.AppendBytes(content, data)
	return blockOf(codecDagPB, content, below)
}

// folder writes a folder. Its links are in the order of their names.
func folder(links ...link) block {
	const kind = 1
	return node(links, protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), kind))
}

// blocksOfFile writes a file: one raw block, or a node that links to raw blocks of 1 MiB, and
// these.
func blocksOfFile(content []byte) []block {
	if len(content) <= maxBlock {
		return []block{blockOf(codecRaw, content, 0)}
	}
	const kind = 2
	data := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), kind)
	data = protowire.AppendVarint(protowire.AppendTag(data, 3, protowire.VarintType), uint64(len(content)))
	var links []link
	var parts []block
	for part := range slices.Chunk(content, maxBlock) {
		b := blockOf(codecRaw, part, 0)
		links, parts = append(links, link{to: b}), append(parts, b)
		data = protowire.AppendVarint(protowire.AppendTag(data, 4, protowire.VarintType), uint64(len(part)))
	}
	return append([]block{node(links, data)}, parts...)
}

// blocksOf makes the blocks of a case file, each once: the root first, and after a node what it
// links to, as ipfs dag export writes them.
func blocksOf(file []byte) ([]block, error) {
	canonical, err := canon.JSON(file, casefile.MaxBundle)
	if err != nil {
		return nil, fmt.Errorf("car: the case file cannot be read: %w", err)
	}
	bundle, err := casefile.ParseBundle(canonical)
	if err != nil {
		return nil, fmt.Errorf("car: the case file cannot be read: %w", err)
	}
	if n := len(bundle.Blobs); n > maxBlobs {
		return nil, fmt.Errorf("car: blobs: the case has %d contents, and a CAR has room for %d; keep the case file itself", n, maxBlobs)
	}
	var blobs []block
	var names []link
	for _, hash := range slices.SortedFunc(maps.Keys(bundle.Blobs), casefile.Digest.Compare) {
		name := hex.EncodeToString(hash[:])
		b := blockOf(codecRaw, bundle.Blobs[hash], 0)
		if [sha256.Size]byte(b.id[4:]) != hash {
			return nil, fmt.Errorf("car: blobs: the content under %s has another hash, so the case file is not verified", name)
		}
		blobs, names = append(blobs, b), append(names, link{name, b})
	}
	inside, parts := folder(names...), blocksOfFile(file)
	root := folder(link{"blobs", inside}, link{"case.json", parts[0]})
	all := slices.Concat([]block{root, inside}, blobs, parts)
	known := map[id]bool{}
	return slices.DeleteFunc(all, func(b block) bool {
		twice := known[b.id]
		known[b.id] = true
		return twice
	}), nil
}

// endOfHeader is what comes after the root there.
const endOfHeader = "\x67version\x01"

// header is the head of a CAR with one root, in DAG-CBOR after its length: {"roots": [root],
// "version": 1}.
func header(root id) []byte {
	text := append([]byte("\xa2\x65roots\x81\xd8\x2a\x58\x25\x00"), root[:]...)
	text = append(text, endOfHeader...)
	return append(binary.AppendUvarint(nil, uint64(len(text))), text...)
}
