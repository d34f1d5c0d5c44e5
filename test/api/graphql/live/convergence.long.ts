import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import jsonPatch from 'fast-json-patch';
import { Random } from '../../../../scripts/random.js';
import { roundsOf } from '../../../support/rounds.js';
import { serveSync, type ServingSync } from '../../sync/serve-sync.js';
import { liveConfig, type Received, type Result, serveLive, type ServingLive, transportsOf } from './serve-live.js';

const post = 'api::post.post';
const reading = [`${post}.find`, 'api::author.author.find', 'api::tag.tag.find'];
const selection = `id attributes {
  title rating seo { title }
  author { data { id attributes { name active } } }
  tags(pagination: { limit: -1 }) { data { id attributes { name } } }
}`;
const filters = '(filters: { rating: { lt: 7 } }, publicationState: PREVIEW)';
const changes = `subscription ($token: String) {
  postsChanges(filters: { rating: { lt: 7 } }, publicationState: PREVIEW, token: $token) { op id token entry { ${selection} } }
}`;
const list = `{ posts${filters.replace(')', ', sort: "id", pagination: { limit: -1 })')} { data { ${selection} } } }`;

/** A client that follows changes, and is cut off at times. */
class Follower {
  readonly entries = new Map<string, Result>();
  resets = 0;
  #token: string | null = null;
  #received: Received | null = null;
  #isOver = false;
  readonly #open: (token: string | null) => Promise<Received>;
  readonly done: Promise<void>;

  constructor(open: (token: string | null) => Promise<Received>) {
    this.#open = open;
    this.done = this.#run();
  }

  cut(): void {
    this.#received?.close();
  }

  end(): void {
    this.#isOver = true;
    this.cut();
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      const received = (this.#received = await this.#open(this.#token));
      for (;;) {
        const [result] = await received.until(() => true).catch(() => []);
        if (result === undefined) break;
        if (result.closed === undefined) this.#take(result.data.postsChanges);
      }
      await delay(20);
    }
  }

  #take({ op, id, token, entry }: Result): void {
    if (op === 'upsert') this.entries.set(id, entry);
    if (op === 'delete') this.entries.delete(id);
    if (op === 'reset') {
      this.entries.clear();
      this.resets += 1;
    }
    this.#token = token;
  }
}

/** A client of a live query. */
class Patched {
  body: Result = null;
  revision = 0;
  readonly done: Promise<void>;
  readonly #received: Received;

  constructor(received: Received) {
    this.#received = received;
    this.done = this.#run();
  }

  close(): void {
    this.#received.close();
  }

  async #run(): Promise<void> {
    for (;;) {
      const [result] = await this.#received.until(() => true).catch(() => []);
      if (result === undefined || result.closed !== undefined) return;
      const { revision, patch, ...body } = result;
      expect(revision).to.equal(this.revision + 1);
      this.revision = revision;
      this.body = patch === undefined ? body : jsonPatch.applyPatch(structuredClone(this.body), patch, true).newDocument;
    }
  }
}

describe('subscriptions and live queries under random writes', () => {
  let server: ServingLive;
  let other: ServingSync;
  let reader: string;
  const source = new Random(7);
  const random = (): number => source.next();
  const pick = <One>(items: readonly One[]): One => items[Math.floor(random() * items.length)] as One; // never empty

  before(async () => {
    server = await serveLive();
    other = await serveSync({ models: [], database: server.database, config: liveConfig });
    await server.admin('PUT', '/roles/1', { actions: reading });
    await server.admin('PUT', '/roles/1/rules', {
      rows: { [post]: { owner: { $ne: 2 } }, 'api::author.author': { active: { $eq: true } } },
    });
    reader = (await server.addUser('ann')).jwt;
    for (const name of ['Ann', 'Bob', 'Cid'])
      await server.as(server.editor, 'POST', '/api/authors', { data: { name, active: true, publishedAt: new Date() } });
    for (const name of ['red', 'blue']) await server.as(server.editor, 'POST', '/api/tags', { data: { name } });
  });
  after(async () => {
    await other.stop();
    await server.stop();
  });

  const ids: number[] = [];
  const write = async (): Promise<void> => {
    const { as } = pick<Pick<ServingSync, 'as'>>([server, other]);
    const data = {
      ...(random() < 0.5 && { title: `t${String(Math.floor(random() * 100))}` }),
      ...(random() < 0.3 && { rating: Math.floor(random() * 10) }),
      ...(random() < 0.2 && { owner: Math.floor(random() * 3) }),
      ...(random() < 0.3 && { author: pick([1, 2, 3, null]) }),
      ...(random() < 0.2 && { tags: pick([[], [1], [1, 2]]) }),
      ...(random() < 0.2 && { publishedAt: pick([null, new Date()]) }),
      ...(random() < 0.2 && { seo: { title: pick(['a', 'b']) } }),
    };
    const kind = random();
    if ((kind < 0.35 && ids.length < 60) || ids.length < 3)
      ids.push((await as(server.editor, 'POST', '/api/posts', { data: { rating: 1, ...data } })).body.data.id);
    else if (kind < 0.8) await as(server.editor, 'PUT', `/api/posts/${String(pick(ids))}`, { data });
    else if (kind < 0.9)
      await as(server.editor, 'DELETE', `/api/posts/${String(ids.splice(Math.floor(random() * ids.length), 1)[0])}`);
    else
      await as(server.editor, 'PUT', `/api/authors/${String(pick([1, 2, 3]))}`, {
        data: { name: pick(['Ann', 'Eve']), active: random() < 0.7 },
      });
  };

  const kinds = ['events', 'parts', 'socket'] as const;
  const overs = () => [server.over, transportsOf(() => other.server.url, server.editor)];

  /** Opens the live query by all transports of both instances, for both callers. */
  const openLive = () =>
    Promise.all(
      overs().flatMap((over) =>
        kinds.flatMap((kind) =>
          [server.editor, reader].map(async (token) => ({
            token,
            patched: new Patched(await over[kind]({ query: `query @live ${list}` }, token)),
          })),
        ),
      ),
    );

  /** Returns a new answer to each caller. */
  async function readAnew(): Promise<ReadonlyMap<string, Result>> {
    const answers = new Map<string, Result>();
    for (const token of [server.editor, reader])
      answers.set(token, (await server.as(token, 'POST', '/graphql', { query: list })).body);
    return answers;
  }

  /** Waits until nothing differs any more. */
  async function untilEqual(differing: () => readonly unknown[], answers: ReadonlyMap<string, Result>): Promise<void> {
    for (let tries = 0; differing().length > 0; tries += 1) {
      expect(tries, JSON.stringify([differing()[0], ...answers.values()])).to.be.lessThan(300);
      await delay(100);
    }
  }

  it('each client holds what it would be answered', async () => {
    const clients = overs().flatMap((over) =>
      kinds.flatMap((kind) =>
        [server.editor, reader].map((token) => ({
          token,
          follower: new Follower((after) => over[kind]({ query: changes, variables: { token: after } }, token)),
        })),
      ),
    );
    const live = await openLive();
    for (let round = 0; round < 10; round += 1) {
      for (let count = 0; count < 30; count += 1) {
        await write();
        if (random() < 0.1) pick(clients).follower.cut();
      }
      await server.logged();
      const answers = await readAnew();
      const differing = (): unknown[] => [
        ...clients
          .filter(
            ({ token, follower }) => !isEqual([...follower.entries.values()].toSorted(byId), answers.get(token).data.posts.data),
          )
          .map(({ follower }) => [...follower.entries.values()]),
        ...live
          .filter(({ token, patched }) => !isEqual(patched.body, answers.get(token)))
          .map(({ patched }) => patched.body as unknown),
      ];
      await untilEqual(differing, answers);
    }
    expect(Math.max(...live.map(({ patched }) => patched.revision))).to.be.greaterThan(10);
    for (const { follower } of clients) follower.end();
    for (const { patched } of live) patched.close();
    await Promise.all([...clients.map(({ follower }) => follower.done), ...live.map(({ patched }) => patched.done)]);
  });

  it('after thousands of writes, each patched answer of a live query is that of a new read', async function () {
    this.timeout(900_000);
    const live = await openLive();
    for (let round = 0; round < roundsOf(2, 10); round += 1) {
      const lane = async (): Promise<void> => {
        for (let count = 0; count < 125; count += 1) await write();
      };
      await Promise.all(Array.from({ length: 8 }, lane));
      await server.logged();
      const answers = await readAnew();
      const differing = (): unknown[] =>
        live
          .filter(({ token, patched }) => !isEqual(patched.body, answers.get(token)))
          .map(({ patched }) => patched.body as unknown);
      await untilEqual(differing, answers);
    }
    expect(Math.max(...live.map(({ patched }) => patched.revision))).to.be.greaterThan(5);
    for (const { patched } of live) patched.close();
    await Promise.all(live.map(({ patched }) => patched.done));
  });
});

const byId = (one: Result, other: Result): number => Number(one.id) - Number(other.id);

const isEqual = (one: unknown, other: unknown): boolean => JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));

/** Patches may change the order of names. */
const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, inner]) => [name, sorted(inner)]),
  );
};
