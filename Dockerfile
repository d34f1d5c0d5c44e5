# Builds the service from a clone: docker build -t mangrove .
# Packages that are not part of it, such as that of S3: --build-arg PACKAGES=@aws-sdk/client-s3@3
# The admin panel: --build-arg PANEL=true
FROM node:22-slim AS build
WORKDIR /srv/mangrove
COPY package.json package-lock.json ./
# bcrypt and sharp bring compiled files for this system, so no script of a package runs.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run build
RUN npm prune --omit=dev --ignore-scripts --no-audit --no-fund
ARG PACKAGES=
# npm does not install a package that package.json names as an optional peer, so these are taken out of it first.
RUN if [ -n "$PACKAGES" ]; then \
    npm pkg delete devDependencies peerDependencies peerDependenciesMeta && \
    npm install --no-save --ignore-scripts --no-audit --no-fund $PACKAGES; \
  fi
ARG PANEL=
# The panel is built from packages of Strapi v4, half a gigabyte that stays in this stage. The service serves it from the folder build.
RUN if [ "$PANEL" = true ]; then node bin/mangrove.cjs panel build && mv data/panel build; else mkdir build; fi

FROM node:22-slim
ARG VERSION=1.0.0
ARG REVISION=
LABEL org.opencontainers.image.title="Mangrove" \
  org.opencontainers.image.description="A headless content API on MongoDB that speaks the Strapi v4 wire format, REST and GraphQL" \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.version="$VERSION" \
  org.opencontainers.image.revision="$REVISION"
ENV NODE_ENV=production NODE_OPTIONS=--max-semi-space-size=32
WORKDIR /srv/mangrove
# The only folder that the service may write: files, if they are stored on disk.
RUN mkdir -m 700 data && chown node:node data
COPY --from=build /srv/mangrove/package.json /srv/mangrove/LICENSE ./
COPY --from=build /srv/mangrove/bin bin
COPY --from=build /srv/mangrove/build build
COPY --from=build /srv/mangrove/client client
COPY --from=build /srv/mangrove/config config
COPY --from=build /srv/mangrove/dist dist
COPY --from=build /srv/mangrove/docs/security-of-v4.json docs/
COPY --from=build /srv/mangrove/node_modules node_modules
# A number, because Kubernetes cannot tell from a name whether it is root. It is the user node.
USER 1000:1000
EXPOSE 1337
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 1337}/_health/ready`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "bin/mangrove.cjs", "start"]
