package program

import (
	"fmt"
	"strconv"
)

// Parameter is one of Params.
type Parameter struct {
	Name  string // in the protocol, as min_stake
	Bytes int    // of its integer
	Value uint64
}

// List returns all parameters in the order of the protocol.
func (p Params) List() []Parameter {
	var fields []field
	p.walk(&walk{mode: listing, fields: &fields})
	all := make([]Parameter, len(fields))
	for i, f := range fields {
		n, err := strconv.ParseUint(f.Value, 10, 64)
		if err != nil {
			panic(fmt.Sprintf("program: parameter %s is no unsigned integer: %v", f.Name, err))
		}
		all[i] = Parameter{Name: f.Name, Bytes: f.Size, Value: n}
	}
	return all
}

// With returns the parameters with another value of the one with that name. It does not look at
// the ranges of section 4; see Validate.
func (p Params) With(name string, value uint64) (Params, error) {
	var fields []field
	p.walk(&walk{mode: listing, fields: &fields})
	for _, f := range fields {
		if f.Name != name {
			continue
		}
		if most := ^uint64(0) >> (64 - 8*f.Size); value > most {
			return p, &BoundError{Name: name, Value: value, Highest: most}
		}
		data := encode(&p)
		for i := range f.Size {
			data[f.Offset+i] = byte(value >> (8 * i))
		}
		w := &walk{mode: reading, data: data}
		p.walk(w)
		return p, w.end()
	}
	return p, fmt.Errorf("program: there is no parameter %q", name)
}

// BoundError says that a parameter is out of its range.
type BoundError struct {
	Name            string
	Value           uint64
	Lowest, Highest uint64
}

func (e *BoundError) Error() string {
	return fmt.Sprintf("program: parameter %s is %d, set it to %d..%d", e.Name, e.Value, e.Lowest, e.Highest)
}
