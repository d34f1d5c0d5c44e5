import type { Declaration } from '#http/feature.js';
import type { Config } from '#settings/config.js';
import { flag, group, shaped, type ValueOf } from '#settings/setting.js';

/**
 * Returns the address of the page that shows an entry; null or undefined if there is none. `locale` is null if the type is not localized;
 * `status` is `draft` for types with draft & publish.
 */
type PreviewHandler = (
  uid: string,
  entry: { readonly id: number; readonly locale: string | null; readonly status: 'draft' | 'published' },
) => unknown;

const origin = { type: 'string', pattern: '^https?://[^/?#\\s;,]+/?$', description: 'an origin such as https://example.com' };

export const previewCollection = '_preview_tokens';

/** The settings of previews, by the keys of Strapi 5, and the collection of their tokens. */
export const previewDeclaration = {
  settings: {
    admin: {
      preview: group({
        enabled: flag(false, 'Let editors open drafts on pages of a front end, by tokens that show one draft'),
        config: group({
          allowedOrigins: shaped<readonly string[]>(
            { type: 'array', maxItems: 50, items: origin },
            [],
            'Origins of the pages that the panel may show and send unsaved values to',
          ),
          handler: shaped<PreviewHandler | null>(
            { type: 'null', mayBeFunction: true, description: 'a function' },
            null,
            'A function of a uid and `{ id, locale, status }` that returns the address of the page that shows an entry, or null',
          ),
        }),
      }),
    },
  },
  collections: [
    {
      name: previewCollection,
      backup: 'never',
      namesTypes: ['uid'],
      indexes: [
        { key: { expiresAt: 1 }, name: 'expiry', expireAfterSeconds: 0 },
        { key: { administrator: 1, createdAt: -1 }, name: 'editor' },
      ],
    },
  ],
} as const satisfies Declaration;

declare module '#settings/config.js' {
  interface FeatureSettings {
    readonly 'admin.preview': ValueOf<typeof previewDeclaration.settings.admin.preview>;
  }
}

/** Returns the settings; undefined in a configuration that was created without those of features. */
const previewOf = ({ admin }: Pick<Config, 'admin'>) => (admin as Partial<Config['admin']>).preview; // the type says that all are there

/** Returns whether editors may open drafts on pages. */
export const hasPreviews = (config: Config): boolean => config.admin.enabled && previewOf(config)?.enabled === true;

/** Returns the origins of pages that show drafts, without trailing slashes; none if previews are off. */
export const previewOrigins = (config: Config): readonly string[] =>
  hasPreviews(config) ? (previewOf(config)?.config.allowedOrigins ?? []).map((one) => new URL(one).origin) : [];

/** Returns the function that finds the page of an entry; null if there is none. */
export const previewHandler = (config: Config): PreviewHandler | null => previewOf(config)?.config.handler ?? null;
