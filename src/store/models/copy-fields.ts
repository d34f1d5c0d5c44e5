import type { Document } from 'mongodb';
import { type AttributePlace, isUnique, placesNamed } from '#model/schema/attribute-places.js';
import type { ContentType, Registry } from '#model/schema/content-type.js';
import { alsoInDrafts, draftField, keepsDrafts } from '#model/schema/drafts-beside.js';
import type { ModelDocument } from '#model/schema/model.js';
import { type Rename, renamesIn } from '#model/schema/renames.js';
import { inWriteTime } from '../send/calls.js';
import { commentIn, type Database } from '../send/database.js';
import { type FieldMove, typesWith } from '../send/field-moves.js';
import { readRenames, renameKey } from '../stores/rename-store.js';

/** What documents get: the values of the new name, or none under the former one. */
type FieldWork = 'copy' | 'unset';

/** A field of documents, and the expression of its value after the work. */
interface FieldChange {
  readonly field: string;
  readonly value: unknown;
}

/** Number of documents that are written at once. */
const batch = 500;

/**
 * Copies or removes the values of a moved attribute in all entries, in batches by id. The former name counts while both exist,
 * because every instance writes it. Returns the number of entries that were changed; 0 if there was nothing to do.
 */
export async function moveFields(
  move: FieldMove,
  work: FieldWork,
  { registry, database, signal }: { readonly registry: Registry; readonly database: Database; readonly signal: AbortSignal },
): Promise<number> {
  let changed = 0;
  for (const type of typesWith(new Set([move.uid]), registry)) {
    const changes = changesFor(type, { move, work, registry, database });
    if (changes.length > 0) changed += await changeAll(type.collection, changes, { database, signal });
  }
  return changed;
}

/** Changes all documents that differ. Each update computes its values from the document as it then is. */
async function changeAll(
  collection: string,
  changes: readonly FieldChange[],
  { database, signal }: { readonly database: Database; readonly signal: AbortSignal },
): Promise<number> {
  const entries = database.db.collection<Document & { readonly _id: number }>(collection);
  const differs = { $expr: { $or: changes.map(({ field, value }) => ({ $ne: [`$${field}`, value] })) } };
  const pipeline = changes.map(({ field, value }) => ({ $set: { [field]: value } }));
  let changed = 0;
  for (let last: unknown = null; !signal.aborted;) {
    const after = last === null ? differs : { $and: [{ _id: { $gt: last as number } }, differs] }; // an id
    const ids = await entries
      .find(after, { projection: { _id: 1 }, sort: { _id: 1 }, limit: batch, ...commentIn(database) })
      .toArray();
    if (ids.length === 0) return changed;
    const filter = { _id: { $in: ids.map(({ _id }) => _id) } };
    const { modifiedCount } = await inWriteTime(database, () => entries.updateMany(filter, pipeline, commentIn(database)));
    changed += modifiedCount;
    last = ids.at(-1)?._id;
  }
  return changed + 1; // not finished
}

interface Moving {
  readonly move: FieldMove;
  readonly work: FieldWork;
  readonly registry: Registry;
  readonly database: Database;
}

function changesFor(type: ContentType, { move, work, registry, database }: Moving): readonly FieldChange[] {
  const { from, to } = move;
  const named = alsoInDrafts(type, placesNamed(type, registry, { uid: move.uid, names: [from, to] }));
  const places = named.flatMap((place) => database.moves.stepsOf(place));
  const listed = places.filter(
    ({ attribute, steps: [first, ...rest] }) =>
      isUnique(attribute) && first?.name !== draftField && [first, ...rest].some((step) => step?.list === true),
  );
  const keys = listed.map(({ steps }) => steps.map(({ name }) => `${name}/`).join(''));
  const keyed = [
    ...(type.uid === move.uid ? ['_ranks', '_trigrams', '_links'].map((field) => [field, from, to] as const) : []),
    ...[...new Set(keys)].map((key) => ['_unique', `${key}${from}`, `${key}${to}`] as const),
  ];
  return [
    ...places.map((place) => changeAt(place, move, work)),
    ...keyed.map(([field, ...names]) => keyChange(field, names, work)),
    ...(keepsDrafts(type) ? keyed.map(([field, ...names]) => keyChangeInDraft(field, names, work)) : []),
  ];
}

/** Returns the change of a value at a place. In lists it changes each component of its kind. */
function changeAt({ steps }: AttributePlace, move: FieldMove, work: FieldWork): FieldChange {
  const [first, ...rest] = steps;
  if (first === undefined) return rootChange(move, work);
  const inside = (at: string, [step, ...others]: AttributePlace['steps'], depth: number): unknown =>
    step === undefined
      ? changedRecord(at, move, work)
      : { $mergeObjects: [at, { [step.name]: within(step, `${at}.${step.name}`, others, depth) }] };
  const within = (step: AttributePlace['steps'][number], at: string, others: AttributePlace['steps'], depth: number): unknown => {
    const item = `$$part${String(depth)}`;
    const change = (one: string, next: number): unknown => {
      const fits = { $eq: [{ $type: one }, 'object'] };
      const isOfKind = step.zone === null ? fits : { $and: [fits, { $eq: [`${one}.__component`, step.zone] }] };
      return { $cond: [isOfKind, inside(one, others, next), one] };
    };
    const each = { $map: { input: at, as: `part${String(depth)}`, in: change(item, depth + 1) } };
    return { $cond: [{ $isArray: [at] }, each, change(at, depth)] };
  };
  return { field: first.name, value: within(first, `$${first.name}`, rest, 0) };
}

const isMissing = (path: string): Document => ({ $eq: [{ $type: path }, 'missing'] });

function rootChange({ from, to }: FieldMove, work: FieldWork): FieldChange {
  if (work === 'unset') return { field: from, value: '$$REMOVE' };
  return { field: to, value: { $cond: [isMissing(`$${from}`), `$${to}`, `$${from}`] } };
}

const changedRecord = (at: string, { from, to }: FieldMove, work: FieldWork): unknown =>
  work === 'unset'
    ? { $unsetField: { field: from, input: at } }
    : { $cond: [isMissing(`${at}.${from}`), at, { $mergeObjects: [at, { [to]: `${at}.${from}` }] }] };

/** Returns the change of a field that holds values by names. */
const keyChange = (field: string, names: readonly [from: string, to: string], work: FieldWork): FieldChange => ({
  field,
  value: changedKeys(`$${field}`, names, work),
});

/** Returns the change of such a field of the draft beside an entry. */
const keyChangeInDraft = (field: string, names: readonly [from: string, to: string], work: FieldWork): FieldChange => {
  const draft = `$${draftField}`;
  const changed = { $mergeObjects: [draft, { [field]: changedKeys(`${draft}.${field}`, names, work) }] };
  return { field: draftField, value: { $cond: [{ $eq: [{ $type: draft }, 'object'] }, changed, draft] } };
};

function changedKeys(input: string, [from, to]: readonly [from: string, to: string], work: FieldWork): Document {
  const at = { $getField: { field: from, input } };
  const value =
    work === 'unset' ? { $unsetField: { field: from, input } } : { $mergeObjects: [input, { $arrayToObject: [[[to, at]]] }] };
  return { $cond: [{ $eq: [{ $type: at }, 'missing'] }, input, value] };
}

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
export async function refuseRenamedAttributes(
  wanted: WantedAttribute,
  documents: readonly ModelDocument[],
  database: Database,
): Promise<void> {
  const { uid, attribute } = wanted;
  const names = namesOnTheWay(wanted);
  const open = await unfinished(documents, database);
  const rename = open.find((one) => names.some((name) => name.uid === one.uid && [one.from, one.to].includes(name.name)));
  if (rename === undefined) return;
  const { uid: holder, from, to } = rename;
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
  const recordKeys = new Set(records.map(renameKey));
  const renames = renamesIn(documents).filter((one) => !recordKeys.has(renameKey(one)));
  return [...records.filter(({ phase }) => phase !== 'done'), ...renames].filter(({ kind }) => kind === 'attribute');
}
