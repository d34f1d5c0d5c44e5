import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openArchive } from '#operate/transfer/archive/open-archive.js';
import type { Source } from '#operate/transfer/source.js';
import { metadata, packArchive } from '../../support/pack-archive.js';
import { importAll, inFresh } from './importing.js';

const schema = {
  uid: 'api::thing.thing',
  kind: 'collectionType',
  collectionName: 'things',
  info: { singularName: 'thing', pluralName: 'things', displayName: 'thing' },
  attributes: { title: { type: 'string' } },
};
const thing = (id: number) => ({ type: schema.uid, id, data: { title: `number ${String(id)}` } });
const token = (id: number, name: string) => ({
  type: 'admin::api-token',
  id,
  data: { name, type: 'read-only', description: '', accessKey: String(id).repeat(128) },
});
const role = { type: 'admin::role', id: 1, data: { name: 'Writers', code: 'writers', description: '' } };

/** A source that notes the stages of each pass, with the number of records that were read. */
const noting = (source: Source, passes: (readonly [stages: string, records: number])[]): Source => ({
  ...source,
  read: async function* (stages, ...more) {
    let count = 0;
    try {
      for await (const record of source.read(stages, ...more)) {
        count++;
        yield record;
      }
    } finally {
      passes.push([stages.join(), count]);
    }
  },
});

describe('the passes of an import over an archive with API tokens', () => {
  let directory: string;
  before(async () => void (directory = await mkdtemp(join(tmpdir(), 'mangrove-passes-'))));
  after(() => rm(directory, { recursive: true }));

  /** Imports an archive; returns the passes and the names of the tokens that came. */
  async function passesOver(entities: readonly object[], hasPanel = true) {
    const file = join(directory, 'export.tar.gz');
    await packArchive(file, [
      { name: 'schemas/schemas_00001.jsonl', content: [schema] },
      { name: 'entities/entities_00001.jsonl', content: entities },
      { name: 'assets/uploads/large_0a1b2c3d4e.bin', content: Buffer.alloc(3_000_000, 'large') },
      metadata,
    ]);
    const passes: (readonly [stages: string, records: number])[] = [];
    const tokens = { salt: 'salt', isGiven: true, showKey: () => undefined };
    const content = await inFresh(async ({ panel, ...context }) =>
      importAll(noting(await openArchive({ file, key: null }), passes), {
        ...context,
        tokens,
        ...(hasPanel && panel !== undefined && { panel }),
      }),
    );
    const names = ((content.get('_tokens') ?? []) as readonly { readonly name: string }[]).map(({ name }) => name);
    return { passes, names };
  }

  const ordinary = (entities: number) => [['links', 0] as const, ['entities', entities] as const, ['assets', 1] as const];
  const inspection = (records: number) => ['schemas,entities,links,assets,configuration', records] as const;

  it('are one less if it has none', async () => {
    const { passes } = await passesOver([thing(1), thing(2)]);
    expect(passes).to.deep.equal([inspection(4), ...ordinary(2)]);
  });

  it('end at the last token in the pass that reads tokens', async () => {
    const { passes, names } = await passesOver([token(1, 'one'), thing(1), token(2, 'two'), thing(2), thing(3)]);
    expect(passes).to.deep.equal([inspection(7), ['entities', 3], ...ordinary(5)]);
    expect(names).to.deep.equal(['one', 'two']);
  });

  it('bring tokens if there is no panel', async () => {
    const { passes, names } = await passesOver([role, token(1, 'one'), thing(1)], false);
    expect(passes).to.deep.equal([inspection(5), ['entities', 2], ...ordinary(3)]);
    expect(names).to.deep.equal(['one']);
  });

  it('bring tokens with roles in one pass', async () => {
    const { passes, names } = await passesOver([role, token(1, 'one'), thing(1)]);
    expect(passes).to.deep.equal([inspection(5), ['entities,links', 3], ...ordinary(3)]);
    expect(names).to.deep.equal(['one']);
  });
});
