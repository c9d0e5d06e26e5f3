package wire

import (
	"encoding/binary"
	"errors"
)

// Bounds of the registry exchange.
const (
	MaxDigest    = 4096      // entries in a digest or a list of wanted peers
	MaxBatch     = 256       // announcements in one message
	MaxBatchSize = 256 << 10 // bytes of announcements in one message
	maxRawPeer   = 64        // bytes of a binary peer ID
)

// MaxSync bounds every message of the registry exchange, in bytes.
const MaxSync = 1 + MaxBatchSize + MaxBatch*3 + MaxDigest*(maxRawPeer+1+binary.MaxVarintLen64)

// errSync is wrapped by every error of the decoders of the registry exchange.
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
