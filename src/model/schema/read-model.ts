import { mapValues } from '#base/values.js';
import { addedTo, shapeOf } from './added-attributes.js';
import type { ModelSettings } from './build-content-type.js';
import { collationProblems } from './collation.js';
import { jsonIndexProblems } from './json-options.js';
import { type AttributeDefinition, asksForSync, type Model, type ModelWarning } from './model.js';
import { type ModelOption, optionProblems } from './model-option.js';
import { misspeltKeys, readForm } from './model-schema.js';
import { isKebabCase } from './names.js';
import { draftsProblems } from './drafts-beside.js';
import { scheduledAttributes, scheduleProblems } from './scheduled.js';
import { renameProblems } from './renames.js';
import { readAttribute, type AttributeRules } from './read-attribute.js';

/** The result of checking a document of `_models` without regard to the other documents. */
export interface ModelReading {
  readonly document: unknown;
  /** Null if the document is refused. */
  readonly model: Model | null;
  /** The reasons why it is refused, one line each. */
  readonly problems: readonly string[];
  readonly warnings: readonly ModelWarning[];
}

type ReadingSettings = Pick<ModelSettings, 'customFields' | 'graphql' | 'builtin' | 'options'>;

const noOptions: readonly ModelOption[] = [];

/** Checks a document without regard to the others, and returns the model in the form that the service uses. */
export function readModel(document: unknown, settings: ReadingSettings): ModelReading {
  const { customFields, graphql = true, builtin, options = noOptions } = settings;
  const form = readForm(document, options);
  if (form.model === null) return { document, model: null, problems: form.problems, warnings: [] };
  const model = withKind(form.model);
  const rules: AttributeRules = { systemNames: addedTo(shapeOf(model)), isPart: model.kind === undefined, customFields, graphql };
  const readings = Object.entries(model.attributes).map(([name, written]) => ({ name, ...readAttribute(name, written, rules) }));
  const ofAttributes = readings.flatMap(({ name, problems }) =>
    problems.map((problem) => `attributes.${name}${spaced(problem)}`),
  );
  const problems = [
    ...nameProblems(model),
    ...ofAttributes,
    ...scheduleProblems(model),
    ...draftsProblems(model),
    ...jsonIndexProblems(model),
    ...collationProblems(model),
    ...renameProblems(model),
    ...optionProblems(model, options),
  ];
  const known = readings.flatMap(({ name, definition }) => (definition === null ? [] : [[name, definition] as const]));
  const searches = readSearches({ ...model, attributes: Object.fromEntries(known) });
  const ofNames = readings.flatMap(({ name, warnings: texts }) => texts.map((text) => ({ attribute: name, text, needs: null })));
  const warnings = [...misspeltKeys(model, options), ...ofNames, ...searches.warnings, ...syncWarnings(model, builtin)];
  if (problems.length > 0) return { document, model: null, problems, warnings: [] };
  const attributes = { ...searches.attributes, ...scheduledAttributes(model) };
  return { document, model: extendBuiltin({ ...model, attributes }, builtin), problems: [], warnings };
}

/** Returns a warning for a model that cannot be synced. */
const syncWarnings = (model: Model, builtin: ModelSettings['builtin']): ModelWarning[] =>
  asksForSync(model) && (model.kind !== 'collectionType' || builtin.some(({ uid }) => uid === model.uid))
    ? [{ attribute: null, text: 'pluginOptions.sync has no effect: only collection types of a project are synced', needs: null }]
    : [];

interface SearchReading {
  readonly attributes: Model['attributes'];
  readonly warnings: readonly ModelWarning[];
}

/** Makes the `search` options of a model consistent: components have none, and a type has one language for words. */
function readSearches({ kind, attributes }: Model): SearchReading {
  const warnings: ModelWarning[] = [];
  const first = Object.values(attributes).find(({ search }) => typeof search === 'object')?.search;
  const read = (name: string, definition: AttributeDefinition): AttributeDefinition => {
    const { search } = definition;
    const warn = (text: string): void => void warnings.push({ attribute: name, text, needs: null });
    if (search === undefined) return definition;
    if (kind === undefined) {
      warn('.search has no effect in components');
      return { ...definition, search: undefined };
    }
    if (typeof search !== 'object' || typeof first !== 'object' || search.language === first.language) return definition;
    warn(`.search.language is ${first.language}, the language of the first attribute: a type has one full-text index`);
    return { ...definition, search: first };
  };
  const done = Object.entries(attributes).map(([name, definition]) => [name, read(name, definition)] as const);
  return { attributes: Object.fromEntries(done), warnings };
}

/** Returns a text that follows the name of an attribute: `.type: …` directly, `is …` after a space. */
const spaced = (text: string): string => (/^[. ]/.test(text) ? text : ` ${text}`);

/**
 * Returns a model with its kind. A content type without a kind is a collection type. A component has no kind, even if the
 * document names one.
 */
function withKind(model: Model): Model {
  if (model.uid.includes('::')) return { ...model, kind: model.kind ?? 'collectionType' };
  return Object.fromEntries(Object.entries(model).filter(([key]) => key !== 'kind')) as unknown as Model; // all but one optional key
}

function nameProblems(model: Model): string[] {
  if (model.kind === undefined) return [];
  const { singularName, pluralName } = model.info;
  if (singularName === undefined || pluralName === undefined) return ['info must have singularName and pluralName'];
  return [singularName, pluralName].flatMap((name) =>
    isKebabCase(name) ? [] : [`info: ${JSON.stringify(name)} must be kebab-case`],
  );
}

/**
 * Returns a model with the attributes of the built-in model of its uid, if there is one. A document can add attributes to a
 * built-in model, and say which values its own ones may have.
 */
function extendBuiltin(model: Model, builtin: readonly Model[]): Model {
  const own = builtin.find(({ uid }) => uid === model.uid);
  if (own === undefined) return model;
  const changed = mapValues(own.attributes, (definition, name) => withRules(definition, model.attributes[name]));
  return { ...own, attributes: { ...changed, ...model.attributes, ...changed } };
}

/** What a document may say of the values of an attribute that a built-in model has. */
const ruleNames = ['minLength', 'maxLength', 'regex', 'default'] as const;

/**
 * Returns an attribute of a built-in model with the rules of the document, which says whether it is required. It becomes private if
 * the document says so, never public.
 */
function withRules(own: AttributeDefinition, definition: AttributeDefinition | undefined): AttributeDefinition {
  if (definition === undefined || definition.type !== own.type) return own;
  const written = Object.fromEntries(
    ruleNames.flatMap((name) => (definition[name] === undefined ? [] : [[name, definition[name]]])),
  );
  return { ...own, ...written, required: definition.required === true, ...(definition.private === true && { private: true }) };
}
