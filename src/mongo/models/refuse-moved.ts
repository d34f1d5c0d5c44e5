import { placesNamed } from '../../schema/attribute-places.js';
import type { Registry } from '../../schema/content-type.js';
import type { ModelDocument } from '../../schema/model.js';
import { type Rename, renamesIn } from '../../schema/renames.js';
import type { Database } from '../send/database.js';
import { typesWith } from '../send/field-moves.js';
import { readRenames, renameKey } from '../stores/rename-store.js';

interface WantedAttribute {
  readonly uid: string;
  readonly attribute: string;
  /** The types that have it. */
  readonly registry: Registry;
}

/**
 * Throws an Error if an attribute is being renamed, or one that holds a component with it: values that are changed under one name
 * meanwhile may be replaced by those under the other.
 */
export async function refuseMoved(
  wanted: WantedAttribute,
  documents: readonly ModelDocument[],
  database: Database,
): Promise<void> {
  const { uid, attribute } = wanted;
  const names = namesOnTheWay(wanted);
  const open = await unfinished(documents, database);
  const found = open.find((one) => names.some((name) => name.uid === one.uid && [one.from, one.to].includes(name.name)));
  if (found === undefined) return;
  const { uid: holder, from, to } = found;
  const isOwn = holder === uid && [from, to].includes(attribute);
  const what = isOwn
    ? `${attribute} is being renamed from ${from}`
    : `${attribute} is in ${from} of ${holder}, which is being renamed`;
  throw new Error(`${what} to ${to}; try again after that`);
}

interface HeldName {
  readonly uid: string;
  readonly name: string;
}

/** Returns the names of an attribute and of those that lead to it, each with the type that has it. */
function namesOnTheWay({ uid, attribute, registry }: WantedAttribute): readonly HeldName[] {
  const holders = typesWith(new Set([uid]), registry);
  const places = holders.flatMap((type) => placesNamed(type, registry, { uid, names: [attribute] }));
  const held = places.flatMap(({ steps, holders }) => steps.map(({ name }, index) => ({ uid: holders[index]?.uid ?? '', name })));
  return [{ uid, name: attribute }, ...held];
}

/** Returns the renames of attributes that are under way, or that models ask for and no instance has begun. */
async function unfinished(documents: readonly ModelDocument[], database: Database): Promise<readonly Rename[]> {
  const records = await readRenames(database);
  const known = new Set(records.map(renameKey));
  const asked = renamesIn(documents).filter((one) => !known.has(renameKey(one)));
  return [...records.filter(({ phase }) => phase !== 'done'), ...asked].filter(({ kind }) => kind === 'attribute');
}
