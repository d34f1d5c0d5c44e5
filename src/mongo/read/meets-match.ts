import type { Document } from 'mongodb';
import { collections } from '../../schema/collections.js';
import type { Condition } from '../../query/plan.js';
import type { Database } from '../send/database.js';
import { readAll } from '../send/read-commands.js';
import { compileCondition } from './compile-condition.js';
import { resolveRelated } from './resolve-related.js';

/** Returns whether a document that is no longer stored meets a condition. The database compares it, in place of a model. */
export async function meetsMatch(document: Document, condition: Condition, database: Database): Promise<boolean> {
  const match = compileCondition(condition, await resolveRelated(condition, database));
  const pipeline = [{ $limit: 1 }, { $replaceWith: { $literal: document } }, { $match: match }, { $count: 'n' }];
  return (await readAll(database, { aggregate: collections.models, pipeline, cursor: {} })).length > 0;
}
