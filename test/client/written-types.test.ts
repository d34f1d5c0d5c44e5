import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { runCli } from '../support/run-cli.js';
import { serveModels, type Serving } from '../support/serve.js';
import { thingModels } from '../support/things.js';

const adminToken = 'an-admin-token-of-more-than-32-characters';

describe('the declarations of the content types', () => {
  let served: Serving;
  let directory: string;
  before(async () => {
    served = await serveModels({ models: thingModels, config: { api: { open: false }, admin: { token: adminToken } } });
    directory = await mkdtemp(path.join(tmpdir(), 'mangrove-types-'));
  });
  after(async () => {
    await served.stop();
    await rm(directory, { recursive: true });
  });

  const ask = (headers: Record<string, string> = {}) => fetch(`${served.server.url}/api/types.d.ts`, { headers });
  const types = (args: readonly string[], env: Record<string, string> = {}) =>
    runCli('types', args, { directory, env: { MONGODB_URI: served.database.uri, ADMIN_TOKEN: adminToken, ...env } });

  it('contain what the caller may use, and have an ETag', async () => {
    const [open, all] = [await ask(), await ask({ authorization: `Bearer ${adminToken}` })];
    expect(all.headers.get('content-type')).to.equal('application/typescript; charset=utf-8');
    expect(await all.text()).to.include('things: Thing;');
    expect(await open.text()).not.to.include('Thing');
    const tag = open.headers.get('etag') ?? '';
    expect((await ask({ 'if-none-match': tag })).status).to.equal(304);
    expect((await ask({ 'if-none-match': tag, authorization: `Bearer ${adminToken}` })).status).to.equal(200);
  });

  it('are written by npm run types, from the database and from a service, and once only', async () => {
    const file = path.join(directory, 'src/content.ts');
    expect(await types(['src/content.ts'])).to.include({ exitCode: 0, stdout: 'wrote src/content.ts' });
    const { mtimeMs } = await stat(file);
    const text = await readFile(file, 'utf8');
    expect(text).to.include('things: Thing;');
    const again = await types(['src/content.ts', '--url', `${served.server.url}/`], { MANGROVE_TOKEN: adminToken });
    expect(again).to.include({ exitCode: 0, stdout: 'src/content.ts is up to date' });
    expect((await stat(file)).mtimeMs).to.equal(mtimeMs);
    await types(['open.ts', '--url', served.server.url]);
    expect(await readFile(path.join(directory, 'open.ts'), 'utf8')).not.to.include('Thing');
  });

  it('are written in languages of apps', async () => {
    for (const [language, declared] of [
      ['swift', 'struct Thing: '],
      ['kotlin', 'data class Thing('],
      ['dart', 'class Thing '],
    ] as const) {
      expect(await types([`app/models.${language}`, '--lang', language])).to.include({ exitCode: 0 });
      expect(await readFile(path.join(directory, `app/models.${language}`), 'utf8')).to.include(declared);
    }
  });

  const wrong: readonly (readonly [args: readonly string[], env: Record<string, string>, message: RegExp])[] = [
    [[], {}, /^a file is missing\n\nusage: npx mangrove types FILE/],
    [['a.ts', 'b.ts'], {}, /^b.ts is one word too many\n\nusage/],
    [['a.ts', '--uri', 'x'], {}, /--uri/],
    [['a.ts', '--lang', 'basic'], {}, /^--lang must be one of dart, kotlin, swift, typescript\n\nusage/],
    [['a.swift', '--lang', 'swift', '--url', 'URL'], {}, /^--lang swift reads the database, and takes no --url/],
    [['a.ts', '--url', 'http://127.0.0.1:1'], {}, /^http:\/\/127.0.0.1:1\/api\/types.d.ts does not answer: /],
    [['a.ts', '--url', 'URL'], { MANGROVE_TOKEN: 'wrong' }, /has no types: it answers with 401$/],
  ];
  for (const [args, env, message] of wrong)
    it(`fails: ${['types', ...args].join(' ')}`, async () => {
      const given = args.map((arg) => (arg === 'URL' ? served.server.url : arg));
      const { exitCode, stderr } = await types(given, env);
      expect(exitCode).to.equal(1);
      expect(stderr).to.match(message);
    });
});
