import { createRequire } from 'node:module';
import type slugify from 'strapi-slugify';

/**
 * Returns the GraphQL name of an enumeration value, as the version of slugify in Strapi v4 makes it; an empty text if it makes
 * none. Names that GraphQL does not allow for values get the prefix `_`; Strapi v4 does not start with such names.
 */
export function enumValueName(value: string): string {
  const name = isName.test(value) ? value : makeName(value);
  return forbiddenNames.has(name) || /^\d/.test(name) ? `_${name}` : name;
}

/** Names that slugify leaves as they are. */
const isName = /^[A-Za-z0-9]+(_[A-Za-z0-9]+)*$/;

/** Returns a GraphQL name for a value. The package is loaded with the first value that is not a name. */
function makeName(value: string): string {
  const make = createRequire(import.meta.url)('strapi-slugify') as typeof slugify; // typed by the import above
  return make(value, { decamelize: false, lowercase: false, separator: '_' });
}

const forbiddenNames: ReadonlySet<string> = new Set(['true', 'false', 'null']);

/** Returns the values that GraphQL has names for, by their names. Of two values with one name the first has it. */
export function namedValues(values: readonly string[]): ReadonlyMap<string, string> {
  const named = new Map<string, string>();
  for (const value of values) {
    const name = enumValueName(value);
    if (name !== '' && !named.has(name)) named.set(name, value);
  }
  return named;
}

/** Returns the reasons why Strapi v4 does not start with an enumeration of a content type. It takes any values in components. */
export function enumerationProblems(values: readonly string[]): string[] {
  if (values.length === 0) return ['.enum must NOT have fewer than 1 items'];
  const names = values.map(enumValueName);
  const bad = values.filter((_, index) => !/^_?[A-Za-z]/.test(names[index] ?? ''));
  const twice = values.filter((_, index) => names.indexOf(names[index] ?? '') !== index);
  return [
    ...bad.map((value) => `.enum: ${JSON.stringify(value)} must begin with a letter`),
    ...twice.map((value) => `.enum: ${JSON.stringify(value)} has the same name in GraphQL as another value`),
  ];
}

/** Returns a warning for each value that GraphQL knows by another name than Strapi v4 would give it, or not at all. */
export function enumerationWarnings(values: readonly string[]): string[] {
  const named = namedValues(values);
  if (named.size === 0) return ['is left out of GraphQL, which has names for none of its values'];
  return values.flatMap((value) => {
    const name = enumValueName(value);
    const quoted = `.enum: ${JSON.stringify(value)}`;
    if (name === '') return [`${quoted} is left out of GraphQL, where it has no name, and is null in answers`];
    if (named.get(name) !== value)
      return [
        `${quoted} is left out of GraphQL, where ${String(JSON.stringify(named.get(name)))} has its name, and is null in answers`,
      ];
    return name.startsWith('_') ? [`${quoted} is named ${name} in GraphQL, which does not allow that name for values`] : [];
  });
}
