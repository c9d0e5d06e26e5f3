// Package accounts has the accounts that a transaction meets: their form, the rent that they need,
// the sysvars and builtin programs that every chain begins with, and programs under a loader.
package accounts
