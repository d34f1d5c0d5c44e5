import path from 'node:path';
import { parseArgs } from 'node:util';
import { startConformanceServer } from './conformance-server.js';
import { limitsAttempts } from './limits-attempts.js';
import { printShortfall } from './print-shortfall.js';

const usage = `usage: npm run conformance:serve -- [--dir DIR] [--port P] [--setup FILE] [--golden DIR]
  --dir     recordings, with models/, setup.json, fixtures.json (default: ../shared/conformance)
  --port    port to listen on (default: 1337)
  --setup   another setup.json, such as a variant's
  --golden  the recordings that will be replayed: those of the rate limiter switch it on; so does RATE_LIMIT=1
MONGODB_URI names the server for the data; without it an embedded one is started.`;

const { values } = parseArgs({
  options: {
    dir: { type: 'string', default: '../shared/conformance' },
    port: { type: 'string', default: '1337' },
    setup: { type: 'string' },
    golden: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
if (values.help) {
  console.log(usage);
  process.exit();
}

const server = await startConformanceServer({
  directory: path.resolve(values.dir),
  port: Number(values.port),
  setupFile: values.setup,
  rateLimit: limitsAttempts(values.golden) ? 'on' : 'off',
});
printShortfall(server.shortfall);
console.log(`listening on ${server.url}`);
console.log('ready');

const leave = (): void => void server.stop().then(() => process.exit());
process.once('SIGINT', leave).once('SIGTERM', leave);
