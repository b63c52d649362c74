# The server in a small image, without PostgreSQL: DATABASE_URL is required when it runs.
# Platforms ask /healthz (the process) and /readyz (its database); the image holds no client to ask with.

FROM rust:1.95-slim-bookworm AS build
WORKDIR /src
# Queries are checked against the descriptions in .sqlx; no database is needed to build.
ENV SQLX_OFFLINE=true
COPY . .
RUN --mount=type=cache,target=/usr/local/cargo/registry \
    --mount=type=cache,target=/src/target \
    cargo build --profile dist --locked --bin caraplace \
    && cp target/dist/caraplace /caraplace \
    && strip /caraplace

FROM debian:bookworm-slim
RUN useradd --system --uid 10001 --no-create-home --shell /usr/sbin/nologin caraplace
COPY --from=build /caraplace /usr/local/bin/caraplace
USER 10001
ENV CARAPLACE_LISTEN=0.0.0.0:8080
EXPOSE 8080
ENTRYPOINT ["caraplace"]
