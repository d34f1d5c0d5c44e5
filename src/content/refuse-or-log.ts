import { type FieldError, fieldErrors } from '#base/errors.js';
import type { Attribute, ContentType } from '#model/schema/content-type.js';
import { maximumErrors, splitPath } from '#model/schema/findings.js';
import { isRecord, type Values } from '#base/values.js';
import type { ContentContext } from './content-context.js';

/** A part of a request that is not carried out. The message names the cause; the remedy is what an operator can do. */
export interface Undone extends FieldError {
  /** The cause as the log tells it, without what differs between requests; the message if absent. */
  readonly cause?: string;
  readonly remedy: string;
}

/**
 * Handles what a request asks for and does not get: strict mode refuses it, otherwise the log says it once per cause. Throws a
 * ValidationError in strict mode if there is any.
 */
export function refuseOrLog(undone: readonly Undone[], { bind, notices }: Pick<ContentContext, 'bind' | 'notices'>): void {
  if (undone.length === 0) return;
  if (bind.settings.strict) throw fieldErrors(undone.slice(0, maximumErrors).map(({ path, message }) => ({ path, message })));
  for (const { message, cause = message, remedy } of undone) notices.logOnce(`${cause}; ${remedy}`);
}

/** The values of an entry or component in a body. */
interface Place extends Pick<ContentContext, 'bind'> {
  /** The path of the values, with a dot at its end; empty for an entry. */
  readonly prefix: string;
}

/**
 * Returns the values of a body that are not written, because the type has no such attribute. Names that its model never had are
 * ignored as in Strapi v4, except in strict mode, and except `data` around all values.
 */
export function unknownValues(type: ContentType, values: Values, { bind, prefix }: Place): readonly Undone[] {
  const { strict } = bind.settings;
  const leftOut = bind.registry.leftOut.get(type.uid);
  const isTold = (name: string): boolean => strict || (name === 'data' && isRecord(values['data']));
  if (leftOut === undefined && !strict && !isTold('data')) return none;
  return Object.keys(values).flatMap((name) => {
    if (values[name] === undefined) return [];
    const reason = leftOut?.get(name);
    const path = [...splitPath(prefix), name];
    if (reason !== undefined)
      return [
        {
          path,
          message: `${name} of ${type.uid} is not written: ${reason}`,
          remedy: 'npx mangrove models validate lists all of them',
        },
      ];
    return isTold(name) && !isKnown(type, name) ? [unknownValue(name, type, path)] : [];
  });
}

const none: readonly never[] = [];

/** Names of components that are not attributes, and the id, which clients send back with an entry. */
const beside: ReadonlySet<string> = new Set(['id', '__component']);

const isKnown = ({ attributes }: ContentType, name: string): boolean => attributes.has(name) || beside.has(name);

/** Returns a value that is not written because the caller may not. In strict mode it looks like an unknown one to the caller. */
export function hiddenValue(attribute: Attribute, type: ContentType, { bind, prefix }: Place): Undone {
  const { name } = attribute;
  const path = [...splitPath(prefix), name];
  if (bind.settings.strict) return unknownValue(name, type, path);
  const isByRule = bind.access.hidden.get(type.uid)?.has(name) === true;
  const target = attribute.kind === 'relation' ? attribute.target : '';
  return {
    path,
    message: `${name} of ${type.uid} is not written: ${isByRule ? 'a field rule hides it from the caller' : `the caller may not read ${target}`}`,
    remedy: isByRule ? 'change the rule if it should be written' : `grant the action ${target}.find if it should be written`,
  };
}

/** Returns a value that is not written, because the type has no such attribute, or clients may not write it. */
export const unknownValue = (name: string, { uid }: ContentType, path: readonly string[]): Undone => ({
  path,
  message: `${name} is not an attribute of ${uid} that the caller may write`,
  remedy: 'remove it from the body',
});

/** An object in a body, and the names in it that are read. */
interface ReadNames {
  /** The place of the object, as errors and the log name it. */
  readonly what: string;
  readonly path?: readonly string[];
  readonly names: readonly string[];
}

/** Returns the other names in an object of a body. The log does not contain them, because clients choose them. */
export const unreadNames = (given: Iterable<string>, { what, path = [], names }: ReadNames): readonly Undone[] =>
  [...given]
    .filter((name) => !names.includes(name))
    .map((name) => ({
      path: [...path, name],
      message: `${[...path, name].join('.')} is not read: ${what} takes ${names.join(', ')}`,
      cause: `${what} has names that are not read: it takes ${names.join(', ')}`,
      remedy: 'correct the client',
    }));

const patch: readonly string[] = ['connect', 'disconnect', 'options'];

/** Returns the names in the change of a relation that its form does not read. Clients may send related entries back with all values. */
export function unreadChanges({ name }: Attribute, value: unknown, { uid }: ContentType, prefix: string): readonly Undone[] {
  if (!isRecord(value)) return none;
  const isChange = value['connect'] !== undefined || value['disconnect'] !== undefined;
  const isItem = ['id', '__type', 'type'].some((key) => value[key] !== undefined);
  if (value['set'] === undefined && !isChange && isItem) return none;
  const ofChange = isChange ? patch : ['set', ...patch];
  const names = value['set'] === undefined ? ofChange : ['set', 'options'];
  const path = [...splitPath(prefix), name];
  const connected = isChange && Array.isArray(value['connect']) ? (value['connect'] as unknown[]) : [];
  return [
    ...unreadNames(Object.keys(value), { what: `${name} of ${uid}`, path, names }),
    ...connected.flatMap((item, index) => unreadPosition(item, [...path, 'connect', String(index), 'position'])),
  ];
}

function unreadPosition(item: unknown, path: readonly string[]): readonly Undone[] {
  const position = isRecord(item) ? item['position'] : undefined;
  if (!isRecord(position)) return none;
  return unreadNames(Object.keys(position), { what: 'a position', path, names: ['before', 'after', 'start', 'end'] });
}
