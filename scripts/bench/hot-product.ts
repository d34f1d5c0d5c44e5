import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createServer } from '../../src/index.js';
import { benchSecrets } from './bench-secrets.js';
import { reportToParent } from './report-to-parent.js';

/** The product with its admin API, which reports pauses of its event loop. */
const [uri = '', database = ''] = process.argv.slice(2);

/** Milliseconds between two looks at the event loop. */
const resolution = 5;

const server = await createServer({
  config: {
    server: { host: '127.0.0.1', port: 0 },
    database: { uri, name: database },
    api: { open: true },
    plugins: { 'users-permissions': { config: { jwtSecret: benchSecrets.jwtSecret } } },
    middlewares: { logger: { level: 'warn' } },
    admin: { token: benchSecrets.adminToken, apiToken: { salt: benchSecrets.tokenSalt } },
  },
});
const delays = monitorEventLoopDelay({ resolution });
delays.enable();
await server.start();
reportToParent(server.url, () => {
  const longest = Math.max(delays.max / 1e6 - resolution, 0);
  delays.reset();
  return longest;
});
