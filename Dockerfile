# Builds the service from a clone: docker build -t mangrove .
FROM node:22-slim AS build
WORKDIR /srv/mangrove
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run build && npm prune --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:22-slim
ENV NODE_ENV=production NODE_OPTIONS=--max-semi-space-size=32
WORKDIR /srv/mangrove
# The only folder that the service may write: files, if they are stored on disk.
RUN mkdir --mode=700 data && chown node:node data
COPY --from=build /srv/mangrove/package.json /srv/mangrove/LICENSE ./
COPY --from=build /srv/mangrove/bin bin
COPY --from=build /srv/mangrove/client client
COPY --from=build /srv/mangrove/config config
COPY --from=build /srv/mangrove/dist dist
COPY --from=build /srv/mangrove/node_modules node_modules
USER node
EXPOSE 1337
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 1337}/_health/ready`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "bin/mangrove.cjs", "start"]
