import { flag, group, maybeText, text } from './setting.js';

/** config/admin: who may administer the service, and what API tokens are hashed with. */
export const adminSettings = group({
  enabled: flag(true, 'Serve the admin API under /admin/api'),
  token: maybeText('An admin token besides those made with `npm run token`, 32 characters at least', {
    variable: 'ADMIN_TOKEN',
    secret: 32,
  }),
  apiToken: group({
    salt: maybeText('Key that API tokens are hashed with, 16 characters at least', {
      variable: 'API_TOKEN_SALT',
      secret: 16,
    }),
  }),
  secretsFile: text('./data/secrets.json', 'Where secrets that are not set are kept in development', { minLength: 1 }),
});
