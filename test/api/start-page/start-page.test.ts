import { mkdir, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { expect } from 'chai';
import { createConfig } from '#settings/create-config.js';
import { html } from '#http/page-answer.js';
import { serviceRoutes } from '../../support/service-routes.js';
import { serveModels, type Serving, type TestModel } from '../../support/serve.js';
import { model, models } from './models.js';

const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

interface Sent {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/** Sends a request with any Host and Origin, which fetch does not allow. */
const send = (address: string, headers: Readonly<Record<string, string>>): Promise<Sent> =>
  new Promise((resolve, reject) => {
    const sending = request(address, { headers }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => {
        const type = String(response.headers['content-type']);
        resolve({ status: response.statusCode ?? 0, type, text: Buffer.concat(parts).toString() });
      });
    });
    sending.on('error', reject).end();
  });

describe('the start page', () => {
  let closed: Serving;
  let open: Serving;
  before(async () => {
    const documents = { notes: [{ _id: 1, title: '<b>Salt</b>' }] };
    [closed, open] = await Promise.all([
      serveModels({ models, documents, config: { api: { open: null } }, embeddedDatabase: true }),
      serveModels({ models, config: { api: { open: true } } }),
    ]);
  });
  after(() => Promise.all([closed.stop(), open.stop()]));

  const content = 'api::note.note';
  const peers: readonly (readonly [
    title: string,
    headers: Readonly<Record<string, string>>,
    toClosed: boolean,
    toOpen: boolean,
  ])[] = [
    ['a browser of this machine', {}, true, true],
    ['a page of another site', { origin: 'https://evil.test' }, false, true],
    ['a rebound name', { host: 'evil.test' }, false, true],
    ['a client behind a proxy', { 'x-forwarded-for': '203.0.113.9' }, false, true],
  ];
  for (const [title, headers, toClosed, toOpen] of peers)
    it(`shows content to ${title}: ${toClosed ? 'always' : 'only if it is open to everybody'}`, async () => {
      for (const [serving, isShown] of [
        [closed, toClosed],
        [open, toOpen],
      ] as const) {
        const { status, type, text } = await send(`${serving.server.url}/`, { ...browser, ...headers });
        expect([status, type]).to.deep.equal([200, 'text/html; charset=utf-8']);
        expect(text).to.contain('<h1>Mangrove</h1>').and.contain('href="/docs"');
        expect(text.includes(content)).to.equal(isShown);
      }
    });

  it('answers other clients with the addresses as JSON', async () => {
    const { type, text } = await send(`${closed.server.url}/`, { accept: '*/*', host: 'localhost:80' });
    expect(type).to.equal('application/json; charset=utf-8');
    expect(JSON.parse(text)).to.include({ name: 'Mangrove', GraphQL: 'http://localhost:80/graphql' });
  });

  it('shows counts, rights, answers, warnings and commands', async () => {
    const { text } = await send(`${closed.server.url}/`, browser);
    for (const shown of [
      'Programs on this machine may read and change everything',
      'The database is the embedded one',
      'model api::draft.draft is served differently from what is written: ',
      '<p>1 entry.</p>',
      'curl -g &#39;http://localhost:',
      '&#34;title&#34;: &#34;&#60;b&#62;Salt&#60;/b&#62;&#34;',
      '&#34;status&#34;: 404',
      'npm run mangrove -- models add recipe.json',
      'npm run mangrove -- permissions grant public api::',
    ])
      expect(text).to.contain(shown);
    expect(text.split('Other machines have no access.').length - 1).to.equal(1);
    expect((await send(`${open.server.url}/`, browser)).text).to.contain('Everybody may change everything: api.open');
  });

  it('suggests an example that overwrites no type', async () => {
    const variant = (uid: string, singularName: string): TestModel => ({
      ...model(singularName),
      uid,
      info: { singularName, pluralName: `${singularName}s`, displayName: 'X' },
    });
    const taken = [
      variant('api::recipe.recipe', 'dish'),
      variant('api::x.meal', 'recipe-2'),
      model('recipe-3', { attributes: 1 }),
    ];
    const serving = await serveModels({ models: taken, config: { api: { open: true } } });
    try {
      const { text } = await send(`${serving.server.url}/`, browser);
      expect(text).to.contain('models add recipe-4.json').and.contain('&#34;uid&#34;:&#34;api::recipe-4.recipe-4&#34;');
      const { directory } = serving.server.config;
      await mkdir(directory, { recursive: true });
      await writeFile(join(directory, 'recipe-4.json'), '{}');
      expect((await send(`${serving.server.url}/`, browser)).text).to.contain('models add recipe-5.json');
    } finally {
      await serving.stop();
    }
  });

  it('costs as many commands as there are types, however many entries they have', async () => {
    const ask = (): Promise<Sent> => send(`${open.server.url}/`, browser);
    const count = async (): Promise<number> => {
      await open.settled();
      await ask();
      return (await open.countCommands(ask)).commands.length;
    };
    const few = await count();
    for (let title = 1; title <= 5; title += 1) await open.call('POST', '/api/notes', { data: { title: String(title) } });
    expect(await count()).to.be.at.most(few + 1);
  });

  const secret = 'a-secret-of-the-tests-0123456789abcdef';
  const secrets = {
    admin: { token: secret, apiToken: { salt: secret } },
    plugins: { 'users-permissions': { config: { jwtSecret: secret } } },
  };
  for (const [environment, startPage, paths] of [
    ['development', null, ['/']],
    ['development', false, []],
    ['production', null, []],
    ['production', true, ['/']],
  ] as const)
    it(`is ${paths.length > 0 ? 'served' : 'away'} in ${environment} with ${String(startPage)}`, () => {
      const config = createConfig({ environment, api: { startPage }, ...secrets });
      const served = serviceRoutes(config).map(({ path }) => path);
      expect(served.filter((path) => path === '/')).to.deep.equal(paths);
    });

  it('shows only the name in production', async () => {
    const config = { environment: 'production', api: { startPage: true }, ...secrets };
    const serving = await serveModels({ models, config });
    const { text } = await send(`${serving.server.url}/`, browser);
    await serving.stop();
    expect(JSON.parse(text)).to.deep.equal({ name: 'Mangrove' });
  });

  it('escapes its values', () => {
    expect(html`<p>${'<b> & "c"'}${[html`<i>${1}</i>`, null]}</p>`.html).to.equal('<p>&#60;b&#62; &#38; &#34;c&#34;<i>1</i></p>');
  });
});
