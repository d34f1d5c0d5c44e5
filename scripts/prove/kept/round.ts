import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../../random.js';
import type { Caller } from './callers.js';
import { newRead, type Read, readOf } from './requests.js';
import { encodings, send, type Sent } from './send.js';
import type { World } from './world.js';
import { writeOf } from './writes.js';

/** Milliseconds after a write of another instance within which an answer may be older. */
const longestLag = 1_000;

/** Milliseconds after which an instance that still answers what is old is at fault, however it is measured. */
const patience = 20_000;

/** Different reads of a round, how often each is sent after the writes, and others during these. */
const reads = { different: 12, waves: 10, during: 12, filling: 2 };

/** What was counted in all rounds. */
export interface Tally {
  operations: number;
  hits: number;
  /** The hits that were sent compressed. */
  compressed: number;
  /** The highest age, in milliseconds, of an answer that was older than a write of another instance. */
  lag: number;
  stale: number;
}

/** A read of a caller. */
interface Asked extends Read {
  readonly caller: Caller;
  /** Resolves with the answer of the service that keeps nothing. Asked once a round. */
  readonly expected: () => Promise<Sent>;
}

/** Rounds of writes by one instance and reads by all, one after the other. */
export class Rounds {
  readonly tally: Tally = { operations: 0, hits: 0, compressed: 0, lag: 0, stale: 0 };
  readonly #world: World;
  readonly #random: Random;
  /** By instance: when it last answered, or nobody did, what an instance has not heard of for sure; null if it has heard of all. */
  readonly #unheard: (number | null)[];
  /** The tags that callers have got, by caller and address. */
  readonly #tags = new Map<string, string>();

  constructor(world: World, random: Random) {
    this.#world = world;
    this.#random = random;
    this.#unheard = world.instances.map(() => null);
  }

  /** Runs a round. Throws an error that says what was wrong with an answer. */
  async run(): Promise<void> {
    const random = this.#random;
    if (this.#unheard.length > 1 && random.oneIn(4)) await this.#measure();
    const asked = Array.from({ length: reads.different }, () => this.#ask());
    const somebody = (): Asked => asked[random.below(asked.length)] as Asked; // within the list
    const during = Array.from({ length: reads.during }, () => this.#read(somebody(), random.below(this.#unheard.length)));
    const filling = Array.from({ length: reads.filling }, () => this.#read({ ...somebody(), ...newRead(random) }, 0));
    await Promise.all([this.#write(), ...during, ...filling]);
    await Promise.all([this.#world.reference.settled(), ...this.#unheard.map((_, index) => this.#maybeSettle(index))]);
    for (let wave = 0; wave < reads.waves; wave++)
      await Promise.all(asked.map((one) => this.#judge(one, random.below(this.#unheard.length))));
  }

  #ask(): Asked {
    const read = readOf(this.#random);
    const caller = this.#random.of(this.#world.callers.all);
    let expected: Promise<Sent> | undefined;
    const url = `${this.#world.reference.url}${read.path}`;
    return { ...read, caller, expected: () => (expected ??= send(read.method, url, { ...read, token: caller.token })) };
  }

  /** Sends some writes to one instance, or past all of them. */
  async #write(): Promise<void> {
    const by = this.#random.below(this.#unheard.length);
    const writes = Array.from({ length: 1 + this.#random.below(3) }, () => writeOf(this.#random));
    this.tally.operations += writes.length;
    await Promise.all(writes.map(({ run }) => run({ world: this.#world, random: this.#random, by })));
    const isForeign = writes.some((write) => write.isForeign);
    for (const index of this.#unheard.keys()) if (isForeign || index !== by) this.#unheard[index] = performance.now();
  }

  /** Writes by one instance, and measures how long another one answers what was before. */
  async #measure(): Promise<void> {
    const [by = 0, reader = 0] = this.#random.draw(2, this.#unheard.length).map((one) => one - 1);
    const read = { method: 'GET', path: '/api/tags/1', body: null, caller: { token: this.#world.callers.writer } } as const;
    const name = `tag ${String(this.tally.operations)}`;
    await this.#read(read, reader); // kept from now on
    await this.#world.write(by, 'PUT', read.path, { data: { name } });
    const written = performance.now();
    for (const index of this.#unheard.keys()) if (index !== by) this.#unheard[index] = written;
    for (let sentAt = performance.now(); !(await this.#read(read, reader)).text.includes(name); sentAt = performance.now()) {
      if (sentAt - written > longestLag) throw new Error(`a write was not heard of within ${String(longestLag)} ms`);
      this.#note(sentAt - written);
    }
  }

  #note(age: number): void {
    this.tally.lag = Math.max(this.tally.lag, age);
    this.tally.stale += 1;
  }

  async #maybeSettle(index: number): Promise<void> {
    if (this.#unheard[index] === null || this.#random.oneIn(2)) return;
    await this.#world.instances[index]?.settled();
    this.#unheard[index] = null;
  }

  /** Reads by an instance, and refuses what the caller may never see. */
  async #read(
    { method, path, body, caller }: Read & { readonly caller: Pick<Caller, 'token'> & Partial<Caller> },
    index: number,
    more: More = {},
  ): Promise<Sent> {
    // of HEAD, lengths are compared, which are those without compression
    const encoding = more.isHead === true ? undefined : this.#random.maybe([...encodings, undefined]);
    const headers = {
      ...(more.tag !== undefined && { 'if-none-match': more.tag }),
      ...(encoding && { 'accept-encoding': encoding }),
    };
    const sending = { token: caller.token, body, headers };
    const answer = await send(more.isHead === true ? 'HEAD' : method, `${this.#world.urlOf(index)}${path}`, sending);
    this.tally.operations += 1;
    if (answer.isHit) this.tally.hits += 1;
    if (answer.isHit && answer.isCompressed) this.tally.compressed += 1;
    if (caller.forbidden?.test(answer.text) === true)
      throw new Error(`${String(caller.name)} was shown ${String(caller.forbidden)} by ${method} ${path}: ${answer.text}`);
    return answer;
  }

  /** Reads by an instance, and compares the answer with that of the service that keeps nothing. */
  async #judge(asked: Asked, index: number): Promise<void> {
    const { caller, path, method } = asked;
    const key = `${caller.name} ${path}`;
    const tag = method === 'GET' && this.#random.oneIn(3) ? this.#tags.get(key) : undefined;
    const more = { ...(tag !== undefined && { tag }), isHead: path.startsWith('/api') && this.#random.oneIn(8) };
    const begun = performance.now();
    for (;;) {
      const [sentAt, unheard] = [performance.now(), this.#unheard[index] ?? null];
      const [answer, expected] = await Promise.all([this.#read(asked, index, more), asked.expected()]);
      if (isSame(answer, expected, more)) {
        if (expected.tag !== null) this.#tags.set(key, expected.tag);
        return;
      }
      const age = unheard === null ? Infinity : sentAt - unheard;
      const where = `${more.isHead ? 'HEAD' : method} ${path} ${asked.body ?? ''} of ${caller.name}, instance ${String(index)}`;
      const both = `${printed(answer)}\ninstead of ${printed(expected)}`;
      if (unheard === null)
        throw new Error(`${where} is stale, or of somebody else, though it has heard of all writes:\n${both}`);
      if (age > longestLag || sentAt - begun > patience)
        throw new Error(`${where} is ${age.toFixed(0)} ms older than a write:\n${both}`);
      this.#note(age);
      await delay(5);
    }
  }
}

interface More {
  readonly tag?: string;
  readonly isHead?: boolean;
}

const printed = ({ status, tag, isHit, text }: Sent): string =>
  `${String(status)} ${String(tag)} ${isHit ? 'hit' : 'miss'} ${text.slice(0, 2_000)}`;

function isSame(answer: Sent, expected: Sent, { tag, isHead }: More): boolean {
  if (tag !== undefined && expected.tag === tag) return answer.status === 304 && answer.tag === tag && answer.text === '';
  if (answer.status !== expected.status || answer.tag !== expected.tag) return false;
  return isHead === true ? answer.length === expected.length : answer.text === expected.text;
}
