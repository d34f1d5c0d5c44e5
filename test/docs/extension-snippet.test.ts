import { expect } from 'chai';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadRegister } from '#operate/cli/load-register.js';
import * as mangrove from '#index.js';
import { serveAccounts, type ServingAccounts } from '../content/rights/serve-accounts.js';
import { readBlocks } from './read-page.js';
import { demoModels } from '../support/demo-models.js';

const page = 'docs/graphql-and-extensions.md';

const snippet = (): string => readBlocks(page).find(({ language }) => language === 'ts')?.text ?? '';

describe(`the extension that ${page} shows`, () => {
  let directory: string;
  let server: ServingAccounts;
  let ann: { id: number; jwt: string };
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mangrove-readme-'));
    await mkdir(join(directory, 'config'));
    await writeFile(join(directory, 'config/extensions.ts'), snippet());
    const register = await loadRegister(directory, mangrove);
    if (register === null) throw new Error(`${page} shows no extension`);
    const documents = { articles: [{ _id: 1, title: 'Salt', summary: 'three short words', publishedAt: new Date() }] };
    server = await serveAccounts({ models: demoModels(), documents, register });
    ann = await server.addUser('ann');
  });
  after(async () => {
    await server.stop();
    await rm(directory, { recursive: true });
  });

  const ask = async (query: string, key: string | null = ann.jwt) => (await server.as(key, 'POST', '/graphql', { query })).body;

  it('adds fields, and hides some', async () => {
    expect(await ask('{ articleCount }', null)).to.deep.equal({ data: { articleCount: 1 } });
    const { data } = await ask(
      '{ __type(name: "Mutation") { fields { name } } author: __type(name: "Author") { fields { name } } }',
    );
    const names = (type: { fields: { name: string }[] }) => type.fields.map(({ name }) => name);
    expect(names(data.__type)).to.include('createArticle').and.not.to.include('createComment');
    expect(names(data.author)).to.include('name').and.not.to.include('email');
    const { body: token } = await server.admin('POST', '/tokens', { name: 'all', type: 'full-access' });
    expect(
      await ask('{ article(id: 1) { data { attributes { words author { data { id } } } } } }', token.data.accessKey),
    ).to.deep.equal({
      data: { article: { data: { attributes: { words: 3, author: { data: null } } } } },
    });
  });

  it('shows users their own account only', async () => {
    const user = (id: number) => `{ usersPermissionsUser(id: ${String(id)}) { data { attributes { username } } } }`;
    expect(await ask(user(ann.id))).to.deep.equal({
      data: { usersPermissionsUser: { data: { attributes: { username: 'ann' } } } },
    });
    expect((await ask(user(ann.id + 1))).errors[0].message).to.equal('Not you');
    expect((await ask(user(ann.id), null)).errors[0].message).to.equal('Forbidden access');
  });
});
