import { ApiError } from '#base/errors.js';
import type { Values } from '#base/values.js';
import { keyError, keyId } from '#http/idempotency/read-key.js';
import { keyExpiry } from '#http/idempotency/run-once.js';
import type { RouteCall } from '#http/route.js';
import type { Registry } from '#model/schema/content-type.js';
import { findKey, type findKeyHeads, insertKey, KeyTakenError } from '#store/stores/key-store.js';
import { collections } from '#model/schema/collections.js';
import type { Database } from '#store/send/database.js';
import { ownRows } from '#store/write/own-rows.js';
import { mapLinks } from '../rest/batch/created-entries.js';
import type { AllowedWrite } from './allowed-write.js';
import { entryName, type PushWrite } from './read-push.js';

/** An entry that has a name of its client. */
interface NamedEntry {
  readonly uid: string;
  readonly id: number;
  /** The id of the key of the write that has created it. */
  readonly key: string;
}

/** Records of keys and names, by id. */
type KeyHeads = Awaited<ReturnType<typeof findKeyHeads>>;

/** Maximum number of names in one push, so that their look-up is small. */
const maxNames = 1_000;

/** Thrown for a name that no write has given to an entry yet. */
export class NameUnknown extends Error {}

/** The entries that the caller's earlier writes have named. The names are kept as long as their keys. */
export class EntryNames {
  readonly #call: RouteCall;
  readonly #entries: Map<string, NamedEntry>;

  /** `heads` are the records of names, among others. */
  constructor(call: RouteCall, names: Iterable<string>, heads: KeyHeads) {
    this.#call = call;
    this.#entries = new Map(
      [...names].flatMap((name) => {
        const { head, uid, fingerprint, expiresAt } = heads.get(nameId(name, call)) ?? {};
        if (head === undefined || uid === undefined || Number(expiresAt) <= Date.now()) return [];
        return [[name, { uid, id: (JSON.parse(head) as { readonly id: number }).id, key: String(fingerprint) }]];
      }),
    );
  }

  /** Returns the entry with a name; null if there is none. */
  find(name: string): NamedEntry | null {
    return this.#entries.get(name) ?? null;
  }

  /** Notes that a write has named an entry. */
  add(name: string, entry: NamedEntry): void {
    this.#entries.set(name, entry);
  }

  /**
   * Stores a name, as the last command of the transaction of its write. Throws a 409 if another key has used it, and KeyTaken if another
   * transaction does so now.
   */
  async store(name: string, { uid, id, key }: NamedEntry, database: Database): Promise<void> {
    const own = nameId(name, this.#call);
    const record = { id: own, client: database.sender?.client ?? '', fingerprint: key, access: '', uid };
    try {
      const expiresAt = keyExpiry(this.#call.running);
      await insertKey(database, { ...record, expiresAt }, JSON.stringify({ id }));
    } catch (error) {
      throw error instanceof KeyTakenError && (await this.#isStored(own)) ? nameTakenError(name) : error;
    }
  }

  /** Returns whether a name is stored. Removes one that has expired. */
  async #isStored(id: string): Promise<boolean> {
    const { database } = this.#call.content.store;
    const record = await findKey(database, id);
    if (record === null || record.expiresAt.getTime() > Date.now()) return record !== null;
    await ownRows(collections.keys).remove(database, { _id: id, expiresAt: record.expiresAt });
    return false;
  }
}

/** Returns the id of the record of a name. */
export const nameId = (name: string, { caller }: Pick<RouteCall, 'caller'>): string => keyId(caller, name, 'name');

/** The error of a create whose name another write has given to another entry. */
export const nameTakenError = (name: string): ApiError =>
  keyError(409, `Another write has created ${name}: each new entry needs a new name`);

/** Returns the names in the ids and the links of writes. Throws a ValidationError if there are too many. */
export function namesIn(writes: readonly AllowedWrite[], registry: Registry): ReadonlySet<string> {
  const names = new Set<string>();
  const note = (name: string): string => {
    names.add(name);
    if (names.size > maxNames)
      throw new ApiError(400, 'ValidationError', `writes: a push has at most ${String(maxNames)} names of new entries`);
    return name;
  };
  for (const allowed of writes) {
    if (typeof allowed.write.id === 'string') note(allowed.write.id);
    mapNames(allowed, registry, note);
  }
  return names;
}

/** Returns a write with others in place of the names in its links. */
export function mapNames(
  { write, type }: Pick<AllowedWrite, 'write' | 'type'>,
  registry: Registry,
  replace: (name: string, target: string | null) => unknown,
): PushWrite {
  const ofText = (text: string, target: string | null): unknown => (entryName.test(text) ? replace(text, target) : text);
  const mapped = <Part extends Values>(part: Part): Part => mapLinks(part, { type, registry, replace: ofText }, []) as Part; // has the same names
  const side = (name: 'from' | 'to'): Record<string, unknown> =>
    mapped(Object.fromEntries(Object.entries(write.set).flatMap(([key, set]) => (name in set ? [[key, set[name]]] : []))));
  const [from, to] = [side('from'), side('to')];
  const set = Object.keys(write.set).map((name) => [
    name,
    { ...(name in from && { from: from[name] }), ...(name in to && { to: to[name] }) },
  ]);
  return { ...write, set: Object.fromEntries(set) as PushWrite['set'], add: mapped(write.add), remove: mapped(write.remove) };
}
