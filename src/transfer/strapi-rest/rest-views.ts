import { viewPrefix } from '../../mongo/stores/code-store.js';
import { isRecord, type Values } from '../../values.js';
import { sizeOf, type TransferRecord } from '../source.js';
import type { RestClient } from './rest-client.js';

const kinds = {
  type: { path: 'content-types', key: 'content_types', name: 'contentType' },
  component: { path: 'components', key: 'components', name: 'component' },
} as const;

/** Reads how the admin panel shows the entries of types and components, as the settings in which Strapi stores it. */
export async function* readViews(get: RestClient['get'], schemas: readonly Values[]): AsyncGenerator<TransferRecord> {
  for (const { uid } of schemas) {
    const { path, key, name } = kinds[String(uid).includes('::') ? 'type' : 'component'];
    const answer = await get(`/content-manager/${path}/${encodeURIComponent(String(uid))}/configuration`);
    const data = isRecord(answer) ? answer['data'] : null;
    const value = isRecord(data) ? data[name] : null;
    if (isRecord(value))
      yield { stage: 'configuration', key: `${viewPrefix}${key}::${String(uid)}`, value, bytes: sizeOf(value) };
  }
}
