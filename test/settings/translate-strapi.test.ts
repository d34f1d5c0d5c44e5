import { expect } from 'chai';
import { completeConfig } from '#settings/apply-variables.js';
import { createConfig } from '#settings/create-config.js';
import type { Config } from '#settings/config.js';
import { sectionNames, type SectionName } from '#settings/sections.js';
import type { WrittenSections } from '#settings/translate-strapi.js';

type Written = Partial<Record<SectionName, unknown>>;

function complete(written: Written, isStrapiProject = true, environment = 'development'): Config {
  const sections = Object.fromEntries(sectionNames.map((name) => [name, { file: `config/${name}`, value: written[name] ?? {} }]));
  const place = { directory: '/', environment, variables: {}, warnings: [], isStrapiProject };
  return completeConfig(sections as WrittenSections, place); // one for each name
}

const lookUp = (config: Config, path: string): unknown =>
  path.split('.').reduce<unknown>((value, key) => Reflect.get(Object(value), key), config);

interface Case {
  readonly what: string;
  readonly written: Written;
  /** Settings by path. */
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly warnings?: readonly RegExp[];
}

const plugin = (name: string, config: object): Written => ({ plugins: { [name]: { config } } });
const middleware = (name: string, config?: object): Written => ({
  middlewares: ['strapi::errors', config ? { name, config } : name],
});
const upload = 'plugins.upload.config';
const email = 'plugins.email.config';

const cases: readonly Case[] = [
  {
    what: 'keys of the server that mean nothing here',
    written: { server: { port: '4321', app: { keys: ['a'] }, webhooks: { populateRelations: false }, cron: { enabled: true } } },
    settings: { 'server.port': 4321 },
  },
  ...[{ populateRelations: 'true' }, { defaultHeaders: { a: 'b' } }].map((webhooks) => ({
    what: `webhooks with ${JSON.stringify(webhooks)}`,
    written: { server: { webhooks } },
    warnings: [/webhooks: set headers and populate of each webhook instead/],
  })),
  {
    what: 'the address of the server',
    written: { server: { url: 'https://example.org/', proxy: { koa: true }, http: { serverOptions: { requestTimeout: 5000 } } } },
    settings: { 'server.url': 'https://example.org', 'server.proxy': true, 'server.requestTimeout': 5000 },
  },
  { what: 'an address that is empty', written: { server: { url: '' } }, settings: { 'server.url': null } },
  {
    what: 'an address that is a path',
    written: { server: { url: '/cms' } },
    warnings: [/url: give the whole address, as https:\/\/example.org\/cms/],
  },
  {
    what: 'an SQL database',
    written: { database: { connection: { client: 'postgres', connection: { host: 'db' }, pool: { min: 0 } }, settings: {} } },
    settings: { 'database.uri': null },
    warnings: [/^config\/database: connection, settings: .*MONGODB_URI/],
  },
  {
    what: 'keys of the server of the admin panel, in one line',
    written: { admin: { auth: { secret: 'x'.repeat(16) }, flags: { nps: true }, autoOpen: false, url: '/desk/' } },
    settings: { 'admin.auth.secret': 'x'.repeat(16), 'admin.url': '/desk' },
    warnings: [/^config\/admin: flags, autoOpen: belongs to the server of Strapi's admin panel/],
  },
  {
    what: 'an admin panel on another host',
    written: { admin: { url: 'https://desk.example.org/cms', serveAdminPanel: 'false' } },
    settings: { 'admin.url': '/cms', 'admin.serveAdminPanel': false },
    warnings: [/^config\/admin: url: the panel is at \/cms of the service; let a proxy serve it elsewhere/],
  },
  {
    what: 'an admin panel at the root',
    written: { admin: { url: '/' } },
    settings: { 'admin.url': '/admin' },
    warnings: [/^config\/admin: url: the panel needs a path of its own; it is at \/admin/],
  },
  {
    what: 'the salt of a Strapi project',
    written: { admin: { apiToken: { salt: 'tobemodified' } } },
    settings: { 'admin.apiToken.salt': 'tobemodified' },
    warnings: [/apiToken\.salt has fewer than 16 characters, which production refuses/],
  },
  { what: 'no limit of pages', written: { api: { rest: { maxLimit: -1 } } }, settings: { 'api.rest.maxLimit': null } },
  {
    what: 'all entries by default',
    written: { api: { rest: { defaultLimit: -1 } }, plugins: { graphql: { config: { defaultLimit: -1, amountLimit: -1 } } } },
    settings: {
      'api.rest.defaultLimit': 1_000,
      'plugins.graphql.config.defaultLimit': 1_000,
      'plugins.graphql.config.amountLimit': 1_000,
    },
  },
  { what: 'a variable for a flag', written: { server: { proxy: 'true' } }, settings: { 'server.proxy': true } },
  {
    what: 'requests without a time limit',
    written: { server: { http: { serverOptions: { requestTimeout: 0 } } } },
    settings: { 'server.requestTimeout': 30_000 },
    warnings: [/server: http: requests have a time limit; set server\.requestTimeout/],
  },
  {
    what: 'a level of winston',
    written: { middlewares: [{ name: 'strapi::logger', config: { level: 'http' } }] },
    settings: { 'middlewares.logger.level': 'info' },
  },
  {
    what: "a project's own key",
    written: { server: { tenants: ['a'] } },
    warnings: [/server: tenants is not a setting of Mangrove and is ignored/],
  },
  {
    what: 'plugins that are not here',
    written: {
      plugins: {
        seo: true,
        'my-plugin': { enabled: true, resolve: './src/plugins/my-plugin' },
        documentation: {},
        sentry: { enabled: false },
      },
    },
    warnings: [/seo, my-plugin: Mangrove has no such plugin; its settings are ignored/, /documentation: .*OpenAPI/],
  },
  {
    what: 'null for settings that have a value by default',
    written: { ...plugin('graphql', { depthLimit: null, amountLimit: null }), server: { host: null } },
    settings: {
      'plugins.graphql.config.depthLimit': 12,
      'server.host': createConfig({}).server.host,
    },
  },
  {
    what: 'the plugin transformer',
    written: plugin('transformer', { responseTransforms: { removeAttributesKey: true, removeDataKey: true } }),
    settings: { 'api.rest.flatten': true },
  },
  {
    what: 'the plugin transformer without transforms',
    written: plugin('transformer', {}),
    settings: { 'api.rest.flatten': false },
  },
  {
    what: 'half of the plugin transformer',
    written: plugin('transformer', { responseTransforms: { removeDataKey: true } }),
    settings: { 'api.rest.flatten': false },
    warnings: [/transformer: api.rest.flatten removes `attributes` and `data`, or neither/],
  },
  {
    what: 'the plugin populate-deep',
    written: { plugins: { 'strapi-plugin-populate-deep': { config: { defaultDepth: 3 } } } },
    settings: { 'api.rest.populateDeep': 3 },
  },
  {
    what: 'populate-deep with more levels than the setting allows',
    written: { plugins: { 'strapi-plugin-populate-deep': { config: { defaultDepth: 20 } } } },
    settings: { 'api.rest.populateDeep': 18 },
  },
  {
    what: 'populate-deep switched off',
    written: { plugins: { 'strapi-plugin-populate-deep': false } },
    settings: { 'api.rest.populateDeep': 0 },
  },
  {
    what: 'a plugin of its own from elsewhere',
    written: { plugins: { graphql: { enabled: true, resolve: './x', config: { subscriptions: true, defaultLimit: 7 } } } },
    settings: { 'plugins.graphql.config.defaultLimit': 7, 'plugins.graphql.config.subscriptions': true },
    warnings: [/graphql\.resolve: Mangrove's own plugin is used/],
  },
  {
    what: 'files in a folder',
    written: plugin('upload', { provider: 'local', providerOptions: { localServer: { maxage: 300_000 } }, sizeLimit: 7 }),
    settings: {
      [`${upload}.provider`]: 'disk',
      [`${upload}.providerOptions`]: { folder: 'public/uploads' },
      [`${upload}.maxAge`]: 300,
      [`${upload}.sizeLimit`]: 7,
    },
  },
  {
    what: 'files in S3',
    written: plugin('upload', {
      provider: 'aws-s3',
      providerOptions: {
        rootPath: 'cms',
        s3Options: {
          accessKeyId: 'k',
          secretAccessKey: 's',
          region: 'eu',
          endpoint: undefined,
          params: { Bucket: 'b', ACL: 'private' },
        },
      },
      actionOptions: { upload: {} },
    }),
    settings: {
      [`${upload}.provider`]: 's3',
      [`${upload}.providerOptions`]: {
        bucket: 'b',
        prefix: 'cms',
        credentials: { accessKeyId: 'k', secretAccessKey: 's' },
        region: 'eu',
      },
    },
  },
  {
    what: 'S3 without a bucket',
    written: plugin('upload', {
      provider: '@strapi/provider-upload-aws-s3',
      providerOptions: { s3Options: { params: { Bucket: undefined } } },
    }),
    settings: { [`${upload}.provider`]: 'gridfs' },
    warnings: [/upload\.config: aws-s3 needs a bucket/],
  },
  {
    what: 'a provider of files that is like S3',
    written: plugin('upload', { provider: 'strapi-provider-upload-ts-minio', providerOptions: {} }),
    settings: { [`${upload}.provider`]: 'gridfs' },
    warnings: [/the upload provider ts-minio is not installed; .* is s3$/],
  },
  ...Object.entries({
    cloudinary: 'gridfs, disk or s3',
    'google-cloud-storage': 's3',
    'strapi-provider-cloudflare-r2': 's3',
  }).map(([provider, instead]) => ({
    what: `the provider ${provider} of files`,
    written: plugin('upload', { provider }),
    settings: { [`${upload}.provider`]: 'gridfs' },
    warnings: [new RegExp(`stored files keep their addresses, and new files .* is ${instead}$`)],
  })),
  ...Object.entries({
    'amazon-ses': 'email-smtp.<region>.amazonaws.com',
    '@strapi/provider-email-amazon-ses': 'email-smtp.<region>.amazonaws.com',
    'strapi-provider-email-mailjet': 'in-v3.mailjet.com',
    postmark: 'smtp.postmarkapp.com',
    'strapi-provider-email-resend': 'smtp.resend.com',
    other: '<host>',
  }).map(([provider, host]) => ({
    what: `the provider ${provider} of e-mails`,
    written: plugin('email', { provider, settings: { defaultFrom: 'a@b.test' } }),
    settings: { [`${email}.provider`]: 'nodemailer', [`${email}.settings.defaultFrom`]: 'a@b.test' },
    warnings: [new RegExp(`provider 'nodemailer' with providerOptions { host: '${host}', port: 587, auth: {`)],
  })),
  {
    what: "Mangrove's own provider of files",
    written: plugin('upload', { provider: 's3', providerOptions: { bucket: 'b' }, security: { allowedTypes: ['image/*'] } }),
    settings: { [`${upload}.providerOptions`]: { bucket: 'b' }, [`${upload}.allowedTypes`]: ['image/*'] },
  },
  {
    what: 'e-mails by nodemailer',
    written: plugin('email', {
      provider: 'nodemailer',
      providerOptions: { host: 'smtp', port: undefined },
      settings: { defaultFrom: 'a@b.test', defaultReplyTo: null, testAddress: 'c@b.test' },
    }),
    settings: {
      [`${email}.providerOptions`]: { host: 'smtp' },
      [`${email}.settings.defaultFrom`]: 'a@b.test',
      [`${email}.testAddress`]: 'c@b.test',
    },
  },
  {
    what: 'e-mails by sendmail',
    written: plugin('email', { provider: 'sendmail' }),
    settings: { [`${email}.providerOptions`]: { sendmail: true } },
  },
  {
    what: 'e-mails by mailgun',
    written: plugin('email', {
      provider: 'mailgun',
      providerOptions: { key: 'k', domain: 'm.test', url: 'https://api.eu.mailgun.net' },
    }),
    settings: {
      [`${email}.providerOptions`]: { host: 'smtp.eu.mailgun.org', port: 587, auth: { user: 'postmaster@m.test', pass: 'k' } },
    },
    warnings: [/email\.config: mailgun sends by SMTP/],
  },
  {
    what: 'e-mails by sendgrid',
    written: plugin('email', { provider: 'sendgrid', providerOptions: { apiKey: 'k' } }),
    settings: { [`${email}.providerOptions`]: { host: 'smtp.sendgrid.net', port: 587, auth: { user: 'apikey', pass: 'k' } } },
  },
  {
    what: 'e-mails by what is not here',
    written: plugin('email', { provider: 'strapi-provider-email-brevo', settings: { defaultFrom: 'a@b.test' } }),
    settings: { [`${email}.providerOptions`]: {}, [`${email}.settings.defaultFrom`]: 'a@b.test' },
    warnings: [/there is no e-mail provider brevo; give its SMTP server: .*smtp-relay\.brevo\.com', port: 587/],
  },
  {
    what: 'an interval of attempts in units',
    written: plugin('users-permissions', { ratelimit: { interval: { min: 5 }, max: 3 } }),
    settings: { 'plugins.users-permissions.config.ratelimit.interval': 300_000 },
  },
  {
    what: 'middlewares that need nothing',
    written: {
      middlewares: [
        'strapi::logger',
        'strapi::errors',
        'strapi::security',
        'strapi::cors',
        'strapi::poweredBy',
        'strapi::query',
        'strapi::body',
        'strapi::session',
        'strapi::favicon',
        'strapi::public',
        'strapi::compression',
      ],
    },
    settings: { 'middlewares.cors.origin': '*' },
  },
  {
    what: 'middlewares of the project',
    written: { middlewares: ['global::timer', { resolve: '../src/middlewares/x' }, { name: 'strapi::ip', config: {} }] },
    warnings: [/strapi::ip: let the proxy/],
  },
  {
    what: 'the limits of bodies',
    written: middleware('strapi::body', {
      jsonLimit: '256mb',
      formLimit: '2 MB',
      textLimit: '1mb',
      includeUnparsed: true,
      formidable: { maxFileSize: 300 },
    }),
    settings: { 'middlewares.body.jsonLimit': 16_777_216, 'middlewares.body.formLimit': 2_097_152, [`${upload}.sizeLimit`]: 300 },
    warnings: [/strapi::body: jsonLimit is 16 MB at most/],
  },
  {
    what: 'a limit of texts above that of forms',
    written: middleware('strapi::body', { textLimit: '1mb', multipart: true, formidable: {} }),
    settings: { 'middlewares.body.formLimit': 1_048_576 },
  },
  {
    what: 'a low limit of texts',
    written: middleware('strapi::body', { textLimit: '1kb' }),
    settings: { 'middlewares.body.formLimit': 57_344 },
  },
  {
    what: 'the size of compressed answers, and no start page',
    written: {
      middlewares: [
        { name: 'strapi::compression', config: { threshold: '2kb' } },
        { name: 'strapi::public', config: { defaultIndex: false } },
      ],
    },
    settings: { 'middlewares.compress.threshold': 2_048, 'api.startPage': false },
  },
  {
    what: 'options of middlewares that have no effect',
    written: {
      middlewares: [
        { name: 'strapi::body', config: { multipart: false, formidable: { keepExtensions: true } } },
        { name: 'strapi::poweredBy', config: { poweredBy: 'Us' } },
        { name: 'strapi::query', config: { arrayLimit: 500, strictNullHandling: true } },
        {
          name: 'strapi::security',
          config: { crossOriginEmbedderPolicy: false, referrerPolicy: { policy: 'origin' }, hsts: { preload: true } },
        },
        { name: 'strapi::public', config: { maxAge: 5 } },
        { name: 'strapi::responses', config: { handlers: {} } },
        { name: 'strapi::cors', config: { origin: '*', exposeHeaders: ['X-A'], keepHeaderOnError: true } },
      ],
    },
    warnings: [
      /strapi::body: multipart, formidable.keepExtensions of its config have no effect$/,
      /strapi::poweredBy: poweredBy of its config has no effect; the header X-Powered-By is not sent$/,
      /strapi::query: arrayLimit of its config has no effect; api.limits.listValues limits lists$/,
      /strapi::security: referrerPolicy, hsts.preload of its config have no effect$/,
      /strapi::public: maxAge of its config has no effect$/,
      /strapi::cors: exposeHeaders of its config has no effect$/,
    ],
  },
  {
    what: 'origins',
    written: middleware('strapi::cors', {
      origin: ['https://a.test', undefined],
      credentials: true,
      headers: 'X-A, X-B',
      maxAge: 5,
    }),
    settings: {
      'middlewares.cors.origin': ['https://a.test'],
      'middlewares.cors.credentials': true,
      'middlewares.cors.headers': ['X-A', 'X-B'],
      'middlewares.cors.maxAge': 5,
    },
  },
  {
    what: 'credentials of every origin',
    written: middleware('strapi::cors', { origin: '*', credentials: true }),
    settings: { 'middlewares.cors.credentials': false },
    warnings: [/strapi::cors: credentials need a list of origins/],
  },
  {
    what: 'a list of origins that has no texts',
    written: middleware('strapi::cors', { origin: [/a.test/, 5] }),
    settings: { 'middlewares.cors.origin': [] },
    warnings: [/strapi::cors: the value of origin is neither/],
  },
  ...[undefined, null, true, 5, {}].map((origin) => ({
    what: `the origin ${String(origin)}`,
    written: middleware('strapi::cors', { origin, credentials: true }),
    settings: { 'middlewares.cors.origin': [] },
    warnings: [/strapi::cors: the value of origin is neither/],
  })),
  ...[undefined, null].map((origin) => ({
    what: `the setting cors.origin ${String(origin)}`,
    written: { middlewares: { cors: { origin } } },
    settings: { 'middlewares.cors.origin': [] },
    warnings: [/cors.origin: the value of origin is neither/],
  })),
  {
    what: 'settings of CORS without an origin',
    written: middleware('strapi::cors', { headers: '*' }),
    settings: { 'middlewares.cors.origin': '*', 'middlewares.cors.headers': ['*'] },
  },
  {
    what: 'sources of a policy without their quotes',
    written: middleware('strapi::security', {
      contentSecurityPolicy: { directives: { 'frame-src': ['self', 'sha256-x', 'https://x.test'], 'font-src': ["'self'"] } },
    }),
    settings: {
      'middlewares.security.contentSecurityPolicy': {
        'frame-src': ["'self'", "'sha256-x'", 'https://x.test'],
        'font-src': ["'self'"],
      },
    },
    warnings: [/contentSecurityPolicy: write 'self', 'sha256-x' with these quotes/],
  },
  {
    what: 'security headers',
    written: middleware('strapi::security', {
      contentSecurityPolicy: {
        useDefaults: true,
        directives: { 'img-src': ["'self'", undefined], upgradeInsecureRequests: null },
      },
      hsts: false,
      frameguard: { action: 'deny' },
    }),
    settings: {
      'middlewares.security.contentSecurityPolicy': { 'img-src': ["'self'"], 'upgrade-insecure-requests': null },
      'middlewares.security.hstsMaxAge': 0,
      'middlewares.security.frame': 'DENY',
    },
  },
];

describe('the configuration of a Strapi project', () => {
  for (const { what, written, settings = {}, warnings = [] } of cases)
    it(what, () => {
      const config = complete(written);
      for (const [path, value] of Object.entries(settings)) expect(lookUp(config, path), path).to.deep.equal(value);
      expect(config.warnings, config.warnings.join('\n')).to.have.length(warnings.length);
      warnings.forEach((warning, index) => expect(config.warnings[index]).to.match(warning));
    });

  const refused: readonly (readonly [string, Written, boolean, RegExp])[] = [
    [
      'a misspelt key, in a project that is not Strapi’s',
      { server: { prot: 1 } },
      false,
      /unknown key prot; did you mean port\?/,
    ],
    ['a key of nobody, in a project that is not Strapi’s', { server: { tenants: [] } }, false, /unknown key tenants; known: /],
    ['a plugin of nobody, in a project that is not Strapi’s', { plugins: { seo: true } }, false, /unknown key seo; known: /],
    ['null, in a project that is not Strapi’s', { server: { host: null } }, false, /host must be string/],
    ['a wrong value', middleware('strapi::logger', { level: 'loud' }), true, /logger\.level must be one of/],
  ];
  for (const [what, written, isStrapiProject, message] of refused)
    it(`refuses ${what}`, () => {
      expect(() => complete(written, isStrapiProject)).to.throw(message);
    });

  const misspelt: readonly (readonly [string, Written, string])[] = [
    ['a key', { server: { prot: 1, port: 5 } }, 'config/server: unknown key prot; did you mean port?'],
    ['a plugin', { plugins: { grapqhl: true } }, 'config/plugins: unknown key grapqhl; did you mean graphql?'],
    [
      'a setting of a plugin',
      plugin('users-permissions', { ratelimits: { max: 5 } }),
      'config/plugins: unknown key users-permissions.config.ratelimits; did you mean ratelimit?',
    ],
  ];
  for (const [what, written, message] of misspelt)
    it(`ignores the misspelt name of ${what}, as Strapi does`, () => {
      for (const environment of ['development', 'production'])
        expect(complete(written, true, environment).warnings).to.deep.equal([message.replace(/;/, ' is ignored;')]);
    });

  it('prefers a setting of Mangrove to the key of Strapi that it replaces', () => {
    const middlewares = ['strapi::errors', { name: 'strapi::body', config: { formidable: { maxFileSize: 300 } } }];
    const config = complete({ middlewares, plugins: { upload: { config: { provider: 'gridfs', sizeLimit: 7 } } } });
    expect(config.plugins.upload.config.sizeLimit).to.equal(7);
  });
});
