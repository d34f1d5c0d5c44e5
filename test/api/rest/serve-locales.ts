import { expect } from 'chai';
import { bookshopModels } from '../../support/read-project.js';
import { serveModels, type Serving } from '../../support/serve.js';

/** The date of everything that is stored. */
export const at = new Date('2024-01-01T00:00:00.000Z');

const locales = ['en', 'fr', 'de'].map((code, index) => ({ _id: index + 1, code, name: code, createdAt: at, updatedAt: at }));

/** Serves the bookshop with the locales en, fr and de. */
export const serveLocales = (): Promise<Serving> =>
  serveModels({ models: bookshopModels(), documents: { i18n_locales: locales } });

/** Sends a request and returns its body. Throws unless the status is 200. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into answers of every form
export async function expectOk({ call }: Serving, method: string, path: string, body?: unknown): Promise<any> {
  const answer = await call(method, path, body);
  expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
  return answer.body;
}
