import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { freshDatabase } from '../../support/mongo.js';
import { type ArchivedFile, metadata, packArchive } from '../../support/pack-archive.js';
import { runCli } from '../../support/run-cli.js';

const page = {
  uid: 'api::page.page',
  kind: 'collectionType',
  collectionName: 'pages',
  info: { singularName: 'page', pluralName: 'pages', displayName: 'page' },
  attributes: { title: { type: 'string' }, at: { type: 'datetime' } },
};
const entry = (type: string, data: object) => ({ type, id: 1, data });
const archive = (entities: readonly object[], ...more: readonly ArchivedFile[]): readonly ArchivedFile[] => [
  { name: 'schemas/schemas_00001.jsonl', content: [page] },
  { name: 'entities/entities_00001.jsonl', content: entities },
  ...more,
  metadata,
];
const whole = entry('api::page.page', { title: 'a', at: '2024-01-01T00:00:00.000Z' });
const refused = entry('plugin::menus.menu', { title: 'main' });

const cases: readonly (readonly [what: string, files: readonly ArchivedFile[], code: number, ...words: readonly string[]])[] = [
  ['everything', archive([whole]), 0],
  ['everything, in a dry run', archive([whole]), 0, '--dry-run'],
  ['an entry of a type that is not served', archive([whole, refused]), 2],
  ['such an entry, in a dry run', archive([whole, refused]), 2, '--dry-run'],
  ['a value that cannot be stored', archive([entry('api::page.page', { title: 'a', at: 'soon' })]), 2],
  ['a file without an entry', archive([whole], { name: 'assets/uploads/nobodys.png', content: 'x' }), 2],
  ['no archive', [{ name: 'readme.txt', content: 'x' }], 1],
];

describe('the exit code of an import', () => {
  let directory: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mangrove-exit-'));
  });
  after(() => rm(directory, { recursive: true }));

  for (const [what, files, code, ...words] of cases)
    it(`is ${String(code)} for ${what}`, async () => {
      const database = await freshDatabase();
      try {
        await packArchive(join(directory, 'export.tar'), files);
        const { exitCode, stdout, stderr } = await runCli('import', ['export.tar', ...words], {
          directory,
          env: { MONGODB_URI: database.uri },
        });
        expect(exitCode, `${stdout}\n${stderr}`).to.equal(code);
      } finally {
        await database.drop();
      }
    });
});
