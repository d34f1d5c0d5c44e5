import { createService } from '#operate/service/create-server.js';
import { testConfig } from '../support/serve.js';

const uri = process.env['TEST_URI'] ?? '';

/** Serves media on the database that the environment names, until it is killed. Prints its address. */
const server = await createService({
  config: testConfig(
    { uri, name: new URL(uri).pathname.slice(1) },
    { plugins: { 'users-permissions': { enabled: false }, graphql: { enabled: false } } },
  ),
});
await server.start();
console.log(server.url.replace('localhost', '127.0.0.1'));
