package prose

import (
	"testing"
)

func TestFold(t *testing.T) {
	for _, pair := range [][2]string{{"Straße", "STRAßE"}, {"K", "\u212a"}, {"ſ", "S"}, {"ΣΑΣ", "σας"}} {
		if Fold(pair[0]) != Fold(pair[1]) {
			t.Errorf("%q and %q", pair[0], pair[1])
		}
	}
	if Fold("a") == Fold("b") {
		t.Error("everything is alike")
	}
}
