# The server in a small image, without PostgreSQL: DATABASE_URL is required when it runs.
# Platforms should check /healthz (the process) and /readyz (its database).
#
# Base images are pinned by the digest of their index (all platforms), so that builds are reproducible. Update
# them with each release for the distribution's fixes. To update, insert the output for each tag of
#   docker buildx imagetools inspect rust:1.95-slim-bookworm --format '{{.Manifest.Digest}}'

FROM rust:1.95-slim-bookworm@sha256:d7482085ff5b415f84dba5647ae71606650bdef00db7aeb69f4b3d170c3e4082 AS build
WORKDIR /src
# Queries are checked with the descriptions in .sqlx, so the build needs no database.
ENV SQLX_OFFLINE=true
COPY . .
RUN --mount=type=cache,target=/usr/local/cargo/registry \
    --mount=type=cache,target=/src/target \
    cargo build --profile dist --locked --bin caraplace \
    && cp target/dist/caraplace /caraplace \
    && strip /caraplace

FROM debian:bookworm-slim@sha256:88200866dfff7ea7f5cbcb6ec7c8a701889efe6fe859fe64d6990e4b07ea4171
RUN useradd --system --uid 10001 --no-create-home --shell /usr/sbin/nologin caraplace
COPY --from=build /caraplace /usr/local/bin/caraplace
USER 10001
ENV CARAPLACE_LISTEN=0.0.0.0:8080
EXPOSE 8080
# The image has no HTTP client, so bash sends the request. It checks the process and not its database: some
# platforms restart unhealthy containers, and a restart does not repair a database.
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=3 \
    CMD ["bash", "-c", "exec 3<>\"/dev/tcp/127.0.0.1/${CARAPLACE_LISTEN##*:}\" && printf 'GET /healthz HTTP/1.0\\r\\n\\r\\n' >&3 && head -n 1 <&3 | grep -q ' 200 ' || exit 1"]
ENTRYPOINT ["caraplace"]
