package delegation

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/ipfs/go-cid"
	"github.com/ipld/go-ipld-prime/codec/dagcbor"
	"github.com/ipld/go-ipld-prime/datamodel"
	cidlink "github.com/ipld/go-ipld-prime/linking/cid"
	"github.com/ipld/go-ipld-prime/node/basicnode"
	"github.com/multiformats/go-multihash"
)

const (
	maxToken  = 32 << 10     // bytes of a token
	maxDepth  = 24           // levels of lists and maps in a token
	maxSafe   = 1<<53 - 1    // the largest whole number in a token: JavaScript reads it as well
	allocated = 4 * maxToken // what the decoder may allot for lengths that a token claims
)

// A value of DAG-CBOR is here nil, bool, int64, float64, string, []byte, cid.Cid, []any or
// map[string]any.

// decodeValue reads DAG-CBOR in its one canonical form.
func decodeValue(raw []byte) (any, error) {
	if len(raw) > maxToken {
		return nil, fmt.Errorf("%d bytes, at most %d", len(raw), maxToken)
	}
	if err := shallow(raw); err != nil {
		return nil, err
	}
	nb := basicnode.Prototype.Any.NewBuilder()
	opts := dagcbor.DecodeOptions{AllowLinks: true, AllocationBudget: allocated}
	if err := opts.Decode(nb, bytes.NewReader(raw)); err != nil {
		return nil, fmt.Errorf("this is not DAG-CBOR: %w", err)
	}
	v, err := fromNode(nb.Build(), maxDepth)
	if err != nil {
		return nil, err
	}
	again, err := encodeValue(v)
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(again, raw) {
		return nil, errors.New("this is not the canonical form of DAG-CBOR")
	}
	return v, nil
}

// shallow refuses CBOR with more levels than maxDepth before a recursive decoder sees it. It knows
// definite lengths only, as DAG-CBOR does; what it does not know is the decoder's to refuse.
func shallow(raw []byte) error {
	var open []uint64 // items that each open list, map or tag still has
	for i := 0; i < len(raw); {
		major, info := raw[i]>>5, raw[i]&31
		i++
		n := uint64(info)
		if info >= 24 {
			size := 1 << (info & 7)
			if info > 27 || i+size > len(raw) {
				return errors.New("this is not DAG-CBOR: a length is cut or indefinite")
			}
			n = 0
			for _, b := range raw[i : i+size] {
				n = n<<8 | uint64(b)
			}
			i += size
		}
		items := uint64(0)
		switch major {
		case 2, 3:
			if n > uint64(len(raw)-i) {
				return errors.New("this is not DAG-CBOR: a text or bytes are cut")
			}
			i += int(n)
		case 4, 5, 6:
			if items = n; major == 6 {
				items = 1
			} else if n > uint64(len(raw)) {
				return errors.New("this is not DAG-CBOR: a list is longer than the token")
			} else if major == 5 {
				items = 2 * n
			}
		}
		if items > 0 {
			if open = append(open, items); len(open) > maxDepth {
				return fmt.Errorf("more than %d levels of lists and maps", maxDepth)
			}
			continue
		}
		for len(open) > 0 {
			if open[len(open)-1]--; open[len(open)-1] > 0 {
				break
			}
			open = open[:len(open)-1]
		}
	}
	return nil
}

func fromNode(n datamodel.Node, depth int) (any, error) {
	if depth == 0 {
		return nil, fmt.Errorf("more than %d levels of lists and maps", maxDepth)
	}
	switch n.Kind() {
	case datamodel.Kind_Null:
		return nil, nil
	case datamodel.Kind_Bool:
		return n.AsBool()
	case datamodel.Kind_Int:
		i, err := n.AsInt()
		if err == nil && (i > maxSafe || i < -maxSafe) {
			err = fmt.Errorf("the number %d is beyond 53 bits", i)
		}
		return i, err
	case datamodel.Kind_Float:
		f, err := n.AsFloat()
		if err == nil && (math.IsNaN(f) || math.IsInf(f, 0)) {
			err = errors.New("a number that is none")
		}
		return f, err
	case datamodel.Kind_String:
		return n.AsString()
	case datamodel.Kind_Bytes:
		return n.AsBytes()
	case datamodel.Kind_Link:
		l, err := n.AsLink()
		if err != nil {
			return nil, err
		}
		link, ok := l.(cidlink.Link)
		if !ok {
			return nil, errors.New("a link is no CID")
		}
		return link.Cid, nil
	case datamodel.Kind_List:
		out := make([]any, 0, min(n.Length(), 64))
		for it := n.ListIterator(); !it.Done(); {
			_, v, err := it.Next()
			if err != nil {
				return nil, err
			}
			item, err := fromNode(v, depth-1)
			if err != nil {
				return nil, err
			}
			out = append(out, item)
		}
		return out, nil
	case datamodel.Kind_Map:
		out := map[string]any{}
		for it := n.MapIterator(); !it.Done(); {
			k, v, err := it.Next()
			if err != nil {
				return nil, err
			}
			key, err := k.AsString()
			if err != nil {
				return nil, err
			}
			if out[key], err = fromNode(v, depth-1); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	return nil, fmt.Errorf("a value of the kind %s", n.Kind())
}

// encodeValue writes a value in canonical DAG-CBOR.
func encodeValue(v any) ([]byte, error) {
	n, err := toNode(v)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = dagcbor.Encode(n, &out)
	return out.Bytes(), err
}

func toNode(v any) (datamodel.Node, error) {
	switch v := v.(type) {
	case nil:
		return datamodel.Null, nil
	case bool:
		return basicnode.NewBool(v), nil
	case int64:
		return basicnode.NewInt(v), nil
	case float64:
		return basicnode.NewFloat(v), nil
	case string:
		return basicnode.NewString(v), nil
	case []byte:
		return basicnode.NewBytes(v), nil
	case cid.Cid:
		return basicnode.NewLink(cidlink.Link{Cid: v}), nil
	case []any:
		nb := basicnode.Prototype.List.NewBuilder()
		list, err := nb.BeginList(int64(len(v)))
		if err != nil {
			return nil, err
		}
		for _, item := range v {
			n, err := toNode(item)
			if err != nil {
				return nil, err
			}
			if err := list.AssembleValue().AssignNode(n); err != nil {
				return nil, err
			}
		}
		if err := list.Finish(); err != nil {
			return nil, err
		}
		return nb.Build(), nil
	case map[string]any:
		nb := basicnode.Prototype.Map.NewBuilder()
		m, err := nb.BeginMap(int64(len(v)))
		if err != nil {
			return nil, err
		}
		for _, key := range slices.SortedFunc(maps.Keys(v), inOrder) {
			n, err := toNode(v[key])
			if err != nil {
				return nil, err
			}
			entry, err := m.AssembleEntry(key)
			if err != nil {
				return nil, err
			}
			if err := entry.AssignNode(n); err != nil {
				return nil, err
			}
		}
		if err := m.Finish(); err != nil {
			return nil, err
		}
		return nb.Build(), nil
	}
	return nil, fmt.Errorf("a value of the type %T has no form in DAG-CBOR", v)
}

// inOrder is the order of keys in DAG-CBOR: shorter ones first.
func inOrder(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) }

// identify returns the CID of a token.
func identify(raw []byte) (cid.Cid, error) {
	sum, err := multihash.Sum(raw, multihash.SHA2_256, -1)
	if err != nil {
		return cid.Undef, err
	}
	return cid.NewCidV1(cid.DagCBOR, sum), nil
}
