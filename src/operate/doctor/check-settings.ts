import { placeOfMetrics } from '#api/metrics/settings.js';
import { addressFault } from './address-fault.js';
import { isAboutSecret } from './check-secrets.js';
import type { Context } from './context.js';
import { advice, type CheckResult, problem } from '#base/finding.js';

/** Returns whether a line about the configuration is about the address of the database. */
export const isAboutAddress = (line: string): boolean => line.endsWith('(environment variable MONGODB_URI)');

const isAboutCors = (line: string): boolean => line.startsWith('middlewares.cors.');

/** Finds what stops a start. Other checks report what is wrong with secrets, the address and CORS. */
export const checkConfiguration = ({ config, problems, backups }: Context): CheckResult => {
  const others = problems.filter((line) => !isAboutSecret(line) && !isAboutAddress(line) && !isAboutCors(line));
  const count = config.warnings.filter((line) => !problems.includes(line)).length;
  return [
    ...others.map((line) => problem(line, 'correct it; npx mangrove check has the place')),
    backups?.kind === 'refused' ? problem(backups.reason, 'correct BACKUP_SCHEDULE') : null,
    count === 0 ? null : advice(`the configuration has ${String(count)} warnings`, 'npx mangrove check lists them'),
  ];
};

export const checkEnvironment = ({ config, environment }: Context): CheckResult => [
  ['development', 'test'].includes(environment)
    ? problem(`NODE_ENV is ${environment}, or not set, so a start is open and has other defaults`, 'set NODE_ENV=production')
    : null,
  environment === 'staging'
    ? advice('NODE_ENV=staging switches the playground and introspection on', 'set NODE_ENV=production')
    : null,
  config.database.demo ? advice('the demo is stored in an empty database', 'remove MANGROVE_DEMO') : null,
];

export function checkCors({ config, problems }: Context): CheckResult {
  const { cors } = config.middlewares;
  const origins = [cors.origin].flat().filter((origin) => typeof origin === 'string');
  const refused = problems.filter(isAboutCors);
  const list = 'list the origins of your front ends in middlewares.cors.origin';
  if (!cors.enabled || !cors.credentials) return refused.map((line) => problem(line, list));
  const plain = origins.filter((origin) => origin.startsWith('http://'));
  return [
    ...refused.map((line) => problem(line, list)),
    origins.includes('null') ? problem('CORS allows credentials for the origin null, which any page can have', list) : null,
    plain.length > 0 ? advice(`CORS allows credentials for ${plain.join(', ')} without TLS`, 'use https there') : null,
  ];
}

/** Finds a public address that clients cannot use, and a proxy that is not trusted. */
export function checkProxy({ config }: Context): CheckResult {
  const { url, proxy } = config.server;
  if (url === null)
    return advice('PUBLIC_URL is not set: links in e-mails lead to the address that the service listens on', 'set PUBLIC_URL');
  const fault = addressFault(url);
  const hidden = 'the limits of clients apply to all of them together, because they have the address of the proxy';
  return [
    fault === null ? null : problem(`PUBLIC_URL ${fault}`, 'set it to the address that clients use, with https'),
    url.startsWith('https:') && !proxy
      ? problem(
          `TRUST_PROXY is not set, and a proxy adds TLS: ${hidden}`,
          'set TRUST_PROXY=true; the proxy must set X-Forwarded-For',
        )
      : null,
  ];
}

/** Finds limits that are off. */
export function checkLimits({ config }: Context): CheckResult {
  const users = config.plugins['users-permissions'];
  const guess = 'passwords can be guessed without a limit';
  return [
    users.enabled && !users.config.ratelimit.enabled
      ? problem(`the limit of log-ins is off: ${guess}`, 'remove RATE_LIMIT=false (users-permissions.config.ratelimit.enabled)')
      : null,
    config.admin.enabled && !config.admin.rateLimit.enabled
      ? problem(`the limit of log-ins of administrators is off: ${guess}`, 'set admin.rateLimit.enabled = true')
      : null,
    config.api.ratelimit.enabled
      ? null
      : advice('requests of one client are not limited', 'set api.ratelimit.enabled = true, unless a proxy does it'),
  ];
}

export function checkHeaders({ config }: Context): CheckResult {
  const { security } = config.middlewares;
  if (!security.enabled) return problem('the security headers are off', 'set middlewares.security.enabled = true');
  return security.hstsMaxAge === 0
    ? advice('Strict-Transport-Security is not sent', 'set middlewares.security.hstsMaxAge, unless the proxy sends it')
    : null;
}

/** Finds pages for developers that production shows. */
export function checkPages({ config }: Context): CheckResult {
  const { enabled, config: graphql } = config.plugins.graphql;
  const { introspection, debug } = graphql.apolloServer;
  return [
    enabled && graphql.playgroundAlways
      ? advice('the GraphQL playground is open', 'set plugins.graphql.config.playgroundAlways = false')
      : null,
    enabled && introspection === true
      ? advice('GraphQL introspection is on', 'remove plugins.graphql.config.apolloServer.introspection')
      : null,
    enabled && debug === true
      ? problem('GraphQL errors show stack traces', 'remove plugins.graphql.config.apolloServer.debug')
      : null,
    config.api.docs === true ? advice('the documentation page is open', 'remove api.docs') : null,
    config.api.startPage === true ? advice('the start page is open', 'remove api.startPage') : null,
  ];
}

/** Finds a port of metrics, which needs no token. */
export function checkMetrics({ config }: Context): CheckResult {
  const place = placeOfMetrics(config);
  if (place === null || place === 'token') return null;
  return advice(
    `metrics are answered at port ${String(place.port)} without a token`,
    'let only the collector reach the port, or set METRICS=token',
  );
}
