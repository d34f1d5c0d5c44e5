// The tests have a database of their own, unless MONGODB_URI names one.
/** @type {import('mangrove').ConfigFile<'database'>} */
export default { embedded: { directory: './data/test' } };
