import Koa from 'koa';
import { accessLog } from './access-log.js';
import { checkUrl } from './check-url.js';
import { compressResponse } from './compress-response.js';
import { crossOrigin } from './cross-origin.js';
import { errorResponse } from './error-response.js';
import { health } from './health.js';
import { byPath, type PathTable } from './by-path.js';
import { requestBody } from './request-body.js';
import { requestId } from './request-id.js';
import { securityHeaders } from './security-headers.js';
import { timeLimit } from './time-limit.js';
import type { Middleware } from 'koa';
import type { Logger } from 'pino';
import type { Config } from '../config/config.js';
import type { Check } from './health.js';
import type { RequestState } from './request-state.js';

/** What the application is made of, besides its routes. */
export interface AppInput {
  readonly config: Config;
  readonly logger: Logger;
  /** What has to work before requests should come: shown at `/_health/ready`. */
  readonly checks: Readonly<Record<string, Check>>;
  /** Paths that differ from the rest. */
  readonly paths?: PathTable;
}

/** A Koa application with everything that all routes share, in order; front ends are added by `use`. */
export function createApp({ config, logger, checks, paths = new Map() }: AppInput): Koa<RequestState> {
  const { cors, security, compress, logger: log, body } = config.middlewares;
  const app = new Koa<RequestState>({ proxy: config.server.proxy, maxIpsCount: config.server.proxyCount });
  const parts: readonly (Middleware<RequestState> | false)[] = [
    requestId,
    log.enabled && accessLog(logger),
    health(checks),
    security.enabled && securityHeaders(security),
    byPath(cors.enabled ? crossOrigin(cors) : null, paths, (own) => (own.cors === undefined ? null : crossOrigin(own.cors))),
    compress.enabled && compressResponse(compress),
    errorResponse(logger),
    timeLimit(config.server),
    checkUrl(config.api.limits.urlLength),
    byPath(requestBody(body), paths, (own) => (own.body === undefined ? null : requestBody(own.body))),
  ];
  for (const part of parts) if (part) app.use(part);
  app.on('error', (err: unknown) => {
    // Past the error exit only sending can fail, mostly because the client has gone.
    logger.debug({ err }, 'answer not sent');
  });
  return app;
}
