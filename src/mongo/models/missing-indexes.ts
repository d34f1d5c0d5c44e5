import type { Registry } from '../../schema/content-type.js';
import type { Database } from '../send/database.js';
import { keepsUnique } from '../read/plan-indexes.js';
import { compareIndexes } from './ensure-indexes.js';

/** An index that a model needs, and that its collection lacks. */
export interface MissingIndex {
  readonly uid: string;
  readonly name: string;
  readonly isUnique: boolean;
}

/** Returns the missing indexes of all collections that exist, also those that are being built. */
export async function findMissingIndexes(registry: Registry, { db }: Database): Promise<readonly MissingIndex[]> {
  const types = [...registry.types.values()].filter(({ kind }) => kind !== 'component');
  const found = await Promise.all(
    types.map(async (type): Promise<readonly MissingIndex[]> => {
      const { missing, isNew } = await compareIndexes(db, type, registry);
      return (isNew ? [] : missing).map((plan) => ({ uid: type.uid, name: plan.name, isUnique: keepsUnique(plan) }));
    }),
  );
  return found.flat();
}
