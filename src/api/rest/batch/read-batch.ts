import { refusedBy } from '#base/limits/exceeded.js';
import type { IncomingHttpHeaders } from 'node:http';
import { type FieldError, fieldErrors } from '#base/errors.js';
import { maximumErrors } from '#model/schema/findings.js';
import { isRecord, type Values } from '#base/values.js';

/** A write of a batch, in the form in which it would be sent on its own. */
export interface BatchItem {
  readonly method: 'POST' | 'PUT' | 'DELETE';
  /** Path below the prefix of the API, without the query string. */
  readonly path: string;
  /** The query string without the question mark. */
  readonly query: string;
  /** Undefined if there is none. */
  readonly body: unknown;
  /** Headers by their names in lower case. */
  readonly headers: IncomingHttpHeaders;
}

/** The writes of a batch, in order. */
interface Batch {
  /** Whether the first failure undoes all of them. */
  readonly isAtomic: boolean;
  readonly items: readonly BatchItem[];
}

interface BatchLimits {
  readonly batch: number;
  readonly urlLength: number;
}

/** The headers that a write of a batch may have. */
const headerNames: ReadonlySet<string> = new Set(['if-match', 'if-none-match']);

const methods: readonly unknown[] = ['POST', 'PUT', 'DELETE'];

/** Returns the batch of a body. Throws a ValidationError that lists what is wrong, and one for too many writes. */
export function readBatch(body: unknown, limits: BatchLimits): Batch {
  const values = isRecord(body) ? body : {};
  const { transaction = false, requests } = values;
  if (!Array.isArray(requests) || requests.length === 0) throw fieldErrors([wrong(['requests'], 'must be a list of writes')]);
  if (requests.length > limits.batch)
    throw refusedBy('api.limits.batch', `A batch has at most ${String(limits.batch)} requests (api.limits.batch)`, {
      setting: 'api.limits.batch',
      maximum: limits.batch,
    });
  const problems = unknownNames(values, ['transaction', 'requests'], []);
  if (typeof transaction !== 'boolean') problems.push(wrong(['transaction'], 'must be true or false'));
  for (const [index, item] of requests.entries())
    if (problems.length < maximumErrors) problems.push(...problemsOf(item, ['requests', String(index)], limits));
  if (problems.length > 0) throw fieldErrors(problems.slice(0, maximumErrors));
  return { isAtomic: transaction === true, items: requests.map((item) => itemOf(item as CheckedItem)) }; // was checked
}

/** A write as it was sent, after its check. */
interface CheckedItem extends Pick<BatchItem, 'method' | 'path'> {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

function itemOf({ method, path: address, body, headers = {} }: CheckedItem): BatchItem {
  const end = address.indexOf('?');
  const [path, query] = end === -1 ? [address, ''] : [address.slice(0, end), address.slice(end + 1)];
  const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return { method, path, query, body, headers: Object.fromEntries(named) };
}

type Path = readonly string[];

const wrong = (path: Path, problem: string): FieldError => ({ path, message: `${path.join('.')} ${problem}` });

const unknownNames = (values: Values, names: readonly string[], path: Path): FieldError[] =>
  Object.keys(values)
    .filter((name) => !names.includes(name))
    .slice(0, maximumErrors)
    .map((name) => wrong([...path, name], `is unknown: expected ${names.join(', ')}`));

function problemsOf(item: unknown, at: Path, limits: BatchLimits): FieldError[] {
  if (!isRecord(item)) return [wrong(at, 'must be an object')];
  const { method, path, body, headers } = item;
  return [
    ...unknownNames(item, ['method', 'path', 'body', 'headers'], at),
    ...(methods.includes(method) ? [] : [wrong([...at, 'method'], 'must be POST, PUT or DELETE')]),
    ...(isPath(path, limits) ? [] : [wrong([...at, 'path'], 'must be a path below the prefix, such as /articles/1')]),
    ...(body === undefined ? [] : bodyProblems(body, method, [...at, 'body'])),
    ...(headers === undefined ? [] : headerProblems(headers, [...at, 'headers'])),
  ];
}

/** Returns whether a value is a path with an optional query string, whose percent-encoding is valid. */
function isPath(path: unknown, { urlLength }: BatchLimits): path is string {
  if (typeof path !== 'string' || path.length > urlLength || !/^\/[^#\s]+$/.test(path)) return false;
  try {
    return decodeURIComponent(path.split('?', 1)[0] ?? '') !== '';
  } catch {
    return false;
  }
}

function bodyProblems(body: unknown, method: unknown, at: Path): FieldError[] {
  if (method === 'DELETE') return [wrong(at, 'has no effect with DELETE')];
  return isRecord(body) ? [] : [wrong(at, 'must be an object')];
}

function headerProblems(headers: unknown, at: Path): FieldError[] {
  if (!isRecord(headers)) return [wrong(at, 'must be an object')];
  const given = Object.entries(headers).slice(0, maximumErrors);
  const names = given.map(([name]) => name.toLowerCase());
  return given.flatMap(([name, value], index) => {
    if (!headerNames.has(names[index] ?? ''))
      return [wrong([...at, name], 'is not allowed: a request of a batch has only If-Match and If-None-Match')];
    if (names.indexOf(names[index] ?? '') < index) return [wrong([...at, name], 'is given twice')];
    return typeof value === 'string' ? [] : [wrong([...at, name], 'must be a text')];
  });
}
