import { expect } from 'chai';
import type { TransferRecord } from '#operate/transfer/source.js';
import { prepareImport, runImport } from '#operate/transfer/run-import.js';
import type { Tally } from '#operate/transfer/tally.js';
import { inFresh, sourceOf } from './importing.js';

const schema = {
  uid: 'api::thing.thing',
  kind: 'collectionType',
  collectionName: 'things',
  info: { singularName: 'thing', pluralName: 'things', displayName: 'thing' },
  attributes: {
    title: { type: 'text' },
    extra: { type: 'json' },
    others: { type: 'relation', relation: 'manyToMany', target: 'api::thing.thing' },
  },
};
const thing = (id: number, data: object): TransferRecord => ({
  stage: 'entities',
  type: schema.uid,
  id,
  data: data as Record<string, unknown>,
  bytes: 100,
});
const link = (left: number, right: number, type = schema.uid): TransferRecord => ({
  stage: 'links',
  isMorph: false,
  left: { type, id: left, field: 'others', position: right },
  right: { type: schema.uid, id: right, field: null, position: null },
});
const nested = (depth: number): unknown => Array.from({ length: depth }).reduce<unknown>((inner) => [inner], 1);

async function bring(
  records: readonly TransferRecord[],
  collection = 'things',
): Promise<{ readonly tally: Tally; readonly things: readonly unknown[] }> {
  let tally: Tally | null = null;
  let things: readonly unknown[] = [];
  await inFresh(async (context) => {
    const all: readonly TransferRecord[] = [{ stage: 'schemas', schema, bytes: 100 }, ...records];
    tally = await runImport(
      await prepareImport(sourceOf(all), context),
      { ...context, batch: 1_000, links: 10 },
      { replace: false },
    );
    things = await context.store.database.db.collection(collection).find().sort({ _id: 1 }).toArray();
  });
  if (tally === null) throw new Error('nothing was imported');
  return { tally, things };
}

describe('an import of records that cannot be stored', () => {
  it('leaves them out, says why, and imports the others', async () => {
    const { tally, things } = await bring([
      thing(1, { title: 'one' }),
      thing(2, { title: 'x'.repeat(17_000_000) }),
      thing(3, { extra: nested(400) }),
      thing(4, { extra: nested(50_000) }),
      thing(5, { extra: { 'a\0b': 1 } }),
      thing(1, { title: 'one again' }),
      { stage: 'unreadable', of: 'entities', reason: 'no record', where: 'line 7' },
      thing(6, { title: 'six' }),
      link(1, 6),
      link(6, 1, `api::${'x'.repeat(100_000)}`),
    ]);
    expect(things).to.have.lengthOf(2);
    expect(things[0]).to.include({ _id: 1, title: 'one' }).and.to.have.property('others').that.deep.equals([6]);
    const reasons = [...tally.shortcomings].map(([reason, { count, examples }]) => [reason.slice(0, 45), count, examples[0]]);
    expect(reasons).to.deep.include.members([
      ['no record', 1, 'line 7'],
      ['entries have the id of another one', 1, 'api::thing.thing'],
      ['entries of api::thing.thing cannot be stored:', 1, 'api::thing.thing:2'],
      ['entries of api::thing.thing cannot be stored:', 2, 'api::thing.thing:3'],
    ]);
    const examples = [...tally.shortcomings.values()].flatMap((shortcoming) => shortcoming.examples);
    expect(examples).to.include.members([3, 4, 5].map((id) => `api::thing.thing:${String(id)}`));
    expect(JSON.stringify([...tally.shortcomings]).length).to.be.lessThan(4_000);
    expect(tally.counts.get(schema.uid)).to.equal(2);
  });

  it('keeps as many links in memory as fit', async () => {
    const ids = Array.from({ length: 21 }, (_, index) => index + 1);
    const { things } = await bring([thing(1, {}), thing(2, {}), ...[1, 2].flatMap((id) => ids.map((other) => link(id, other)))]);
    expect(things.map((row) => (row as { readonly others: readonly number[] }).others.length)).to.deep.equal([21, 21]);
  });

  it('keeps the addresses of files without bytes, whatever their variants are called', async () => {
    const place = (name: string) => ({ hash: name, ext: '.png', url: `https://cdn.example.org/${name}.png` });
    const formats = { large: place('large'), 'x.l': place('extra'), $small: place('small') };
    const data = { name: 'roots', mime: 'image/png', ...place('roots'), formats };
    const { tally, things } = await bring([{ stage: 'entities', type: 'plugin::upload.file', id: 1, data, bytes: 100 }], 'files');
    expect(things).to.have.lengthOf(1);
    expect(things[0]).to.deep.include({ url: data.url, formats });
    expect([...tally.shortcomings.values()]).to.deep.equal([
      { count: 4, examples: ['extra.png', 'large.png', 'roots.png', 'small.png'] },
    ]);
  });
});
