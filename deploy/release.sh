#!/usr/bin/env bash
# Builds a release into dist/: static binaries, their checksums, and what is in them.
#
#   deploy/release.sh                    all platforms; some minutes for each the first time
#   PLATFORMS=linux/amd64 deploy/release.sh
#   VERSION=v1.2.0 deploy/release.sh     by default what git calls this commit
#
# It needs Go and nothing else. The same sources, version and Go make the same bytes, on any
# machine and in any folder: whoever wants to know what a binary was made of builds it again.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

CYCLONEDX_VERSION=v1.10.0
PLATFORMS=${PLATFORMS:-linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64}
VERSION=${VERSION:-$(git describe --tags --always --dirty)}
DIST=${DIST:-dist}
[[ $VERSION =~ ^[A-Za-z0-9][A-Za-z0-9._+-]*$ ]] || { echo "VERSION=$VERSION: use letters, digits and . _ + -" >&2; exit 2; }

export CGO_ENABLED=0 GOFLAGS='' GOAMD64=v1 GOARM64=v8.0 GOEXPERIMENT='' GOWORK=off
rm -rf "$DIST"
mkdir -p "$DIST"
DIST=$(cd "$DIST" && pwd)
for platform in $PLATFORMS; do
    os=${platform%/*} arch=${platform#*/} extension=''
    [[ $os == windows ]] && extension=.exe
    echo "$platform"
    # The version says which commit it is; what git adds differs between clone and archive.
    GOOS=$os GOARCH=$arch go build -trimpath -buildvcs=false -ldflags "-s -w -X main.version=$VERSION" \
        -o "$DIST/askgate_${VERSION}_${os}_$arch$extension" ./cmd/askgate
done

# One list of modules for all: what differs between platforms is in each binary, too, as
# "go version -m" shows. Without serial number and time, which would differ each time.
echo "SBOM"
sbom=$DIST/askgate_$VERSION.cdx.json
go run "github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@$CYCLONEDX_VERSION" mod -json -noserial -output "$sbom.full" .
sed '/^    "timestamp": /d' "$sbom.full" >"$sbom"
rm "$sbom.full"

(cd "$DIST" && sha256sum askgate_* >SHA256SUMS)
ls -l "$DIST"
