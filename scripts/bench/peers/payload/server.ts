import { reportToParent } from '../../report-to-parent.js';
import { fillDatabase } from '../fill-database.js';
import { loadPackage } from '../install-peer.js';
import { collections, toDocument } from './collections.js';
import { payloadFolder } from './payload.js';

/** Payload as it ships, on a database that is filled anew with the data set of a size. */
const [uri = '', database = '', size = ''] = process.argv.slice(2);

interface Payload {
  buildConfig(config: object): Promise<object>;
  getPayload(options: { readonly config: object }): Promise<unknown>;
  handleEndpoints(options: { readonly config: object; readonly request: Request }): Promise<Response>;
}

interface Hono {
  serve(options: object, listening: (address: { readonly port: number }) => void): void;
}

const { buildConfig, getPayload, handleEndpoints } = loadPackage<Payload>(payloadFolder, 'payload');
const { mongooseAdapter } = loadPackage<{ mongooseAdapter(options: object): object }>(payloadFolder, '@payloadcms/db-mongodb');
const { serve } = loadPackage<Hono>(payloadFolder, '@hono/node-server');

const names = Object.fromEntries(collections.map(({ slug }) => [slug, slug]));
await fillDatabase({ uri, database, size, collections: names, toDocument });
const config = await buildConfig({
  secret: 'bench',
  telemetry: false,
  typescript: { autoGenerate: false },
  graphQL: { disable: true },
  db: mongooseAdapter({ url: uri, connectOptions: { dbName: database } }),
  collections,
});
await getPayload({ config });
// As the documentation of handleEndpoints writes it.
const fetch = (request: Request): Promise<Response> => handleEndpoints({ config, request: request.clone() });
serve({ fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => {
  reportToParent(`http://127.0.0.1:${String(port)}`);
});
