import { createServer } from '../../src/index.js';
import { benchSecrets } from './bench-secrets.js';
import { reportToParent } from './report-to-parent.js';

/**
 * The product as it ships, with its log. `guarded` as third argument: roles decide what a caller may do; otherwise everybody may do
 * everything.
 */
const [uri = '', database = '', access = 'open'] = process.argv.slice(2);
const server = await createServer({
  config: {
    server: { host: '127.0.0.1', port: 0 },
    database: { uri, name: database },
    api: { open: access !== 'guarded', rest: { defaultLimit: 25, maxLimit: 100, withCount: true } },
    plugins: { 'users-permissions': { config: { jwtSecret: benchSecrets.jwtSecret } } },
    admin: { enabled: false, apiToken: { salt: benchSecrets.tokenSalt } },
  },
});
await server.start();
reportToParent(server.url);
