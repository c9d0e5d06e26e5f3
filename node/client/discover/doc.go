// Package discover tells a stranger what a court has: the data that judges offer, and the tasks
// with their subjects. All texts are the words of strangers, so who shows them escapes them.
package discover
