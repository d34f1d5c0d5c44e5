import type { TransferRecord } from '../../../src/operate/transfer/source.js';
import { syncModels } from '../../../test/api/sync/sync-models.js';
import { closeContext, importAll, openContext } from '../../../test/operate/transfer/importing.js';
import type { Random } from '../../random.js';
import type { World } from './world.js';

/** Imports authors, which replace all that are stored. */
export async function importAuthors({ database }: World, random: Random): Promise<void> {
  const type = 'api::author.author';
  const schema = syncModels.find(({ uid }) => uid === type) ?? {};
  const names = ['Ann', 'Bob', 'Cid'] as const;
  const data = () => ({ name: random.of(names), active: !random.oneIn(3), publishedAt: random.oneIn(4) ? null : new Date(0) });
  const ids = Array.from({ length: 6 }, (_, index) => index + 1 + random.below(2));
  const entities = [...new Set(ids)].map((id) => ({ stage: 'entities', type, id, data: data(), bytes: 100 }) as const);
  const records: readonly TransferRecord[] = [{ stage: 'schemas', schema, bytes: 100 }, ...entities];
  const source = {
    identity: `authors ${String(random.next())}`,
    description: 'authors',
    mayChange: false,
    read: async function* (stages: readonly string[]) {
      yield* records.filter(({ stage }) => stages.includes(stage));
      await Promise.resolve();
    },
    close: () => Promise.resolve(),
  };
  const context = await openContext(database);
  try {
    await importAll(source, context, true);
  } finally {
    await closeContext(context);
  }
}
