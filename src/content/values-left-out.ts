import type { Attribute, ContentType } from '../schema/content-type.js';
import { splitPath } from '../schema/findings.js';
import type { Values } from '../values.js';
import type { ContentContext } from './content-context.js';
import type { Undone } from './refuse-or-tell.js';

/** The values of an entry or component in a body. */
interface Place extends Pick<ContentContext, 'bind'> {
  /** The path of the values, with a dot at its end; empty for an entry. */
  readonly prefix: string;
}

/**
 * Returns the values of a body that are not written, because the type has no such attribute. Names that its model never had are
 * ignored as in Strapi v4, except in strict mode.
 */
export function unknownValues(type: ContentType, values: Values, { bind, prefix }: Place): readonly Undone[] {
  const { strict } = bind.settings;
  const leftOut = bind.registry.leftOut.get(type.uid);
  if (leftOut === undefined && !strict) return none;
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
    return strict && !isKnown(type, name) ? [unknownValue(name, type, path)] : [];
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

const unknownValue = (name: string, { uid }: ContentType, path: readonly string[]): Undone => ({
  path,
  message: `${name} is not an attribute of ${uid} that the caller may write`,
  remedy: 'remove it from the body',
});
