package main

import (
	"encoding/json"
	"fmt"
	"strings"
)

// document is the part of an Anchor IDL that the generator reads.
type document struct {
	Instructions []instruction `json:"instructions"`
	Accounts     []named       `json:"accounts"`
	Events       []named       `json:"events"`
	Errors       []failure     `json:"errors"`
	Types        []structure   `json:"types"`
}

type named struct {
	Name string   `json:"name"`
	Docs []string `json:"docs"`
}

type instruction struct {
	named
	Accounts []account `json:"accounts"`
	Args     []field   `json:"args"`
}

type failure struct {
	Code uint32 `json:"code"`
	Name string `json:"name"`
	Msg  string `json:"msg"`
}

type structure struct {
	named
	Serialization string `json:"serialization"` // bytemuck: an account or a part of one, else Borsh
	Type          struct {
		Fields []field `json:"fields"`
	} `json:"type"`
}

type field struct {
	named
	Type kind `json:"type"`
}

// pad reports whether the field only fills space.
func (f field) pad() bool { return strings.HasPrefix(f.Name, "_pad_") }

// kind is the type of a field.
type kind struct {
	Name string // a scalar, or the name of a structure
	Of   string // "": one; array: Len of them; vec: a u32 and that many
	Len  int
}

// UnmarshalJSON reads "u8", {"defined": …}, {"array": [type, n]} and {"vec": type}.
func (k *kind) UnmarshalJSON(raw []byte) error {
	if json.Unmarshal(raw, &k.Name) == nil {
		return nil
	}
	var many struct {
		Defined *named          `json:"defined"`
		Vec     *kind           `json:"vec"`
		Array   json.RawMessage `json:"array"`
	}
	if err := json.Unmarshal(raw, &many); err != nil {
		return err
	}
	switch {
	case many.Defined != nil:
		k.Name = many.Defined.Name
	case many.Vec != nil:
		k.Name, k.Of = many.Vec.Name, "vec"
	default:
		var item kind
		if err := json.Unmarshal(many.Array, &[]any{&item, &k.Len}); err != nil {
			return fmt.Errorf("type %s: %w", raw, err)
		}
		k.Name, k.Of = item.Name, "array"
	}
	return nil
}

// find returns the structure of that name.
func (d *document) find(name string) structure {
	for _, s := range d.Types {
		if s.Name == name {
			return s
		}
	}
	panic("the IDL has no type " + name)
}

// size returns the bytes that a value takes, 0 if the number varies.
func (d *document) size(k kind) int {
	one := map[string]int{"u8": 1, "u16": 2, "u32": 4, "u64": 8, "i64": 8, "pubkey": 32}[k.Name]
	if one == 0 && k.Name != "string" && k.Name != "bytes" {
		for _, f := range d.find(k.Name).Type.Fields {
			one += d.size(f.Type)
		}
	}
	switch k.Of {
	case "array":
		return one * k.Len
	case "vec":
		return 0
	}
	return one
}
