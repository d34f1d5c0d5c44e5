import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { openArchive } from '#operate/transfer/archive/open-archive.js';
import type { FreshDatabase } from '../../support/mongo.js';
import { type ArchivedFile, metadata, packArchive } from '../../support/pack-archive.js';
import { program } from '../../support/program.js';
import { importAll, inFresh } from './importing.js';

const types = Array.from({ length: 12 }, (_, index) => `type-${String(index + 10)}`);
const perType = 100;
const files = 25;

const uidOf = (name: string): string => `api::${name}.${name}`;
const ids = Array.from({ length: perType }, (_, index) => index + 1);

/** A project of some types, each entry with a link to one of the next type and a file. */
const project: readonly ArchivedFile[] = [
  {
    name: 'schemas/schemas_00001.jsonl',
    content: types.map((name, index) => ({
      uid: uidOf(name),
      kind: 'collectionType',
      collectionName: name.replace('-', '_'),
      info: { singularName: name, pluralName: `${name}s`, displayName: name },
      attributes: {
        title: { type: 'string' },
        next: { type: 'relation', relation: 'manyToOne', target: uidOf(types[index + 1] ?? 'type-10') },
        image: { type: 'media', multiple: false },
      },
    })),
  },
  {
    name: 'entities/entities_00001.jsonl',
    content: [
      ...Array.from({ length: files }, (_, index) => ({
        type: 'plugin::upload.file',
        id: index + 1,
        data: { name: `f${String(index)}`, hash: `f${String(index)}`, ext: '.txt', mime: 'text/plain', size: 1, folderPath: '/' },
      })),
      ...types.flatMap((name) => ids.map((id) => ({ type: uidOf(name), id, data: { title: `${name} ${String(id)}` } }))),
    ],
  },
  ...Array.from({ length: files }, (_, index) => ({
    name: `assets/uploads/f${String(index)}.txt`,
    content: `file ${String(index)}`,
  })),
  {
    name: 'links/links_00001.jsonl',
    content: types.flatMap((name, index) =>
      ids.flatMap((id) => [
        {
          kind: 'relation.basic',
          relation: 'manyToOne',
          left: { type: uidOf(name), ref: id, field: 'next' },
          right: { type: uidOf(types[index + 1] ?? 'type-10'), ref: perType + 1 - id },
        },
        {
          kind: 'relation.morph',
          relation: 'morphToMany',
          left: { type: 'plugin::upload.file', ref: (id % files) + 1, field: 'related' },
          right: { type: uidOf(name), ref: id, field: 'image', pos: 1 },
        },
      ]),
    ),
  },
  metadata,
];

const stages = ['links', 'entities', 'assets', 'publish'];

/** Where a process is killed: at a stage or behind it. `position`: records of the stage; `published`: types in their places. */
const moments: readonly (readonly [name: string, stage: string, position: number, published: number])[] = [
  ['among the entries', 'entities', 1, 0],
  ['among the files', 'assets', 2, 0],
  ['while types take their places', 'publish', 0, 2],
];

describe('a process that imports', () => {
  let directory: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mangrove-kill-'));
  });
  after(() => rm(directory, { recursive: true }));

  it('has the same result after it was killed several times', async () => {
    const file = join(directory, 'project.tar.gz');
    await packArchive(file, project);
    const source = await openArchive({ file, key: null });
    const expected = await inFresh((context) => importAll(source, { ...context, batch: 1_000 }));
    const found = await inFresh(async (context, fresh) => {
      for (const [name, ...moment] of moments) {
        const release = await hold(fresh, 'type_15');
        await killAt(moment, await importIn(directory, fresh, file), fresh);
        await release();
        expect(await fresh.db.collection('_imports').findOne({}), name).to.include({ state: 'running' });
        for (const collection of types.map((type) => type.replace('-', '_')))
          expect(await fresh.db.collection(collection).countDocuments(), collection).to.be.oneOf([0, perType]);
      }
      await importAll(source, { ...context, batch: 1_000 });
    });
    expect(ofProject(found)).to.deep.equal(ofProject(expected));
  }).timeout(240_000);
});

/** The imported content of the project; a command also creates roles and a locale. */
const ofProject = (found: ReadonlyMap<string, unknown>) => [...found].filter(([name]) => /^type_|^_models$|^files$/.test(name));

const importIn = async (directory: string, { uri }: FreshDatabase, file: string): Promise<ChildProcess> =>
  spawn(process.execPath, [...(await program()), 'import', file], {
    cwd: directory,
    env: { ...process.env, MONGODB_URI: uri },
    stdio: 'ignore',
  });

/** Keeps others from taking the place of a collection, so that no import ends before its process is killed. Returns what ends that. */
async function hold({ client, db }: FreshDatabase, collection: string): Promise<() => Promise<void>> {
  await db.createCollection(collection).catch(() => undefined);
  const session = client.startSession();
  session.startTransaction();
  await db.collection(collection).insertOne({ held: true }, { session });
  return async () => {
    await session.abortTransaction();
    await session.endSession();
  };
}

async function killAt(
  [stage, position, published]: readonly [stage: string, position: number, published: number],
  child: ChildProcess,
  { db }: FreshDatabase,
): Promise<void> {
  const ended = once(child, 'exit');
  const isThere = async (): Promise<boolean> => {
    const [state] = await db.collection('_imports').find({ state: 'running' }).toArray();
    const names = await db.listCollections({ name: /^type_/ }, { nameOnly: true }).toArray();
    const behind = stages.indexOf(String(state?.['stage'])) - stages.indexOf(stage);
    return (behind > 0 || (behind === 0 && Number(state?.['position']) >= position)) && names.length > published;
  };
  while (child.exitCode === null && !(await isThere())) await delay(2);
  child.kill('SIGKILL');
  expect((await ended)[1]).to.equal('SIGKILL');
}
