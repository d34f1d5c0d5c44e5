import { findUnfitValues, type UnfitData } from '#store/models/find-unfit.js';
import type { Database } from '#store/send/database.js';
import { changedTypes, type RegistryBuild } from '#model/schema/build-registry.js';

/** Number of ids that are printed of the entries that break a rule. */
const shownIds = 5;

interface Builds {
  readonly before: RegistryBuild;
  readonly after: RegistryBuild;
}

/** Returns the stored values that break rules which the models do not have yet. */
export async function unfitIn({ before, after }: Builds, database: Database): Promise<readonly UnfitData[]> {
  const unfitData: UnfitData[] = [];
  for (const type of changedTypes(after.registry, before.registry))
    unfitData.push(...(await findUnfitValues(type, { before: before.registry, after: after.registry }, database)));
  return unfitData;
}

export const shownData = ({ uid, attribute, rule, count, examples }: UnfitData) => ({
  uid,
  attribute,
  rule,
  count,
  ids: examples.slice(0, shownIds),
});

/** Returns the row that says how many entries break a rule. */
export function dataRow(unfit: UnfitData): readonly string[] {
  const { uid, attribute, rule, count, ids } = shownData(unfit);
  const entries = count === 1 ? '1 entry breaks' : `${String(count)} entries break`;
  return ['data', uid, `${attribute}: ${entries} the rule ${rule}: ${ids.join(', ')}${count > ids.length ? ', …' : ''}`];
}
