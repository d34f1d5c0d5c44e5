import type { FieldError } from '#base/errors.js';
import type { Registry } from './content-type.js';

export interface InputContext {
  readonly registry: Registry;
  /** Only a create reports required values that are absent. */
  readonly mode: 'create' | 'update';
  readonly draft: boolean;
  /** Names of attributes that a new entry has without being sent. */
  readonly presetNames?: ReadonlySet<string>;
  /** Whether passwords are hashes, so that only their absence is a problem. */
  readonly hashed?: true;
  /** Whether only the types of values are checked: neither their length, range and form, nor what an enumeration lists. */
  readonly typesOnly?: boolean;
  /** Whether a single media attribute takes only one file. Strapi v4 does not check it. */
  readonly strict: boolean;
}

/** The files in the input of a media attribute with allowed types. */
export interface LinkedFiles {
  readonly path: string;
  readonly ids: readonly number[];
  readonly allowedTypes: readonly string[];
}

interface LinkedEntry {
  readonly uid: string;
  readonly id: number;
  readonly path: string;
}

/** The results of checking a body, while it runs. */
export interface Findings {
  readonly fields: FieldError[];
  /** Errors of relations come last; the first is reported. */
  readonly relations: FieldError[];
  /** The paths of the values that link entries, the first of each, by uid and id. */
  readonly targets: Map<string, Map<number, string>>;
  readonly files: LinkedFiles[];
  readonly context: InputContext;
  /** Whether the check stops because there are too many problems. */
  isFull: boolean;
}

/** `rows[0].label` becomes `rows`, `0`, `label`. */
export const splitPath = (path: string): string[] => path.split(/[.[\]]+/).filter((part) => part !== '');

/** The message for a value that another entry, or another component of the same one, has. */
export const mustBeUnique = 'This attribute must be unique';

/** Maximum number of errors in one answer. */
export const maximumErrors = 1_000;

/** Reports a problem of the value at a path. */
export const report = (findings: Findings, path: string, message: string): void => {
  add(findings, findings.fields, { path: splitPath(path), message });
};

export const reportRelations = (findings: Findings, path: string, message: string): void => {
  add(findings, findings.relations, { path: splitPath(path), message });
};

function add(findings: Findings, list: FieldError[], error: FieldError): void {
  if (findings.isFull) return;
  list.push(error);
  findings.isFull = findings.fields.length + findings.relations.length >= maximumErrors;
}

/** Returns a value as messages of Strapi v4 show it: strings quoted, objects and lists as indented JSON with quoted scalars. */
function printValue(value: unknown): string {
  return printScalar(value) ?? JSON.stringify(value, (_key, inner: unknown) => printScalar(inner) ?? inner, 2);
}

function printScalar(value: unknown): string | null {
  if (value === null || value === undefined || typeof value === 'boolean') return String(value);
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  return typeof value === 'string' ? `"${value}"` : null;
}

/** Returns the message for null in place of a required value whose type is not checked. */
export const mustNotBeNull = (path: string, mode: InputContext['mode']): string =>
  mode === 'create' ? `${path} must be defined.` : `${path} cannot be null.`;

/** Returns the message for a value of the wrong type. `original` is the value that the client sent, `value` the converted one. */
export function notOfType(path: string, type: string, value: unknown, original: unknown = value): string {
  const wasCast = original !== null && original !== undefined && !Object.is(original, value);
  const from = wasCast ? ` (cast from the value \`${printValue(original)}\`)` : '';
  return `${path} must be a \`${type}\` type, but the final value was: \`${printValue(value)}\`${from}.`;
}

/** Notes an entry that the value at a path links. */
export function addTarget({ targets }: Findings, { uid, id, path }: LinkedEntry): void {
  const paths = targets.get(uid) ?? new Map<number, string>();
  if (!paths.has(id)) paths.set(id, path);
  targets.set(uid, paths);
}
