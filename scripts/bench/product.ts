import { createServer } from '../../src/index.js';
import { reportToParent } from './report-to-parent.js';

/** The product as it ships, save the log line per request, which the baseline does not write either. */
const [uri = '', database = ''] = process.argv.slice(2);
const server = await createServer({
  config: {
    server: { host: '127.0.0.1', port: 0 },
    database: { uri, name: database },
    api: { open: true, rest: { defaultLimit: 25, maxLimit: 100, withCount: true } },
    middlewares: { logger: { level: 'warn' } },
  },
});
await server.start();
reportToParent(server.url);
