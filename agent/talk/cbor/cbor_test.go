package cbor_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"testing"

	"ojud/agent/talk/cbor"
	"ojud/casefile/canon"
	"ojud/datasource/anex"
)

const limit = anex.MaxInform

// vectors are the frames that the three languages write and read.
func vectors(t testing.TB) (out struct {
	CBOR []struct {
		JSON string `json:"json"` // canonical; without CBOR, a frame that stays JSON
		CBOR string `json:"cbor"` // hex; without JSON, what nobody reads
	} `json:"cbor"`
	Scenes []struct {
		Steps []struct{ Frame string }
	}
},
) {
	raw, err := os.ReadFile("../../../clients/vectors.json")
	if err == nil {
		err = json.Unmarshal(raw, &out)
	}
	if err != nil || len(out.CBOR) < 20 {
		t.Fatalf("%d frames, %v", len(out.CBOR), err)
	}
	return out
}

func TestVectors(t *testing.T) {
	t.Parallel()
	v := vectors(t)
	for _, k := range v.CBOR {
		want, err := hex.DecodeString(k.CBOR)
		if err != nil {
			t.Fatal(err)
		}
		if k.JSON != "" {
			if raw, ok := cbor.Encode([]byte(k.JSON), limit); ok != (k.CBOR != "") || !bytes.Equal(raw, want) {
				t.Errorf("%s is %x, %t", k.JSON, raw, ok)
			}
		}
		if k.CBOR != "" {
			if out, err := cbor.Decode(want, limit); (err == nil) != (k.JSON != "") || string(out) != k.JSON {
				t.Errorf("%s is read as %s, %v", k.CBOR, out, err)
			}
		}
	}
	text, binary := 0, 0
	for _, scene := range v.Scenes {
		for _, s := range scene.Steps {
			if raw := same(t, []byte(s.Frame)); raw != nil {
				text, binary = text+len(s.Frame), binary+len(raw)
			}
		}
	}
	t.Logf("%d bytes of JSON are %d in CBOR", text, binary)
}

// same returns the CBOR of a frame, if it has one, and fails unless it says the same as the frame.
func same(t *testing.T, frame []byte) []byte {
	t.Helper()
	raw, ok := cbor.Encode(frame, limit)
	if !ok {
		return nil
	}
	out, err := cbor.Decode(raw, limit)
	want, wantErr := canon.JSON(frame, limit)
	if err != nil || wantErr != nil || !bytes.Equal(out, want) || !cbor.Is(raw) || cbor.Is(frame) {
		t.Errorf("%s\nis %x\nand read as %s, %v, %v", frame, raw, out, err, wantErr)
	}
	return raw
}

// TestAttackDeepAndWide: what says to be deep, long or many is refused before anything is built.
func TestAttackDeepAndWide(t *testing.T) { //nolint:paralleltest // it counts allocations
	deep := func(n int) []byte {
		return append(append([]byte("\xa1\x61a"), bytes.Repeat([]byte{0x81}, n)...), 0)
	}
	if out, err := cbor.Decode(deep(63), limit); err != nil {
		t.Errorf("%s, %v", out, err)
	}
	for name, raw := range map[string][]byte{
		"deep":               deep(64),
		"deeper":             deep(1 << 20),
		"a list of 4 G":      []byte("\xa1\x61a\x9a\xff\xff\xff\xff"),
		"a list of 2^64":     []byte("\xa1\x61a\x9b\xff\xff\xff\xff\xff\xff\xff\xff"),
		"a map of 2^63":      []byte("\xbb\x80\x00\x00\x00\x00\x00\x00\x00"),
		"a text of 4 G":      []byte("\xa1\x7a\xff\xff\xff\xff"),
		"many values":        append([]byte("\xa1\x61a\x9a\x00\x10\x00\x00"), make([]byte, 1<<20)...),
		"longer than may be": append([]byte("\xa1\x61a\x7a\x00\x20\x00\x00"), bytes.Repeat([]byte("a"), 2<<20)...),
	} {
		var err error
		if n := testing.AllocsPerRun(1, func() { _, err = cbor.Decode(raw, limit) }); err == nil || n > 40 {
			t.Errorf("%s: %v, %v allocations", name, err, n)
		}
	}
}

// FuzzDecode: what is read is canonical JSON, and has one form in CBOR, the one that was read.
func FuzzDecode(f *testing.F) {
	v := vectors(f)
	for _, k := range v.CBOR {
		raw, err := hex.DecodeString(k.CBOR)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	for _, s := range v.Scenes[0].Steps {
		if raw, ok := cbor.Encode([]byte(s.Frame), limit); ok {
			f.Add(raw)
		}
	}
	f.Add([]byte{0xf6}) // null is no frame
	f.Fuzz(func(t *testing.T, raw []byte) {
		out, err := cbor.Decode(raw, limit)
		if err != nil {
			return
		}
		if want, err := canon.JSON(out, limit); err != nil || !bytes.Equal(out, want) {
			t.Errorf("%x is read as %s, %v", raw, out, err)
		}
		if again, ok := cbor.Encode(out, limit); !ok || !bytes.Equal(again, raw) {
			t.Errorf("%x is read as %s, which is %x", raw, out, again)
		}
	})
}

// FuzzEncode: a frame in CBOR says what it says in JSON.
func FuzzEncode(f *testing.F) {
	for _, scene := range vectors(f).Scenes {
		for _, s := range scene.Steps {
			f.Add([]byte(s.Frame))
		}
	}
	f.Add([]byte(`{"a":[1.5,-0.0,1e3,1e300,9007199254740993,0.1,true,null,"\u0000"]}`))
	f.Fuzz(func(t *testing.T, frame []byte) { same(t, frame) })
}
