package durable

import "os"

// syncDir does nothing: Windows cannot sync a directory, and NTFS journals its entries.
func syncDir(*os.File) error { return nil }
