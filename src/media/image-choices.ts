import type { Database } from '#store/send/database.js';
import { openCodeStore } from '#store/stores/code-store.js';
import { isRecord, type Values } from '#base/values.js';
import type { ImageChoices } from './images/image-maker.js';

/** The key of the choices in the store of Strapi v4. */
export const imageChoicesKey = 'plugin_upload_settings';

/** The key of the view of the media library in the store of Strapi v4. */
export const libraryViewKey = 'plugin_upload_view_configuration';

/** Reads what administrators have chosen for new images. */
export async function readImageChoices(database: Database): Promise<ImageChoices> {
  const stored = await openCodeStore(database).get(imageChoicesKey);
  const chosen = isRecord(stored) ? stored : {};
  const flags = (['sizeOptimization', 'responsiveDimensions'] as const).filter((name) => typeof chosen[name] === 'boolean');
  return Object.fromEntries(flags.map((name) => [name, chosen[name]]));
}

/** Reads settings of the media library by their key in the store of Strapi v4. Those that were never stored have their defaults. */
export async function readLibrarySettings(
  key: string,
  { database, settings }: { readonly database: Database; readonly settings: { readonly sizeOptimization: boolean } },
): Promise<Values> {
  const stored = await openCodeStore(database).get(key);
  const { sizeOptimization } = settings;
  const defaults =
    key === libraryViewKey
      ? { pageSize: 10, sort: 'createdAt:DESC' }
      : { sizeOptimization, responsiveDimensions: true, autoOrientation: false };
  return { ...defaults, ...(isRecord(stored) && stored) };
}
