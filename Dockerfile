# syntax=docker/dockerfile:1

# What runs, and the page, built from the sources as they are here.
FROM node:24-slim AS build
WORKDIR /app
ENV CI=true
COPY . .
RUN node scripts/Install.mjs run

FROM node:24-slim
# An init that reaps what MCP servers leave behind.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends tini ca-certificates \
  && rm -rf /var/lib/apt/lists/*
COPY --from=build /app /app
# What a new volume begins with: a workspace, an agent, and a server for the workspace's files.
COPY --chown=node:node data /data
RUN install --directory --owner=node --group=node /data \
  && install --directory --owner=node --group=node --mode=700 /data/state
ENV NODE_ENV=production BOOCODE_STATE_DIR=/data/state
# Memory that is free goes back to the system: docs/operation.md, Memory.
ENV MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072 MALLOC_TRIM_THRESHOLD_=131072
WORKDIR /data
USER node
VOLUME /data
EXPOSE 4266
STOPSIGNAL SIGTERM
# Whether it should get work: 503 while it closes or cannot reach its database. It needs no token.
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:4266/api/health?ready=1').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["/usr/bin/tini", "--", "node", "--max-semi-space-size=16", "/app/apps/cli/src/main.ts"]
# Others can reach it, so it wants a token: BOOCODE_TOKEN, or the one it makes and prints at its first start.
CMD ["serve", "--data", "/data", "--host", "0.0.0.0", "--port", "4266"]
