package cli

import (
	"fmt"

	"ojud/node/client"
)

// CreateKey makes the key file if there is none, and says so.
func (a *App) CreateKey() error {
	path, _, err := a.KeyPath()
	if err != nil {
		return err
	}
	key, created, err := client.LoadOrCreateKey(path)
	if err != nil || !created {
		return err
	}
	_, err = fmt.Fprintf(a.Err, "made the key %s in %s; keep this file, because without it the funds of the key are lost\n", key.Address(), path)
	return err
}
