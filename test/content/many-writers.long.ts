import { expect } from 'chai';
import type { CommandStartedEvent } from 'mongodb';
import { type Answer, serveModels, type Serving, type TestModel } from '../support/serve.js';

const type = (name: string, attributes: object, more: object = {}): TestModel => ({
  uid: `api::${name}.${name}`,
  kind: 'collectionType',
  collectionName: `${name}s`,
  info: { singularName: name, pluralName: `${name}s`, displayName: name },
  attributes: { name: { type: 'string' }, ...attributes },
  ...more,
});

const relation = (kind: string, target: string, other: object): object => ({
  type: 'relation',
  relation: kind,
  target: `api::${target}.${target}`,
  ...other,
});

const models: readonly TestModel[] = [
  type('big', {
    votes: { type: 'integer' },
    tags: relation('manyToMany', 'tag', { inversedBy: 'bigs' }),
    owner: relation('manyToOne', 'tag', { inversedBy: 'owned' }),
    badge: relation('oneToOne', 'tag', { inversedBy: 'worn' }),
  }),
  type('tag', {
    bigs: relation('manyToMany', 'big', { mappedBy: 'tags' }),
    owned: relation('oneToMany', 'big', { mappedBy: 'owner' }),
    worn: relation('oneToOne', 'big', { mappedBy: 'badge' }),
  }),
  type(
    'page',
    { title: { type: 'string', pluginOptions: { i18n: { localized: true } } } },
    { pluginOptions: { i18n: { localized: true } } },
  ),
];

const writers = 60;
const rows = (count: number): object[] =>
  Array.from({ length: count }, (_, index) => ({ _id: index + 1, name: `n${String(index)}` }));
const localized = ['en', 'de'].map((locale, index) => ({ _id: index + 1, name: 'n', locale, _group: 1 }));

interface Case {
  readonly name: string;
  /** The requests, by a number from 1. */
  readonly request: (index: number) => readonly [path: string, data: object];
  /** A list that has all writers afterwards, and the attribute of its entries that shows the other side. */
  readonly list?: readonly [path: string, attribute: string, inverse: string];
  /** Whether two instances write, too. */
  readonly byTwo?: true;
}

const cases: readonly Case[] = [
  {
    name: 'a manyToMany from the other side',
    request: (index) => [`/api/tags/${String(index)}`, { bigs: { connect: [1] } }],
    list: ['/api/bigs/1', 'tags', 'bigs'],
    byTwo: true,
  },
  {
    name: 'a manyToMany from its own side',
    request: (index) => ['/api/bigs/2', { tags: { connect: [index] } }],
    list: ['/api/bigs/2', 'tags', 'bigs'],
  },
  {
    name: 'a manyToMany from both sides',
    request: (index) =>
      index % 2 === 0
        ? ['/api/bigs/3', { tags: { connect: [index] } }]
        : [`/api/tags/${String(index)}`, { bigs: { connect: [3] } }],
    list: ['/api/bigs/3', 'tags', 'bigs'],
  },
  {
    name: 'two entries, in either order',
    request: (index) => [`/api/tags/${String(index)}`, { bigs: { connect: index % 2 === 0 ? [4, 5] : [5, 4] } }],
    list: ['/api/bigs/4', 'tags', 'bigs'],
  },
  { name: 'the parent of one entry', request: (index) => [`/api/tags/${String(index)}`, { owned: { connect: [6] } }] },
  {
    name: 'the list of one parent',
    request: (index) => ['/api/tags/1', { owned: { connect: [index + 10] } }],
    list: ['/api/tags/1', 'owned', 'owner'],
  },
  { name: 'a oneToOne', request: (index) => [`/api/bigs/${String(index)}`, { badge: 1 }], byTwo: true },
  { name: 'a number', request: (index) => ['/api/bigs/7', { votes: index }] },
  { name: 'a number and a relation', request: (index) => ['/api/bigs/8', { votes: index, tags: [index] }] },
  {
    name: 'a value of all locales',
    request: (index) => [`/api/pages/${String(1 + (index % 2))}`, { name: `n${String(index)}` }],
  },
];

describe(`${String(writers)} requests that write one entry at once`, () => {
  let instances: readonly Serving[] = [];
  before(async () => {
    const first = await serveModels({ models, documents: { bigs: rows(writers + 10), tags: rows(writers), pages: localized } });
    instances = [first, await serveModels({ models: [], database: first.database })];
  });
  after(async () => {
    for (const instance of [...instances].reverse()) await instance.stop();
  });

  /** Sends the requests by turns to the instances. Returns the answers, and the number of attempts of transactions. */
  async function sendAll({ request }: Case, to: readonly Serving[]): Promise<{ answers: readonly Answer[]; attempts: number }> {
    const clients = to.flatMap(({ server }) => server.backend?.store.database.client ?? []);
    let attempts = 0;
    const listen = ({ commandName }: CommandStartedEvent): void => {
      if (commandName === 'commitTransaction' || commandName === 'abortTransaction') attempts += 1;
    };
    for (const client of clients) client.on('commandStarted', listen);
    const sent = Array.from({ length: writers }, (_, index) => {
      const [path, data] = request(index + 1);
      return to[index % to.length]?.call('PUT', path, { data }) ?? Promise.reject(new Error('there are no instances'));
    });
    const answers = await Promise.all(sent);
    for (const client of clients) client.off('commandStarted', listen);
    return { answers, attempts };
  }

  const relatedTo = (entry: Related, name: string): Related[] => [entry.attributes[name]?.data ?? []].flat();

  for (const one of cases)
    for (const count of one.byTwo === true ? [1, 2] : [1])
      it(`${one.name}, by ${String(count)} instances`, async () => {
        const { answers, attempts } = await sendAll(one, instances.slice(0, count));
        expect(answers.filter(({ status }) => status !== 200)).to.deep.equal([]);
        // without queues more than 7 for each writer, and the more writers the more for each
        expect(attempts, 'attempts').to.be.lessThanOrEqual((2 + 2 * count) * writers);
        const [path, name, inverse] = one.list ?? [];
        if (path === undefined || name === undefined || inverse === undefined) return;
        const { body } = await call(`${path}?populate[${name}][populate][${inverse}][fields]=id`);
        const related = relatedTo(body.data as Related, name);
        const both = related.filter((other) => relatedTo(other, inverse).some(({ id }) => id === body.data.id));
        expect([related.length, both.length]).to.deep.equal([writers, writers]);
      });

  const call = (path: string): Promise<Answer> =>
    instances[0]?.call('GET', path) ?? Promise.reject(new Error('there are no instances'));
});

interface Related {
  readonly id: number;
  readonly attributes: Readonly<Record<string, { readonly data: Related | readonly Related[] | null }>>;
}
