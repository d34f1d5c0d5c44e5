import { flag, group, maybeFlag, maybeText, maybeWhole, type Setting, shaped, text, whole } from './setting.js';
import { uploadSettings } from './upload-settings.js';

type Options = Readonly<Record<string, unknown>>;

const options = (about: string): Setting<Options> => shaped<Options>({ type: 'object' }, {}, about);

const graphqlSettings = group({
  enabled: flag(true, 'Serve GraphQL'),
  config: group({
    endpoint: text('/graphql', 'Path of the endpoint', { pattern: '^(/[A-Za-z0-9._~-]+)+$' }),
    shadowCRUD: flag(true, 'Generate types and operations from the content types'),
    playgroundAlways: flag(false, 'Serve the playground in production too'),
    authErrors: shaped<'rest' | 'graphql'>(
      { enum: ['rest', 'graphql'] },
      'rest',
      'Form of a 401: that of REST, as in Strapi v4, or that of GraphQL errors',
    ),
    depthLimit: whole(12, 'Levels of fields in an operation', { minimum: 1 }),
    defaultLimit: whole(10, 'Entries of a list where none is asked for', { minimum: 1 }),
    maxLimit: maybeWhole('Most entries of a list; null: amountLimit', { minimum: -1 }),
    nullableOutput: flag(false, 'Required attributes may be null in answers, so that an entry that lacks one is still shown'),
    amountLimit: whole(100, 'Most entries of a list where maxLimit is not set', { minimum: 1 }),
    apolloServer: options(
      'Options of Strapi v4: allowBatchedHttpRequests, bodyParserConfig.jsonLimit, cors, csrfPrevention, debug, formatError, introspection, tracing, validationRules; others are named in a warning',
    ),
    subscriptions: shaped<false>({ const: false }, false, 'There are none; the setting may stay in a configuration of Strapi v4'),
    generateArtifacts: maybeFlag('Write the files named in artifacts; null: in development only'),
    artifacts: group({
      schema: shaped<string | boolean>({ type: ['string', 'boolean'] }, false, 'File for the schema in SDL'),
      typegen: shaped<string | boolean>({ type: ['string', 'boolean'] }, false, 'File for TypeScript types'),
    }),
    limits: group({
      tokens: whole(10_000, 'Tokens of a document', { minimum: 1 }),
      aliases: whole(100, 'Aliases of an operation'),
      rootFields: whole(20, 'Fields at the root of an operation', { minimum: 1 }),
      cost: maybeWhole('Another name of api.limits.entriesRead, which it replaces', { minimum: 1 }),
      batch: whole(10, 'Operations of one request', { minimum: 1 }),
    }),
  }),
});

/** An OpenID Connect provider that users may log in with. */
export interface ProviderSettings {
  /** Address of the provider; the rest is read from its `/.well-known/openid-configuration`. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** `openid email profile` unless given. */
  readonly scope?: string;
  /** Where the browser goes after the login, with `access_token` and `id_token` of the provider in its query. */
  readonly redirect?: string;
}

const providerSchema = {
  type: 'object',
  required: ['issuer', 'clientId', 'clientSecret'],
  additionalProperties: false,
  properties: {
    issuer: { type: 'string', pattern: '^https?://.' },
    clientId: { type: 'string', minLength: 1 },
    clientSecret: { type: 'string', minLength: 1 },
    scope: { type: 'string' },
    redirect: { type: 'string', pattern: '^https?://.' },
  },
};

/** Addresses that browsers run or read from this machine. */
const unsafeSchemes = ['javascript', 'vbscript', 'data', 'file', 'blob', 'about', 'view-source'];

const usersSettings = group({
  enabled: flag(true, 'Users, roles and permissions; without it only API tokens authorize'),
  config: group({
    jwtSecret: maybeText('Key that signs the tokens of users, 32 characters at least', { variable: 'JWT_SECRET', secret: 32 }),
    jwt: group({
      expiresIn: shaped<string | number>(
        { type: ['string', 'integer'] },
        '30d',
        'Lifetime of a token: seconds, or a string such as 30d',
      ),
      ignoreExpiredOnPublic: flag(
        false,
        'Let who sends a token that has expired do what the public may, with content and files; else it is a 401',
      ),
    }),
    ratelimit: group({
      enabled: flag(true, 'Limit attempts at login, registration and password routes', { variable: 'RATE_LIMIT' }),
      interval: whole(60_000, 'Milliseconds over which attempts are counted', { minimum: 1 }),
      max: whole(10, 'Attempts in one interval', { minimum: 1 }),
      maxPerClient: whole(
        40,
        'Attempts of one client, which in IPv6 is a /64 network, at routes that send e-mails, to any address',
        {
          minimum: 1,
        },
      ),
      slowInterval: whole(3_600_000, 'Milliseconds over which attempts at one account and e-mails to one address are counted', {
        minimum: 1,
      }),
      maxPerClientAndAccount: whole(30, 'Attempts of one client to log in to one account, in the slow interval', { minimum: 1 }),
      maxPerAccount: whole(100, 'Attempts to log in to one account, from wherever they come', { minimum: 1 }),
      maxPerAddress: whole(20, 'E-mails that may be asked for to one address, from wherever', { minimum: 1 }),
    }),
    hideAccounts: flag(false, 'POST /auth/send-email-confirmation answers the same for every address'),
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
      'Schemes of apps, such as myapp, that links in e-mails and the address after a confirmation may have',
    ),
    codes: group({
      reset: whole(3_600, 'Seconds for which the code in an e-mail for a new password holds', { minimum: 1 }),
      confirmation: whole(86_400, 'Seconds for which the code that confirms an e-mail address holds', { minimum: 1 }),
    }),
    refreshTokens: group({
      enabled: flag(false, 'Give refresh tokens at login, and let tokens of users end early'),
      accessExpiresIn: shaped<string | number>(
        { type: ['string', 'integer'] },
        '15m',
        'How long a token of a user holds where refresh tokens are given',
      ),
      lifetime: whole(2_592_000, 'Seconds after which a refresh token that was not used ends', { minimum: 60 }),
      grace: whole(60, 'Seconds after its use for which a refresh token has the same successor again', { minimum: 0 }),
    }),
    providers: shaped<Readonly<Record<string, ProviderSettings>>>(
      { type: 'object', additionalProperties: providerSchema },
      {},
      'OpenID Connect providers by name: issuer, clientId, clientSecret, scope, redirect',
    ),
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
    provider: text('nodemailer', 'What sends e-mails'),
    providerOptions: options('Options of the provider, such as host, port and auth'),
    settings: group({
      defaultFrom: text('no-reply@localhost', 'Sender unless one is given', { variable: 'EMAIL_FROM' }),
      defaultReplyTo: maybeText('Address for replies where none is given'),
    }),
    testAddress: maybeText('Address for test e-mails'),
  }),
});

/** config/plugins: the parts that can be switched off, each as true, false or `{ enabled, config }`. */
export const pluginSettings = group({
  graphql: graphqlSettings,
  'users-permissions': usersSettings,
  i18n: i18nSettings,
  upload: uploadSettings,
  email: emailSettings,
});
