package wire

import (
	"encoding/binary"
	"fmt"
	"strings"
)

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
