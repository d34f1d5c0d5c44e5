import { expect } from 'chai';
import { bookshopModels } from '../support/read-project.js';
import { serveModels, type Serving } from '../support/serve.js';

const at = new Date('2024-01-01T00:00:00.000Z');
const locales = ['en', 'fr', 'de'].map((code, index) => ({ _id: index + 1, code, name: code, createdAt: at, updatedAt: at }));

describe('localization at the same time as changes', () => {
  let serving: Serving;
  before(async () => {
    serving = await serveModels({ models: bookshopModels(), documents: { i18n_locales: locales } });
  });
  after(() => serving.stop());

  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into answers of every form
  async function ok(method: string, path: string, body?: unknown): Promise<any> {
    const answer = await serving.call(method, path, body);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    return answer.body;
  }

  const localizing: readonly (readonly [title: string, localize: (id: number) => Promise<{ readonly id: number }>])[] = [
    ['its route', (id) => ok('POST', `/api/books/${String(id)}/localizations`, { locale: 'fr', title: 'x' })],
    [
      'a create that names the entry',
      async (id) => (await ok('POST', '/api/books', { data: { locale: 'fr', title: 'x', localizations: [id] } })).data,
    ],
  ];
  for (const [title, localize] of localizing)
    it(`a new locale by ${title} has the shared values of the entry`, async () => {
      const pages = async (delay: number): Promise<unknown[]> => {
        const { id } = (await ok('POST', '/api/books', { data: { title: 'Raced', pages: 1 } })).data;
        const changed = new Promise((resolve) => setTimeout(resolve, delay)).then(() =>
          ok('PUT', `/api/books/${String(id)}`, { data: { pages: 2 } }),
        );
        const [made] = await Promise.all([localize(Number(id)), changed]);
        const rows = await serving.database.db
          .collection<{ _id: number }>('books')
          .find({ _id: { $in: [id, made.id] } })
          .toArray();
        await ok('DELETE', `/api/books/${String(made.id)}`);
        await ok('DELETE', `/api/books/${String(id)}`);
        return rows.map((row) => (row as { pages?: unknown }).pages);
      };
      for (let round = 0; round < 60; round++) expect(await pages(round % 6)).to.deep.equal([2, 2]);
    });
});
