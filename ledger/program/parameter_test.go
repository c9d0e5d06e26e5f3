package program

import (
	"errors"
	"reflect"
	"testing"
)

// TestParameters: each parameter is listed, and each can be set alone.
func TestParameters(t *testing.T) {
	all := sampleParams().List()
	if len(all) != reflect.TypeFor[Params]().NumField() {
		t.Fatalf("%d parameters are listed", len(all))
	}
	for i, one := range all {
		most := ^uint64(0) >> (64 - 8*one.Bytes)
		p, err := sampleParams().With(one.Name, most)
		if err != nil {
			t.Fatalf("%s: %v", one.Name, err)
		}
		for k, other := range p.List() {
			want := all[k].Value
			if k == i {
				want = most
			}
			if other.Value != want {
				t.Errorf("%s set: %s is %d, want %d", one.Name, other.Name, other.Value, want)
			}
		}
		var bound *BoundError
		if _, err := sampleParams().With(one.Name, most+1); one.Bytes < 8 && (!errors.As(err, &bound) || bound.Name != one.Name || bound.Highest != most) {
			t.Errorf("%s with one bit too many: %v", one.Name, err)
		}
	}
	if _, err := sampleParams().With("min_steak", 1); err == nil {
		t.Error("a parameter that does not exist was set")
	}
}
