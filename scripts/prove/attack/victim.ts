import type { CommandStartedEvent, CommandSucceededEvent } from 'mongodb';
import { setActions } from '../../../src/accounts/roles/grant-actions.js';
import { createToken } from '../../../src/accounts/api-tokens.js';
import { loadDemo } from '../../../src/operate/cli/load-demo.js';
import { jobOf } from '../../../src/store/send/database.js';
import { createService } from '../../../src/operate/service/create-server.js';
import { addRelatedEntries, openActions } from './content.js';
import { maxConnections } from './connection-attacks.js';
import { mostKeys } from './key-attacks.js';
import { mostLogIns } from './panel.js';
import type { VictimReport } from './target.js';

const report = (message: VictimReport): void => {
  process.send?.(message);
};

/**
 * The service in production, except for its log and a mail server that does not answer, with the demo and many related entries. The public
 * may read everything and change nothing. With every message from the parent it reports the commands it has sent, the documents it has read
 * and its processor time so far.
 */
const [uri = '', sendTimeout = '30000'] = process.argv.slice(2);
const adminToken = 'the-admin-token-of-the-attacked-service';
const salt = 'the-salt-of-the-attacked-service';
const server = await createService({
  config: {
    environment: 'production',
    server: { host: '127.0.0.1', port: 0, sendTimeout: Number(sendTimeout), maxConnections },
    database: { uri: `${uri}${uri.includes('?') ? '&' : '?'}monitorCommands=true`, name: 'attack' },
    api: { open: false, idempotency: { keys: mostKeys } },
    plugins: {
      'users-permissions': { config: { jwtSecret: 'a-secret-of-the-attacked-service-32' } },
      email: { config: { providerOptions: { host: '127.0.0.1', port: 9 } } },
    },
    middlewares: { logger: { level: 'error' } },
    // Attempts at registering the first administrator are counted too.
    admin: { token: adminToken, apiToken: { salt }, rateLimit: { max: mostLogIns } },
  },
});
await server.start();
const { backend, config, media } = server;
if (backend === null) throw new Error('MongoDB does not answer');
const { store } = backend;
const counts = { commands: 0, documents: 0 };
/**
 * Reads of the change stream and of jobs under way. They belong to no request: after many writes the former come late, and with many
 * documents.
 */
const unasked = new Set<number>();
const counted = ['find', 'aggregate', 'count', 'insert', 'update', 'findAndModify', 'getMore'];
store.database.client.on('commandStarted', ({ requestId, commandName, command }: CommandStartedEvent) => {
  const { collection, comment } = command;
  if (collection === '$cmd.aggregate' || (typeof comment === 'string' && jobOf(comment) !== null)) unasked.add(requestId);
  else if (counted.includes(commandName)) counts.commands += 1;
});
store.database.client.on('commandSucceeded', ({ requestId, reply }: CommandSucceededEvent) => {
  if (unasked.delete(requestId)) return;
  const { cursor } = reply as { cursor?: { firstBatch?: unknown[]; nextBatch?: unknown[] } };
  counts.documents += (cursor?.firstBatch ?? cursor?.nextBatch ?? []).length;
});
await loadDemo({ config, backend, media });
await addRelatedEntries(backend);
await setActions(2, openActions, store as Parameters<typeof setActions>[2]);
const { key } = await createToken({ name: `attack ${String(process.pid)}`, type: 'full-access' }, salt, store);
server.forget();
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  report({ kind: 'counts', ...counts, cpu: (user + system) / 1_000 });
});
process.on('disconnect', () => process.exit());
report({ kind: 'ready', url: server.url.replace('localhost', '127.0.0.1'), token: key, adminToken });
