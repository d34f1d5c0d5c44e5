import { emptyQuery, type Populate, type PopulateField, type Query } from '../../query/ast.js';
import type { Attribute, ContentType, Registry } from '../../schema/content-type.js';

/**
 * How much of an entry is shown.
 * - row: in a list, with related entries to one, the number of those to many, and the values of components themselves
 * - entry: in a form, with whole components and the number of related entries
 * - whole: the entry of a single type, with whole components and related entries
 */
export type EntryForm = 'row' | 'entry' | 'whole';

/** Returns the query that reads an entry in a form, of any publication state. */
export const entryQuery = (type: ContentType, form: EntryForm, registry: Registry): Query => ({
  ...emptyQuery,
  publicationState: 'preview',
  populate: populateFor(type, form, registry),
});

/** Returns what is populated in a form. */
export function populateFor(type: ContentType, form: EntryForm, registry: Registry): Populate {
  const fields = [...type.attributes.values()].flatMap((attribute) => populated(attribute, form, registry) ?? []);
  return { all: false, fields };
}

export const field = (name: string, query: Query, countOnly = false): PopulateField => ({
  ...{ name, key: name, query, countOnly },
  ...{ reversed: false, on: null },
});

/** All values of a related entry, of any publication state. */
export const values: Query = { ...emptyQuery, publicationState: 'preview' };
const creator: Query = { ...emptyQuery, fields: ['firstname', 'lastname', 'username'] };
const file: Query = { ...values, populate: { all: false, fields: [field('folder', values)] } };

function populated(attribute: Attribute, form: EntryForm, registry: Registry): PopulateField | null {
  const { name } = attribute;
  switch (attribute.kind) {
    case 'scalar':
    case 'morph':
      return null;
    case 'media':
      return field(name, file);
    case 'relation': {
      if (name === 'createdBy' || name === 'updatedBy') return field(name, creator);
      const isShown = name === 'localizations' || form === 'whole' || (form === 'row' && !attribute.many);
      return field(name, values, !isShown);
    }
    case 'component':
      return field(name, partQuery(registry.types.get(attribute.component), form, registry));
    case 'dynamiczone': {
      const on = attribute.components.map((uid) => [uid, partQuery(registry.types.get(uid), form, registry)] as const);
      return { ...field(name, values), on: new Map(on) };
    }
  }
}

/** Returns the query of a component. In lists its components, files and relations are left out. */
const partQuery = (type: ContentType | undefined, form: EntryForm, registry: Registry): Query =>
  type === undefined || form === 'row' ? values : { ...values, populate: populateFor(type, 'entry', registry) };
