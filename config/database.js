/** @type {import('mangrove').ConfigFile<'database'>} */
export default ({ env }) => {
  // A replica set (Atlas is one). Not set: a MongoDB of Mangrove's own, kept in ./data/db.
  const uri = env('MONGODB_URI');
  // The demo magazine goes into a database that has no models yet; into one of yours only with MANGROVE_DEMO=true.
  return { uri, demo: uri === undefined };
};
