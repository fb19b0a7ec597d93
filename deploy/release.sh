#!/usr/bin/env bash
# Builds a release into dist/: static binaries, their checksums, and what is in them.
#
#   deploy/release.sh                    all platforms; some minutes for each the first time
#   PLATFORMS=linux/amd64 deploy/release.sh
#   VERSION=v1.2.0 deploy/release.sh     by default what git calls this commit
#
# It needs Go and nothing else; CYCLONEDX names a cyclonedx-gomod that is there, where Go may not
# fetch one. The same sources, version and Go make the same binaries in any folder:
# whoever wants to know what one was made of builds it again.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

CYCLONEDX_VERSION=v1.10.0
PLATFORMS=${PLATFORMS:-linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64}
VERSION=${VERSION:-$(git describe --tags --always --dirty)}
[[ $VERSION =~ ^[A-Za-z0-9][A-Za-z0-9._+-]*$ ]] || { echo "VERSION=$VERSION: use letters, digits and . _ + -" >&2; exit 2; }

export CGO_ENABLED=0 GOFLAGS='' GOAMD64=v1 GOARM64=v8.0 GOEXPERIMENT='' GOWORK=off
dist=$PWD/dist
rm -rf "$dist"
mkdir "$dist"
# First, as it is the one step that fails where Go may not fetch. One list of modules for all: what
# differs between platforms is in each binary, as "go version -m" shows. Without serial number and
# time, which would differ each time; it names the program that made it by a hash, which differs
# from platform to platform.
echo "SBOM"
# shellcheck disable=SC2086 # a command and its arguments
${CYCLONEDX:-go run github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@$CYCLONEDX_VERSION} \
    mod -json -std -noserial -notimestamp -output "$dist/askgate_$VERSION.cdx.json" .

for platform in $PLATFORMS; do
    os=${platform%/*} arch=${platform#*/} extension=''
    [[ $os == windows ]] && extension=.exe
    echo "$platform"
    # The version says which commit it is; what git adds differs between clone and archive.
    GOOS=$os GOARCH=$arch go build -trimpath -buildvcs=false -ldflags "-s -w -X main.version=$VERSION" \
        -o "$dist/askgate_${VERSION}_${os}_$arch$extension" ./cmd/askgate
done

(cd "$dist" && sha256sum askgate_* >SHA256SUMS)
ls -l "$dist"
