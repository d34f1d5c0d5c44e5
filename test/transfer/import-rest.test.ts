import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { packArchive } from '../support/pack-archive.js';
import { runCli, type CliResult } from '../support/run-cli.js';
import { sampleArchive } from '../support/sample-archive.js';
import { serveModels, type Serving } from '../support/serve.js';

const token = 'a-token-of-the-source';

describe('npx mangrove import of a Strapi v4 that runs', () => {
  let directory: string;
  let from: Serving;
  let into: Serving;
  let front: Server;
  let url: string;
  let result: CliResult;
  const asked: string[] = [];
  const run = (database: Serving, ...args: readonly string[]) =>
    runCli('import', args, { directory, env: { MONGODB_URI: database.database.uri, MANGROVE_IMPORT_TOKEN: token } });
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mangrove-rest-'));
    await packArchive(join(directory, 'strapi.tar'), sampleArchive);
    [from, into] = [await serveModels({ models: [] }), await serveModels({ models: [] })];
    await run(from, 'strapi.tar');
    await from.settled();
    front = createServer((request, response) => void answer(request, response, from, asked));
    await new Promise<void>((done) => front.listen(0, '127.0.0.1', done));
    url = `http://127.0.0.1:${String((front.address() as AddressInfo).port)}`;
    result = await run(into, url, '--allow-private');
    await into.settled();
  });
  after(async () => {
    front.close();
    await from.stop();
    await into.stop();
    await rm(directory, { recursive: true });
  });

  const paths = [
    '/api/storys?locale=all&publicationState=preview&sort=id&populate[seo][populate]=*&populate[blocks][populate]=*&populate[topics]=*&populate[writer]=*&populate[cover]=*&populate[pictures]=*&populate[localizations]=*',
    '/api/front',
    '/api/topics?publicationState=preview&sort=id',
    '/api/upload/files?sort=id',
    '/api/users?populate=role',
    '/api/i18n/locales',
    '/api/users-permissions/roles',
  ];
  for (const path of paths)
    it(`brings what is seen at ${path.slice(0, 40)}`, async () => {
      expect(result.exitCode, result.stderr).to.equal(0);
      expect(await into.call('GET', path)).to.deep.equal(await from.call('GET', path));
    });

  it('brings the bytes of files, and says what does not come', async () => {
    const [file] = (await into.call('GET', '/api/upload/files?sort=id')).body as readonly [{ readonly url: string }];
    expect(await (await fetch(`${into.server.url}${file.url}`)).text()).to.equal('the bytes of a picture');
    for (const line of [
      /passwords do not come over REST/,
      /polymorphic relations.*api::story.story about/,
      /private values.*secret/,
    ])
      expect(result.stdout).to.match(line);
  });

  it('sends the token to the service', () => {
    expect(new Set(asked)).to.deep.equal(new Set([`Bearer ${token}`]));
  });

  const refused: Readonly<Record<string, RegExp>> = {
    'http://127.0.0.1:1': /--allow-private/,
    'http://localhost:1': /--allow-private/,
    'http://[::1]:1': /--allow-private/,
    'http://[::ffff:10.0.0.1]:1': /--allow-private/,
    'http://2130706433:1': /--allow-private/,
    'http://169.254.169.254/latest': /--allow-private/,
    'ftp://example.test': /ENOENT/,
  };
  for (const [address, message] of Object.entries(refused))
    it(`refuses ${address}`, async () => {
      const { exitCode, stderr } = await run(into, address);
      expect(exitCode).to.equal(1);
      expect(stderr).to.match(message);
    });

  it('refuses what is no Strapi, does not let the token in, or leads elsewhere', async () => {
    for (const [path, message] of [
      ['/none', /shows no models/],
      ['/forbidden', /answers 403: the token must be allowed/],
      ['/elsewhere', /answers 302/],
    ] as const)
      expect((await run(into, `${url}${path}`, '--allow-private')).stderr).to.match(message);
  });
});

/** Answers as Strapi does: the models by the content type builder, the rest by the service behind it. */
async function answer(request: IncomingMessage, response: ServerResponse, from: Serving, asked: string[]): Promise<void> {
  const path = request.url ?? '';
  asked.push(String(request.headers.authorization));
  const kind = /^\/api\/content-type-builder\/(.*)$/.exec(path)?.[1];
  if (kind !== undefined) {
    response.end(JSON.stringify({ data: schemas(from, kind === 'components') }));
    return;
  }
  const [, place] = /^\/(forbidden|elsewhere|none)/.exec(path) ?? [];
  if (place !== undefined) {
    response.writeHead({ forbidden: 403, elsewhere: 302, none: 404 }[place] ?? 404, { location: `${from.server.url}/api` }).end();
    return;
  }
  const { status, body } = await fetch(`${from.server.url}${path}`).then(async (reply) => ({
    status: reply.status,
    body: Buffer.from(await reply.arrayBuffer()),
  }));
  response.writeHead(status).end(body);
}

function schemas(from: Serving, components: boolean): readonly object[] {
  const models = [...(from.server.backend?.models.models().values() ?? [])];
  return models
    .filter(({ kind }) => (kind === undefined) === components)
    .map(({ uid, info, options, ...rest }) => ({ uid, schema: { ...rest, ...info, ...options } }));
}
