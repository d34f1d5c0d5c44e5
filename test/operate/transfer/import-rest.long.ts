import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { prepareImport, runImport } from '#operate/transfer/run-import.js';
import { openRest } from '#operate/transfer/strapi-rest/open-rest.js';
import { packArchive } from '../../support/pack-archive.js';
import { runCli, type CliResult } from '../../support/run-cli.js';
import { sampleArchive } from '../../support/sample-archive.js';
import { type Answer, serveModels, type Serving } from '../../support/serve.js';
import { cutShort, inFresh } from './importing.js';

const token = 'a-token-of-the-source';

describe('npx mangrove import of a Strapi v4 that runs', () => {
  let directory: string;
  let from: Serving;
  let into: Serving;
  let front: Server;
  let elsewhere: Server;
  let url: string;
  let result: CliResult;
  const asked: string[] = [];
  const strangers: string[] = [];
  const run = (database: Serving, ...args: readonly string[]) =>
    runCli('import', args, { directory, env: { MONGODB_URI: database.database.uri, MANGROVE_IMPORT_TOKEN: token } });
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mangrove-rest-'));
    await packArchive(join(directory, 'strapi.tar'), sampleArchive);
    [from, into] = [await serveModels({ models: [] }), await serveModels({ models: [] })];
    await run(from, 'strapi.tar');
    await from.settled();
    front = createServer((request, response) => void answer(request, response, { from, asked, elsewhere: urlOf(elsewhere) }));
    elsewhere = createServer((request, response) => {
      strangers.push(String(request.url));
      response.end('a secret');
    });
    for (const server of [front, elsewhere]) await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    url = urlOf(front);
    result = await run(into, url, '--allow-private');
    await into.settled();
  });
  after(async () => {
    front.close();
    elsewhere.close();
    await from.stop();
    await into.stop();
    await rm(directory, { recursive: true });
  });

  const paths = [
    '/api/storys?locale=all&publicationState=preview&sort=id&populate[seo][populate]=*&populate[blocks][populate]=*&populate[topics]=*&populate[writer]=*&populate[cover]=*&populate[pictures]=*&populate[localizations]=*',
    '/api/front',
    '/api/topics?publicationState=preview&sort=id',
    '/api/upload/files?sort=id&filters[id][$lt]=90',
    '/api/users?populate=role',
    '/api/i18n/locales',
    '/api/users-permissions/roles',
  ];
  for (const path of paths)
    it(`imports what is seen at ${path.slice(0, 40)}`, async () => {
      expect(result.exitCode, result.stderr).to.equal(2);
      expect(await into.call('GET', path)).to.deep.equal(await from.call('GET', path));
    });

  it('imports the bytes of files, and reports what is left out', async () => {
    const [file] = (await into.call('GET', '/api/upload/files?sort=id')).body as readonly [{ readonly url: string }];
    expect(await (await fetch(`${into.server.url}${file.url}`)).text()).to.equal('the bytes of a picture');
    for (const line of [
      /passwords are not part of REST/,
      /polymorphic relations.*api::story.story about/,
      /private values.*secret/,
    ])
      expect(result.stdout).to.match(line);
  });

  it('sends the token to the service, and sends no request to other private addresses', () => {
    expect(new Set(asked)).to.deep.equal(new Set([`Bearer ${token}`]));
    expect(strangers).to.deep.equal([]);
  });

  it('leaves out files whose address is invalid or leads elsewhere, or that have no end', () => {
    for (const line of [
      /no bytes of a file: its address is not a URL \(bad_90.png\)/,
      /no bytes of a file: its address is not an HTTP URL \(bad_91.png\)/,
      /no bytes of a file: 127.0.0.1 is an address of this machine.* \(bad_92.png\)/,
      /no bytes of a file: it has more bytes than its entry says \(bad_93.png\)/,
      /no bytes of a file: 127.0.0.1:\d+ answers 404 \(bad_94.png\)/,
    ])
      expect(result.stdout).to.match(line);
  });

  it('continues after the last stored entry, whatever has changed before it', async () => {
    await inFresh(async (context) => {
      const source = await openRest({ url, token, allowPrivate: true });
      const cut = { ...(await prepareImport(source, context)), source: cutShort(source, 'entities', 21) };
      expect(await runImport(cut, context, { replace: true }).catch(String)).to.equal('Error: cut short');
      expect((await from.call('DELETE', '/api/storys/10')).status).to.equal(200);
      const { shortcomings } = await runImport(await prepareImport(source, context), context, { replace: true });
      expect(shortcomings.get('the source has changed since the import began')?.examples).to.include(
        'api::story.story: 3 then, 2 now',
      );
      const { db } = context.store.database;
      for (const name of ['topics', 'writers', 'up_users', 'up_permissions'])
        expect(await db.collection(name).countDocuments(), name).to.equal(
          await from.database.db.collection(name).countDocuments(),
        );
      expect((await db.collection('storys').find().sort({ _id: 1 }).toArray()).map(({ title }) => title as string)).to.deep.equal(
        ['Salt', 'Sel', 'Wind'],
      );
    });
  });

  const refused: Readonly<Record<string, RegExp>> = {
    'http://127.0.0.1:1': /--allow-private/,
    'http://localhost:1': /--allow-private/,
    'http://[::1]:1': /--allow-private/,
    'http://[::ffff:10.0.0.1]:1': /--allow-private/,
    'http://2130706433:1': /--allow-private/,
    'http://169.254.169.254/latest': /--allow-private/,
    'ftp://example.test': /there is no file or folder ftp:/,
  };
  for (const [address, message] of Object.entries(refused))
    it(`refuses ${address}`, async () => {
      const { exitCode, stderr } = await run(into, address);
      expect(exitCode).to.equal(1);
      expect(stderr).to.match(message);
    });

  it('reads the views of the admin panel as an administrator, and no others', async () => {
    const views = () => into.database.db.collection('_code_store').find().toArray();
    expect(await views()).to.deep.equal([]);
    const made = await runCli('admin', ['create', '--email', 'ann@mail.test'], {
      directory,
      env: { MONGODB_URI: from.database.uri },
    });
    const [password = ''] = /[\w-]+-aA1/.exec(made.stdout) ?? [];
    const send = async (method: string, path: string, body: object, key = ''): Promise<Answer> => {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` };
      const response = await fetch(`${from.server.url}${path}`, { method, headers, body: JSON.stringify(body) });
      return { status: response.status, body: await response.json() };
    };
    const { body } = await send('POST', '/admin/login', { email: 'ann@mail.test', password });
    const view = { settings: { pageSize: 50 }, layouts: { list: ['title'], edit: [] } };
    const path = '/content-manager/content-types/api::story.story/configuration';
    expect((await send('PUT', path, view, String(body.data.token))).status).to.equal(200);
    const bring = (word: string) =>
      runCli('import', [url, '--allow-private', '--replace', '--administrator', 'ann@mail.test'], {
        directory,
        env: { MONGODB_URI: into.database.uri, MANGROVE_IMPORT_TOKEN: token, MANGROVE_IMPORT_PASSWORD: word },
      });
    expect((await bring('wrong')).stderr).to.include('/admin/login answers 400: Invalid credentials');
    expect((await bring(password)).stdout).to.match(/imported +settings of the panel +\d+/);
    const stored = (await views()).find(({ _id }) => String(_id).endsWith('::api::story.story'));
    expect([stored?.['value'].settings.pageSize, stored?.['value'].layouts.list]).to.deep.equal([50, ['title']]);
    const misplaced = await run(into, 'x.tar', '--administrator', 'ann@mail.test');
    expect(misplaced.stderr).to.include('--administrator is for a running Strapi v4');
  });

  it('refuses a server that is not Strapi, refuses the token, or redirects elsewhere', async () => {
    for (const [path, message] of [
      ['/none', /shows no models/],
      ['/forbidden', /answers 403: the token must be allowed/],
      ['/elsewhere', /answers 302/],
    ] as const)
      expect((await run(into, `${url}${path}`, '--allow-private')).stderr).to.match(message);
  });
});

const urlOf = (server: Server): string => `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;

interface Front {
  readonly from: Serving;
  readonly asked: string[];
  /** Another address of this machine. */
  readonly elsewhere: string;
}

/** Answers as Strapi does: the models by the content type builder, the rest by the service behind it. */
async function answer(request: IncomingMessage, response: ServerResponse, { from, asked, elsewhere }: Front): Promise<void> {
  const path = request.url ?? '';
  asked.push(String(request.headers.authorization));
  const kind = /^\/api\/content-type-builder\/(.*)$/.exec(path)?.[1];
  if (kind !== undefined) {
    response.end(JSON.stringify({ data: schemas(from, kind === 'components') }));
    return;
  }
  const [, place] = /^\/(forbidden|elsewhere|none|gone)/.exec(path) ?? [];
  if (place !== undefined) {
    const status = { forbidden: 403, elsewhere: 302 }[place] ?? 404;
    response.writeHead(status, { location: `${from.server.url}/api` }).end();
    return;
  }
  if (path === '/endless.png') return void Readable.from(endless()).pipe(response);
  const { status, body } = await fetch(`${from.server.url}${path}`, await passedOn(request)).then(async (reply) => ({
    status: reply.status,
    body: Buffer.from(await reply.arrayBuffer()),
  }));
  const isFiles = path.startsWith('/api/upload/files') && !path.includes('=90') && !path.includes('=94');
  response.writeHead(status).end(isFiles ? withBadFiles(body, elsewhere) : body);
}

/** Returns the request of an administrator; the service is open to all others. */
async function passedOn(request: IncomingMessage): Promise<RequestInit> {
  const { url = '', method = 'GET', headers } = request;
  if (url.startsWith('/api')) return {};
  const body = method === 'GET' ? {} : { body: await text(request) };
  return { method, headers: { 'content-type': 'application/json', authorization: headers.authorization ?? '' }, ...body };
}

function* endless(): Generator<Buffer> {
  for (;;) yield Buffer.alloc(1_048_576);
}

/** Files as a damaged or hostile service names them. */
function withBadFiles(body: Buffer, elsewhere: string): string {
  const urls = ['http://[', 'ftp://files.test/x', `${elsewhere}/x`, '/endless.png', '/gone.png'];
  const files = urls.map((url, index) => {
    const hash = `bad_${String(90 + index)}`;
    return {
      id: 90 + index,
      name: hash,
      hash,
      ext: '.png',
      mime: 'image/png',
      size: 0.01,
      url,
      provider: 'local',
      formats: null,
    };
  });
  return JSON.stringify([...(JSON.parse(body.toString()) as readonly object[]), ...files]);
}

function schemas(from: Serving, components: boolean): readonly object[] {
  const models = [...(from.server.backend?.models.inForce().models.values() ?? [])];
  return models
    .filter(({ kind }) => (kind === undefined) === components)
    .map(({ uid, info, options, ...rest }) => ({ uid, schema: { ...rest, ...info, ...options } }));
}
