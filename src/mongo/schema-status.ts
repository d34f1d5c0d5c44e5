import { hostname } from 'node:os';
import type { Database } from './database.js';

/**
 * Says in `_model_status` whether the GraphQL schema of the models in force could be built by this instance, and if not, why the
 * former one still serves.
 */
export async function writeSchemaStatus({ db }: Database, problem: string | null): Promise<void> {
  const instance = `${hostname()}:${String(process.pid)}`;
  const state = problem === null ? 'active' : 'refused';
  const values = { uid: 'graphql', instance, state, problems: problem === null ? [] : [problem], at: new Date() };
  await db
    .collection<{ _id: string }>('_model_status')
    .updateOne({ _id: `graphql@${instance}` }, { $set: values }, { upsert: true });
}
