import type { PartialConfig } from '#index.js';
import type { FreshDatabase } from '../../support/mongo.js';
import { type Answer, serveModels, type Serving } from '../../support/serve.js';
import { collectionType } from '../../support/collection-type.js';

export const adminToken = 'an-admin-token-of-more-than-32-characters';

export const noteModels = [
  collectionType(
    'note',
    {
      title: { type: 'string' },
      secretWord: { type: 'string', private: true },
      key: { type: 'password' },
      hint: { type: 'string' },
      writer: { type: 'relation', relation: 'manyToOne', target: 'api::writer.writer', inversedBy: 'notes' },
    },
    { options: { draftAndPublish: true } },
  ),
  collectionType('writer', {
    name: { type: 'string' },
    notes: { type: 'relation', relation: 'oneToMany', target: 'api::note.note', mappedBy: 'writer' },
  }),
  collectionType('other', { title: { type: 'string' } }),
];

/** A service whose webhooks may have addresses of this machine. */
export interface HookServing extends Serving {
  readonly admin: (method: string, path: string, body?: unknown) => Promise<Answer>;
}

interface Input {
  readonly webhooks?: PartialConfig['webhooks'];
  readonly database?: FreshDatabase;
}

/** Starts a service. Failed deliveries are tried again at once, unless other retries are given. */
export async function serveHooks({ webhooks, database }: Input = {}): Promise<HookServing> {
  const config = { admin: { token: adminToken }, webhooks: { allowPrivate: true, retries: [0, 0, 0, 0], ...webhooks } };
  const serving = await serveModels({ models: noteModels, config, ...(database && { database }) });
  const admin: HookServing['admin'] = async (method, path, body) => {
    const response = await fetch(`${serving.server.url}/admin/api${path}`, {
      method,
      headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  };
  return { ...serving, admin };
}
