import { type FieldError, fieldErrors } from '#base/errors.js';
import { suggest } from '#base/nearest-name.js';
import { isRecord, type Values } from '#base/values.js';
import type { Schema } from '#http/json-schema.js';

/** The form of an argument: the names of JSON types, or texts of which it is one. */
interface Argument {
  readonly type: string | readonly string[];
  readonly enum?: readonly string[];
  readonly description?: string;
}

const argument = (type: Argument['type'], description: string): Argument => ({ type, description });

/** The arguments of the tools. */
const all = {
  type: argument('string', 'Name of a type, from describe'),
  id: argument('integer', 'Not for single types'),
  filters: argument(
    'object',
    '{"title":{"$containsi":"tea"},"author":{"name":{"$eq":"Ann"}},"$or":[…]}; operators: see describe',
  ),
  sort: argument(['string', 'array'], '"title:asc" or a list'),
  fields: argument('array', 'Names of scalar attributes; all by default'),
  populate: argument(
    ['string', 'array', 'object'],
    'Relations, files, components and zones to include: ["author"], "*", or {"author":{"fields":["name"]}}; none by default',
  ),
  locale: argument('string', 'Code of a language; the default one unless given'),
  status: { type: 'string', enum: ['published', 'draft', 'all'] },
  limit: argument('integer', 'Entries of a page'),
  cursor: argument('string', 'nextCursor of the page before, with the same other arguments'),
  aggregate: argument('object', '{"count":"*"} or {"avg":["price"]}; count, countDistinct, sum, avg, min, max'),
  groupBy: argument(['string', 'array'], '["category","publishedAt:month"], at most three'),
  having: argument('object', '{"count":{"$gte":2}}'),
  timezone: argument('string', 'Of parts of dates, such as Europe/Paris'),
  data: argument('object', 'Values by attribute. Relations: an id, a list of ids, or {"connect":[id],"disconnect":[id]}'),
  version: argument('string', '_version of the entry as you have read it'),
  key: argument('string', 'A text of your own, such as a UUID: a repeated call with it writes once'),
  dryRun: argument('boolean', 'Only check, and answer what would be stored'),
} as const satisfies Readonly<Record<string, Argument>>;

type ArgumentName = keyof typeof all;

/** The schema of a tool's arguments. */
export type InputSchema = Schema & {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, Argument>>;
  readonly required?: readonly string[];
};

/** Returns the schema of arguments. Those with `!` at the end are required; `changed` replaces descriptions and forms. */
export function inputSchema(
  names: readonly (ArgumentName | `${ArgumentName}!`)[],
  changed: Partial<Readonly<Record<ArgumentName, Argument>>> = {},
): InputSchema {
  const plain = names.map((name) => name.replace('!', '') as ArgumentName); // without the mark it is one
  const required = plain.filter((_, index) => names[index]?.endsWith('!') === true);
  return {
    type: 'object',
    properties: Object.fromEntries(plain.map((name) => [name, changed[name] ?? all[name]])),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

/** Throws a ValidationError that lists the arguments that do not fit a schema. Null counts as absent. */
export function checkArguments(input: Values, { properties, required = [] }: InputSchema): Values {
  const entries = Object.entries(input).filter(([, value]) => value !== null && value !== undefined);
  const missing = required.filter((name) => (input[name] ?? null) === null);
  const problems = missing.map((name) => problem(name, 'is required'));
  for (const [name, value] of entries) {
    if (problems.length >= mostProblems) break;
    problems.push(...problemOf(name, value, properties));
  }
  if (problems.length > 0) throw fieldErrors(problems);
  return Object.fromEntries(entries);
}

const mostProblems = 10;

const longestEcho = 60;

/** Returns a name as errors repeat it: its beginning, because clients may send one of any length. */
export const shortName = (name: string): string => (name.length > longestEcho ? `${name.slice(0, longestEcho - 1)}…` : name);

function problem(name: string, message: string): FieldError {
  const short = shortName(name);
  return { path: [short], message: `Argument ${short} ${message}` };
}

function problemOf(name: string, value: unknown, properties: InputSchema['properties']): FieldError[] {
  const argument = Object.hasOwn(properties, name) ? properties[name] : undefined;
  if (argument === undefined) return [problem(name, `is unknown${suggest(name, Object.keys(properties))}`)];
  const types = [argument.type].flat();
  if (!types.includes(typeName(value))) return [problem(name, `must be of type ${types.join(' or ')}`)];
  const { enum: values } = argument;
  return values === undefined || values.includes(String(value)) ? [] : [problem(name, `must be one of ${values.join(', ')}`)];
}

/** Returns the name of a value's type in JSON Schema. */
function typeName(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (isRecord(value)) return 'object';
  return Number.isInteger(value) ? 'integer' : typeof value;
}
