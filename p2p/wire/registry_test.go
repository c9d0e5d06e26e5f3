package wire

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
	"testing"
)

func TestDigestRoundTrip(t *testing.T) {
	want := []Known{{"a", 1}, {"ab", MaxSeq}, {"b", 128}}
	req, err := DecodeSyncRequest(EncodeDigest(want))
	if err != nil || !reflect.DeepEqual(req.Digest, want) || req.Offer != nil {
		t.Errorf("%+v, %v", req, err)
	}
}

func TestOfferAndReplyRoundTrip(t *testing.T) {
	batch := [][]byte{[]byte("one"), {}, []byte("three")}
	req, err := DecodeSyncRequest(EncodeOffer(batch))
	if err != nil || !reflect.DeepEqual(req.Offer, batch) || req.Digest != nil {
		t.Errorf("%+v, %v", req, err)
	}
	want := SyncReply{News: batch, Want: []string{"p", "q"}, More: true}
	reply, err := DecodeSyncReply(want.Encode())
	if err != nil || !reflect.DeepEqual(reply, want) {
		t.Errorf("%+v, %v", reply, err)
	}
}

func TestLargestMessagesFitMaxSync(t *testing.T) {
	known := make([]Known, MaxDigest)
	for i := range known {
		known[i] = Known{Peer: string(append(bytes.Repeat([]byte{'p'}, maxRawPeer-2), byte(i>>8), byte(i))), Seq: MaxSeq}
	}
	raw := EncodeDigest(known)
	if _, err := DecodeSyncRequest(raw); err != nil || len(raw) > MaxSync {
		t.Errorf("%d bytes, limit %d: %v", len(raw), MaxSync, err)
	}
}

func TestSyncRefuses(t *testing.T) {
	for name, in := range map[string][]byte{
		"empty":               {},
		"unknown operation":   {9},
		"no count":            {opDigest},
		"count over limit":    {opDigest, 0x81, 0x20},
		"count not minimal":   {opDigest, 0x80, 0},
		"entry missing":       {opDigest, 1},
		"peer cut":            {opDigest, 1, 5, 'a'},
		"empty peer":          {opDigest, 1, 0, 1},
		"peer too long":       append([]byte{opDigest, 1, 65}, make([]byte, 66)...),
		"repeated peer":       EncodeDigest([]Known{{"a", 1}, {"a", 2}}),
		"descending":          EncodeDigest([]Known{{"b", 1}, {"a", 2}}),
		"seq over limit":      EncodeDigest([]Known{{"a", MaxSeq + 1}}),
		"self without number": EncodeSelf(0),
		"self over limit":     EncodeSelf(MaxSeq + 1),
		"trailing":            append(EncodeDigest(nil), 0),
		"batch over its size": EncodeOffer(slices.Repeat([][]byte{make([]byte, MaxAnnouncement)}, MaxBatchSize/MaxAnnouncement+1)),
		"too large an entry":  EncodeOffer([][]byte{make([]byte, MaxAnnouncement+1)}),
	} {
		if req, err := DecodeSyncRequest(in); !errors.Is(err, errSync) {
			t.Errorf("%s: %+v, error %v", name, req, err)
		}
	}
	if _, err := DecodeSyncReply([]byte{2, 0, 0}); !errors.Is(err, errSync) {
		t.Errorf("flag 2: error %v", err)
	}
}

// FuzzSyncRequest: accepted input encodes back to itself.
func FuzzSyncRequest(f *testing.F) {
	f.Add(EncodeDigest([]Known{{"a", 1}, {"b", 2}}))
	f.Add(EncodeOffer([][]byte{[]byte("x")}))
	f.Add(EncodeSelf(MaxSeq))
	f.Fuzz(func(t *testing.T, in []byte) {
		req, err := DecodeSyncRequest(in)
		if err != nil {
			return
		}
		again := EncodeDigest(req.Digest)
		if req.Offer != nil {
			again = EncodeOffer(req.Offer)
		}
		if req.Self != 0 {
			again = EncodeSelf(req.Self)
		}
		if !bytes.Equal(in, again) {
			t.Fatalf("%x became %x", in, again)
		}
	})
}

// FuzzSyncReply: accepted input encodes back to itself.
func FuzzSyncReply(f *testing.F) {
	f.Add(SyncReply{News: [][]byte{[]byte("x")}, Want: []string{"p"}, More: true}.Encode())
	f.Fuzz(func(t *testing.T, in []byte) {
		reply, err := DecodeSyncReply(in)
		if err != nil {
			return
		}
		if again := reply.Encode(); !bytes.Equal(in, again) {
			t.Fatalf("%x became %x", in, again)
		}
	})
}
