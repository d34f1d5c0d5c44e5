import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { hashKey } from '#content/rights/api-token.js';
import { openArchive } from '#operate/transfer/archive/open-archive.js';
import type { TransferRecord } from '#operate/transfer/source.js';
import { freshDatabase, type FreshDatabase } from '../../support/mongo.js';
import { packArchive } from '../../support/pack-archive.js';
import { runCli, type CliResult } from '../../support/run-cli.js';
import { sampleArchive } from '../../support/sample-archive.js';

describe('npx mangrove export', () => {
  let directory: string;
  let first: FreshDatabase;
  let second: FreshDatabase;
  const at = (name: string): string => join(directory, name);
  const run = (database: FreshDatabase, name: string, ...args: readonly string[]): Promise<CliResult> =>
    runCli(name, args, { directory, env: { MONGODB_URI: database.uri, MANGROVE_IMPORT_KEY: 'a key' } });
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mangrove-export-'));
    [first, second] = [await freshDatabase(), await freshDatabase()];
    await packArchive(at('strapi.tar'), sampleArchive);
    await run(first, 'import', 'strapi.tar');
  });
  after(async () => {
    await first.drop();
    await second.drop();
    await rm(directory, { recursive: true });
  });

  it('writes what import brings back, entry by entry', async () => {
    const { stdout, exitCode } = await run(first, 'export', 'one.tar.gz.enc');
    expect([stdout, exitCode]).to.deep.equal(['one.tar.gz.enc: 17 entries, 15 links, 2 files', 0]);
    await run(second, 'import', 'one.tar.gz.enc');
    await run(second, 'export', 'two.tar');
    const records = await readRecords(at('one.tar.gz.enc'));
    expect(await readRecords(at('two.tar'))).to.deep.equal(records);
    expect(records.filter(({ stage }) => stage === 'assets')).to.have.lengthOf(2);
  });

  it('writes the links of the archive that the entries came from', async () => {
    const links = async (file: string): Promise<readonly string[]> =>
      (await readRecords(at(file))).flatMap((record) => (record.stage === 'links' ? [JSON.stringify(record)] : [])).sort();
    const left = await links('one.tar.gz.enc');
    const given = (await links('strapi.tar')).filter((link) => !/admin::user|nothing|localizations/.test(link));
    expect(left).to.include.members(given.map((link) => link));
  });

  it('brings back the template of an e-mail if only one was changed', async () => {
    const message = '<p><%= URL %>?code=<%= TOKEN %></p>';
    const template = { from: { name: 'Shop', email: 'shop@example.org' }, response_email: '', object: 'Welcome back', message };
    const settings = ({ db }: FreshDatabase) => db.collection<{ _id: string }>('_settings');
    const own = { _id: 'users-permissions' };
    await settings(first).updateOne(own, { $set: { 'templates.reset_password': template } }, { upsert: true });
    await run(first, 'export', 'templates.tar');
    await run(second, 'import', 'templates.tar', '--replace');
    expect(await settings(second).findOne(own))
      .to.have.nested.property('templates.reset_password')
      .that.deep.equals(template);
  });

  it('imports API tokens by their hashes where the salt is the same, and makes new keys otherwise', async () => {
    const salted = (salt: string, database: FreshDatabase, name: string, ...args: readonly string[]): Promise<CliResult> =>
      runCli(name, args, { directory, env: { MONGODB_URI: database.uri, API_TOKEN_SALT: salt } });
    const [one, other] = ['salt-of-the-first-service', 'salt-of-another-service'];
    await salted(one, first, 'token', 'create', '--name', 'front end', '--type', 'read-only');
    await salted(one, first, 'token', 'create', '--name', 'root', '--type', 'admin');
    await salted(one, first, 'export', 'tokens.tar');
    const readToken = ({ db }: FreshDatabase) => db.collection('_tokens').findOne({ name: 'front end' });
    const same = await salted(one, second, 'import', 'tokens.tar', '--replace');
    expect(same.stdout)
      .to.match(/imported +API tokens +1/)
      .and.match(/not a token of the content API \(root\)/);
    expect((await readToken(second))?.['hash']).to.equal((await readToken(first))?.['hash']);
    await second.db.collection('_tokens').deleteMany({});
    const made = await salted(other, second, 'import', 'tokens.tar', '--replace');
    const [, key = ''] = /^front end\t([0-9a-f]{256})$/m.exec(made.stdout) ?? [];
    expect((await readToken(second))?.['hash']).to.equal(hashKey(key, other));
  });

  it('keeps an existing file, and leaves none behind if it fails', async () => {
    await writeFile(at('there.tar'), 'mine');
    const refused = await run(first, 'export', 'there.tar');
    expect([refused.exitCode, refused.stderr]).to.deep.equal([1, 'there.tar already exists']);
    expect(await readFile(at('there.tar'), 'utf8')).to.equal('mine');
    expect((await run(first, 'export', 'no/folder.tar')).exitCode).to.equal(1);
    expect((await run(first, 'export', 'a.zip')).stderr).to.match(/must end with .tar, .*, not a.zip\n\nusage/);
  });
});

/** The records of an archive in their order, with the bytes of files. */
async function readRecords(file: string): Promise<readonly TransferRecord[]> {
  const source = await openArchive({ file, key: 'a key' });
  const records: TransferRecord[] = [];
  for await (const record of source.read(['schemas', 'entities', 'links', 'assets', 'configuration'])) {
    if (record.stage !== 'assets') records.push(record);
    else {
      const parts: Uint8Array[] = [];
      for await (const part of record.open()) parts.push(part);
      records.push({ ...record, open: () => [], name: `${record.name}: ${Buffer.concat(parts).toString()}` });
    }
  }
  return records.map((record) => ({ ...record, ...('open' in record && { open: undefined }) }) as unknown as TransferRecord); // to compare
}
