package devnet

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"
	"github.com/mr-tron/base58"

	"ojud/ledger/svm/accounts"
)

// maxBase58 is the longest account data that is encoded in base58, in bytes.
const maxBase58 = 128

// encoding is the form of account data or of a transaction in JSON.
type encoding string

const (
	encodingBinary  encoding = "binary" // base58 without its name: the oldest form
	encodingBase58  encoding = "base58"
	encodingBase64  encoding = "base64"
	encodingZstd    encoding = "base64+zstd"
	encodingJSON    encoding = "json"
	encodingParsed  encoding = "jsonParsed"
	encodingDefault encoding = ""
)

func oneOf(raw []byte, words ...encoding) (encoding, error) {
	var word encoding
	if err := json.Unmarshal(raw, &word); err != nil {
		return "", &variantError{unexpected(raw) + ", expected string or map"}
	}
	if slices.Contains(words, word) {
		return word, nil
	}
	text := strings.Join(strings.Fields(strings.Trim(fmt.Sprint(words), "[]")), "`, `")
	return "", &variantError{fmt.Sprintf("unknown variant `%s`, expected one of `%s`", word, text)}
}

// accountEncoding is an encoding of account data.
type accountEncoding struct{ encoding }

// UnmarshalJSON reads one of the words Agave knows.
func (e *accountEncoding) UnmarshalJSON(raw []byte) (err error) {
	if isNull(raw) {
		return nil
	}
	e.encoding, err = oneOf(raw, encodingBinary, encodingBase58, encodingBase64, encodingParsed, encodingZstd)
	return err
}

func (e accountEncoding) or(fallback encoding) encoding { return cmp.Or(e.encoding, fallback) }

// dataSlice selects a part of the data.
type dataSlice struct{ Offset, Length uint64 }

// UnmarshalJSON demands both numbers, as Agave does.
func (s *dataSlice) UnmarshalJSON(raw []byte) error {
	var f struct{ Offset, Length *uint64 }
	err := json.Unmarshal(raw, &f)
	switch {
	case err != nil:
		return err
	case f.Offset == nil:
		return &variantError{"missing field `offset`"}
	case f.Length == nil:
		return &variantError{"missing field `length`"}
	}
	s.Offset, s.Length = *f.Offset, *f.Length
	return nil
}

func (s *dataSlice) of(data []byte) []byte {
	if s != nil {
		data = data[min(s.Offset, uint64(len(data))):]
		data = data[:min(s.Length, uint64(len(data)))]
	}
	return data
}

// accountConfig is the configuration of methods that return accounts.
type accountConfig struct {
	contextConfig
	Encoding  accountEncoding `json:"encoding"`
	DataSlice *dataSlice      `json:"dataSlice"`
}

// uiAccount is an account in JSON.
type uiAccount struct {
	Lamports   uint64 `json:"lamports"`
	Data       any    `json:"data"`
	Owner      string `json:"owner"`
	Executable bool   `json:"executable"`
	RentEpoch  uint64 `json:"rentEpoch"`
	Space      int    `json:"space"`
}

type keyedAccount struct {
	Pubkey  string     `json:"pubkey"`
	Account *uiAccount `json:"account"`
}

// encodeAccount writes an account. jsonParsed gives base64, because there is no parser here.
func encodeAccount(a accounts.Account, e encoding, slice *dataSlice) (*uiAccount, error) {
	list, err := encodeKeyed([]accounts.Keyed{{Account: a}}, e, slice)
	if err != nil {
		return nil, err
	}
	return list[0].Account, nil
}

// encodeWith writes an account with the compression of an answer.
func encodeWith(zip func() (*zstd.Encoder, error), a accounts.Account, e encoding, slice *dataSlice) (*uiAccount, error) {
	out, data := &uiAccount{a.Lamports, nil, a.Owner.String(), a.Executable, a.RentEpoch, len(a.Data)}, slice.of(a.Data)
	switch e {
	case encodingBinary, encodingBase58:
		if len(data) > maxBase58 {
			return nil, &rpcError{Code: codeInvalidRequest, Message: fmt.Sprintf(
				"Encoded binary (base 58) data should be less than %d bytes, please use Base64 encoding.", maxBase58)}
		}
		out.Data = []string{base58.Encode(data), string(encodingBase58)}
		if e == encodingBinary {
			out.Data = base58.Encode(data)
		}
	case encodingZstd:
		w, err := zip()
		if err != nil {
			return nil, fmt.Errorf("devnet: zstd: %w", err)
		}
		out.Data = []string{base64.StdEncoding.EncodeToString(w.EncodeAll(data, nil)), string(encodingZstd)}
	default:
		out.Data = []string{base64.StdEncoding.EncodeToString(data), string(encodingBase64)}
	}
	return out, nil
}

// encodeKeyed writes the accounts of an answer. They share what compresses them: it is dear.
func encodeKeyed(list []accounts.Keyed, e encoding, slice *dataSlice) ([]keyedAccount, error) {
	out := make([]keyedAccount, len(list))
	zip := sync.OnceValues(func() (*zstd.Encoder, error) {
		return zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithZeroFrames(true))
	})
	for i, a := range list {
		account, err := encodeWith(zip, a.Account, e, slice)
		if err != nil {
			return nil, err
		}
		out[i] = keyedAccount{a.Key.String(), account}
	}
	return out, nil
}

// text lists addresses as base58.
func text[T fmt.Stringer](all []T) []string {
	out := make([]string, len(all))
	for i, one := range all {
		out[i] = one.String()
	}
	return out
}
