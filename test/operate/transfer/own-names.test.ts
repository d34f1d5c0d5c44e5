import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Document } from 'mongodb';
import { readModels } from '#store/stores/model-store.js';
import { buildRegistry } from '#model/schema/build-registry.js';
import { openArchive } from '#operate/transfer/archive/open-archive.js';
import { exportContent } from '#operate/transfer/export-content.js';
import type { ImportContext } from '#operate/transfer/import-run.js';
import type { Source, TransferRecord } from '#operate/transfer/source.js';
import { ownModels, ownValues } from '../../support/own-names.js';
import { importAll, inFresh, sourceOf } from './importing.js';

const place = 'api::place.place';
const parts = ['shared.part', 'shared.links'];

/** What Strapi v4 adds to the schema of a type in its archives. */
const added = {
  createdAt: { type: 'datetime' },
  updatedAt: { type: 'datetime' },
  createdBy: { type: 'relation', relation: 'oneToOne', target: 'admin::user', writable: false, visible: false, private: true },
  updatedBy: { type: 'relation', relation: 'oneToOne', target: 'admin::user', writable: false, visible: false, private: true },
};
const schemas = ownModels.map((model) =>
  model.uid === place ? { ...model, attributes: { ...(model['attributes'] as object), ...added } } : model,
);
const link = (field: string, id: number): TransferRecord => ({
  stage: 'links',
  isMorph: false,
  left: { type: 'shared.links', id: 1, field, position: 1 },
  right: { type: place, id, field: null, position: null },
});
const times = { createdAt: '2020-01-01T00:00:00.000Z', updatedAt: '2020-01-02T00:00:00.000Z' };
const data = { ...ownValues, ...times, part: { id: 1, ...ownValues.part }, links: [{ id: 1 }] };
const archive = sourceOf([
  ...schemas.map((schema): TransferRecord => ({ stage: 'schemas', schema, bytes: 100 })),
  { stage: 'entities', type: place, id: 1, data, bytes: 100 },
  link('createdBy', 1),
  link('localizations', 1),
]);

/** Imports a source, and returns what is stored then: models and entries. */
async function stored(source: Source, after: (context: ImportContext) => Promise<void> = () => Promise.resolve()) {
  let found: { readonly models: readonly Document[]; readonly entries: readonly Document[] } = { models: [], entries: [] };
  await inFresh(async (context) => {
    await importAll(source, context);
    const { database } = context.store;
    const models = (await readModels(database)).filter(({ uid }) => [place, ...parts].includes(uid));
    found = {
      models: models.map(({ uid, attributes }) => ({ uid, attributes })),
      entries: await database.db.collection('places').find().toArray(),
    };
    await after(context);
  });
  return found;
}

describe('attributes of a project with the names of attributes that the service adds to other types', () => {
  let directory: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mangrove-own-names-'));
  });
  after(() => rm(directory, { recursive: true }));

  it('are imported from an archive of Strapi, and an export followed by an import keeps them', async () => {
    const file = join(directory, 'own.tar');
    const first = await stored(archive, async ({ store: { database }, modelSettings, defaultLocale, progress }) => {
      const build = buildRegistry(await readModels(database), modelSettings);
      await exportContent({ file, key: null }, { database, media: null, build, defaultLocale, tokenSalt: 'salt', progress });
    });
    const names = first.models.map(({ uid, attributes }) => [uid, Object.keys(attributes as object)] as const);
    expect(Object.fromEntries(names)).to.deep.equal(
      Object.fromEntries(ownModels.map(({ uid, attributes }) => [uid, Object.keys(attributes as object)])),
    );
    const [entry] = first.entries;
    expect(entry).to.deep.include({
      locale: 'fr_FR',
      localizations: ['home', 'abroad'],
      publishedAt: new Date(ownValues.publishedAt),
    });
    expect(entry?.['part']).to.deep.include(ownValues.part);
    expect(entry?.['links']).to.deep.include({ id: 1, createdBy: [1], localizations: [1] });
    expect(await stored(await openArchive({ file, key: null }))).to.deep.equal(first);
  });
});
