import { createService } from '../../src/server.js';

/** Serves media on the database that the environment names, until it is killed. Prints its address. */
const server = await createService({
  config: {
    server: { host: '127.0.0.1', port: 0 },
    database: { uri: process.env['TEST_URI'] ?? '' },
    api: { open: true },
    plugins: { 'users-permissions': { enabled: false }, graphql: { enabled: false } },
    middlewares: { logger: { level: 'silent' } },
  },
});
await server.start();
console.log(server.url.replace('localhost', '127.0.0.1'));
