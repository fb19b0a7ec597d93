#!/usr/bin/env bash
# Builds a release in dist/ and publishes nothing: static binaries with their list of modules, the npm
# package, the Helm chart, the Homebrew formula, and the checksums of all of these.
#
#   deploy/release.sh                    all platforms; some minutes for each the first time
#   PLATFORMS=linux/amd64 deploy/release.sh
#   VERSION=v1.2.0 deploy/release.sh     by default, as git describes this commit
#
# It needs Go, npm, and GNU's tar and sed; CYCLONEDX names a cyclonedx-gomod that is there, where Go
# may not fetch one. The same sources, version and Go make the same binaries and the same chart in
# any folder: to know what one was made of, build it again.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

CYCLONEDX_VERSION=v1.10.0
PLATFORMS=${PLATFORMS:-linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64}
VERSION=${VERSION:-$(git describe --tags --always --dirty)}
[[ $VERSION =~ ^[A-Za-z0-9][A-Za-z0-9._+-]*$ ]] || { echo "VERSION=$VERSION: use letters, digits and . _ + -" >&2; exit 2; }
# npm and Helm want a semantic version: of v1.2.0 that is 1.2.0, of a commit 0.0.0-g and its name.
semantic=${VERSION#v}
[[ $semantic =~ ^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)(-[0-9A-Za-z.-]+)?$ ]] || semantic=0.0.0-g${VERSION//[^0-9A-Za-z-]/-}

export CGO_ENABLED=0 GOFLAGS='' GOAMD64=v1 GOARM64=v8.0 GOEXPERIMENT='' GOWORK=off
dist=$PWD/dist
rm -rf "$dist"
mkdir "$dist"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
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
    GOOS=$os GOARCH=$arch go build -trimpath -buildvcs=false -tags nomsgpack,grpcnotrace -ldflags "-s -w -X main.version=$VERSION" \
        -o "$dist/askgate_${VERSION}_${os}_$arch$extension" ./cmd/askgate
done

# npm packs a folder unchanged, except for its version.
echo "npm $semantic"
cp -r gateway/web/static "$scratch/npm"
sed -i "s/^  \"version\": \".*\",\$/  \"version\": \"$semantic\",/" "$scratch/npm/package.json"
npm pack --silent --ignore-scripts --pack-destination "$dist" "$scratch/npm" >/dev/null
mv "$dist/askgate-$semantic.tgz" "$dist/askgate-npm-$semantic.tgz"

# Does what "helm package" does, without another program to fetch; gateway/prove/chart has Helm read it.
echo "chart $semantic"
cp -r deploy/helm/askgate "$scratch/askgate"
sed -i "s/^version: .*/version: $semantic/; s/^appVersion: .*/appVersion: \"$VERSION\"/" "$scratch/askgate/Chart.yaml"
tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX --format=ustar \
    -C "$scratch" -cf - askgate | gzip -n >"$dist/askgate-chart-$semantic.tgz"

(cd "$dist" && sha256sum askgate* >SHA256SUMS)

# The formula needs the binaries of all its platforms.
if deploy/homebrew/formula.sh "$VERSION" "$semantic" "$dist/SHA256SUMS" >"$scratch/askgate.rb"; then
    cp "$scratch/askgate.rb" "$dist/"
    (cd "$dist" && sha256sum askgate.rb >>SHA256SUMS)
fi
ls -l "$dist"
