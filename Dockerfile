# The image is the static binary and its data directory, nothing else. The stage that the binary
# comes from is "build", or "prebuilt", which takes bin/image as "make image" laid it out.
ARG BINARY=build

FROM scratch AS prebuilt
COPY bin/image/ /out/

FROM docker.io/library/golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN make build && mkdir -p /out/data && cp bin/pfsd /out/

FROM ${BINARY} AS binary

FROM scratch
LABEL org.opencontainers.image.title="pfsd" \
      org.opencontainers.image.description="Performance schema of instrumented Go code, for any MySQL client" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="8.4.8-pfsd"
COPY --from=binary /out/pfsd /pfsd
COPY --from=binary --chown=65532:65532 /out/data /data
USER 65532:65532
ENV PFSD_BIND_ADDRESS=* PFSD_DATADIR=/data PFSD_SOCKET=pfsd.sock
VOLUME /data
EXPOSE 3306
HEALTHCHECK --interval=10s --timeout=6s --start-period=5s CMD ["/pfsd", "ping"]
ENTRYPOINT ["/pfsd"]
