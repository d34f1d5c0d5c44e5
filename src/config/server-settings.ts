import { flag, group, maybeText, text, whole, choice, decimal, maybeWhole, maybeFlag, shaped, texts } from './setting.js';

/** config/server: where and how HTTP is served. Times in milliseconds. */
export const serverSettings = group({
  host: text('0.0.0.0', 'Address to listen on', { variable: 'HOST', minLength: 1 }),
  port: whole(1337, 'Port to listen on; 0 takes any free one', { variable: 'PORT', maximum: 65535 }),
  url: maybeText('Public address of the server, for links in e-mails and the start message; null: the one it listens on', {
    variable: 'PUBLIC_URL',
    pattern: '^https?://[^/]',
  }),
  workers: text('1', 'Processes that serve behind one port; auto: one for each core. Limits count for each process', {
    variable: 'WORKERS',
    pattern: '^(auto|[1-9][0-9]?)$',
  }),
  proxy: flag(false, 'Believe the X-Forwarded-* headers of a proxy in front', { variable: 'TRUST_PROXY' }),
  proxyCount: whole(1, 'Number of proxies in front: that many entries of X-Forwarded-For are believed, from the right', {
    minimum: 1,
  }),
  shutdownDelay: whole(0, 'How long requests are still taken after SIGTERM, while /_health/ready already answers 503', {
    variable: 'SHUTDOWN_DELAY',
  }),
  shutdownTimeout: whole(10_000, 'Longest wait for requests under way when stopping'),
  requestTimeout: whole(30_000, 'Longest time to receive and answer a request', { minimum: 1 }),
  uploadTimeout: whole(600_000, 'The same for multipart bodies', { minimum: 1 }),
  sendTimeout: whole(30_000, 'Longest time in which a client may take nothing of an answer; beyond, the connection is cut', {
    minimum: 1,
  }),
  sendRate: whole(
    4_096,
    'Bytes of an answer that a client takes in a second at least; if it is behind by `sendTimeout`, the connection is cut',
    {
      minimum: 1,
    },
  ),
  answersLimit: maybeWhole(
    'Bytes of all large answers together that are read, made or sent; beyond: 503. If clients leave half of it untaken, those that take ' +
      'nothing for a second, or little, are cut; null: an eighth of the heap',
    { minimum: 1 },
  ),
  headersTimeout: whole(10_000, 'Longest time to receive the headers of a request, from its first byte on', { minimum: 1 }),
  keepAliveTimeout: whole(
    65_000,
    'How long an idle connection is kept open; longer than proxies keep theirs, which is mostly 60 s',
  ),
  maxHeaderSize: whole(81_920, 'Bytes of request line and headers; beyond: 431', { minimum: 1024 }),
  maxConnections: whole(10_000, 'Most connections at a time; more are refused', { minimum: 1 }),
  requestsAtOnce: whole(256, 'Requests that are handled at a time; others wait', { minimum: 1 }),
  requestsWaiting: whole(4_096, 'Requests that may wait; beyond: 503'),
  waitTimeout: whole(1_000, 'Longest wait of a request for its turn; beyond: 503', { minimum: 1 }),
});

/** config/database: which MongoDB, and how long it may take. Times in milliseconds. */
export const databaseSettings = group({
  uri: maybeText('Connection string of MongoDB; null: the embedded server', {
    variable: 'MONGODB_URI',
    pattern: '^mongodb(\\+srv)?://.',
  }),
  name: maybeText('Database to use; null: the one in the URI, or mangrove', {
    variable: 'MONGODB_DATABASE',
    minLength: 1,
    maxLength: 38,
  }),
  embedded: group({
    directory: text('./data/db', 'Where the embedded server keeps its data, from the working directory', { minLength: 1 }),
    port: maybeWhole('Port of the embedded server; null: the one of the last start, or any free one', {
      minimum: 1,
      maximum: 65535,
    }),
    cacheSizeGB: decimal(0.25, 'Cache of the embedded server in GB', { minimum: 0.25 }),
    production: choice(['refuse', 'allow'], 'Whether NODE_ENV=production may run on the embedded server', {
      variable: 'EMBEDDED_MONGODB',
    }),
  }),
  maxTimeMS: group({
    read: whole(
      5_000,
      'Longest time of one reading command, the wait for a server included; all commands of a request take 1.5 times the longer limit',
      { minimum: 1 },
    ),
    write: whole(5_000, 'Longest time of one writing command, the wait for a server included', { minimum: 1 }),
  }),
  poolSize: whole(50, 'Connections to MongoDB', { minimum: 1 }),
  waitQueueTimeout: whole(2_000, 'Longest wait for a free connection'),
  selectionTimeout: whole(5_000, 'Longest wait for a server to be found'),
  heartbeat: whole(500, 'Milliseconds between two signs of life of a server', { minimum: 500 }),
  silence: whole(2_000, 'Longest wait for an overdue sign of life, or for a new connection; beyond, the server counts as away', {
    minimum: 100,
  }),
  demo: flag(false, 'Fill a database that has no models with the demo magazine', { variable: 'MANGROVE_DEMO' }),
});

const logLevels = ['info', 'fatal', 'error', 'warn', 'debug', 'trace', 'silent'] as const;

/** config/middlewares: what every request passes through. Each but `body` may be written as false. */
export const middlewareSettings = group({
  cors: group({
    enabled: flag(true, 'Answer browsers of other origins'),
    origin: shaped<string | readonly string[]>(
      { type: ['string', 'array'], items: { type: 'string' } },
      '*',
      'Origins that may read answers: *, one, or a list',
    ),
    credentials: flag(false, 'Let browsers send cookies; needs a list of origins'),
    methods: texts(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'], 'Methods that may be used'),
    headers: texts(['Content-Type', 'Authorization', 'Origin', 'Accept'], 'Request headers that may be sent'),
    expose: texts([], 'Response headers that scripts may read besides X-Request-Id, WWW-Authenticate and Retry-After'),
    maxAge: whole(31_536_000, 'Seconds for which a browser may keep the answer to a preflight'),
  }),
  security: group({
    enabled: flag(true, 'Security headers'),
    contentSecurityPolicy: shaped<Readonly<Record<string, readonly string[] | null>>>(
      { type: 'object', additionalProperties: { type: 'array', items: { type: 'string' }, nullable: true } },
      {},
      'Directives of the Content-Security-Policy besides, or instead of, ours; null takes one away',
    ),
    hstsMaxAge: whole(31_536_000, 'Seconds of Strict-Transport-Security; 0: not sent'),
    frame: choice(['SAMEORIGIN', 'DENY'], 'X-Frame-Options'),
  }),
  compress: group({
    enabled: flag(true, 'Compress answers with br or gzip'),
    threshold: whole(1_024, 'Smallest answer in bytes that is compressed'),
    brotliQuality: whole(1, 'Effort of br; answers of 4 are a tenth smaller and take twice the CPU', { maximum: 11 }),
    gzipLevel: whole(1, 'Effort of gzip; answers of 6 are a tenth smaller and take twice the CPU', { maximum: 9 }),
  }),
  logger: group({
    enabled: flag(true, 'Log one line per request'),
    level: choice(logLevels, 'Least important level that is logged', { variable: 'LOG_LEVEL' }),
    pretty: maybeFlag('Lines for people instead of JSON; null: in development', { variable: 'LOG_PRETTY' }),
  }),
  body: group({
    jsonLimit: whole(1_048_576, 'Bytes of a JSON body, after decompression; beyond: 413', { minimum: 1 }),
    jsonDepth: whole(64, 'Levels of a JSON body', { minimum: 1, maximum: 1000 }),
    formLimit: whole(57_344, 'Bytes of a form body, after decompression; beyond: 413', { minimum: 1 }),
    includeUnparsed: flag(false, "Keep the text of a JSON body for code of a project, under Symbol.for('unparsedBody')"),
    totalLimit: maybeWhole(
      'Bytes of memory that all large bodies together take until they are handled; beyond: 503; null: an eighth of the heap',
      { minimum: 1 },
    ),
  }),
});
