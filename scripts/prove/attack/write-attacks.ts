import type { Attack } from './attack.js';
import { askPanel } from './panel.js';
import { post, send, type Shot } from './send.js';
import type { Target } from './target.js';

/** The ids of articles that are added to the demo. */
const articles = (count: number): number[] => Array.from({ length: count }, (_, n) => 1_001 + n);

const write = ({ token }: Target, method: string, path: string, data: object): Shot => ({
  ...post(path, { data }, { authorization: `Bearer ${token}` }),
  method,
});

/** A new author; resolves to the path of it. */
async function addAuthor(target: Target): Promise<string> {
  const data = { name: 'Attacked', slug: `attacked-${String(process.hrtime.bigint())}` };
  const { text } = await askPanel(target, 'POST /api/authors', { token: target.token, body: { data } });
  const { id } = (JSON.parse(text) as { readonly data: { readonly id: number } }).data;
  return `/api/authors/${String(id)}`;
}

const change = (name: string, data: object, limits: Partial<Attack> = {}): Attack => ({
  name,
  prepare: addAuthor,
  run: async (target, _scale, path) => [await send(target, write(target, 'PUT', path, data))],
  commands: 20,
  // The ids are looked up, and the service hears of each article that was changed.
  documents: 20_000,
  ...limits,
});

const chain = articles(6_000).map((id, n, { length }) => (n === length - 1 ? id : { id, position: { before: id + 1 } }));

/** What a writer may send: small bodies that name many entries. The lists are stored with the related entries. */
export const writeAttacks: readonly Attack[] = [
  change('a chain of positions', { articles: { connect: chain } }),
  change('a long list that is turned around', { articles: articles(9_000).reverse() }),
  change('more entries than a write may name', { articles: articles(10_001) }, { refusedBy: 'at most 10000', documents: 10 }),
  {
    name: 'very many components',
    run: async (target) => [
      await send(
        target,
        write(target, 'POST', '/api/notes', { links: Array<object>(10_000).fill({ label: 'label', url: '/x' }) }),
      ),
    ],
    commands: 20,
    documents: 10,
  },
  {
    name: 'a body that is wrong everywhere',
    run: async (target) => [
      await send(target, write(target, 'POST', '/api/articles', { title: 'x', sections: Array<number>(10_000).fill(1) })),
    ],
    refusedBy: 'errors occurred',
    commands: 20,
    documents: 10,
  },
];
