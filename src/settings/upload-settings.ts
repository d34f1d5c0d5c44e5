import { choice, flag, group, maybeText, options, shaped, texts, amount, integerSetting } from './setting.js';

const counts = shaped<readonly number[]>(
  { type: 'array', items: { type: 'integer', minimum: 1, maximum: 10_000 } },
  [320, 480, 640, 768, 960, 1080, 1280, 1600, 1920],
  'Widths and heights in pixels that ?width= and ?height= accept',
);

/** The storage providers, the default first. */
export const uploadProviders = ['gridfs', 'disk', 's3'] as const;

export type UploadProvider = (typeof uploadProviders)[number];

/** The schema of the options: by name of the provider, or only for the provider of new files. */
const optionsByProvider = {
  type: 'object',
  if: { anyOf: uploadProviders.map((name) => ({ required: [name] })) },
  then: {
    properties: Object.fromEntries(uploadProviders.map((name) => [name, { type: 'object' }])),
    additionalProperties: false,
  },
};

/** The settings of the media library, in `upload` of config/plugins. */
export const uploadSettings = group({
  enabled: flag(true, 'Media library'),
  config: group({
    provider: choice(uploadProviders, 'Storage of new files: MongoDB, a folder, or S3-compatible storage'),
    providerOptions: shaped<Readonly<Record<string, unknown>>>(
      optionsByProvider,
      {},
      'Options by provider name, or the options of the selected provider. disk: { folder }; s3: { bucket, prefix } and options of the AWS client, such as region, endpoint and credentials',
    ),
    host: group({
      provider: maybeText('Upload provider of Strapi v4, a package of the project, which sends new files to another service'),
      providerOptions: options('Options of this provider'),
      actionOptions: options('Options of its functions, by name: upload, uploadStream and delete'),
    }),
    sizeLimit: integerSetting(209_715_200, 'Bytes of one file; beyond: 413'),
    filesLimit: amount(50, 'Files of one request; beyond: 413'),
    fieldsLimit: amount(100, 'Fields of one multipart request, not counting files; beyond: 413'),
    fieldsSize: amount(1_048_576, 'Bytes of all these fields; beyond: 413'),
    allowedTypes: texts([], 'Media types that may be uploaded, such as image/* or application/pdf; empty: all'),
    deniedTypes: texts([], 'Media types that may not be uploaded'),
    requireUpdate: flag(true, 'Linking a file to an entry by ref requires the permission to update that entry'),
    breakpoints: shaped<Readonly<Record<string, number>>>(
      { type: 'object', additionalProperties: { type: 'integer', minimum: 1 } },
      { large: 1000, medium: 750, small: 500 },
      'Smaller variants of an image: name and longest side in pixels',
    ),
    sizeOptimization: flag(true, 'Compress images more, with hardly visible loss'),
    pixelLimit: amount(67_108_864, 'Pixels of an image; beyond: 400'),
    imageSizeLimit: integerSetting(67_108_864, 'Bytes of an image; larger ones are stored without variants'),
    resize: group({
      enabled: flag(true, 'Resize and convert images on demand by ?width=, ?height= and ?format='),
      sizes: counts,
      formats: texts(['avif', 'webp', 'jpeg', 'png'], 'Formats that ?format= accepts'),
      pixelLimit: amount(8_388_608, 'Pixels of a resized image; a larger one is scaled down to this limit'),
      waiting: amount(64, 'Images that may wait to be resized; beyond: 503'),
      waitingPerAddress: amount(
        32,
        'Images of one client that may wait or be resized; beyond: 503; in IPv6 a client is a /64 network',
      ),
    }),
    maxAge: integerSetting(
      0,
      'Seconds for which clients may use files without asking for newer ones; 0: they ask each time, and are answered 304. A replaced file keeps its address',
    ),
    baseUrl: maybeText('Address of a cache or CDN in front of /uploads; it is the prefix of the URLs of new files'),
  }),
});
