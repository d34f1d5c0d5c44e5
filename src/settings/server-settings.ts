import type { CorsOrigin } from './cors-origin.js';
import {
  flag,
  group,
  maybeText,
  text,
  amount,
  integerSetting,
  choice,
  decimal,
  optionalInteger,
  maybeFlag,
  shaped,
  texts,
} from './setting.js';

/** The settings of config/server. Times are in milliseconds. */
export const serverSettings = group({
  host: text('0.0.0.0', 'Address to listen on', { variable: 'HOST', minLength: 1 }),
  port: integerSetting(1337, 'Port to listen on; 0 takes any free one', { variable: 'PORT', maximum: 65535 }),
  url: maybeText(
    'Public address of the server, used in links in e-mails and in the start message; null: the address it listens on',
    {
      variable: 'PUBLIC_URL',
      pattern: '^https?://[^/]',
      description: 'an address that begins with http:// or https://',
    },
  ),
  workers: text('1', 'Number of processes that share the port; auto: one per core. Limits apply to each process', {
    variable: 'WORKERS',
    pattern: '^(auto|[1-9][0-9]?)$',
    description: 'auto, or a number from 1 to 99',
  }),
  proxy: flag(false, 'Trust the X-Forwarded-* headers of a proxy in front', { variable: 'TRUST_PROXY' }),
  proxyCount: amount(1, 'Number of proxies in front; that many entries of X-Forwarded-For are trusted, counted from the right'),
  shutdownDelay: integerSetting(
    0,
    'Time after SIGTERM in which requests are still accepted while /_health/ready already answers 503',
    {
      variable: 'SHUTDOWN_DELAY',
    },
  ),
  shutdownTimeout: integerSetting(10_000, 'Longest wait for running requests when the service stops'),
  requestTimeout: amount(30_000, 'Longest time to receive and answer a request'),
  uploadTimeout: amount(600_000, 'The same for multipart bodies'),
  sendTimeout: amount(
    30_000,
    'Longest time in which a client receives no bytes of an answer; the connection is closed after that',
  ),
  sendRate: amount(
    4_096,
    'Minimum bytes of an answer that a client must receive per second; if it falls behind by `sendTimeout`, the connection is closed',
  ),
  answersLimit: optionalInteger(
    'Bytes that all large answers may use together while they are read, built and sent; beyond: 503. While slow clients hold half ' +
      'of it, connections with little or no progress for a second are closed; null: an eighth of the heap',
    { minimum: 1 },
  ),
  headersTimeout: amount(10_000, 'Longest time to receive the headers of a request, counted from its first byte'),
  keepAliveTimeout: integerSetting(
    65_000,
    'How long an idle connection is kept open; should be longer than the idle time of a proxy, which is usually 60 s',
  ),
  maxHeaderSize: integerSetting(81_920, 'Bytes of request line and headers; beyond: 431', { minimum: 1024 }),
  maxConnections: amount(10_000, 'Maximum number of open connections; more are refused'),
  requestsAtOnce: amount(256, 'Number of requests that are handled at the same time; others wait'),
  requestsWaiting: integerSetting(4_096, 'Number of requests that may wait; beyond: 503'),
  waitTimeout: amount(1_000, 'Longest wait of a request for its turn; beyond: 503'),
});

/** The settings of config/database. Times are in milliseconds. */
export const databaseSettings = group({
  uri: maybeText('Connection string of MongoDB; null: the embedded server', {
    variable: 'MONGODB_URI',
    pattern: '^\\W*(\\w+ *=\\W*)?mongodb(\\+srv)?://.', // readAddress finds what is around it
    description: 'an address that begins with mongodb:// or mongodb+srv://',
  }),
  name: maybeText('Database to use; null: the one in the URI, or mangrove', {
    variable: 'MONGODB_DATABASE',
    minLength: 1,
    maxLength: 38,
  }),
  embedded: group({
    directory: text('./data/db', 'Directory of the data of the embedded server, relative to the working directory', {
      minLength: 1,
    }),
    port: optionalInteger('Port of the embedded server; null: the port of the previous start, or any free one', {
      minimum: 1,
      maximum: 65535,
    }),
    cacheSizeGB: decimal(0.25, 'Cache of the embedded server in GB', { minimum: 0.25 }),
    production: choice(['refuse', 'allow'], 'Whether the service may use the embedded server if NODE_ENV=production', {
      variable: 'EMBEDDED_MONGODB',
    }),
  }),
  maxTimeMS: group({
    read: amount(
      5_000,
      'Longest time of one read command, including the wait for a server; all commands of a request together may take 1.5 times the longer of read and write',
    ),
    write: amount(5_000, 'Longest time of one write command, including the wait for a server'),
  }),
  poolSize: amount(50, 'Connections to MongoDB'),
  waitQueueTimeout: integerSetting(2_000, 'Longest wait for a free connection'),
  selectionTimeout: integerSetting(5_000, 'Longest wait until a server is available'),
  heartbeat: integerSetting(500, 'Milliseconds between two heartbeats of a server', { minimum: 500 }),
  silence: integerSetting(
    2_000,
    'Longest wait for an overdue heartbeat or a new connection; after that the server counts as unavailable',
    {
      minimum: 100,
    },
  ),
  demo: flag(false, 'Store the demo magazine in a database that has no models', { variable: 'MANGROVE_DEMO' }),
});

const logLevels = ['info', 'fatal', 'error', 'warn', 'debug', 'trace', 'silent'] as const;

/** Matches keywords, nonces and hashes of a content security policy that stand without their quotes: helmet refuses them. */
export const unquotedSource =
  /^(none|self|strict-dynamic|report-sample|inline-speculation-rules|unsafe-inline|unsafe-eval|unsafe-hashes|wasm-unsafe-eval|nonce-.*|sha(256|384|512)-.*)$/;

/** A source of a content security policy. */
const source = {
  type: 'string',
  pattern: `^(?!${unquotedSource.source.slice(1)})[^;,]*$`,
  description: "a source without ; and , and with quotes around words such as 'self'",
};

/** The settings of config/middlewares. Each group except `body` may be written as false. */
export const middlewareSettings = group({
  cors: group({
    enabled: flag(true, 'Allow requests of browsers from other origins'),
    origin: shaped<CorsOrigin>(
      { type: ['string', 'array'], items: { type: 'string' }, mayBeFunction: true },
      '*',
      'Origins that may read answers: *, one, a list, or a function of the Koa context that returns one; what cannot be read allows none',
    ),
    credentials: flag(false, 'Let browsers send cookies; requires a list of origins or a function'),
    methods: texts(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'], 'Allowed methods'),
    headers: texts(
      ['Content-Type', 'Authorization', 'Origin', 'Accept'],
      'Allowed request headers; *: those that a request names',
    ),
    expose: texts(
      [],
      'Response headers that scripts may read besides X-Request-Id, WWW-Authenticate, Retry-After, Idempotency-Replayed and ETag',
    ),
    maxAge: integerSetting(31_536_000, 'Seconds for which a browser may cache the answer to a preflight request'),
  }),
  security: group({
    enabled: flag(true, 'Security headers'),
    contentSecurityPolicy: shaped<Readonly<Record<string, readonly string[] | null>>>(
      {
        type: 'object',
        propertyNames: { pattern: '^[a-z][a-z-]*$', description: 'names as in the header, such as img-src' },
        properties: { 'default-src': { type: 'array', items: source } },
        additionalProperties: { type: 'array', items: source, nullable: true },
      },
      {},
      'Directives of the Content-Security-Policy that are added to the defaults or replace them; null removes one',
    ),
    hstsMaxAge: integerSetting(31_536_000, 'Seconds of Strict-Transport-Security; 0: not sent'),
    frame: choice(['SAMEORIGIN', 'DENY'], 'X-Frame-Options'),
  }),
  compress: group({
    enabled: flag(true, 'Compress answers with br or gzip'),
    threshold: integerSetting(1_024, 'Minimum size in bytes of a compressed answer'),
    brotliQuality: integerSetting(1, 'Compression level of br; level 4 makes answers a tenth smaller and takes twice the CPU', {
      maximum: 11,
    }),
    gzipLevel: integerSetting(1, 'Compression level of gzip; level 6 makes answers a tenth smaller and takes twice the CPU', {
      maximum: 9,
    }),
  }),
  logger: group({
    enabled: flag(true, 'Log one line per request'),
    level: choice(logLevels, 'Lowest level that is logged', { variable: 'LOG_LEVEL' }),
    pretty: maybeFlag('Log readable lines instead of JSON; null: in development', { variable: 'LOG_PRETTY' }),
  }),
  body: group({
    jsonLimit: amount(1_048_576, 'Bytes of a JSON body, after decompression; beyond: 413'),
    jsonDepth: integerSetting(64, 'Levels of a JSON body', { minimum: 1, maximum: 1000 }),
    formLimit: amount(57_344, 'Bytes of a form body, after decompression; beyond: 413'),
    includeUnparsed: flag(false, "Keep the raw text of JSON and forms for project code, under Symbol.for('unparsedBody')"),
    totalLimit: optionalInteger(
      'Bytes of memory that all large bodies may use together until they are handled; beyond: 503; null: an eighth of the heap',
      { minimum: 1 },
    ),
  }),
});
