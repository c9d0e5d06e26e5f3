// Package webhook tells programs of the operator what happens to a judge. It posts signed JSON to
// the receivers that the settings name, as the Standard Webhooks specification describes it.
//
// Tell writes a notification to the disk for each receiver before it returns, so a crash loses none
// that was promised. Run posts them until the receiver takes them, or until the time for it is
// over. A receiver may get one more than once, always with the same ID.
//
// What a caller must do: call Tell before it forgets the event, and give an event that may come
// again the ID that IDOf makes of it.
package webhook
