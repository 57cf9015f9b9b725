# docker build -t dhole .
# docker run --read-only -p 8443:8443 -v dhole:/data dhole
# The tag is that of an exact version, but a tag can be moved. To be sure of the content, look the digest up once
# (docker buildx imagetools inspect oven/bun:1.4.5-slim) and build with --build-arg BASE=oven/bun:1.4.5-slim@sha256:…
ARG BASE=oven/bun:1.4.5-slim
FROM ${BASE} AS packages
WORKDIR /app
COPY package.json bun.lock bunfig.toml ./
COPY packaging/swagger-ui/package.json ./packaging/swagger-ui/package.json
COPY console ./console
RUN bun install --frozen-lockfile --production --omit=peer --ignore-scripts
RUN bun console/bundle.ts console/built

FROM ${BASE}
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
