package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
)

// Bounds of the directory exchange.
const (
	MaxDigest    = 4096      // entries in a digest or a list of wanted peers
	MaxBatch     = 256       // announcements in one message
	MaxBatchSize = 256 << 10 // bytes of announcements in one message
	maxRawPeer   = 64        // bytes of a binary peer ID
)

// MaxSync bounds every message of the directory exchange, in bytes.
const MaxSync = 1 + MaxBatchSize + MaxBatch*3 + MaxDigest*(maxRawPeer+1+binary.MaxVarintLen64)

var errSync = errors.New("wire: bad registry message")

// Known is one entry of a digest: the highest sequence number seen of a peer.
type Known struct {
	Peer string // binary peer ID
	Seq  uint64
}

// The first byte of a request names its kind.
const (
	opDigest = 1
	opOffer  = 2
	opSelf   = 3
)

// SyncRequest is one of three requests: a digest of the sender's entries, an offer of announcements
// that the other side asked for, or a question for announcements of the asker itself. A digest and
// a question are answered with a SyncReply.
type SyncRequest struct {
	Digest []Known  // ascending by Peer, no duplicates
	Offer  [][]byte // signed announcements; nil in other requests
	Self   uint64   // the asker's own latest sequence number; 0 in other requests
}

// SyncReply answers a digest. It has announcements that the asker lacks, the peers about which the
// asker knows more, and whether more announcements wait for the next round.
type SyncReply struct {
	News [][]byte
	Want []string
	More bool
}

// EncodeDigest encodes a digest request. known must ascend by Peer.
func EncodeDigest(known []Known) []byte {
	out := []byte{opDigest}
	out = binary.AppendUvarint(out, uint64(len(known)))
	for _, k := range known {
		out = appendBytes(out, k.Peer)
		out = binary.AppendUvarint(out, k.Seq)
	}
	return out
}

// EncodeOffer encodes an offer request.
func EncodeOffer(batch [][]byte) []byte {
	return appendBatch([]byte{opOffer}, batch)
}

// EncodeSelf encodes the question for announcements of the asker after seq, which is 1..MaxSeq.
func EncodeSelf(seq uint64) []byte { return binary.AppendUvarint([]byte{opSelf}, seq) }

// Encode encodes a reply.
func (r SyncReply) Encode() []byte {
	out := []byte{0}
	if r.More {
		out[0] = 1
	}
	out = appendBatch(out, r.News)
	out = binary.AppendUvarint(out, uint64(len(r.Want)))
	for _, p := range r.Want {
		out = appendBytes(out, p)
	}
	return out
}

// DecodeSyncRequest parses a request.
func DecodeSyncRequest(raw []byte) (SyncRequest, error) {
	c := cursor{rest: raw}
	var req SyncRequest
	switch op := c.byte(); op {
	case opDigest:
		req.Digest = c.digest()
	case opOffer:
		req.Offer = c.batch()
	case opSelf:
		if req.Self = c.number(MaxSeq); req.Self == 0 {
			c.fail("sequence number 0")
		}
	default:
		c.fail("unknown operation %d", op)
	}
	if err := c.done(); err != nil {
		return SyncRequest{}, err
	}
	return req, nil
}

// DecodeSyncReply parses a reply.
func DecodeSyncReply(raw []byte) (SyncReply, error) {
	c := cursor{rest: raw}
	more := c.byte()
	if more > 1 {
		c.fail("flag is %d", more)
	}
	reply := SyncReply{More: more == 1, News: c.batch(), Want: c.peers()}
	if err := c.done(); err != nil {
		return SyncReply{}, err
	}
	return reply, nil
}

func appendBytes[T string | []byte](dst []byte, b T) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(b)))
	return append(dst, b...)
}

func appendBatch(dst []byte, batch [][]byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(batch)))
	for _, raw := range batch {
		dst = appendBytes(dst, raw)
	}
	return dst
}

// cursor reads a message and keeps the first error, so that the caller need not check each read.
type cursor struct {
	rest []byte
	err  error
}

func (c *cursor) fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf("%w: %s", errSync, fmt.Sprintf(format, args...))
	}
	c.rest = nil
}

func (c *cursor) byte() byte {
	if len(c.rest) == 0 {
		c.fail("ends early")
		return 0
	}
	b := c.rest[0]
	c.rest = c.rest[1:]
	return b
}

// number reads a minimal uvarint that is at most limit.
func (c *cursor) number(limit uint64) uint64 {
	n, used := binary.Uvarint(c.rest)
	switch {
	case used <= 0 || used > 1 && c.rest[used-1] == 0:
		c.fail("bad number")
		return 0
	case n > limit:
		c.fail("number %d, limit %d", n, limit)
		return 0
	}
	c.rest = c.rest[used:]
	return n
}

func (c *cursor) bytes(limit int) []byte {
	n := int(c.number(uint64(limit)))
	if n > len(c.rest) {
		c.fail("ends early")
		return nil
	}
	out := c.rest[:n]
	c.rest = c.rest[n:]
	return out
}

func (c *cursor) digest() []Known {
	n := int(c.number(MaxDigest))
	var out []Known
	for i := 0; i < n && c.err == nil; i++ {
		k := Known{Peer: string(c.bytes(maxRawPeer)), Seq: c.number(MaxSeq)}
		if k.Peer == "" || i > 0 && c.err == nil && strings.Compare(out[i-1].Peer, k.Peer) >= 0 {
			c.fail("digest is not in ascending order")
		}
		out = append(out, k)
	}
	return out
}

func (c *cursor) batch() [][]byte {
	n := int(c.number(MaxBatch))
	out := make([][]byte, 0, min(n, 16))
	size := 0
	for i := 0; i < n && c.err == nil; i++ {
		raw := c.bytes(MaxAnnouncement)
		if size += len(raw); size > MaxBatchSize {
			c.fail("batch over %d bytes", MaxBatchSize)
		}
		out = append(out, raw)
	}
	return out
}

func (c *cursor) peers() []string {
	n := int(c.number(MaxDigest))
	var out []string
	for i := 0; i < n && c.err == nil; i++ {
		out = append(out, string(c.bytes(maxRawPeer)))
	}
	return out
}

func (c *cursor) done() error {
	if c.err == nil && len(c.rest) > 0 {
		c.fail("%d bytes after the end", len(c.rest))
	}
	return c.err
}
