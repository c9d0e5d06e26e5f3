// Package prose reads what strangers wrote, as judges need it: it finds characters that readers do
// not see and words that speak to a model, makes text safe for opinions and prompts, compares
// texts, and counts lines, words and characters.
//
// All functions take any bytes. Their results depend on the text alone.
package prose
