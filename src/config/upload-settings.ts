import { choice, flag, group, maybeText, shaped, texts, whole } from './setting.js';

const counts = shaped<readonly number[]>(
  { type: 'array', items: { type: 'integer', minimum: 1, maximum: 10_000 } },
  [320, 480, 640, 768, 960, 1280, 1600, 1920],
  'Widths and heights in pixels that ?width= and ?height= may name',
);

/** The storage providers, the default first. */
export const uploadProviders = ['gridfs', 'disk', 's3'] as const;

export type UploadProvider = (typeof uploadProviders)[number];

/** Options of each provider by name, or of the provider of new files alone. */
const optionsByProvider = {
  type: 'object',
  if: { anyOf: uploadProviders.map((name) => ({ required: [name] })) },
  then: {
    properties: Object.fromEntries(uploadProviders.map((name) => [name, { type: 'object' }])),
    additionalProperties: false,
  },
};

/** config/plugins, `upload`: the media library. */
export const uploadSettings = group({
  enabled: flag(true, 'Media library'),
  config: group({
    provider: choice(uploadProviders, 'Where the bytes of new files go: MongoDB, a folder, or S3-compatible storage'),
    providerOptions: shaped<Readonly<Record<string, unknown>>>(
      optionsByProvider,
      {},
      'Options by provider, or those of the provider alone. disk: { folder }; s3: { bucket, prefix } and those of the AWS client, such as region, endpoint and credentials',
    ),
    sizeLimit: whole(209_715_200, 'Bytes of one file; beyond: 413'),
    filesLimit: whole(50, 'Files of one request; beyond: 413', { minimum: 1 }),
    fieldsLimit: whole(100, 'Fields of one multipart request besides its files; beyond: 413', { minimum: 1 }),
    fieldsSize: whole(1_048_576, 'Bytes of all these fields; beyond: 413', { minimum: 1 }),
    allowedTypes: texts([], 'Media types that may be uploaded, such as image/* or application/pdf; empty: all'),
    deniedTypes: texts([], 'Media types that may not be uploaded'),
    requireUpdate: flag(true, 'Linking a file to an entry by ref needs the right to update such entries'),
    breakpoints: shaped<Readonly<Record<string, number>>>(
      { type: 'object', additionalProperties: { type: 'integer', minimum: 1 } },
      { large: 1000, medium: 750, small: 500 },
      'Names and longest sides in pixels of the smaller variants of an image',
    ),
    sizeOptimization: flag(true, 'Compress images harder, in a quality that is hard to tell from the original'),
    pixelLimit: whole(67_108_864, 'Pixels of an image; beyond: 400', { minimum: 1 }),
    imageSizeLimit: whole(67_108_864, 'Bytes of an image; larger ones are stored without variants'),
    resize: group({
      enabled: flag(true, 'Images in other sizes and formats by ?width=, ?height= and ?format='),
      sizes: counts,
      formats: texts(['avif', 'webp', 'jpeg', 'png'], 'Formats that ?format= may name'),
      pixelLimit: whole(8_388_608, 'Pixels of an image that is drawn so; it is drawn smaller rather than larger', { minimum: 1 }),
      waiting: whole(64, 'Images that may wait to be drawn; beyond: 503', { minimum: 1 }),
      waitingPerAddress: whole(
        32,
        'The same for one client, an address or in IPv6 a /64 network; those that are being drawn count too',
        { minimum: 1 },
      ),
    }),
    maxAge: whole(31_536_000, 'Seconds for which files may be cached'),
    baseUrl: maybeText('Address of a cache or CDN in front of /uploads; begins the URLs of new files'),
  }),
});
