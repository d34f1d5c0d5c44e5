import { expect } from 'chai';
import { serveAccounts, type ServingAccounts } from '../content/rights/serve-accounts.js';
import { freshDatabase } from '../support/mongo.js';
import { serveModels, type Serving, type TestModel } from '../support/serve.js';

const part = (required: boolean): TestModel => ({
  uid: 'box.part',
  info: { displayName: 'Part' },
  attributes: { label: { type: 'string', required } },
});
const crate = (required: boolean): TestModel => ({
  uid: 'box.crate',
  info: { displayName: 'Crate' },
  attributes: { inner: { type: 'component', component: 'box.part', required } },
});
const note = (required: boolean, more: object = {}): TestModel => ({
  uid: 'api::note.note',
  kind: 'collectionType',
  collectionName: 'notes',
  info: { singularName: 'note', pluralName: 'notes', displayName: 'Note' },
  attributes: {
    text: { type: 'string', required },
    size: { type: 'integer' },
    main: { type: 'component', component: 'box.part' },
    parts: { type: 'component', component: 'box.part', repeatable: true, required },
    crate: { type: 'component', component: 'box.crate' },
    zone: { type: 'dynamiczone', components: ['box.part', 'box.crate'] },
    ...more,
  },
});

const label = (id: number, text: string | null): object => ({ id, label: text });
const empty = { text: null, size: null, main: null, parts: [], crate: null, zone: [] };
const documents = {
  notes: [
    { _id: 1, ...empty, text: 'a', main: label(1, null), parts: [label(2, 'x'), label(3, null)] },
    { _id: 2, ...empty, main: label(4, 'm'), parts: [label(5, 'x')], crate: { id: 1, inner: label(6, null) } },
    { _id: 3, ...empty, crate: { id: 2, inner: null }, zone: [{ __component: 'box.part', ...label(7, null) }] },
    { _id: 4, ...empty, text: 'b', zone: [{ __component: 'box.crate', id: 3, inner: label(8, 'y') }] },
  ],
};

const lacked: readonly (readonly [string, number])[] = [
  ['text', 2],
  ['main.label', 1],
  ['parts.label', 1],
  ['crate.inner', 1],
  ['crate.inner.label', 1],
  ['zone.label', 1],
];
const asFloat = { size: { type: 'float' } };
const withKind = { kind: { type: 'string', required: true } };

interface Change {
  readonly what: string;
  readonly models: readonly TestModel[];
  /** What `_model_status` says afterwards. */
  readonly nulls: readonly (readonly [attribute: string, entries: number])[];
}

const changes: readonly Change[] = [
  { what: 'of the type and its components', models: [note(true), part(true), crate(true)], nulls: lacked },
  { what: 'also after another change of the model', models: [note(true, asFloat)], nulls: lacked },
  { what: 'with one more attribute', models: [note(true, withKind)], nulls: [...lacked, ['kind', 4]] },
  { what: 'none after nothing is required any more', models: [note(false), part(false), crate(false)], nulls: [] },
];

describe('required attributes that stored entries lack', () => {
  const models = [note(false), part(false), crate(false)];
  let serving: Serving;
  before(async () => {
    serving = await serveModels({ models, documents });
  });
  after(() => serving.stop());

  const store = async (changed: readonly TestModel[]): Promise<void> => {
    const stored = serving.database.db.collection<{ _id: string }>('_models');
    for (const { uid, ...model } of changed) await stored.replaceOne({ _id: uid }, model);
    await serving.settled();
  };

  for (const { what, models: changed, nulls } of changes)
    it(`are counted: ${what}`, async () => {
      await store(changed);
      const row = await serving.database.db.collection('_model_status').findOne({ uid: 'api::note.note' });
      expect(row?.['requiredNulls']).to.deep.equal(nulls.map(([attribute, entries]) => ({ attribute, entries })));
    });

  const reported = async (reader: ServingAccounts): Promise<unknown> => {
    const { body } = await reader.admin('GET', '/status');
    const states: { readonly uid: string; readonly requiredNulls?: unknown }[] = body.data.instances;
    return states.filter(({ uid }) => uid === 'api::note.note').at(-1)?.requiredNulls;
  };

  it('are counted again when the status is asked for, and by an instance that starts later', async () => {
    const database = await freshDatabase();
    const first = await serveAccounts({ models, documents, database });
    expect(await reported(first), 'none has changed').to.equal(undefined);
    await first.stop();
    const stored = database.db.collection<{ _id: string }>('_models');
    const { uid, ...changed } = note(true);
    await stored.replaceOne({ _id: uid }, changed);
    const second = await serveAccounts({ models: [], database });
    expect(await reported(second), 'changed while nothing ran').to.deep.equal([{ attribute: 'text', entries: 2 }]);
    await database.db.collection<{ _id: number }>('notes').updateOne({ _id: 2 }, { $set: { text: 'mended' } });
    expect(await reported(second), 'one mended').to.deep.equal([{ attribute: 'text', entries: 1 }]);
    await second.stop();
    const third = await serveAccounts({ models: [], database });
    expect(await reported(third), 'after a restart').to.deep.equal([{ attribute: 'text', entries: 1 }]);
    await database.db.collection<{ _id: number }>('notes').updateOne({ _id: 3 }, { $set: { text: 'mended' } });
    expect(await reported(third), 'all mended').to.deep.equal([]);
    await third.stop();
    await database.drop();
  });

  it('make the entry null in GraphQL, unless nullableOutput is set', async () => {
    await store([note(true)]);
    const query =
      '{ notes { data { attributes { text size } } } notNull: __type(name: "Note") { fields { name type { kind } } } }';
    const ask = async ({ call }: Serving): Promise<unknown[]> => {
      const { body } = await call('POST', '/graphql', { query });
      const kind = body.data.notNull.fields.find(({ name }: { name: string }) => name === 'text').type.kind as string;
      return [kind, ...body.data.notes.data.map(({ attributes }: { attributes: unknown }) => attributes)] as unknown[];
    };
    const config = { plugins: { graphql: { config: { nullableOutput: true } } } };
    const nullable = await serveModels({ models: [], database: serving.database, config });
    const row = (text: string | null) => ({ text, size: null });
    try {
      expect(await ask(serving)).to.deep.equal(['NON_NULL', row('a'), null, null, row('b')]);
      expect(await ask(nullable)).to.deep.equal(['SCALAR', row('a'), row(null), row(null), row('b')]);
    } finally {
      await nullable.stop();
    }
  });
});
