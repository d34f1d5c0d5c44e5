import { validationError } from '../errors.js';
import { uploadFile, type Attribute, type ContentType } from '../schema/content-type.js';
import { emptyQuery, type Populate, type PopulateField } from './ast.js';
import type { BindContext } from './bind-context.js';

/** Relations that one `populate=deep` may come to. */
const mostFields = 2_000;

interface Expansion {
  readonly context: BindContext;
  readonly budget: { fields: number };
  /** Collections that relations have led to so far; null inside components, which lead everywhere. */
  readonly seen: Set<string> | null;
}

/**
 * `populate=deep` and `populate=deep,N` as everything below a type, N - 1 levels down; any other populate as it is. As the plugin
 * populate-deep does it, relations do not lead back: an attribute with the name of a collection that was seen is left out. Throws a
 * ValidationError if that is too much.
 */
export function expandDeep(populate: Populate, type: ContentType, context: BindContext): Populate {
  const { populateDeep } = context.settings;
  const [deep, depth] = populate.fields;
  if (populateDeep === 0 || deep?.name !== 'deep' || type.attributes.has('deep')) return populate;
  const levels = depth !== undefined && /^\d+$/.test(depth.name) ? Number(depth.name) : populateDeep;
  if (levels > context.limits.populateDepth + 1)
    throw validationError(`Invalid parameter populate: deeper than ${String(context.limits.populateDepth)} levels`);
  return levelBelow(type, levels, { context, budget: { fields: mostFields }, seen: new Set() }) ?? { all: true, fields: [] };
}

/** What is populated of a type with so many levels left, its own among them; null: nothing below it. */
function levelBelow(type: ContentType, levels: number, expansion: Expansion): Populate | null {
  if (levels <= 1) return null;
  expansion.seen?.add(type.collection);
  const fields = [...type.attributes.values()].flatMap((attribute) => {
    const isLeftOut = expansion.seen?.has(attribute.name) || (type.uid === uploadFile && attribute.name === 'related');
    return attribute.kind === 'scalar' || isLeftOut ? [] : [deepField(attribute, levels - 1, expansion)];
  });
  return { all: false, fields };
}

function deepField(attribute: Attribute, levels: number, expansion: Expansion): PopulateField {
  if (--expansion.budget.fields < 0)
    throw validationError(`Invalid parameter populate: deep leads to more than ${String(mostFields)} relations`);
  const populate = populateBelow(attribute, levels, expansion);
  return {
    name: attribute.name,
    key: attribute.name,
    query: { ...emptyQuery, withTotal: false, ...(populate !== null && { populate }) },
    countOnly: false,
    reversed: false,
    on: null,
  };
}

function populateBelow(attribute: Attribute, levels: number, expansion: Expansion): Populate | null {
  const { types } = expansion.context.registry;
  switch (attribute.kind) {
    case 'scalar':
    case 'morph':
    case 'media':
      return null;
    case 'relation': {
      const target = types.get(attribute.target);
      return target === undefined || attribute.name === 'localizations' ? null : levelBelow(target, levels, expansion);
    }
    case 'component': {
      const component = types.get(attribute.component);
      return component === undefined ? null : levelBelow(component, levels, { ...expansion, seen: null });
    }
    case 'dynamiczone': {
      const below = attribute.components
        .flatMap((uid) => types.get(uid) ?? [])
        .flatMap((type) => levelBelow(type, levels, { ...expansion, seen: null })?.fields ?? []);
      const byName = new Map(below.map((field) => [field.name, field]));
      return { all: false, fields: [...byName.values()] };
    }
  }
}
