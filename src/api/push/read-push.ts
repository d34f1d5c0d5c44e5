import { type ApiError, type FieldError, fieldErrors } from '#base/errors.js';
import { refusedBy } from '#base/limits/exceeded.js';
import { isRecord, type Values } from '#base/values.js';
import type { Caller } from '#content/rights/caller.js';
import { readKey } from '#http/idempotency/read-key.js';
import { maximumErrors } from '#model/schema/findings.js';

/** A value of an attribute: what it was when the client read it, and what it becomes. */
export interface SetValue {
  /** Absent if the last writer wins. */
  readonly from?: unknown;
  readonly to?: unknown;
}

/** A write that a client has made without the service. */
export interface PushWrite {
  readonly key: string;
  readonly op: 'create' | 'update' | 'delete';
  /** The plural name of a content type. */
  readonly type: string;
  /** An id, or the name that the client has given to an entry. */
  readonly id: number | string;
  readonly set: Readonly<Record<string, SetValue>>;
  readonly increment: Readonly<Record<string, number | string>>;
  readonly add: Readonly<Record<string, readonly (number | string)[]>>;
  readonly remove: Readonly<Record<string, readonly (number | string)[]>>;
  readonly locale?: string;
}

type Part = 'set' | 'increment' | 'add' | 'remove';
type SentWrite = Omit<PushWrite, Part> & Partial<Pick<PushWrite, Part>>;

/** The form of the names that clients give to new entries. */
export const entryName = /^\$[A-Za-z0-9_-]{1,64}$/;

/** Minimum number of characters of the names of the public, which shares one space of names. */
const shortestPublic = 16;

const parts: readonly Part[] = ['set', 'increment', 'add', 'remove'];
const known: readonly string[] = ['key', 'op', 'type', 'id', 'locale', ...parts];
const operations: readonly unknown[] = ['create', 'update', 'delete'];

/** Returns the writes of a push. Throws a ValidationError that lists what is wrong, and one for too many writes. */
export function readPush(body: unknown, limits: { readonly batch: number }, caller: Caller): readonly PushWrite[] {
  const values = isRecord(body) ? body : {};
  const { writes } = values;
  if (!Array.isArray(writes)) throw fieldErrors([wrong(['writes'], 'must be a list of writes')]);
  if (writes.length > limits.batch)
    throw refusedBy('api.limits.batch', `writes: a push has at most ${String(limits.batch)} (api.limits.batch)`, {
      setting: 'api.limits.batch',
      maximum: limits.batch,
    });
  const problems = unknownNames(values, ['writes'], []);
  for (const [index, write] of writes.entries())
    if (problems.length < maximumErrors) problems.push(...problemsOf(write, ['writes', String(index)], caller));
  if (problems.length > 0) throw fieldErrors(problems.slice(0, maximumErrors));
  return (writes as readonly SentWrite[]).map((write) => ({ set: {}, increment: {}, add: {}, remove: {}, ...write })); // was checked
}

type Place = readonly string[];

const wrong = (path: Place, problem: string): FieldError => ({ path, message: `${path.join('.')} ${problem}` });

const unknownNames = (values: Values, names: readonly string[], path: Place): FieldError[] =>
  Object.keys(values)
    .filter((name) => !names.includes(name))
    .slice(0, maximumErrors)
    .map((name) => wrong([...path, name], `is unknown: expected ${names.join(', ')}`));

function problemsOf(write: unknown, at: Place, caller: Caller): FieldError[] {
  if (!isRecord(write)) return [wrong(at, 'must be an object')];
  const { key, op, type, locale } = write;
  return [
    ...unknownNames(write, known, at),
    ...keyProblems(key, [...at, 'key'], caller),
    ...(operations.includes(op) ? [] : [wrong([...at, 'op'], 'must be create, update or delete')]),
    ...(typeof type === 'string' ? [] : [wrong([...at, 'type'], 'must be the plural name of a content type')]),
    ...idProblems(write, [...at, 'id'], caller),
    ...(locale === undefined || (op === 'create' && typeof locale === 'string')
      ? []
      : [wrong([...at, 'locale'], 'must be a text, and only a create has one')]),
    ...parts.flatMap((part) => (write[part] === undefined ? [] : partProblems(part, write, [...at, part], caller))),
    ...namedTwice(write, at),
  ];
}

function keyProblems(key: unknown, at: Place, caller: Caller): FieldError[] {
  if (typeof key !== 'string') return [wrong(at, 'must be a text')];
  try {
    if (readKey(JSON.stringify(key), caller) === key) return [];
  } catch (error) {
    return [wrong(at, (error as ApiError).message.replace('Idempotency-Key ', '').replace(', in quotes or without', ''))]; // of readKey
  }
  return [wrong(at, 'must be ASCII')];
}

const isId = (value: unknown): value is number => typeof value === 'number' && Number.isSafeInteger(value) && value > 0;

function idProblems({ op, id }: Values, at: Place, caller: Caller): FieldError[] {
  if (op !== 'create' && isId(id)) return [];
  if (typeof id === 'string' && entryName.test(id)) return nameProblems(id, at, caller);
  const name = 'a name of the client of 1 to 64 letters, digits, _ and - behind $';
  return [wrong(at, op === 'create' ? `must be ${name}` : `must be an id, or ${name}`)];
}

/** Names of the public must not meet those of others. Texts that are no names are checked as values. */
function nameProblems(value: unknown, at: Place, { kind }: Caller): FieldError[] {
  if (kind !== 'public' || typeof value !== 'string' || !entryName.test(value) || value.length > shortestPublic) return [];
  return [wrong(at, `must have at least ${String(shortestPublic)} characters behind $ without credentials, such as a UUID`)];
}

function partProblems(part: Part, write: Values, at: Place, caller: Caller): FieldError[] {
  const { op, [part]: values } = write;
  if (!isRecord(values)) return [wrong(at, 'must be an object of attributes')];
  if (part !== 'set' && op !== 'update') return [wrong(at, 'is only part of an update')];
  return Object.entries(values).flatMap(([name, value]) => {
    const place = [...at, name];
    if (part === 'set') return setProblems(value, op, place);
    if (part === 'increment') return isAmount(value) ? [] : [wrong(place, 'must be a number')];
    if (!Array.isArray(value)) return [wrong(place, 'must be a list of ids')];
    return value.flatMap((item: unknown, index) => linkProblems(item, [...place, String(index)], caller));
  });
}

const isAmount = (value: unknown): boolean =>
  typeof value === 'number' ? Number.isFinite(value) : typeof value === 'string' && /^-?\d{1,19}$/.test(value);

/** Returns whether a value is an id, or the name of a new entry. */
export const isLink = (value: unknown): boolean => isId(value) || (typeof value === 'string' && entryName.test(value));

function linkProblems(item: unknown, at: Place, caller: Caller): FieldError[] {
  if (isId(item)) return [];
  if (typeof item === 'string' && entryName.test(item)) return nameProblems(item, at, caller);
  return [wrong(at, 'must be an id, or the name of a new entry')];
}

function setProblems(value: unknown, op: unknown, at: Place): FieldError[] {
  if (!isRecord(value)) return [wrong(at, 'must be an object with from and to')];
  const names = op === 'create' ? ['to'] : op === 'delete' ? ['from'] : ['from', 'to'];
  const needed = op === 'delete' ? 'from' : 'to';
  return [...unknownNames(value, names, at), ...(Object.hasOwn(value, needed) ? [] : [wrong([...at, needed], 'is missing')])];
}

/** An attribute is named by one part of a write, because the parts have no order. */
function namedTwice(write: Values, at: Place): FieldError[] {
  const named = parts.map((part) => new Set(isRecord(write[part]) ? Object.keys(write[part]) : []));
  const [set = new Set(), increment = new Set(), add = new Set(), remove = new Set()] = named;
  const links = new Set([...add, ...remove]);
  const twice = [...set].filter((name) => increment.has(name) || links.has(name));
  const both = [...increment].filter((name) => links.has(name));
  return [...new Set([...twice, ...both])].map((name) => wrong(at, `names ${name} in two parts`));
}
