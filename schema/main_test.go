package schema_test

import (
	"os"
	"testing"

	"ojud/test/lazygc"
)

func TestMain(m *testing.M) { os.Exit(lazygc.Run(m)) }
