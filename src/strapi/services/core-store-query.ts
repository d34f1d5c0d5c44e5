import { validationError } from '#base/errors.js';
import type { CodeStore } from '#store/stores/code-store.js';
import type { Values } from '#base/values.js';
import { refuseMissing } from '../load/unsupported-code.js';
import type { QueryEngine } from './query-engine.js';
import { rowReads } from './row-query.js';

/** The uid of the values of `strapi.store` in Strapi v4. */
export const coreStoreUid = 'strapi::core-store';

const attributes = ['id', 'key', 'value', 'type', 'environment', 'tag'];

/** Returns a value as a row of Strapi v4. Its id is its key. */
const rowOf = (key: string, value: unknown): Values => ({
  ...{ id: key, key, value: JSON.stringify(value ?? null), type: typeof value },
  ...{ environment: null, tag: null },
});

const refuse = (problem: string): never => {
  throw validationError(`strapi.db.query('${coreStoreUid}'): ${problem}`);
};

/** Returns the value in the data of a row. Throws a ValidationError for data that cannot be stored. */
function valueIn({ value, ...data }: Values): unknown {
  const unknown = Object.keys(data).find((name) => !attributes.includes(name));
  if (unknown !== undefined) refuse(`there is no ${unknown}`);
  for (const name of ['environment', 'tag'])
    if ((data[name] ?? '') !== '') refuse(`${name} must be null, because there are no values by ${name}`);
  if (typeof value !== 'string') return refuse('value must be a text with JSON');
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return data['type'] === 'string' ? value : refuse('value must be a text with JSON');
  }
}

/** Returns `strapi.db.query('strapi::core-store')`: the values of `strapi.store`, and the settings that Strapi v4 has there. */
export function coreStoreQuery(values: CodeStore): QueryEngine {
  const { findOne, findMany, ...reads } = rowReads(coreStoreUid, attributes, async () =>
    [...(await values.all())].map(([key, value]) => rowOf(key, value)),
  );
  const removeAll = async (rows: readonly Values[]): Promise<void> => {
    for (const { key } of rows) await values.delete(String(key));
  };
  const query = {
    ...{ findOne, findMany, ...reads },
    create: async ({ data }: { readonly data: Values }) => {
      const { key } = data;
      if (typeof key !== 'string' || key === '') return refuse('key must be a text');
      if ((await findOne({ where: { key } })) !== null) refuse(`the key ${key} is taken`);
      const value = valueIn(data);
      await values.set(key, value);
      return rowOf(key, value);
    },
    update: async ({ where, data }: { readonly where: Values; readonly data: Values }) => {
      const row = await findOne({ where });
      if (row === null) return null;
      const key = String(row['key']);
      if ((data['key'] ?? key) !== key) refuse('a key cannot be changed');
      if (data['value'] === undefined) return row;
      const value = valueIn({ ...data });
      await values.set(key, value);
      return rowOf(key, value);
    },
    delete: async ({ where }: { readonly where: Values }) => {
      const row = await findOne({ where });
      if (row !== null) await removeAll([row]);
      return row;
    },
    deleteMany: async ({ where = {} }: { readonly where?: Values } = {}) => {
      const rows = await findMany({ where });
      await removeAll(rows);
      return { count: rows.length };
    },
  };
  return refuseMissing(query, `strapi.db.query(${coreStoreUid})`) as unknown as QueryEngine; // other members throw
}
