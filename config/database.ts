import type { ConfigFile } from '../src/config/config-file.js';

export default (({ env }) => ({
  // A replica set (Atlas is one). Not set: a MongoDB of Mangrove's own, kept in ./data/db.
  uri: env('MONGODB_URI'),
  // The demo magazine goes into the embedded database only, while that is empty.
  demo: env('MONGODB_URI') === undefined,
})) satisfies ConfigFile<'database'>;
