import { expect } from 'chai';
import { serveProject, type ServedProject } from '../support/serve-project.js';

const echo = `(ctx) => {
  const { body, files } = ctx.request;
  const named = Object.entries(files ?? {}).map(([field, file]) => [field, Object.keys(file).sort().join(), file.name, file.originalFilename, file.type, file.size, file.path === file.filepath]);
  return { kind: typeof body, body, raw: body[Symbol.for('unparsedBody')], ...(files && { named }) };
}`;

const routes = `module.exports = { routes: ['GET', 'POST', 'PUT', 'DELETE'].map((method) => ({ method, path: '/echo', handler: ${echo}, config: { auth: false } })) };`;

/** Code that changes a file before the upload, and the name and type that are stored. */
const renames: readonly (readonly [code: string, name: string, mime: string])[] = [
  ["file.name = 'b.md';", 'b.md', 'text/markdown'],
  ["file.originalFilename = 'b.md';", 'b.md', 'text/markdown'],
  ["ctx.request.files.files = { ...file, name: 'b.md' };", 'b.md', 'text/markdown'],
  [
    "ctx.request.files.files = { path: file.path, name: 'b.md', type: 'text/markdown', size: file.size };",
    'b.md',
    'text/markdown',
  ],
  [
    "ctx.request.files.files = { filepath: file.filepath, originalFilename: 'b.md', mimetype: 'text/markdown' };",
    'b.md',
    'text/markdown',
  ],
];

const around = `(config, { strapi }) => async (ctx, next) => {
  const file = ctx.request.files?.files;
  if (file) new Function('ctx', 'file', ctx.get('x-code'))(ctx, file);
  await next();
}`;

const form = (): FormData => {
  const data = new FormData();
  data.append('title', 'one');
  data.append('cover', new File(['text'], 'a.txt', { type: 'text/plain' }));
  return data;
};

const keys = 'filepath,mimetype,name,originalFilename,path,size,type';
const xml = '<note><to>ann</to></note>';

/** Requests, and the body that code reads. */
const sent: readonly (readonly [method: string, type: string | null, body: string | FormData | null, seen: object])[] = [
  ['GET', null, null, { kind: 'object', body: {} }],
  ['DELETE', null, null, { kind: 'object', body: {} }],
  ['POST', null, null, { kind: 'object', body: {} }],
  ['POST', 'application/octet-stream', 'bytes', { kind: 'object', body: {} }],
  ['POST', 'text/plain', 'hello ü', { kind: 'string', body: 'hello ü' }],
  ['POST', 'text/plain', '', { kind: 'string', body: '' }],
  ['POST', 'text/xml; charset=utf-8', xml, { kind: 'string', body: xml }],
  ['PUT', 'application/xml', xml, { kind: 'string', body: xml }],
  ['POST', 'application/soap+xml', xml, { kind: 'string', body: xml }],
  [
    'POST',
    'application/x-www-form-urlencoded',
    'a=1&b[c]=2',
    { kind: 'object', body: { a: '1', b: { c: '2' } }, raw: 'a=1&b[c]=2' },
  ],
  ['POST', 'application/json', '{"a": 1}', { kind: 'object', body: { a: 1 }, raw: '{"a": 1}' }],
  [
    'POST',
    null,
    form(),
    { kind: 'object', body: { title: 'one' }, named: [['cover', keys, 'a.txt', 'a.txt', 'text/plain', 4, true]] },
  ],
];

const places: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'a route': {},
  'a route, with a middleware around all requests': {
    'src/middlewares/around.js': `module.exports = ${around};`,
    'config/middlewares.js': "module.exports = ['global::around'];",
  },
};

for (const [place, files] of Object.entries(places))
  describe(`the body that code reads in ${place}`, () => {
    let serving: ServedProject;
    before(async () => {
      const config = { middlewares: { body: { includeUnparsed: true, formLimit: 1000 } } };
      serving = await serveProject({ 'src/api/echo/routes/echo.js': routes, ...files }, { models: [], config });
    });
    after(() => serving.stop());

    const send = async (method: string, type: string | null, body: string | FormData | null, path = '/api/echo') => {
      const headers = type === null ? undefined : { 'content-type': type };
      return fetch(`${serving.server.url}${path}`, { method, body, ...(headers && { headers }) });
    };

    for (const [method, type, body, seen] of sent)
      it(`${method} ${type ?? (body === null ? 'without a body' : 'multipart')} ${typeof body === 'string' ? body : ''}`, async () => {
        const answer = await send(method, type, body);
        expect(await answer.json()).to.deep.equal(seen);
      });

    it('is refused beyond the limit of forms', async () => {
      expect((await send('POST', 'text/plain', 'x'.repeat(2000))).status).to.equal(413);
    });
  });

describe('files that code around an upload changes', () => {
  let serving: ServedProject;
  before(async () => {
    serving = await serveProject(places['a route, with a middleware around all requests'] ?? {}, { models: [] });
  });
  after(() => serving.stop());

  for (const [code, name, mime] of renames)
    it(code, async () => {
      const data = new FormData();
      data.append('files', new File(['# text'], 'a.txt', { type: 'text/markdown' }));
      const answer = await fetch(`${serving.server.url}/api/upload`, { method: 'POST', body: data, headers: { 'x-code': code } });
      const [file] = (await answer.json()) as { readonly name: string; readonly mime: string }[];
      expect(file).to.include({ name, mime });
    });
});
