import { loginProviders } from './provider-settings.js';
import { flag, group, maybeFlag, maybeText, options, optionalInteger, shaped, text, amount, integerSetting } from './setting.js';
import { uploadSettings } from './upload-settings.js';

const graphqlSettings = group({
  enabled: flag(true, 'Serve GraphQL'),
  config: group({
    endpoint: text('/graphql', 'Path of the endpoint', {
      pattern: '^(/[A-Za-z0-9._~-]+)+$',
      description: 'a path such as /graphql',
    }),
    shadowCRUD: flag(true, 'Generate types and operations from the content types'),
    playgroundAlways: flag(false, 'Serve the playground in production too; `NODE_ENV=staging` always does'),
    authErrors: shaped<'rest' | 'graphql'>(
      { enum: ['rest', 'graphql'] },
      'rest',
      'Form of a 401: that of REST, as in Strapi v4, or that of GraphQL errors',
    ),
    depthLimit: amount(12, 'Levels of fields in an operation'),
    defaultLimit: amount(10, 'Entries of a list if the query names no limit'),
    maxLimit: optionalInteger('Maximum number of entries of a list; null: amountLimit', { minimum: -1 }),
    nullableOutput: flag(false, 'Make required attributes nullable in answers, so that an entry without a value is still shown'),
    quantifiers: flag(false, 'Add `none`, `every` and `some` to the filters of relations, media and repeatable components'),
    connections: flag(false, 'Add a query such as articles_connection to each list, whose pages are read by cursors'),
    amountLimit: amount(100, 'Maximum number of entries of a list if maxLimit is not set'),
    apolloServer: options(
      'Options of Strapi v4: allowBatchedHttpRequests, bodyParserConfig.jsonLimit, cors, csrfPrevention, debug, formatError, introspection, tracing (except in production), validationRules; others cause a warning',
    ),
    subscriptions: flag(
      false,
      'Serve subscriptions of the types with sync, and live queries, as events, in parts and by WebSocket on the same path',
    ),
    generateArtifacts: maybeFlag('Write the files set in artifacts; null: in development only'),
    artifacts: group({
      schema: shaped<string | boolean>({ type: ['string', 'boolean'] }, false, 'File for the schema in SDL'),
      typegen: shaped<string | boolean>({ type: ['string', 'boolean'] }, false, 'File for TypeScript types'),
    }),
    limits: group({
      tokens: amount(10_000, 'Tokens of a document'),
      aliases: integerSetting(100, 'Aliases of an operation'),
      rootFields: amount(20, 'Fields at the root of an operation'),
      cost: optionalInteger('Overrides api.limits.entriesRead', { minimum: 1 }),
      batch: amount(10, 'Operations of one request'),
    }),
  }),
});

/** URL schemes that make browsers run code or read local files. */
const unsafeSchemes = ['javascript', 'vbscript', 'data', 'file', 'blob', 'about', 'view-source'];

const usersSettings = group({
  enabled: flag(true, 'Users, roles and permissions; if false, only API tokens are accepted'),
  config: group({
    jwtSecret: maybeText('Key that signs the tokens of users; at least 32 characters', { variable: 'JWT_SECRET', secret: 32 }),
    jwtSecretPrevious: maybeText('The former key, whose tokens are still accepted', {
      variable: 'JWT_SECRET_PREVIOUS',
      secret: 32,
    }),
    jwt: group({
      expiresIn: shaped<string | number>(
        { type: ['string', 'integer'] },
        '30d',
        'Lifetime of a token: seconds, or a string such as 30d',
      ),
      ignoreExpiredOnPublic: flag(
        false,
        'Treat requests for content and files with an expired token as public requests; if false, they are a 401',
      ),
    }),
    ratelimit: group({
      enabled: flag(true, 'Limit attempts at login, registration and password routes, and e-mails of clients', {
        variable: 'RATE_LIMIT',
      }),
      interval: amount(60_000, 'Milliseconds over which attempts are counted'),
      max: amount(10, 'Attempts in one interval'),
      maxPerClient: amount(
        40,
        'Attempts of one client at routes that send e-mails, to any address; in IPv6 a client is a /64 network',
      ),
      slowInterval: amount(
        3_600_000,
        'Milliseconds over which wrong passwords for one account and e-mails to one address are counted',
      ),
      maxPerClientAndAccount: amount(30, 'Wrong passwords of one client for one account in the slow interval'),
      maxPerAccount: amount(
        100,
        'Wrong passwords for one account in the slow interval, of all clients that have not logged in to it before',
      ),
      maxPerAddress: amount(20, 'E-mails of a kind to one address in the slow interval; further ones are not sent'),
    }),
    hideAccounts: maybeFlag(
      'Return the same answer for every address at POST /auth/send-email-confirmation; null: in production only',
    ),
    register: group({
      allowedFields: shaped<readonly string[] | null>(
        { type: 'array', items: { type: 'string' }, nullable: true },
        null,
        'Attributes besides username, email and password that a registration may set; null: the public, writable ones',
      ),
    }),
    appSchemes: shaped<readonly string[]>(
      { type: 'array', items: { type: 'string', pattern: '^[a-z][a-z0-9+.-]*$', not: { enum: unsafeSchemes } } },
      [],
      'URL schemes of apps, such as myapp, that are allowed in links in e-mails and in the redirect after a confirmation',
    ),
    codes: group({
      reset: amount(3_600, 'Seconds for which the code of a password reset e-mail is valid'),
      confirmation: amount(86_400, 'Seconds for which the code of a confirmation e-mail is valid'),
    }),
    refreshTokens: group({
      enabled: flag(false, 'Issue refresh tokens at login, together with short-lived access tokens'),
      accessExpiresIn: shaped<string | number>(
        { type: ['string', 'integer'] },
        '15m',
        'Lifetime of an access token if refresh tokens are enabled',
      ),
      lifetime: integerSetting(2_592_000, 'Seconds after which an unused refresh token expires', { minimum: 60 }),
      grace: integerSetting(60, 'Seconds in which a used refresh token may be used again and returns the same new token', {
        minimum: 0,
      }),
    }),
    providers: loginProviders,
    callback: options('Functions that validate callback URLs'),
  }),
});

const i18nSettings = group({
  enabled: flag(true, 'Localized content types'),
  config: group({
    defaultLocale: text('en', 'Default locale of a new database', {
      variable: 'STRAPI_PLUGIN_I18N_INIT_LOCALE_CODE',
      minLength: 1,
    }),
  }),
});

const emailSettings = group({
  enabled: flag(true, 'Send e-mails'),
  config: group({
    provider: text('nodemailer', 'What sends e-mails: nodemailer, or a package with an e-mail provider of Strapi v4'),
    providerOptions: options('Options of the provider, such as host, port and auth'),
    settings: group({
      defaultFrom: text('no-reply@localhost', 'Default sender', { variable: 'EMAIL_FROM' }),
      defaultReplyTo: maybeText('Default reply address'),
    }),
    testAddress: maybeText('Address for test e-mails'),
  }),
});

/** The settings of config/plugins. Each plugin may be written as true, false or `{ enabled, config }`. */
export const pluginSettings = group({
  graphql: graphqlSettings,
  'users-permissions': usersSettings,
  i18n: i18nSettings,
  upload: uploadSettings,
  email: emailSettings,
});
