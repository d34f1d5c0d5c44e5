import { choice, decimal, flag, group, maybeText, maybeWhole, text, whole } from './setting.js';

/** config/database: which MongoDB, and how long it may take. Times in milliseconds. */
export const databaseSettings = group({
  uri: maybeText('Connection string of MongoDB; null: the embedded server', {
    variable: 'MONGODB_URI',
    pattern: '^mongodb(\\+srv)?://.',
  }),
  name: maybeText('Database to use; null: the one in the URI, or mangrove', {
    variable: 'MONGODB_DATABASE',
    minLength: 1,
    maxLength: 38,
  }),
  embedded: group({
    directory: text('./data/db', 'Where the embedded server keeps its data, from the working directory', { minLength: 1 }),
    port: maybeWhole('Port of the embedded server; null: any free one', { minimum: 1, maximum: 65535 }),
    cacheSizeGB: decimal(0.25, 'Cache of the embedded server in GB', { minimum: 0.25 }),
    production: choice(['refuse', 'allow'], 'Whether NODE_ENV=production may run on the embedded server', {
      variable: 'EMBEDDED_MONGODB',
    }),
  }),
  maxTimeMS: group({
    read: whole(5_000, 'Longest time of one reading command', { minimum: 1 }),
    write: whole(10_000, 'Longest time of one writing command', { minimum: 1 }),
  }),
  poolSize: whole(50, 'Connections to MongoDB', { minimum: 1 }),
  waitQueueTimeout: whole(2_000, 'Longest wait for a free connection'),
  selectionTimeout: whole(5_000, 'Longest wait for a server to be found'),
  demo: flag(false, 'Fill a database that has no models with the demo magazine', { variable: 'MANGROVE_DEMO' }),
});
