import { didYouMean } from '#base/nearest-name.js';
import { collationWarnings } from './collation.js';
import { customFieldType } from './custom-field-type.js';
import { enumerationProblems, enumerationWarnings } from './enum-names.js';
import { misspeltAttributeKeys } from './model-schema.js';
import { isUnbounded } from './linear-regex.js';
import type { ScalarType } from './content-type.js';
import type { AttributeDefinition } from './model.js';
import { isScalarType, scalarTypes } from './scalar-types.js';
import { numberText } from './stored-values.js';

/** The result for one attribute. If the definition is null, the attribute is left out. */
interface AttributeReading {
  readonly definition: AttributeDefinition | null;
  /** The reasons why the model is refused. */
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

/** `systemNames` are the attributes that the service adds to the type. */
export interface AttributeRules {
  readonly systemNames: Pick<ReadonlySet<string>, 'has'>;
  /** Whether the attributes belong to a component. Strapi v4 checks the enumerations of content types only. */
  readonly isPart: boolean;
  /** The setting `api.customFields`. */
  readonly customFields: Readonly<Record<string, string>>;
  /** Whether there is a GraphQL schema, so that parts that it leaves out are told. */
  readonly graphql: boolean;
}

type Rule = (definition: AttributeDefinition, rules: AttributeRules) => AttributeReading;

/** Checks one attribute, and returns it in the form that the service uses. */
export function readAttribute(name: string, written: AttributeDefinition, rules: AttributeRules): AttributeReading {
  if (name === 'id') return refused('is a reserved name');
  if (rules.systemNames.has(name))
    return { definition: null, problems: [], warnings: ['is an attribute of the service: this definition is ignored'] };
  const stored = readCustomField(written, rules.customFields);
  const type = stored.definition?.type ?? '';
  const rule: Rule =
    (Object.hasOwn(structures, type) ? structures[type] : undefined) ?? (isScalarType(type) ? readScalar : readUnknown);
  const reading = rule(stored.definition ?? written, rules);
  const warnings = [
    ...misspeltAttributeKeys(written),
    ...stored.warnings,
    ...reading.warnings,
    ...collationWarnings(stored.definition ?? written),
    ...(rules.graphql && name.includes('-') ? [hyphenated] : []),
  ];
  return { ...reading, warnings };
}

const hyphenated = 'is left out of GraphQL, where names cannot have a hyphen';

const kept = (definition: AttributeDefinition): AttributeReading => ({ definition, problems: [], warnings: [] });
const refused = (...problems: readonly string[]): AttributeReading => ({ definition: null, problems, warnings: [] });
const warned = (reading: AttributeReading, ...warnings: readonly string[]): AttributeReading => ({
  ...reading,
  warnings: [...warnings, ...reading.warnings],
});
const changed = (definition: AttributeDefinition, warning: string): AttributeReading => warned(kept(definition), warning);

/** Returns a custom field as an attribute of its stored type. */
function readCustomField(written: AttributeDefinition, configured: Readonly<Record<string, string>>): AttributeReading {
  if (written.type !== 'customField') return kept(configuredType(written, configured));
  const name = written.customField ?? '';
  const type = customFieldType(name, configured);
  return type !== null ? kept({ ...written, type }) : changed({ ...written, type: 'json' }, storedAsJson('custom field', name));
}

const storedAsJson = (what: string, name: string): string =>
  `${what} ${name} is not known and stored as JSON; if that is wrong, set api.customFields: { ${JSON.stringify(name)}: 'string' }`;

/** Returns an attribute of a type of a plugin as one of its stored type, if the settings name it. */
function configuredType(written: AttributeDefinition, configured: Readonly<Record<string, string>>): AttributeDefinition {
  if (isScalarType(written.type) || Object.hasOwn(structures, written.type)) return written;
  const type = customFieldType(written.type, configured);
  return type === null ? written : { ...written, type };
}

/** The rules of attribute types besides those of plain scalars. */
const structures: Readonly<Record<string, Rule>> = {
  component: (definition) =>
    definition.component === undefined ? refused('.component must name a component') : kept(definition),
  dynamiczone: (definition) =>
    definition.components === undefined
      ? refused('.components must list components')
      : kept({ ...definition, components: [...new Set(definition.components)] }),
  media: kept,
  relation: readRelation,
  enumeration: (written, { isPart, graphql }) => {
    const values = isPart ? [...new Set(written.enum)] : (written.enum ?? []);
    const problems = isPart ? [] : enumerationProblems(values);
    if (problems.length > 0) return refused(...problems);
    return warned(readScalar({ ...written, enum: values }), ...(graphql ? enumerationWarnings(values) : []));
  },
};

function readScalar(definition: AttributeDefinition): AttributeReading {
  if (definition.regex && isUnbounded(definition.regex)) return refused(endless);
  const initial = readDefault(definition);
  if (initial === null) {
    const { default: ignored, ...rest } = definition;
    return warned(readScalar(rest), `.default: ${JSON.stringify(ignored)} is not of type ${rest.type} and is ignored`);
  }
  if (initial !== undefined && initial !== definition.default) return readScalar({ ...definition, default: initial });
  const problem = searchProblem(definition);
  if (problem !== null) return changed({ ...definition, search: undefined }, problem);
  if (definition.unique !== true || !isScalarType(definition.type) || scalarTypes[definition.type].uniqueAllowed)
    return kept(definition);
  return changed({ ...definition, unique: false }, `.unique has no effect for type ${definition.type}`);
}

const endless =
  '.regex can take unbounded time for some texts; write it without lookarounds and references, or without nested repetitions';

/**
 * Returns the default of a scalar attribute as a create stores it; a time gets the seconds that it lacks. Returns null if no entry
 * could store the default as a value of the type, whatever the other rules of the attribute are, and undefined if there is none.
 */
function readDefault({ type, default: written, enum: values }: AttributeDefinition): unknown {
  if (written === undefined || written === null || !isScalarType(type)) return undefined;
  const { completeDefault, allowsDefault } = scalarTypes[type];
  const initial = numberText(written) ?? (completeDefault === undefined ? written : completeDefault(written));
  const isAllowed = allowsDefault === undefined || allowsDefault(initial, values ?? []);
  return isAllowed && isStorable(type, initial) ? initial : null;
}

function isStorable(type: ScalarType, initial: unknown): boolean {
  try {
    return scalarTypes[type].store(initial, type) !== null;
  } catch {
    return false; // its form is not that of the type
  }
}

/** Codes of the languages of MongoDB text indexes; `none` does not stem words. */
const languages = ['none', 'da', 'de', 'en', 'es', 'fi', 'fr', 'hu', 'it', 'nb', 'nl', 'pt', 'ro', 'ru', 'sv', 'tr'];

/** Returns the reason why the `search` of a scalar attribute has no effect; null if it has one. */
function searchProblem({ type, search }: AttributeDefinition): string | null {
  if (search === undefined) return null;
  if (!isScalarType(type) || scalarTypes[type].search !== 'text') return `.search has no effect for type ${type}`;
  if (search === 'trigram') return null;
  if (typeof search === 'string')
    return `.search: unknown ${JSON.stringify(search)}${didYouMean(search, ['trigram'])}, ignored; expected "trigram" or { "language": "en" }`;
  const { language } = search;
  return languages.includes(language)
    ? null
    : `.search.language: ${JSON.stringify(language)} is not one of ${languages.join(', ')} and is ignored`;
}

/** Stores a type of a plugin as JSON. A type that is misspelt is refused. */
function readUnknown(written: AttributeDefinition): AttributeReading {
  const { type } = written;
  if (didYouMean(type, typeNames) !== '' || type === '') return refused(`.type: ${unknownName(type, typeNames)}`);
  return warned(readScalar({ ...written, type: 'json' }), storedAsJson('type', type));
}

const typeNames = [...Object.keys(scalarTypes), ...Object.keys(structures)];

const relations = [
  'oneToOne',
  'oneToMany',
  'manyToOne',
  'manyToMany',
  'morphOne',
  'morphMany',
  'morphToOne',
  'morphToMany',
] as const;

function readRelation(definition: AttributeDefinition): AttributeReading {
  const { relation = '', target, inversedBy, mappedBy } = definition;
  if (!(relations as readonly string[]).includes(relation)) return refused(`.relation: ${unknownName(relation, relations)}`);
  if (relation.startsWith('morphTo')) return kept(definition);
  if (typeof target !== 'string') return refused('.target must name a content type');
  if (relation === 'manyToOne' && mappedBy)
    return changed({ ...definition, mappedBy: null }, '.mappedBy is not possible for manyToOne and ignored');
  if (relation === 'oneToMany' && inversedBy)
    return changed({ ...definition, inversedBy: null }, '.inversedBy is not possible for oneToMany and ignored');
  if (inversedBy && mappedBy)
    return changed({ ...definition, mappedBy: null }, ' has both inversedBy and mappedBy; mappedBy is ignored');
  return kept(definition);
}

const unknownName = (name: string, names: readonly string[]): string =>
  `unknown ${JSON.stringify(name)}${didYouMean(name, names)}`;
