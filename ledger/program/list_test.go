package program

import "fmt"

// list returns the fields of l as they lie in its bytes.
func list(l layout) []field {
	var fields []field
	l.walk(&walk{mode: listing, fields: &fields})
	return fields
}

// flatten replaces structs and lists by their fields: seats[3].weight.
func flatten(prefix string, fields []field) []field {
	var flat []field
	for _, f := range fields {
		name := prefix + f.Name
		switch {
		case f.Many:
			for i, item := range f.Fields {
				if len(item.Fields) == 0 { // a number
					item.Name = fmt.Sprintf("%s[%d]", name, i)
					flat = append(flat, item)
				}
				flat = append(flat, flatten(fmt.Sprintf("%s[%d].", name, i), item.Fields)...)
			}
		case len(f.Fields) > 0:
			flat = append(flat, flatten(name+".", f.Fields)...)
		default:
			f.Name = name
			flat = append(flat, f)
		}
	}
	return flat
}
