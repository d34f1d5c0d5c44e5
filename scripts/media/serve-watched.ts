import { createService } from '../../src/create-server.js';
import { watchLoop, type LoopDelays } from './loop-watch.js';

/** The messages of the watched service to its parent: its address, and the delays of its event loop since the last message. */
export type WatchReport = { readonly kind: 'ready'; readonly url: string } | ({ readonly kind: 'delays' } & LoopDelays);

const report = (message: WatchReport): void => {
  process.send?.(message);
};

const [uri = ''] = process.argv.slice(2);
const server = await createService({
  config: {
    server: { host: '127.0.0.1', port: 0 },
    database: { uri, name: 'event_loop' },
    api: { open: true },
    plugins: { 'users-permissions': { enabled: false } },
    middlewares: { logger: { level: 'warn' } },
  },
});
await server.start();
const readDelays = watchLoop();
process.on('message', () => {
  report({ kind: 'delays', ...readDelays() });
});
process.on('disconnect', () => process.exit());
report({ kind: 'ready', url: server.url.replace('localhost', '127.0.0.1') });
