import { choice, flag, group, maybeFlag, shaped, texts, whole } from './setting.js';

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
    expose: texts(['X-Request-Id', 'WWW-Authenticate', 'Retry-After'], 'Response headers that scripts may read'),
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
    brotliQuality: whole(4, 'Effort of br', { maximum: 11 }),
    gzipLevel: whole(6, 'Effort of gzip', { maximum: 9 }),
  }),
  logger: group({
    enabled: flag(true, 'Log one line per request'),
    level: choice(logLevels, 'Least important level that is logged', { variable: 'LOG_LEVEL' }),
    pretty: maybeFlag('Lines for people instead of JSON; null: in development', { variable: 'LOG_PRETTY' }),
  }),
  body: group({
    jsonLimit: whole(1_048_576, 'Bytes of a JSON body, after decompression; beyond: 413', { minimum: 1 }),
    jsonDepth: whole(64, 'Levels of a JSON body', { minimum: 1 }),
    formLimit: whole(57_344, 'Bytes of a form body, after decompression; beyond: 413', { minimum: 1 }),
  }),
});
