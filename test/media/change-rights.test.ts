import { expect } from 'chai';
import { serveAccounts, type ServingAccounts } from '../content/rights/serve-accounts.js';

/** The right to change files that exist. */
describe('media: who may change a file', () => {
  let server: ServingAccounts;
  let id: number;
  before(async () => {
    server = await serveAccounts();
    const { body } = await server.admin('POST', '/tokens', { name: 'loader', type: 'full-access' });
    const [file] = (await (await upload(body.data.accessKey, '/api/upload')).json()) as [{ id: number }];
    id = file.id;
  });
  after(() => server.stop());

  const upload = (token: string, path: string): Promise<Response> => {
    const form = new FormData();
    form.append('files', new Blob(['text']), 'a.txt');
    return fetch(`${server.server.url}${path}`, { method: 'POST', body: form, headers: { authorization: `Bearer ${token}` } });
  };
  const mutations = {
    updateFileInfo: 'mutation ($id: ID!) { updateFileInfo(id: $id, info: { name: "new" }) { data { id } } }',
    updateUploadFile: 'mutation ($id: ID!) { updateUploadFile(id: $id, data: { name: "new" }) { data { id } } }',
  };
  const mutate = (query: string) => async (token: string) =>
    (await server.as(token, 'POST', '/graphql', { query, variables: { id } })).body.errors === undefined;

  const changes: Readonly<Record<string, (token: string) => Promise<boolean>>> = {
    'fileInfo as JSON': async (token) =>
      (await server.as(token, 'POST', `/api/upload?id=${String(id)}`, { fileInfo: { name: 'new' } })).status === 200,
    'an empty fileInfo': async (token) => (await server.as(token, 'POST', `/api/upload?id=${String(id)}`, {})).status === 200,
    'fileInfo of a file that does not exist': async (token) =>
      (await server.as(token, 'POST', '/api/upload?id=999', { fileInfo: { name: 'new' } })).status === 404,
    'new content': async (token) => (await upload(token, `/api/upload?id=${String(id)}`)).status === 200,
    ...Object.fromEntries(Object.entries(mutations).map(([name, query]) => [name, mutate(query)])),
  };
  const rights = [
    [['upload', 'find', 'findOne'], false],
    [['replace', 'find', 'findOne'], false],
    [['upload', 'replace', 'find', 'findOne'], true],
  ] as const;
  for (const [names, expected] of rights)
    for (const [title, change] of Object.entries(changes))
      it(`${title}, with ${names.join(', ')}: ${String(expected)}`, async () => {
        const permissions = names.map((name) => `plugin::upload.content-api.${name}`);
        const made = await server.admin('POST', '/tokens', { name: `${title} ${names.join()}`, type: 'custom', permissions });
        expect(await change(made.body.data.accessKey)).to.equal(expected);
        const stored = await server.database.db.collection('files').findOne({ _id: id as never }); // ids are numbers
        if (!expected) expect(stored?.['name']).to.equal('a.txt');
      });
});
