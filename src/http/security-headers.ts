import helmet from 'koa-helmet';
import type { Middleware } from 'koa';
import type { MiddlewaresConfig } from '../config/config.js';

type SecurityConfig = MiddlewaresConfig['security'];

/** The security headers that Strapi v4 sends. Helmet's cross-origin and origin-agent headers stay off: other sites show the media. */
export function securityHeaders({ contentSecurityPolicy, hstsMaxAge, frame }: SecurityConfig): Middleware {
  return helmet({
    contentSecurityPolicy: { useDefaults: true, directives: { ...directives, ...mutable(contentSecurityPolicy) } },
    strictTransportSecurity: hstsMaxAge > 0 && { maxAge: hstsMaxAge, includeSubDomains: true },
    xFrameOptions: { action: frame === 'DENY' ? 'deny' : 'sameorigin' },
    crossOriginOpenerPolicy: false,
    crossOriginResourcePolicy: false,
    originAgentCluster: false,
    xXssProtection: false,
  });
}

const directives = {
  'connect-src': ["'self'", 'https:'],
  'img-src': ["'self'", 'data:', 'blob:'],
  'media-src': ["'self'", 'data:', 'blob:'],
  'upgrade-insecure-requests': null,
};

/** Helmet asks for lists that it could change. */
const mutable = (policy: SecurityConfig['contentSecurityPolicy']): Record<string, string[] | null> =>
  Object.fromEntries(Object.entries(policy).map(([name, sources]) => [name, sources && [...sources]]));
