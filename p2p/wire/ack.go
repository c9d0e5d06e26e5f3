package wire

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// maxAck bounds the number of messages one acknowledgement covers.
const maxAck = 1<<14 - 1

// ErrAck is returned for bytes that are not an acknowledgement. It is the sender's fault.
var ErrAck = errors.New("wire: bad acknowledgement")

// AppendAck appends the acknowledgement of the next n messages of a push stream,
// 1 to MaxAck, as a minimal uvarint.
func AppendAck(dst []byte, n int) []byte {
	return binary.AppendUvarint(dst, uint64(n))
}

// ReadAck reads one acknowledgement. It returns io.EOF at a clean end.
func ReadAck(r *bufio.Reader) (int, error) {
	first, err := r.ReadByte()
	if err != nil {
		return 0, err
	}
	n := int(first)
	if first >= 0x80 {
		second, err := r.ReadByte()
		switch {
		case errors.Is(err, io.EOF):
			return 0, io.ErrUnexpectedEOF
		case err != nil:
			return 0, err
		case second == 0 || second >= 0x80:
			return 0, fmt.Errorf("%w: not a minimal varint of two bytes", ErrAck)
		}
		n = int(first&0x7f) | int(second)<<7
	}
	if n == 0 || n > maxAck {
		return 0, fmt.Errorf("%w: of %d messages", ErrAck, n)
	}
	return n, nil
}
