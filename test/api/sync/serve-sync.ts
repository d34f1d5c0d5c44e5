import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { serveAccounts, type ServingAccounts } from '../../content/rights/serve-accounts.js';
import type { ServingInput } from '../../support/serve.js';
import { Copy } from './copy.js';
import { syncModels } from './sync-models.js';

/** Populates what an entry of a type stores. */
const populated: Readonly<Record<string, string>> = {
  posts:
    'populate[author][fields]=id&populate[tags][fields]=id&populate[cover][fields]=id&populate[seo][populate][author][fields]=id' +
    '&populate[body][on][shared.seo][populate][author][fields]=id&populate[body][on][shared.quote][populate][file][fields]=id',
};

export interface ServingSync extends ServingAccounts {
  /** A token that may do everything. */
  readonly editor: string;
  /** Returns a client's copy of what a caller may see; null: without credentials. */
  readonly copyOf: (token: string | null, path: string) => Copy;
  /** Resolves when the log contains all changes so far. */
  readonly logged: () => Promise<void>;
  /** Brings copies up to date, and expects each to equal the list that its caller is answered. */
  readonly expectEqual: (...copies: readonly Kept[]) => Promise<void>;
}

/** A copy, its caller, and what it is a copy of. */
export type Kept = readonly [copy: Copy, token: string | null, path: string];

/** Starts a service with synced types. */
export async function serveSync(input: Partial<ServingInput> = {}): Promise<ServingSync> {
  const serving = await serveAccounts({ models: syncModels, ...input });
  const { body } = await serving.admin('POST', '/tokens', { name: `editor ${randomUUID()}`, type: 'full-access' });
  const editor = body.data.accessKey as string; // by the admin API
  const copyOf: ServingSync['copyOf'] = (token, path) =>
    new Copy(
      () => `${serving.server.url}/api/sync/${path}`,
      () => (token === null ? {} : { authorization: `Bearer ${token}` }),
    );
  const logged = async (): Promise<void> => {
    const id = (marker -= 1);
    const { db } = serving.database;
    // as the service reads it, which is later than what is written
    const log = db.collection<LogRow>('_changes', { readConcern: 'majority' });
    // a log that begins after the marker would not contain it
    while ((await log.findOne({ _id: 'log' }))?.followed?.includes('tags') !== true);
    await db.collection<{ _id: number }>('tags').insertOne({ _id: id });
    for (;;) {
      const change = await log.findOne({ collection: 'tags', id });
      const state = await log.findOne({ _id: 'log' });
      if (change !== null && Number(state?.seq) >= Number(change._id)) return;
    }
  };
  const expectEqual: ServingSync['expectEqual'] = async (...copies) => {
    await logged();
    const compared = copies.map(async ([copy, token, path]) => {
      expect(await copy.pull(), path).to.equal(200);
      expect(Object.fromEntries(copy.entries), path).to.deep.equal(await listOf(serving, token, path));
    });
    await Promise.all(compared);
  };
  return { ...serving, editor, copyOf, logged, expectEqual };
}

/** A change, or the state of the log. */
interface LogRow {
  readonly _id: number | string;
  readonly seq?: number;
  readonly followed?: readonly string[];
}

/** Id of the last document that marks a place in the log. They are negative, so that no other entry gets one. */
let marker = 0;

/** Returns the entries of a list as clients keep them. */
export async function listOf(
  serving: Pick<ServingAccounts, 'as'>,
  token: string | null,
  path: string,
): Promise<Record<string, unknown>> {
  const { status, entries } = await readList(serving, token, path);
  expect(status).to.equal(200);
  return entries;
}

/** The same with the status of the answer. */
export async function readList(
  { as }: Pick<ServingAccounts, 'as'>,
  token: string | null,
  path: string,
): Promise<{ readonly status: number; readonly entries: Record<string, unknown> }> {
  const [name = '', given = ''] = path.split('?');
  const parameters = new URLSearchParams(given);
  const fields = [...parameters].flatMap(([key, value]) => (key.startsWith('fields') ? [value] : []));
  const query = given.replaceAll(/&?fields[^=]*=[^&]*/g, '');
  const { status, body } = await as(token, 'GET', `/api/${name}?${query}&pagination[limit]=-1&${populated[name] ?? ''}`);
  const found = (status === 200 ? body.data : []) as { readonly id: number; readonly attributes: object }[];
  const entries = found.map(({ id, attributes }) => [String(id), pick(heldIn(attributes), fields)] as const);
  return { status, entries: Object.fromEntries(entries) };
}

const pick = (entry: unknown, names: readonly string[]): unknown =>
  names.length === 0
    ? entry
    : Object.fromEntries(Object.entries(Object(entry) as object).filter(([name]) => names.includes(name)));

/** Returns a value without the values of related entries. */
function heldIn(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(heldIn);
  if (typeof value !== 'object' || value === null) return value;
  if ('attributes' in value && 'id' in value) return { id: value.id };
  if (Object.keys(value).join() === 'data') return heldIn(Reflect.get(value, 'data'));
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, heldIn(inner)]));
}
