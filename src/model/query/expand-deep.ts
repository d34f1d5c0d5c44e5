import { uploadFile, type Attribute, type ContentType } from '../schema/content-type.js';
import { componentsOf } from '../schema/parts.js';
import { emptyQuery, type Populate, type PopulateField } from './ast.js';
import type { BindContext } from './bind-context.js';
import { mergeFields, plainField, tooDeep } from './merge-populate.js';
import { readable } from './access.js';

interface Expansion {
  readonly context: BindContext;
  /** Counts a populated type. Throws if there are more than the request may populate. */
  readonly countType: () => void;
  /** Collections that relations have led to so far; null inside components, where relations may lead back. */
  readonly visitedUids: Set<string> | null;
}

/**
 * Replaces `deep` and `deep,N` by everything below the type, N - 1 levels down; returns any other populate as it is. As in the
 * plugin populate-deep, relations do not lead back: an attribute with the name of a collection that was seen is left out. Throws
 * a ValidationError if N is more than `api.limits.populateDepth` allows, or if more types are populated than
 * `api.limits.boundSelections` allows.
 */
export function expandDeep(populate: Populate, type: ContentType, context: BindContext): Populate {
  const { populateDeep } = context.settings;
  const [deep, depth] = populate.fields;
  if (populateDeep === 0 || deep?.name !== 'deep' || type.attributes.has('deep')) return populate;
  const max = context.limits.populateDepth + 1;
  const levels = depth !== undefined && /^\d+$/.test(depth.name) ? Number(depth.name) : Math.min(populateDeep, max);
  if (levels > max) throw tooDeep(context.limits);
  const expansion = { context, countType: context.budget.typeCounter(), visitedUids: new Set<string>() };
  return levelBelow(type, levels, expansion) ?? { all: true, fields: [] };
}

/** Returns everything below a type, which is the first of `levels`; null if there is no level below it. */
function levelBelow(type: ContentType, levels: number, expansion: Expansion): Populate | null {
  if (levels <= 1) return null;
  expansion.visitedUids?.add(type.collection);
  const fields = [...type.attributes.values()].flatMap((attribute) =>
    attribute.kind === 'scalar' || isLeftOut(attribute, type, expansion) ? [] : [deepField(attribute, levels - 1, expansion)],
  );
  return { all: false, fields };
}

const isLeftOut = ({ name }: Attribute, type: ContentType, { visitedUids, context }: Expansion): boolean =>
  visitedUids?.has(name) === true ||
  (type.uid === uploadFile && name === 'related') ||
  readable(type, name, context.access) === null;

function deepField(attribute: Attribute, levels: number, expansion: Expansion): PopulateField {
  expansion.countType();
  const populate = populateBelow(attribute, levels, expansion);
  return plainField(attribute.name, populate === null ? emptyQuery : { ...emptyQuery, populate });
}

function populateBelow(attribute: Attribute, levels: number, expansion: Expansion): Populate | null {
  const { types } = expansion.context.registry;
  if (attribute.kind === 'relation') {
    const target = types.get(attribute.target);
    return target === undefined || attribute.added === 'locale' ? null : levelBelow(target, levels, expansion);
  }
  const below = componentsOf(attribute).map((uid) => {
    const component = types.get(uid);
    return component === undefined ? null : levelBelow(component, levels, { ...expansion, visitedUids: null });
  });
  if (attribute.kind !== 'dynamiczone') return below[0] ?? null;
  return { all: false, fields: mergeFields(below.flatMap((populate) => populate?.fields ?? [])) };
}
