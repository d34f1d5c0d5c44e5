import type { World } from '../sync/world.js';
import type { Device, Replaced } from './device.js';
import { storedTitles } from './renames.js';

/** Titles and names of entries, by collection and id. */
type Texts = ReadonlyMap<string, unknown>;

/** Knows what was written in a seed, and judges what the database has. */
export class Ledger {
  /** By the mark of a post: what devices have added to its number. */
  readonly sums = new Map<number, number>();
  /** Marks of posts that devices have created, unless they gave them up. */
  readonly created = new Set<number>();
  /** Marks of posts that somebody has deleted, or has tried to. */
  readonly deleted = new Set<number>();
  readonly #world: World;
  readonly #devices: readonly Device[];
  /** What others have written over REST since the texts were read last. */
  #others: unknown[] = [];
  #texts: Texts = new Map();

  constructor(world: World, devices: readonly Device[]) {
    this.#world = world;
    this.#devices = devices;
  }

  /** Notes a title or name that was written over REST, over whatever there was. */
  note(text: unknown): void {
    this.#others.push(text);
  }

  add(mark: number, count: number): void {
    this.sums.set(mark, (this.sums.get(mark) ?? 0) + count);
  }

  /** Returns the values that were overwritten although whoever wrote had not seen them. */
  async overwritten(): Promise<string[]> {
    const now = await this.#read();
    const replaced = this.#devices.flatMap((device) => device.replaced);
    const wrong = [...now].flatMap(([id, text]) => {
      const before = this.#texts.get(id);
      const isKnown = before === undefined || before === text || this.#leads(before, text, replaced);
      return isKnown ? [] : [`${id} was ${String(before)}, and was overwritten unseen by ${String(text)}`];
    });
    this.#texts = now;
    this.#others = [];
    return wrong;
  }

  /** Returns whether a text may follow another one: by pushes whose writers had seen it, or over REST. */
  #leads(from: unknown, to: unknown, replaced: readonly Replaced[]): boolean {
    const reached = new Set([from, ...this.#others]);
    for (let size = 0; size !== reached.size;) {
      size = reached.size;
      for (const one of replaced) if (reached.has(one.from)) reached.add(one.to);
    }
    return reached.has(to);
  }

  /** Returns what is wrong with sums and with the number of entries. */
  async wrongNumbers(): Promise<string[]> {
    const posts = await this.#world.database.db.collection('posts').find({}).toArray();
    const byMark = new Map<number, (typeof posts)[number][]>();
    for (const post of posts) byMark.set(Number(post['rating']), [...(byMark.get(Number(post['rating'])) ?? []), post]);
    // localizations share what is not localized
    const twice = [...byMark].flatMap(([mark, found]) =>
      new Set(found.map(({ locale }) => locale as unknown)).size < found.length ? [`post ${String(mark)} was created twice`] : [],
    );
    const lost = [...this.created].filter((mark) => !this.deleted.has(mark) && !byMark.has(mark));
    const sums = [...byMark].flatMap(([mark, [post]]) => {
      const [is, should] = [Number(post?.['owner'] ?? 0), this.sums.get(mark) ?? 0];
      return is === should ? [] : [`the number of post ${String(mark)} is ${String(is)} instead of ${String(should)}`];
    });
    const files = await this.#world.database.db.collection('files').find({}).toArray();
    const names = files.map(({ name }) => String(name)).filter((name) => name.startsWith('cover '));
    const again = names.filter((name, index) => names.indexOf(name) !== index).map((name) => `${name} was uploaded twice`);
    return [...twice, ...again, ...lost.map((mark) => `post ${String(mark)} is lost`), ...sums];
  }

  async #read(): Promise<Texts> {
    const { db } = this.#world.database;
    const titles = await storedTitles(this.#world);
    const textOf = (one: object): unknown => Reflect.get(one, ['name', ...titles].find((name) => name in one) ?? '');
    const all = await Promise.all(
      ['posts', 'authors'].map(async (name) => {
        const found = await db
          .collection<{ _id: number }>(name)
          .find({ _id: { $gt: 0 } })
          .toArray();
        return found.map((one) => [`${name} ${String(one._id)}`, textOf(one)] as const);
      }),
    );
    return new Map(all.flat());
  }
}
