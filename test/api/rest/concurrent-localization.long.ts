import { expect } from 'chai';
import { roundsOf } from '../../support/rounds.js';
import type { Serving } from '../../support/serve.js';
import { expectOk, serveLocales } from './serve-locales.js';

/** Each of six delays comes round several times. */
const rounds = roundsOf(24, 60);

describe('localization at the same time as changes', () => {
  let serving: Serving;
  before(async () => {
    serving = await serveLocales();
  });
  after(() => serving.stop());

  const ok: (method: string, path: string, body?: unknown) => ReturnType<typeof expectOk> = (...sent) =>
    expectOk(serving, ...sent);

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
      for (let round = 0; round < rounds; round++) expect(await pages(round % 6)).to.deep.equal([2, 2]);
    });
});
