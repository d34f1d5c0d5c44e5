import { createHash } from 'node:crypto';
import type { Db } from 'mongodb';
import { steadyName } from './steady.js';

/** The values of an item as its worker last wrote them. */
export interface ItemState {
  readonly value: number;
  readonly owner: number | null;
}

/** An entry that a worker has created. Only this worker writes to it, except for its badge, which others may take. */
export interface Item {
  readonly key: string;
  /** Null until a create was acknowledged. */
  id: number | null;
  /** What may be stored: one state after an acknowledged write, two after one whose answer was lost. Null: no entry. */
  states: readonly (ItemState | null)[];
}

/** A file whose upload was acknowledged. No two have one name. */
export interface UploadedFile {
  readonly id: number;
  readonly name: string;
  readonly url: string;
  readonly digest: string;
}

/** The ids of the entries that items are linked to. */
export interface Targets {
  readonly owners: readonly number[];
  readonly badges: readonly number[];
}

/** All acknowledged writes, and those whose answer was lost. */
export class Ledger {
  readonly items: Item[] = [];
  readonly files: UploadedFile[] = [];
  readonly ids = new Set<number>();
  readonly problems: string[] = [];
  acknowledged = 0;

  /** Counts an acknowledged write, and checks its id. */
  acknowledge(id?: number): void {
    this.acknowledged += 1;
    if (id === undefined) return;
    if (this.ids.has(id)) this.problems.push(`id ${String(id)} was given twice`);
    this.ids.add(id);
  }
}

export const digestOf = (bytes: Uint8Array | string): string => createHash('sha1').update(bytes).digest('hex');

interface StoredItem {
  readonly _id: number;
  readonly key: string;
  readonly value: number;
  readonly code: string | null;
  readonly owner: number | null;
  readonly badge: number | null;
}

/** Compares the database with the ledger: every acknowledged write must be stored exactly once. Returns the differences. */
export async function compareStored({ items, files }: Ledger, db: Db): Promise<string[]> {
  const stored = await db
    .collection<StoredItem>('items')
    .find({}, { readConcern: { level: 'majority' } })
    .toArray();
  const byKey = new Map<string, StoredItem[]>();
  for (const item of stored) byKey.set(item.key, [...(byKey.get(item.key) ?? []), item]);
  return [
    ...items.flatMap((item) => compareItem(item, byKey.get(item.key) ?? [])),
    ...repeated(stored, 'code').map((code) => `code ${code} is there twice`),
    ...repeated(stored, 'badge').map((badge) => `badge ${badge} belongs to two items`),
    ...(await compareUploads(files, db)),
  ];
}

interface StoredFile {
  readonly _id: number;
  readonly name: string;
}

/** Returns the files that are there twice, and the acknowledged ones that are not. Those whose answer was lost may be there once. */
async function compareUploads(files: readonly UploadedFile[], db: Db): Promise<string[]> {
  const stored = await db
    .collection<StoredFile>('files')
    .find({}, { projection: { name: 1 }, readConcern: { level: 'majority' } })
    .toArray();
  const ids = new Map(stored.map(({ _id, name }) => [name, _id]));
  return [
    ...repeated(stored, 'name').map((name) => `file ${name} is there twice`),
    ...files.filter(({ id, name }) => ids.get(name) !== id).map(({ id }) => `file ${String(id)} is gone`),
  ];
}

function compareItem({ key, id, states }: Item, found: readonly StoredItem[]): string[] {
  const [stored] = found;
  if (found.length > 1) return [`item ${key} is there ${String(found.length)} times`];
  const fits = states.some((state) =>
    state === null ? stored === undefined : stored?.value === state.value && (stored.owner ?? null) === state.owner,
  );
  if (!fits) return [`item ${key} (${String(id)}) is ${JSON.stringify(stored)} instead of ${JSON.stringify(states)}`];
  return id !== null && stored !== undefined && stored._id !== id ? [`item ${key} has another id`] : [];
}

function repeated<Field extends string>(stored: readonly Readonly<Record<Field, unknown>>[], field: Field): string[] {
  const seen = new Set<string>();
  return stored.flatMap((document) => {
    const value = document[field];
    if (value === null || value === undefined) return [];
    if (seen.has(String(value))) return [String(value)];
    seen.add(String(value));
    return [];
  });
}

interface Linked {
  readonly id: number;
  readonly attributes: Readonly<
    Record<string, { readonly data: { readonly id: number } | readonly { readonly id: number }[] | null }>
  >;
}

/** Reads relations from both sides. Returns the links that only one side shows. */
export async function compareSides(url: string): Promise<string[]> {
  const problems: string[] = [];
  for (const [field, path, inverse, atOnce] of [
    ['badge', 'badges', 'item', 1000],
    // an owner has thousands of items, and a request reads 20,000 entries
    ['owner', 'owners', 'items', 1],
  ] as const) {
    const near = pairs(
      await readAll(`${url}/api/items?filters[${field}][id][$notNull]=true&populate[${field}][fields][0]=id&fields[0]=id`, 1000),
      field,
    );
    const named = `filters[name][$ne]=${steadyName}&populate[${inverse}][fields][0]=id&fields[0]=id`;
    const far = pairs(await readAll(`${url}/api/${path}?${named}`, atOnce), inverse);
    const turned = new Set([...far].map((pair) => pair.split(' ').reverse().join(' ')));
    problems.push(...[...near].filter((pair) => !turned.has(pair)).map((pair) => `${field}: only the item shows ${pair}`));
    problems.push(...[...turned].filter((pair) => !near.has(pair)).map((pair) => `${field}: only the other side shows ${pair}`));
  }
  return problems;
}

const pairs = (entries: readonly Linked[], name: string): ReadonlySet<string> =>
  new Set(
    entries.flatMap(({ id, attributes }) =>
      [attributes[name]?.data ?? []].flat().map((other) => `${String(id)} ${String(other.id)}`),
    ),
  );

/** Pages begin behind the last id, so that the last of many costs what the first one does. */
async function readAll(url: string, pageSize: number): Promise<Linked[]> {
  const found: Linked[] = [];
  for (;;) {
    const after = String(found.at(-1)?.id ?? 0);
    const answer = await fetch(
      `${url}&filters[id][$gt]=${after}&pagination[pageSize]=${String(pageSize)}&pagination[withCount]=false&sort=id`,
    );
    if (answer.status !== 200) throw new Error(`${url}: ${await answer.text()}`);
    const { data } = (await answer.json()) as { readonly data: readonly Linked[] };
    found.push(...data);
    if (data.length < pageSize) return found;
  }
}

/** Reads files back. Returns those whose bytes are not those that were sent. */
export async function compareFiles(url: string, files: readonly UploadedFile[]): Promise<string[]> {
  const problems: string[] = [];
  for (const file of files) {
    const answer = await fetch(`${url}${file.url}`);
    const bytes = new Uint8Array(await answer.arrayBuffer());
    if (answer.status !== 200 || digestOf(bytes) !== file.digest)
      problems.push(`file ${String(file.id)} is lost (${String(answer.status)})`);
  }
  return problems;
}
