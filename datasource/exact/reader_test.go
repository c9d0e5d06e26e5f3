package exact

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"ojud/casefile/canon"
)

var errLong = errors.New("too long")

func TestReader(t *testing.T) {
	for in, want := range map[string]string{
		`9007199254740992`:                       `9007199254740992`,
		`9007199254740993`:                       `"9007199254740993"`,
		`[-18446744073709551615,1]`:              `["-18446744073709551615",1]`,
		`{"a":12345678901234567890,"b":1.5e10}`:  `{"a":"12345678901234567890","b":1.5e10}`,
		`"9007199254740993 \" 9007199254740993"`: `"9007199254740993 \" 9007199254740993"`,
		`"\\",9007199254740993`:                  `"\\","9007199254740993"`,
		`1000000000000000000000`:                 `"1000000000000000000000"`,
		`100000000000000000000`:                  `100000000000000000000`,
		`0.1234567890123456789`:                  `0.1234567890123456789`,
		`123456789012345678e3`:                   `123456789012345678e3`,
		`true`:                                   `true`,
		``:                                       ``,
	} {
		for name, wrap := range map[string]func(io.Reader) io.Reader{"whole": func(r io.Reader) io.Reader { return r }, "bytes": iotest.OneByteReader} {
			got, err := io.ReadAll(NewReader(wrap(strings.NewReader(in)), 0, errLong))
			if err != nil || string(got) != want {
				t.Errorf("%s %s: %s %v, want %s", name, in, got, err, want)
			}
		}
	}
}

func TestLongLine(t *testing.T) {
	if _, err := io.ReadAll(NewReader(strings.NewReader(strings.Repeat("1234567\n", 100)), 10, errLong)); err != nil {
		t.Error(err)
	}
	if _, err := io.ReadAll(NewReader(strings.NewReader("short\n"+strings.Repeat("x", 10_000)), 1000, errLong)); !errors.Is(err, errLong) {
		t.Error(err)
	}
}

// FuzzReader: values that canonical JSON keeps pass unchanged. Integers that it refuses become
// strings that it keeps.
func FuzzReader(f *testing.F) {
	for _, s := range []string{`{"a":9007199254740993}`, `[-1,2.50,"3\""]`, `1e400`, `-`, `"\u0031`, `123456789012345678901234`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		const limit = 64 << 10
		before, errBefore := canon.JSON(in, limit)
		out, err := io.ReadAll(NewReader(bytes.NewReader(in), 0, errLong))
		if err != nil {
			t.Fatal(err)
		}
		after, errAfter := canon.JSON(out, limit)
		if errBefore == nil && (errAfter != nil || !bytes.Equal(before, after)) {
			t.Fatalf("%s became %s: %v", in, out, errAfter)
		}
		if json.Valid(in) && !json.Valid(out) {
			t.Fatalf("%s became %s", in, out)
		}
	})
}
