package car

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"ojud/casefile"
)

// Errors of a CAR that is not that of a case.
var (
	errForm  = errors.New("car: this is no CAR of a case")
	errOther = errors.New("car: these are not the blocks of the case in it")
)

// second is how a CAR of version 2 begins.
const second = "\x0a\xa1\x67version\x02"

// Is reports whether a file begins as a CAR does. A case file and a page do not.
func Is(raw []byte) bool {
	if bytes.HasPrefix(raw, []byte(second)) {
		return true
	}
	_, n := binary.Uvarint(raw[:min(len(raw), binary.MaxVarintLen64)])
	return n > 0 && (bytes.HasPrefix(raw[n:], []byte("\xa2\x65roots")) || bytes.HasPrefix(raw[n:], []byte("\xa2\x67version")))
}

// Write returns the CAR of a case file. The file need not be verified, but what it has under a hash
// must have that hash.
func Write(file []byte) ([]byte, About, error) {
	blocks, err := blocksOf(file)
	if err != nil {
		return nil, About{}, err
	}
	out := header(blocks[0].id)
	for _, b := range blocks {
		out = binary.AppendUvarint(out, uint64(len(b.id)+len(b.content)))
		out = append(out, b.id[:]...)
		out = append(out, b.content...)
	}
	return out, About{Root: blocks[0].id.String(), Blocks: len(blocks)}, nil
}

// Case returns the case file in a CAR. Every block has the hash that names it, and the blocks are
// those of this case file, no more and no less, in any order. What the case file says is not
// checked.
func Case(raw []byte) ([]byte, About, error) {
	root, found, err := read(raw)
	if err != nil {
		return nil, About{}, err
	}
	file, err := caseIn(root, found)
	if err != nil {
		return nil, About{}, err
	}
	want, err := blocksOf(file)
	if err != nil {
		return nil, About{}, err
	}
	if want[0].id != root {
		return nil, About{}, fmt.Errorf("%w: the root is %s, that of the case %s", errOther, root, want[0].id)
	}
	for _, b := range want {
		if _, ok := found[b.id]; !ok {
			return nil, About{}, fmt.Errorf("%w: block %s is missing", errOther, b.id)
		}
	}
	if len(found) != len(want) {
		return nil, About{}, fmt.Errorf("%w: it has %d, the case %d", errOther, len(found), len(want))
	}
	return file, About{Root: root.String(), Blocks: len(want)}, nil
}

// maxBlocks is how many blocks the largest case has: its contents, the parts of the file, the
// nodes.
const maxBlocks = maxBlobs + MaxCAR/maxBlock + 4

// read reads all blocks of a CAR, and checks the hash of each.
func read(raw []byte) (root id, found map[id][]byte, err error) {
	head := header(id{})
	at := len(head) - len(endOfHeader) - len(root)
	switch {
	case len(raw) > MaxCAR:
		return root, nil, fmt.Errorf("%w: more than %d bytes", errForm, MaxCAR)
	case bytes.HasPrefix(raw, []byte(second)):
		return root, nil, fmt.Errorf("%w: it is a CAR of version 2; write version 1, as ipfs dag export does", errForm)
	case len(raw) < len(head):
		return root, nil, fmt.Errorf("%w: it ends in its header", errForm)
	}
	copy(root[:], raw[at:])
	if !bytes.Equal(raw[:len(head)], header(root)) {
		return root, nil, fmt.Errorf("%w: header: it does not name one root by a CIDv1 in DAG-CBOR", errForm)
	}
	found = map[id][]byte{}
	for rest := raw[len(head):]; len(rest) > 0; {
		b, n, err := readBlock(rest)
		where := len(raw) - len(rest)
		if err != nil {
			return root, nil, fmt.Errorf("%w: byte %d: %w", errForm, where, err)
		}
		if _, twice := found[b.id]; twice {
			return root, nil, fmt.Errorf("%w: byte %d: block %s is there twice", errForm, where, b.id)
		}
		if len(found) == maxBlocks {
			return root, nil, fmt.Errorf("%w: more than %d blocks", errForm, maxBlocks)
		}
		found[b.id], rest = b.content, rest[n:]
	}
	return root, found, nil
}

// readBlock reads the first block of a text, and says how many bytes it has.
func readBlock(text []byte) (b block, n int, err error) {
	size, n := binary.Uvarint(text[:min(len(text), binary.MaxVarintLen64)])
	switch {
	case n <= 0 || n > 1 && text[n-1] == 0:
		return b, 0, errors.New("length: it is no number in its shortest form")
	case size < uint64(len(b.id)) || size > uint64(len(b.id)+maxBlock):
		return b, 0, fmt.Errorf("length: a block of %d bytes; CID and content have %d to %d", size, len(b.id), len(b.id)+maxBlock)
	case size > uint64(len(text)-n):
		return b, 0, fmt.Errorf("length: a block of %d bytes, and %d are left", size, len(text)-n)
	}
	copy(b.id[:], text[n:])
	b.content = text[n+len(b.id) : n+int(size)]
	if codec := b.id[1]; codec != codecRaw && codec != codecDagPB || b.id != idOf(codec, b.content) {
		return b, 0, errors.New("CID: it is not CIDv1, raw or dag-pb, with the SHA-256 of the block")
	}
	return b, n + int(size), nil
}

// caseIn puts case.json together. Its folder is the root, and its parts are linked from one node
// at most, so there is nothing in which to go round.
func caseIn(root id, found map[id][]byte) (file []byte, err error) {
	names, links, err := readNode(found[root])
	if err != nil {
		return nil, fmt.Errorf("%w: the root: %w", errForm, err)
	}
	for i, to := range links {
		if names[i] != "case.json" {
			continue
		}
		parts := []id{to}
		if to[1] == codecDagPB {
			if _, parts, err = readNode(found[to]); err != nil {
				return nil, fmt.Errorf("%w: case.json: %w", errForm, err)
			}
		}
		for _, part := range parts {
			content, ok := found[part]
			if !ok || part[1] != codecRaw {
				return nil, fmt.Errorf("%w: case.json: part %s is missing, or is no raw block", errForm, part)
			}
			if file = append(file, content...); len(file) > casefile.MaxBundle {
				return nil, fmt.Errorf("%w: case.json: more than %d bytes", errForm, casefile.MaxBundle)
			}
		}
		return file, nil
	}
	return nil, fmt.Errorf("%w: its root has no case.json", errForm)
}

// readNode reads the links of a node of DAG-PB. It takes no more than it needs: Case makes the node
// again and compares.
func readNode(content []byte) (names []string, links []id, err error) {
	if content == nil {
		return nil, nil, errors.New("the block is missing")
	}
	err = fields(content, func(number protowire.Number, link []byte) error {
		if number != 2 {
			return nil
		}
		var name string
		var to id
		err := fields(link, func(number protowire.Number, value []byte) error {
			switch {
			case number == 2:
				name = string(value)
			case number == 1 && len(value) != len(to):
				return errors.New("a link is no CIDv1 with a SHA-256")
			case number == 1:
				to = id(value)
			}
			return nil
		})
		names, links = append(names, name), append(links, to)
		return err
	})
	return names, links, err
}

// fields calls see for each field of a message that has bytes, and skips numbers.
func fields(message []byte, see func(protowire.Number, []byte) error) error {
	for len(message) > 0 {
		number, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return protowire.ParseError(n)
		}
		message = message[n:]
		if kind != protowire.BytesType {
			if n = protowire.ConsumeFieldValue(number, kind, message); n < 0 {
				return protowire.ParseError(n)
			}
			message = message[n:]
			continue
		}
		value, n := protowire.ConsumeBytes(message)
		if n < 0 {
			return protowire.ParseError(n)
		}
		if err := see(number, value); err != nil {
			return err
		}
		message = message[n:]
	}
	return nil
}
