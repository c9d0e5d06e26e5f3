// Package assay measures the judges of a devnet with golden cases. The court's keyholder admits a
// proctor. It posts golden cases among ordinary ones, opens and applies them, as package
// node/batches does for any proctor. The judges are scripted: some always reject, some copy the
// court's last verdict, the others are right in most cases. The report says what each of them
// earned, and whether its record lets it sit.
//
// Everything but the judges' minds is as in any other court: whole nodes, the program, and agents
// that trade by the client.
package assay
