package verify

// FormOrSeal makes only the first two checks of Verify and returns the place of the fault, or "".
// If one fails, Verify does not verify.
func FormOrSeal(file []byte) string {
	v := &verifier{file: file}
	if _, f := v.form(); f != nil {
		return f.path
	}
	if _, f := v.seal(); f != nil {
		return f.path
	}
	return ""
}
