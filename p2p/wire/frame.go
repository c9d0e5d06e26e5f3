package wire

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Status is the first byte of every frame: OK for a message, anything else for a refusal that ends
// the exchange.
type Status uint8

// The wire values are part of the protocol and never change meaning.
const (
	OK         Status = iota // a message follows
	NotFound                 // the holder does not have it: ask another
	Busy                     // over a rate or concurrency limit: ask another, or later
	Refused                  // not for you: ask another
	BadRequest               // the request itself is wrong: no holder will answer it
	Internal                 // the holder failed: ask another
	statuses                 // number of values
)

// String names the status in plain words, as it appears in errors and metrics.
func (s Status) String() string {
	names := [statuses]string{"ok", "not found", "busy", "refused", "bad request", "internal error"}
	if s < statuses {
		return names[s]
	}
	return fmt.Sprintf("unknown status %d", uint8(s))
}

// MaxText bounds the payload of a frame whose status is not OK: a sentence for
// a log, in bytes.
const MaxText = 256

// Errors of the frame decoder. All of them are the sender's fault.
var (
	ErrFrameTooLarge = errors.New("wire: frame too large")
	ErrFrameStatus   = errors.New("wire: unknown frame status")
	errFrameLength   = errors.New("wire: frame length is not a minimal varint")
)

// Malformed reports whether err is one of those three.
func Malformed(err error) bool {
	return errors.Is(err, ErrFrameTooLarge) || errors.Is(err, ErrFrameStatus) || errors.Is(err, errFrameLength)
}

// growStep is how much memory a frame may claim before its bytes have arrived.
const growStep = 16 << 10

// AppendFrame appends one frame: status byte, payload length as a minimal
// uvarint, payload. The caller keeps payload within the reader's limit.
func AppendFrame(dst []byte, st Status, payload []byte) []byte {
	dst = append(dst, byte(st))
	dst = binary.AppendUvarint(dst, uint64(len(payload)))
	return append(dst, payload...)
}

// FrameSize is the number of bytes AppendFrame adds for a payload of n bytes.
func FrameSize(n int) int {
	return 1 + len(binary.AppendUvarint(nil, uint64(n))) + n
}

// ReadFrame reads one frame whose payload has at most limit bytes (MaxText if the status is not
// OK). It returns io.EOF at a clean end between two frames and io.ErrUnexpectedEOF inside one.
// Memory grows with the bytes that arrived, not with the claimed length.
func ReadFrame(r *bufio.Reader, limit int) (Status, []byte, error) {
	first, err := r.ReadByte()
	if err != nil {
		return 0, nil, err
	}
	st := Status(first)
	if st >= statuses {
		return 0, nil, fmt.Errorf("%w: %d", ErrFrameStatus, first)
	}
	if st != OK {
		limit = MaxText
	}
	n, err := readLength(r, limit)
	if err != nil {
		return 0, nil, err
	}
	payload, err := readPayload(r, n)
	return st, payload, err
}

// BufferedFrame reports whether r already holds one whole frame, so that the
// caller can read it without waiting. It never reads from the connection.
func BufferedFrame(r *bufio.Reader) bool {
	head, _ := r.Peek(min(r.Buffered(), 1+binary.MaxVarintLen64)) // cannot fail: the bytes are buffered
	if len(head) < 2 {
		return false
	}
	n, used := binary.Uvarint(head[1:])
	return used > 0 && n <= uint64(r.Buffered()) && r.Buffered() >= 1+used+int(n)
}

func readLength(r *bufio.Reader, limit int) (int, error) {
	var n uint64
	for shift := 0; ; shift += 7 {
		b, err := r.ReadByte()
		if err != nil {
			return 0, cut(err)
		}
		if b == 0 && shift > 0 || shift > 28 {
			return 0, errFrameLength
		}
		n |= uint64(b&0x7f) << shift
		if b < 0x80 {
			break
		}
	}
	if n > uint64(limit) {
		return 0, fmt.Errorf("%w: %d bytes, limit %d", ErrFrameTooLarge, n, limit)
	}
	return int(n), nil
}

func readPayload(r *bufio.Reader, n int) ([]byte, error) {
	buf := make([]byte, min(n, growStep))
	got := 0
	for {
		m, err := io.ReadFull(r, buf[got:])
		got += m
		if err != nil {
			return nil, cut(err)
		}
		if got == n {
			return buf, nil
		}
		grown := make([]byte, min(n, 2*len(buf)))
		copy(grown, buf)
		buf = grown
	}
}

// cut turns the end of the stream inside a frame into io.ErrUnexpectedEOF.
func cut(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

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
