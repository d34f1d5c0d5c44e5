import type { Database } from '../mongo/send/database.js';
import { openCodeStore } from '../mongo/stores/code-store.js';
import { isRecord } from '../values.js';
import type { ImageChoices } from './images/image-maker.js';

/** The key of the choices in the store of Strapi v4. */
export const imageChoicesKey = 'plugin_upload_settings';

/** Reads what administrators have chosen for new images. */
export async function readImageChoices(database: Database): Promise<ImageChoices> {
  const stored = await openCodeStore(database).get(imageChoicesKey);
  const chosen = isRecord(stored) ? stored : {};
  const flags = (['sizeOptimization', 'responsiveDimensions'] as const).filter((name) => typeof chosen[name] === 'boolean');
  return Object.fromEntries(flags.map((name) => [name, chosen[name]]));
}
