import type { Child, Selection } from '#model/query/plan.js';
import type { ScalarAttribute } from '#model/schema/content-type.js';
import { scalarTypes } from '#model/schema/scalar-types.js';
import type { Step, SyncChange } from '../step.js';
import type { Shape } from '../query.js';
import { placeNumber } from './offset.js';

/** Returns the columns of a shape by their names, for the header `electric-schema`. */
export const schemaOf = ({ plan: { selection } }: Shape): string => {
  const columns = [...selection.fields.map(columnOf), ...selection.children.map(({ key }: Child) => [key, { type: 'jsonb' }])];
  return asciiJson({ id: { type: 'int4', pk_index: 0 }, ...Object.fromEntries(columns) });
};

const columnOf = ({ name, type }: ScalarAttribute) => [name, { type: scalarTypes[type].column ?? 'text' }] as const;

/** Headers have no other characters. */
const asciiJson = (value: object): string =>
  JSON.stringify(value).replaceAll(/[^\x20-\x7e]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Returns the messages of a step. An entry that is found is inserted, because the client may not have it. */
export function messagesOf({ changes, next, more }: Step, shape: Shape): readonly object[] {
  const messages = changes.map((change) => messageOf(change, shape, next.seq));
  return more ? messages : [...messages, { headers: { control: 'up-to-date', global_last_seen_lsn: placeNumber(next) } }];
}

function messageOf(change: SyncChange, { plan: { type, selection } }: Shape, seq: number): object {
  const id = String(change.id);
  const key = `"${type.pluralName}"/"${id}"`;
  const headers = { operation: change.op === 'upsert' ? 'insert' : 'delete', txids: [seq] };
  return { key, value: change.op === 'upsert' ? { id, ...textsOf(change.attributes, selection) } : { id }, headers };
}

/** Returns the values of an entry as texts. Components, zones and related entries are JSON. */
function textsOf(values: Readonly<Record<string, unknown>>, { fields }: Selection): Record<string, string | null> {
  const types = new Map(fields.map(({ name, type }) => [name, scalarTypes[type].column]));
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const isJson = !types.has(name) || types.get(name) === 'jsonb';
      return [name, value === null ? null : isJson ? JSON.stringify(value) : String(value)];
    }),
  );
}
