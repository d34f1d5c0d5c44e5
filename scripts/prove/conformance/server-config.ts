import type { PartialConfig } from '../../../src/index.js';

/** The settings of the server under test, besides its content. */
export interface ServerSettings {
  readonly uri: string;
  readonly database: string;
  readonly defaultLocale: string;
  readonly rateLimit: 'on' | 'off';
}

/** The salt of the hashes of API tokens in the setup. */
export const tokenSalt = 'conformance-token-salt';

/** The token that reads the OpenAPI document of everything. */
export const adminToken = 'conformance-admin-token-of-at-least-32-bytes';

/** The configuration under which the recordings were made, as their README lists it. */
export const serverConfig = ({ uri, database, defaultLocale, rateLimit }: ServerSettings): PartialConfig => ({
  // which also puts the playground away
  environment: 'production',
  server: { host: '127.0.0.1', port: 0 },
  database: { uri, name: database },
  api: { open: false, rest: { defaultLimit: 25, maxLimit: 100, withCount: true } },
  plugins: {
    graphql: { config: { depthLimit: 12, amountLimit: 100, apolloServer: { introspection: true } } },
    'users-permissions': {
      config: {
        // The probes forge tokens with this very key.
        jwtSecret: process.env.JWT_SECRET ?? 'conformance-jwt-secret-of-at-least-32-bytes',
        jwt: { expiresIn: '30d' },
        ratelimit: { enabled: rateLimit === 'on' },
        // Strapi v4 tells whether an address is confirmed.
        hideAccounts: false,
      },
    },
    i18n: { config: { defaultLocale } },
    // E-mails are written, and sent nowhere.
    email: { config: { providerOptions: { jsonTransport: true } } },
    upload: { config: { sizeLimit: 2 * 1024 * 1024 } },
  },
  middlewares: { logger: { level: 'warn' } },
  admin: { token: adminToken, apiToken: { salt: tokenSalt }, rateLimit: { enabled: rateLimit === 'on' } },
});
