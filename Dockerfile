# syntax=docker/dockerfile:1

# AskGate as a single static binary: no shell, no package manager, no root.
#
#   docker build --build-arg VERSION="$(git describe --tags --always)" \
#     --build-arg REVISION="$(git rev-parse HEAD)" -t askgate .
#
# A container listens on all its addresses, and AskGate refuses to do that for
# callers it cannot tell apart. So give it a configuration with keys (see
# docs/deployment.md, "In a container"):
#
#   docker run -p 8080:8080 -v askgate-data:/data -v "$PWD/conf:/etc/askgate:ro" \
#     -e ASKGATE_CONFIG=/etc/askgate askgate
#
# To try it on your own machine only, allow requests without a key:
#
#   docker run -p 127.0.0.1:8080:8080 -v askgate-data:/data -e ASKGATE_INSECURE=true askgate

# A tag can be moved to another image. In production, pin both images by digest:
#
#   pinned() { echo "$1@$(docker buildx imagetools inspect "$1" --format '{{.Manifest.Digest}}')"; }
#   docker build --build-arg GO_IMAGE="$(pinned golang:1.26)" \
#     --build-arg BASE_IMAGE="$(pinned gcr.io/distroless/static-debian12:nonroot)" -t askgate .
ARG GO_IMAGE=golang:1.26
ARG BASE_IMAGE=gcr.io/distroless/static-debian12:nonroot

FROM --platform=$BUILDPLATFORM ${GO_IMAGE} AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN --mount=type=cache,target=/go/pkg/mod go mod download
COPY . .
ARG TARGETOS TARGETARCH
ARG VERSION=
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/go/cache \
    GOCACHE=/go/cache CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH \
    go build -trimpath -tags nomsgpack,grpcnotrace -ldflags "-s -w -X main.version=$VERSION" -o /out/askgate ./cmd/askgate \
    && mkdir /out/data

# Distroless: certificates for model servers on https, time zones, and the user
# "nonroot" (65532).
FROM ${BASE_IMAGE}
ARG VERSION=
ARG REVISION=
LABEL org.opencontainers.image.title=AskGate \
      org.opencontainers.image.description="A chat gateway whose model can ask the person instead of guessing" \
      org.opencontainers.image.url=https://github.com/askgate/askgate \
      org.opencontainers.image.source=https://github.com/askgate/askgate \
      org.opencontainers.image.documentation=https://github.com/askgate/askgate/blob/main/docs/README.md \
      org.opencontainers.image.version=$VERSION \
      org.opencontainers.image.revision=$REVISION
COPY --from=build /out/askgate /usr/local/bin/askgate
# A new volume takes the owner of the folder that it covers.
COPY --from=build --chown=65532:65532 /out/data /data
USER 65532:65532
WORKDIR /data
VOLUME /data
ENV ASKGATE_LISTEN=0.0.0.0:8080 \
    ASKGATE_STORE=sqlite:/data/askgate.db \
    ASKGATE_LOG_FORMAT=json
EXPOSE 8080
# Running turns get 30 s to finish (shutdownTimeout); stop with more: docker stop -t 40.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 \
    CMD ["/usr/local/bin/askgate", "health"]
ENTRYPOINT ["/usr/local/bin/askgate"]
CMD ["serve"]
