import type { Document } from 'mongodb';
import type { LinkSource } from '#model/query/aggregate/aggregation.js';
import type { Condition } from '#model/query/plan.js';
import type { Database } from '../../send/database.js';
import { asScanned } from '../../send/database.js';
import { readAll } from '../../send/read-commands.js';
import { spend } from '../collect-ids.js';
import { asList, compileCondition } from '../compile-condition.js';
import { idsAt, joinFields, onlyIds } from '../join-related.js';
import { resolveOrJoin, stagesOf } from '../resolve-related.js';

/** A relation of a group: an expression for the id of the related entry, or null, and the stages before it. */
export interface CompiledLink {
  readonly stages: readonly Document[];
  readonly value: unknown;
}

/** Hidden entries are left out by their ids if there are at most so many; otherwise the visible ones are joined. */
const maxHidden = 1_000;

/** What is visible of related entries, resolved once for each type and condition, however many groupings and figures need it. */
export class Visibles {
  readonly #database: Database;
  readonly #hidden = new Map<string, Map<Condition, ReturnType<typeof findHidden>>>();
  readonly #stages = new Map<Condition, ReturnType<typeof stagesOf>>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** Returns the ids of the entries that do not meet a condition; null if they are many, or the condition needs joins. */
  async hidden(collection: string, visible: Condition | null): Promise<readonly unknown[] | null> {
    if (visible === null) return [];
    const ofType = once(this.#hidden, collection, () => new Map<Condition, ReturnType<typeof findHidden>>());
    return once(ofType, visible, () => findHidden(collection, visible, this.#database));
  }

  /** Returns the stages that keep the entries which meet a condition. */
  stages(visible: Condition): Promise<readonly Document[]> {
    return once(this.#stages, visible, () => stagesOf(visible, this.#database));
  }
}

function once<Key, Value>(known: Map<Key, Value>, key: Key, make: () => Value): Value {
  const value = known.get(key) ?? make();
  known.set(key, value);
  return value;
}

/**
 * Compiles a relation by which entries are grouped, or whose entries are counted. An entry with several related entries becomes several
 * documents. One without any that are visible stays one, with null. `as` is a field for joined entries.
 */
export async function compileLink(
  { link, path, target, visible }: LinkSource,
  as: string,
  visibles: Visibles,
): Promise<CompiledLink> {
  if (link.dangling) return { stages: [], value: null };
  const { storage } = link;
  const hidden = storage.kind === 'own' ? await visibles.hidden(target.collection, visible) : null;
  if (hidden === null) {
    const pipeline = [...(visible === null ? [] : await visibles.stages(visible)), { $project: { _id: 1 } }];
    const isOwn = storage.kind === 'own';
    const fields = { ...joinFields({ link, path }), ...(isOwn && { localField: as }) };
    const lookup = { $lookup: { from: target.collection, ...fields, pipeline, as } };
    return {
      stages: [...(isOwn ? [{ $set: { [as]: idsAt(path) } }] : []), lookup, unwind(as)],
      value: idOrNull(`$${as}._id`),
    };
  }
  const value = `$${path}`;
  if (link.many) {
    const seen = { $set: { [path]: onlyIds({ $setDifference: [asList(value), hidden] }) } };
    return { stages: [seen, unwind(path)], value: idOrNull(value) };
  }
  const isHidden = { $in: [value, hidden] };
  return { stages: [], value: hidden.length === 0 ? idOrNull(value) : { $cond: [isHidden, null, idOrNull(value)] } };
}

/** Returns an expression for an id; null if there is none, or another program has stored something else. */
const idOrNull = (value: string): Document => ({ $cond: [{ $isNumber: value }, value, null] });

const unwind = (path: string): Document => ({ $unwind: { path: `$${path}`, preserveNullAndEmptyArrays: true } });

async function findHidden(collection: string, visible: Condition, database: Database): Promise<readonly unknown[] | null> {
  const { resolved, joins } = await resolveOrJoin(visible, database);
  if (joins.length > 0) return null;
  const filter = { $nor: [compileCondition(visible, resolved)] };
  const limit = Math.min(maxHidden, database.budget.remaining('idsResolved')) + 1;
  const command = { find: collection, filter, projection: { _id: 1 }, limit, batchSize: limit };
  const rows = await readAll(asScanned(database), command);
  const ids = rows.map(({ _id }) => _id as unknown);
  return ids.length < limit ? spend(ids, database) : null;
}
