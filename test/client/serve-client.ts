import { grantActions } from '#accounts/roles/grant-actions.js';
import { serveDemo } from '../api/graphql/serve-demo.js';
import type { Serving } from '../support/serve.js';

const actionsOf = (name: string, ...actions: readonly string[]): string[] =>
  actions.map((action) => `api::${name}.${name}.${action}`);

export const adminToken = 'an-admin-token-of-more-than-32-characters';

/** The demo with refresh tokens; who has logged in may write, and upload files. E-mails are written below `directory`. */
export async function serveClient(directory?: string): Promise<Serving> {
  const users = {
    jwtSecret: 'a-secret-of-the-tests-0123456789abcdef',
    refreshTokens: { enabled: true },
    ratelimit: { enabled: false },
  };
  const plugins = { 'users-permissions': { config: users } };
  const demo = await serveDemo({ plugins, admin: { token: adminToken }, ...(directory === undefined ? {} : { directory }) });
  const { backend } = demo.server;
  if (backend === null) throw new Error('the test database did not answer');
  const writing = ['article', 'homepage'].flatMap((name) => actionsOf(name, 'create', 'update', 'delete', 'createLocalization'));
  await grantActions(2, actionsOf('article', 'aggregate'), backend.store);
  await grantActions(1, [...writing, 'plugin::upload.content-api.upload'], backend.store);
  return demo;
}
