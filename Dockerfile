# docker build -t dhole .
# docker run --read-only -p 8443:8443 -v dhole:/data dhole
# Everything is the same at each build: both images are named by their digests, and the packages, Bun too, have their
# checksums in a bun.lock. A newer digest: docker buildx imagetools inspect debian:13-slim
ARG BASE=debian:13.7-slim@sha256:a99cfc517144bc59b1978475ec53b46ecabec7e43635402ee5b77cc54cd1b20a
ARG INSTALLER=oven/bun:1.4.3-slim@sha256:14a223fa35747ec728bce300ef85888bc5f7958164d15bbba6a54b22b52a3288

# The runtime that everything is tried with. The one of this image only installs it.
FROM ${INSTALLER} AS installer
WORKDIR /runtime
COPY packaging/image/package.json packaging/image/bun.lock ./
RUN bun install --frozen-lockfile && mv node_modules/@oven/bun-linux-*/bin/bun bun

FROM ${BASE} AS runtime
COPY --from=installer /runtime/bun /usr/local/bin/bun
RUN useradd --uid 1000 --user-group --create-home --shell /usr/sbin/nologin bun

FROM runtime AS packages
WORKDIR /app
COPY package.json bun.lock bunfig.toml ./
COPY packaging/swagger-ui/package.json ./packaging/swagger-ui/package.json
COPY console ./console
RUN bun install --frozen-lockfile --production --omit=peer --ignore-scripts
RUN bun console/bundle.ts console/built

FROM runtime
WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
COPY --from=packages /app/console/built ./console/built
COPY package.json LICENSE ./
COPY drizzle ./drizzle
COPY packaging/health.mjs ./packaging/health.mjs
COPY src ./src
# Nobody can come in from outside the container unless it listens on all addresses: a new tree is locked then. The log is
# kept by others: JSON lines show no secret, with a terminal (docker run -t) neither.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8443 DATA_DIR=/data LOG_FORMAT=json
RUN mkdir --mode=0700 /data && chown bun:bun /data
VOLUME /data
EXPOSE 8443
USER bun
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=10s --start-period=20s --retries=3 CMD ["bun", "/app/packaging/health.mjs"]
ENTRYPOINT ["bun", "/app/src/cli/main.ts"]
CMD ["serve"]
