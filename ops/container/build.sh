#!/usr/bin/env bash
# Builds the container image ojud with buildah: ops/container/build.sh [IMAGE]. It needs no daemon
# and, inside of another container, no privileges (isolation chroot, storage vfs). No other image is
# downloaded. OJUD names a static binary that is built already, such as that of a release.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
image=${1:-ojud}
authorities=${CA_BUNDLE:-/etc/ssl/certs/ca-certificates.crt}
command -v buildah >/dev/null || { echo 'buildah is missing. Run: apt-get install -y buildah' >&2; exit 1; }
test -s "$authorities" || { echo "there are no certificate authorities at $authorities; name a bundle with CA_BUNDLE" >&2; exit 1; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/data"
cp ops/container/Containerfile "$folder/"
cp "$authorities" "$folder/ca-certificates.crt"
if [[ ${OJUD:-} ]]; then
	cp "$OJUD" "$folder/ojud" # a static binary, such as that of a release
else
	CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o "$folder/ojud" ./cmd/ojud
fi
buildah --storage-driver vfs bud --isolation chroot --tag "$image" "$folder"
