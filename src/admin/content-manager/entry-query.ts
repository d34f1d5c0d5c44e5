import { emptyQuery, fieldOf, type Filter, partsField, type Populate, type PopulateField, type Query } from '#model/query/ast.js';
import type { BindContext } from '#model/query/bind-context.js';
import type { Attribute, ContentType } from '#model/schema/content-type.js';

/**
 * How much of an entry is shown.
 * - row: in a list, with related entries to one, the number of those to many, and the values of components themselves
 * - entry: in a form, with whole components and the number of related entries
 * - whole: the entry of a single type, with whole components and related entries
 */
export type EntryForm = 'row' | 'entry' | 'whole';

/** Returns a component of a query that is built. */
export type PartOf = (uid: string) => ContentType | undefined;

/** Makes a function for one query. It throws a ValidationError beyond `api.limits.boundSelections`, because components multiply. */
export function countedParts({ registry, budget }: Pick<BindContext, 'registry' | 'budget'>): PartOf {
  const count = budget.typeCounter();
  return (uid) => {
    count();
    return registry.types.get(uid);
  };
}

/** Returns the query that reads an entry in a form, of any publication state. */
export const entryQuery = (type: ContentType, form: EntryForm, bind: BindContext): Query => ({
  ...emptyQuery,
  publicationState: 'preview',
  showsDrafts: true,
  populate: populateFor(type, form, countedParts(bind)),
});

/** Returns what is populated in a form. */
function populateFor(type: ContentType, form: EntryForm, partOf: PartOf): Populate {
  const fields = [...type.attributes.values()].flatMap((attribute) => populated(attribute, form, partOf) ?? []);
  return { all: false, fields };
}

/**
 * Returns what is populated in rows of a list with a filter. As in Strapi v4, relations of the filter are shown as entries, not as numbers.
 */
export function populateRows(type: ContentType, filter: Filter | null, partOf: PartOf): Populate {
  const named = namesIn(filter);
  const { fields } = populateFor(type, 'row', partOf);
  return { all: false, fields: fields.map((field) => (named.has(field.name) ? { ...field, countOnly: false } : field)) };
}

/** Returns the attributes of a type that a filter names. */
function namesIn(filter: Filter | null): ReadonlySet<string> {
  switch (filter?.kind) {
    case 'and':
    case 'or':
      return new Set(filter.filters.flatMap((one) => [...namesIn(one)]));
    case 'not':
      return namesIn(filter.filter);
    case 'field':
      return new Set([filter.name]);
    default:
      return new Set();
  }
}

/** All values of a related entry, of any publication state. */
export const values: Query = { ...emptyQuery, publicationState: 'preview', showsDrafts: true };
/** The names of an administrator who has created or changed an entry. */
export const creator: Query = { ...emptyQuery, fields: ['firstname', 'lastname', 'username'] };
const file: Query = { ...values, populate: { all: false, fields: [fieldOf('folder', values)] } };

function populated(attribute: Attribute, form: EntryForm, partOf: PartOf): PopulateField | null {
  const { name } = attribute;
  switch (attribute.kind) {
    case 'scalar':
    case 'morph':
      return null;
    case 'media':
      return fieldOf(name, file);
    case 'relation': {
      if (attribute.added === 'creator') return fieldOf(name, creator);
      const isShown = attribute.added === 'locale' || form === 'whole' || (form === 'row' && !attribute.many);
      return fieldOf(name, values, { countOnly: !isShown });
    }
    case 'component':
    case 'dynamiczone':
      return partsField(attribute, (uid) => partQuery(uid, form, partOf));
  }
}

/** Returns the query of a component. In lists its components, files and relations are left out. */
function partQuery(uid: string, form: EntryForm, partOf: PartOf): Query {
  const type = form === 'row' ? undefined : partOf(uid);
  return type === undefined ? values : { ...values, populate: populateFor(type, 'entry', partOf) };
}
