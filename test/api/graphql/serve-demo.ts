import { grantActions } from '#accounts/roles/grant-actions.js';
import { loadDemo } from '#operate/cli/load-demo.js';
import type { PartialConfig } from '#settings/create-config.js';
import { createContext } from '#content/create-context.js';
import { fullAccess } from '#model/query/access.js';
import { serveModels, type Serving } from '../../support/serve.js';

const readable = ['article', 'author', 'category', 'comment', 'homepage', 'issue', 'site-setting', 'tag'];
const actions = (name: string, ...verbs: readonly string[]): string[] => verbs.map((verb) => `api::${name}.${name}.${verb}`);

/** The demo magazine as a public site: everybody may read, and users may comment. */
export async function serveDemo(config: PartialConfig = {}): Promise<Serving> {
  const serving = await serveModels({ models: [], config: { ...config, api: { open: false, ...config.api } } });
  const { config: complete, backend, media } = serving.server;
  if (backend === null) throw new Error('the test database did not answer');
  await loadDemo({ config: complete, backend, media });
  const context = createContext(complete, backend, fullAccess);
  const reading = readable.flatMap((name) => actions(name, 'find', 'findOne'));
  await grantActions(2, reading, context.store);
  await grantActions(1, [...reading, ...actions('comment', 'create', 'update', 'delete')], context.store);
  return serving;
}
