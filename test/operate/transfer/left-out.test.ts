import { expect } from 'chai';
import { describeImport, describePrepared } from '#operate/cli/import.js';
import { prepareImport, previewImport, runImport } from '#operate/transfer/run-import.js';
import type { Source, TransferRecord } from '#operate/transfer/source.js';
import { inFresh } from './importing.js';

const page = 'api::page.page';
const schemas: readonly Readonly<Record<string, unknown>>[] = [
  { uid: 'shared.broken', info: {}, attributes: { id: { type: 'string' } } },
  { uid: 'shared.years', info: {}, attributes: { year: { type: 'enumeration', enum: ['2021', '日本'] } } },
  {
    uid: 'shared.block',
    info: {},
    attributes: { text: { type: 'string' }, lost: { type: 'component', component: 'shared.broken' } },
  },
  {
    uid: page,
    kind: 'collectionType',
    collectionName: 'pages',
    info: { singularName: 'page', pluralName: 'pages', displayName: 'page' },
    attributes: {
      title: { type: 'string' },
      years: { type: 'component', component: 'shared.years' },
      seo: { type: 'component', component: 'shared.broken' },
      block: { type: 'component', component: 'shared.block' },
      zone: { type: 'dynamiczone', components: ['shared.block', 'shared.broken'] },
      author: { type: 'relation', relation: 'oneToOne', target: 'plugin::blog.author' },
    },
  },
];

const entry = (id: number, data: Readonly<Record<string, unknown>>): TransferRecord => ({
  stage: 'entities',
  type: page,
  id,
  data,
  bytes: 100,
});
const records: readonly TransferRecord[] = [
  ...schemas.map((schema): TransferRecord => ({ stage: 'schemas', schema, bytes: 100 })),
  entry(1, { title: 'a', years: { id: 1, year: '2021' }, seo: { id: 1 }, block: { id: 1, lost: { id: 2 } } }),
  entry(2, { title: 'b', years: { id: 2, year: '日本' }, seo: null, zone: [{ __component: 'shared.broken', id: 3 }] }),
  entry(3, { seo: { id: 4 }, block: { id: 2, text: 'x' }, zone: [{ __component: 'shared.block', id: 3, lost: { id: 5 } }] }),
  {
    stage: 'links',
    isMorph: false,
    left: { type: page, id: 1, field: 'author', position: null },
    right: { type: page, id: 2, field: null, position: null },
  },
];

const source: Source = {
  identity: 'memory',
  description: 'memory',
  mayChange: false,
  read: async function* (stages) {
    await Promise.resolve();
    yield* records.filter(({ stage }) => stages.some((one) => one === stage));
  },
  close: () => Promise.resolve(),
};

const reason = 'shared.broken is refused (attributes.id is a reserved name): the attribute is left out';
const lost: readonly (readonly [count: string, text: string])[] = [
  ['2', `seo of ${page} cannot be stored: ${reason} (${page}:1, ${page}:3)`],
  ['2', `lost of shared.block cannot be stored: ${reason} (shared.block:1, shared.block:3)`],
  ['1', `components shared.broken cannot be stored: the model is refused: attributes.id is a reserved name (${page}:2)`],
  [
    '1',
    `a link is not imported: author of ${page} cannot be stored: plugin::blog.author belongs to a plugin that is not installed; store its model to use it: the attribute is left out (${page}:1 to ${page}:2)`,
  ],
];

describe('content of a source for attributes that are left out', () => {
  it('is counted by type and attribute, with the reason, in a dry run and in the import', async () => {
    await inFresh(async (context) => {
      const prepared = await prepareImport(source, context);
      const notImported = (rows: readonly (readonly string[])[]): string[] =>
        rows.filter(([what]) => what === 'not imported').map(([, count, text]) => `${String(count)} ${String(text)}`);
      const expected = lost.map(([count, text]) => `${count} ${text}`);
      const preview = await previewImport(prepared, context);
      expect(notImported(describePrepared(prepared, preview))).to.have.members(expected);
      expect(await context.store.database.db.listCollections({ name: 'pages' }).toArray()).to.deep.equal([]);
      const tally = await runImport(prepared, context, { replace: false });
      expect(notImported(describeImport(prepared, tally))).to.have.members(expected);
      const rows = await context.store.database.db.collection('pages').find().sort({ _id: 1 }).toArray();
      expect(rows.map(({ years }) => years?.year)).to.deep.equal(['2021', '日本', undefined]);
    });
  });
});
