import { notFoundError, preconditionRequired } from '#base/errors.js';
import type { Values } from '#base/values.js';
import type { ContentContext } from '#content/content-context.js';
import { create } from '#content/create.js';
import { remove } from '#content/remove.js';
import { update } from '#content/update.js';
import { conflictsOf } from '#http/sync-option.js';
import { emptyQuery } from '#model/query/ast.js';
import type { Attribute } from '#model/schema/content-type.js';
import { findFirst } from '#store/stored.js';
import { storedIds } from '#model/schema/stored-values.js';
import type { AllowedWrite } from './allowed-write.js';
import { bodyOf, changedNames, type Demand, demandsOf, heldBy, isPlain, needsEntry, pushedForm } from './compare.js';
import { type Current, type EntryView, readCurrent, readView, viewOf, viewQuery } from './entry-view.js';
import { kindOf } from './pushed-attributes.js';
import { increased } from './sums.js';

/** A write whose names are resolved. */
export interface TypedWrite extends AllowedWrite {
  /** The entry; 0 if it is created. */
  readonly id: number;
  /** Whether the type demands that a write names what it changes. */
  readonly isGuarded: boolean;
}

/** What a write has done: the entry as the caller sees it, or what others have changed. A delete leaves nothing to see. */
export interface Outcome extends Omit<EntryView, 'attributes'> {
  readonly status: 'applied' | 'conflict';
  readonly attributes?: Values;
  readonly conflicts?: Values;
}

/** Thrown by a write that would overwrite what others have changed. */
export class Conflict extends Error {
  constructor(readonly outcome: Outcome) {
    super('others have changed the entry');
  }
}

/**
 * Carries out a write in the transaction of its key, and returns its outcome. Throws a Conflict, and the errors of the same write over
 * REST.
 */
export async function carryOut(typed: TypedWrite, content: ContentContext): Promise<Outcome> {
  const work: Work = { ...typed, demands: demandsOf(typed.write, typed.named, conflictsOf(typed.type) === 'last') };
  if (typed.isGuarded) requireDemands(work);
  switch (typed.write.op) {
    case 'create':
      return createEntry(work, content);
    case 'update':
      return updateEntry(work, content);
    case 'delete':
      return deleteEntry(work, content);
  }
}

interface Work extends TypedWrite {
  readonly demands: readonly Demand[];
}

/** A type that demands `If-Match` demands `from` here, for each value that is overwritten. */
function requireDemands({ write: { op, set } }: Work): void {
  if (op === 'create') return;
  const values = Object.values(set);
  if (!values.every((value) => 'from' in value) || (op === 'delete' && values.length === 0)) throw preconditionRequired();
}

async function createEntry({ type, write }: Work, content: ContentContext): Promise<Outcome> {
  const { locale } = write;
  const data = { ...bodyOf(write), ...(locale !== undefined && { locale }) };
  const created = await create(type, data, viewQuery(type, content.bind), content);
  return { status: 'applied', ...viewOf(created, content) };
}

async function updateEntry(work: Work, content: ContentContext): Promise<Outcome> {
  const { type, id, write, named, demands } = work;
  const query = viewQuery(type, content.bind);
  const send = (guard: ReturnType<typeof heldBy>, data: Values) => update({ type, id, guard: guard }, { data, query }, content);
  const body = await mergeLists(work, content);
  const first = needsEntry(write, demands) ? null : await send(heldBy(demands), body);
  if (first !== null) return { status: 'applied', ...viewOf(first, content) };
  const { storedValues } = await meetDemands(work, content);
  const updated = await send({}, { ...body, ...increased(write.increment, named, storedValues) });
  if (updated === null) throw notFoundError(); // it was just read in the same transaction, unless code has deleted it
  return { status: 'applied', ...viewOf(updated, content) };
}

async function deleteEntry(work: Work, content: ContentContext): Promise<Outcome> {
  const { type, id, demands } = work;
  const isFree = demands.every(isPlain);
  const removed = isFree ? await remove({ type, id, guard: heldBy(demands) }, emptyQuery, content) : null;
  const applied: Outcome = { status: 'applied', id, version: null };
  if (removed !== null || (await readCurrent({ type, id, demands: [] }, 'preview', content)) === null) return applied;
  await meetDemands(work, content);
  await remove({ type, id }, emptyQuery, content);
  return applied;
}

/**
 * Returns the entry of a write whose demands it meets. Other writers cannot change it before the transaction ends: the write would be
 * repeated. Throws a 404 if there is none, and a Conflict if it does not meet them. Drafts among several related entries may
 * be shown or left out, because the copies of clients have either.
 */
async function meetDemands(work: Work, content: ContentContext): Promise<Current> {
  const { type, id, demands } = work;
  const wanted = { type, id, demands: demands.filter((demand) => !isPlain(demand)) };
  const current = await readCurrent(wanted, 'preview', content);
  if (current === null) throw notFoundError();
  const changed = changedNames(demands, current.shownValues);
  if (changed.length === 0) return current;
  const live = await readCurrent(wanted, 'live', content);
  const isOne = ({ name, attribute }: Demand): boolean => changed.includes(name) && kindOf(attribute) === 'one';
  const ones = demands.filter(isOne).map(({ name }) => name); // the draft that is linked would be lost
  const left =
    live === null
      ? changed
      : changed.filter((name) => ones.includes(name) || changedNames(demands, live.shownValues).includes(name));
  if (left.length > 0) throw new Conflict(await conflictOf(work, left, content));
  return current;
}

async function conflictOf(
  { type, id, write, demands }: Work,
  changed: readonly string[],
  content: ContentContext,
): Promise<Outcome> {
  const inverse = demands.filter(({ name }) => changed.includes(name));
  const current = await readCurrent({ type, id, demands: inverse }, 'preview', content);
  const view = await readView(type, id, content);
  if (view === null || current === null) throw notFoundError();
  const conflicts = inverse.map(({ name, attribute, from }) => {
    const { to } = write.set[name] ?? {};
    const theirs = pushedForm(attribute, current.shownValues[attribute.name]);
    return [name, { from, ...(write.op === 'update' && { mine: to }), theirs }];
  });
  return { status: 'conflict', ...view, conflicts: Object.fromEntries(conflicts) as Values };
}

/** Returns the body of an update, in which lists of links change as the client means it, whatever the entry holds besides. */
async function mergeLists(work: Work, content: ContentContext): Promise<Values> {
  const body = bodyOf(work.write);
  const [added, set] = [await withoutPresent(work, body, content), await withUnseen(work, content)];
  return { ...body, ...added, ...set };
}

/**
 * Returns the changes of lists that are added to, without what the caller sees in them already, because a second link would move the
 * first one.
 */
async function withoutPresent({ type, id, write, named }: Work, body: Values, content: ContentContext): Promise<Values> {
  const demands = Object.entries(write.add).flatMap(([name, links]): Demand[] => {
    const attribute = named.get(name);
    if (attribute === undefined || links.length === 0) return [];
    return [{ name, attribute, from: null, among: links }];
  });
  if (demands.length === 0) return {};
  const shown = (await readCurrent({ type, id, demands }, 'preview', content))?.shownValues ?? {};
  const lists = demands.map(({ name, attribute }) => {
    const present = new Set(idsIn(pushedForm(attribute, shown[attribute.name])));
    const { connect, disconnect } = body[name] as Readonly<Record<'connect' | 'disconnect', readonly unknown[]>>; // as bodyOf makes it
    return [name, { connect: connect.filter((one) => !present.has(one) || disconnect.includes(one)), disconnect }];
  });
  return Object.fromEntries(lists) as Values;
}

/** Returns the changes of lists that are set, where the entry has links that the client has not seen: these stay. */
async function withUnseen({ type, id, write, demands }: Work, { store }: ContentContext): Promise<Values> {
  const lists = demands.filter(
    ({ name, attribute, from }) =>
      attribute.kind === 'relation' && attribute.many && Array.isArray(from) && Array.isArray(write.set[name]?.to),
  );
  if (lists.length === 0) return {};
  const stored = (await findFirst(store.database, type.collection, { _id: id })) ?? {};
  const changes = lists.flatMap(({ name, attribute, from }) => {
    const [before, after] = [idsIn(from), idsIn(write.set[name]?.to)];
    const isSeen = (one: unknown): boolean => before.includes(one) || after.includes(one);
    if (isOwn(attribute) && storedIds(stored[attribute.name]).every(isSeen)) return [];
    const [connect, disconnect] = [after.filter((one) => !before.includes(one)), before.filter((one) => !after.includes(one))];
    return [[name, { connect, disconnect }]];
  });
  return Object.fromEntries(changes) as Values;
}

const idsIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const isOwn = (attribute: Attribute): boolean => 'storage' in attribute && attribute.storage.kind === 'own';
