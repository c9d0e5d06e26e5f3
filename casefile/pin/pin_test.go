package pin_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"ojud/casefile/pin"
)

const hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

// TestData: data is an address, or an address with a hash, and is written as it was read.
func TestData(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]pin.Data{
		`"abc"`:                                                   {Account: "abc"},
		`{"data":"abc","sha256":"` + hash + `"}`:                  {Account: "abc", SHA256: hash},
		`{"sha256":"` + hash + `","data":"abc"}`:                  {Account: "abc", SHA256: hash},
		`{"data":"abc"}`:                                          {},
		`{"Data":"abc","sha256":"` + hash + `"}`:                  {},
		`{"data":"abc","sha256":""}`:                              {},
		`{"data":"abc","sha256":"` + hash[1:] + `"}`:              {},
		`{"data":"abc","sha256":"` + strings.ToUpper(hash) + `"}`: {},
		`{"data":"abc","sha256":"` + hash + `","more":1}`:         {},
		`{"data":1,"sha256":"` + hash + `"}`:                      {},
		`["abc"]`:                                                 {}, `7`: {}, `{}`: {},
	} {
		var d pin.Data
		err := json.Unmarshal([]byte(text), &d)
		if (err == nil) != (want != pin.Data{}) || err == nil && d != want {
			t.Errorf("%s: %+v, %v", text, d, err)
			continue
		}
		if err != nil {
			continue
		}
		again, err := json.Marshal(d)
		var read pin.Data
		if err != nil || json.Unmarshal(again, &read) != nil || read != d {
			t.Errorf("%s: %s, %v", text, again, err)
		}
	}
	one, other, bad := pin.Data{Account: "abc", SHA256: hash}, pin.Data{Account: "abc"}, errors.New("no address")
	for n, c := range []struct {
		d      pin.Data
		unread error
		before []pin.Data
		fine   bool
	}{
		{one, nil, []pin.Data{one, {Account: "x"}}, true}, {one, nil, []pin.Data{other}, false}, {other, nil, []pin.Data{one}, false}, {one, bad, nil, false},
		{pin.Data{Account: pin.Example}, bad, nil, true}, {pin.Data{Account: pin.Example, SHA256: hash}, bad, nil, false},
	} {
		if got := c.d.Problem(c.unread, c.before); (got == nil) != c.fine {
			t.Errorf("%d: %v", n, got)
		}
	}
}

// FuzzData: what is read is written as it was.
func FuzzData(f *testing.F) {
	f.Add([]byte(`{"data":"abc","sha256":"` + hash + `"}`))
	f.Add([]byte(`"abc"`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var d, again pin.Data
		if d.FillJSON(raw) != nil {
			return
		}
		text, err := json.Marshal(d)
		if err != nil || again.UnmarshalJSON(text) != nil || again != d && utf8.ValidString(d.Account) {
			t.Errorf("%q: %+v, %s, %v", raw, d, text, err)
		}
	})
}
