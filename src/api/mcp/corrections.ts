import type { ApiError } from '#base/errors.js';
import { nearestName } from '#base/nearest-name.js';
import { isRecord, type Values } from '#base/values.js';
import { maySee, readable } from '#model/query/access.js';
import { operators, quantifiers } from '#model/query/operators.js';
import type { ContentType } from '#model/schema/content-type.js';
import { componentsOf, hasParts } from '#model/schema/parts.js';
import type { AgentCall } from './agent-call.js';
import { findServedType } from './served-types.js';

const operatorNames = [...Object.keys(operators), 'and', 'or', 'not', ...quantifiers].map((name) => `$${name}`);

/** Returns what a model should have written instead of the names that an error refuses, as far as there are similar ones. */
export function corrections(error: ApiError, input: Values, call: AgentCall): readonly string[] {
  if (error.status !== 400) return [];
  const type = typeOf(input, call);
  const names = type === null ? [] : [...namesNear(type, call)];
  const refused = error.message.includes('did you mean') ? [] : [...new Set(refusedNames(error))];
  return refused.slice(0, mostHints).flatMap((name) => {
    const isArgument = Object.hasOwn(input, name);
    if (isArgument || operatorNames.includes(name)) return [];
    if (names.includes(name)) return misplaced(name, input, type);
    const near =
      operatorNames.find((one) => one === `$${name}`) ?? nearestName(name, name.startsWith('$') ? operatorNames : names);
    return near === null ? [] : [`${name}: did you mean ${near}?`];
  });
}

/** Returns where an attribute belongs that the arguments name in the wrong place. */
function misplaced(name: string, { fields, populate }: Values, type: ContentType | null): readonly string[] {
  const kind = type?.attributes.get(name)?.kind;
  if (kind === undefined) return [];
  const names = (value: unknown): readonly unknown[] => (isRecord(value) ? Object.keys(value) : [value].flat());
  if (kind === 'scalar') return names(populate).includes(name) ? [`${name} is part of each entry: leave it out of populate`] : [];
  return names(fields).includes(name) ? [`${name} is read by populate, not by fields`] : [];
}

const mostHints = 5;

/** Names that are longer are not compared: nobody has misspelt them. */
const longestName = 60;

/** Returns the names in a message about one, and at the ends of the paths of a list of problems. */
function refusedNames({ message, details }: ApiError): readonly string[] {
  const [, named] = /^Invalid parameter (?:\w+\[)?(\$?[\w-]+)/.exec(message) ?? [];
  const errors: unknown = details?.['errors'];
  const paths = Array.isArray(errors) ? errors.map((one) => (isRecord(one) ? one['path'] : null)) : [];
  const ends = paths.flatMap((path) => (Array.isArray(path) ? [String(path.at(-1))] : []));
  return [...(named === undefined ? [] : [named]), ...ends].filter((name) => name.length <= longestName && !/^\d+$/.test(name));
}

function typeOf({ type }: Values, call: AgentCall): ContentType | null {
  try {
    return typeof type === 'string' ? findServedType(type, call).type : null;
  } catch {
    return null; // the error says so itself
  }
}

/** Returns the names of the attributes of a type, its components and related types, as far as the caller may read them. */
function namesNear(type: ContentType, { content: { bind } }: AgentCall): ReadonlySet<string> {
  const { access, registry } = bind;
  const own = (one: ContentType) => [...one.attributes.values()].filter(({ name }) => readable(one, name, access) !== null);
  const others = own(type).flatMap((attribute) => {
    if (hasParts(attribute)) return componentsOf(attribute);
    return 'target' in attribute && maySee(access, attribute.target) ? [attribute.target] : [];
  });
  const types = [type, ...new Set(others.flatMap((uid) => registry.types.get(uid) ?? []))];
  return new Set(['id', ...types.flatMap((one) => own(one).map(({ name }) => name))]);
}
