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

// DemandsWithin makes the check of demands again, on answers of so many bytes at most.
func DemandsWithin(file []byte, most int) Report {
	v := &verifier{file: file}
	v.run()
	v.report = Report{}
	v.make(CheckDemands, func() (int, *fault) { return demands(v, most) })
	return v.report
}
