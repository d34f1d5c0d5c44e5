import { didYouMean } from '../nearest-name.js';
import type { AttributeDefinition, Model, ModelWarning } from './model.js';
import { isScalarType, scalarTypes } from './scalar-types.js';

/** Codes of the languages of MongoDB text indexes; `none` does not stem words. */
const languages = ['none', 'da', 'de', 'en', 'es', 'fi', 'fr', 'hu', 'it', 'nb', 'nl', 'pt', 'ro', 'ru', 'sv', 'tr'];

/** Returns the reason why the `search` of a scalar attribute has no effect; null if it has one. */
export function searchProblem({ type, search }: AttributeDefinition): string | null {
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

interface SearchReading {
  readonly attributes: Model['attributes'];
  readonly warnings: readonly ModelWarning[];
}

/** Makes the `search` options of a model consistent: components have none, and a type has one language for words. */
export function readSearches({ kind, attributes }: Model): SearchReading {
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
