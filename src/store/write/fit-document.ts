import { memoize } from '#base/caches.js';
import { isRecord, type Values } from '#base/values.js';
import { type Attribute, type ContentType, type Registry, type ScalarAttribute, uidsOf } from '#model/schema/content-type.js';
import { convertValue } from '#model/schema/convert-value.js';
import { draftField, keepsDrafts } from '#model/schema/drafts-beside.js';
import { componentsOf, hasParts, listsParts, type PartsAttribute } from '#model/schema/parts.js';
import { scalarTypes } from '#model/schema/scalar-types.js';
import type { StoredDocument } from '../form/loaded.js';
import { partsOf } from '../form/layout.js';
import { FieldMoves } from '../send/field-moves.js';

/** The types that relations led to, by uid of type or component and attribute. */
export type FormerTargets = Readonly<Record<string, Readonly<Record<string, string>>>>;

interface FittedDocument {
  readonly document: StoredDocument;
  /** The paths of values that the model cannot take any more. */
  readonly leftOut: readonly string[];
}

interface Fitting {
  readonly registry: Registry;
  readonly targets: FormerTargets;
  readonly leftOut: string[];
}

/**
 * Returns a document that was stored by a former model in the form of the model in force: attributes under their new names, values that
 * have another type converted if nothing is lost, and none that the model has no more.
 */
export function fitDocument(
  type: ContentType,
  stored: StoredDocument,
  { registry, targets }: Omit<Fitting, 'leftOut'>,
): FittedDocument {
  const leftOut: string[] = [];
  const named = movesOf(registry).document(type.collection, stored);
  const document = fitValues(type, named, '', { registry, targets, leftOut });
  return { document, leftOut: [...new Set(leftOut)] }; // a draft beside an entry may lack the same
}

/** Returns the moves from all other names of attributes to those that are served. */
const movesOf = memoize((registry: Registry): FieldMoves => {
  const moves = new FieldMoves();
  const renamed = [...registry.types.values()].flatMap(({ uid, aliases, attributes }) =>
    [...(aliases ?? [])].flatMap(([from, to]) => (attributes.has(from) ? [] : [{ uid, from, to, keepsFormer: false }])),
  );
  moves.follow(renamed, registry);
  return moves;
});

/** Fields that are no attributes: those of the service in a document, and what names a component. */
const isOwnField = (name: string, type: ContentType): boolean =>
  type.kind === 'component' ? name === 'id' || name === '__component' : name.startsWith('_');

function fitValues(type: ContentType, values: Values, at: string, fitting: Fitting): Values {
  const fitted: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(values)) {
    const attribute = type.attributes.get(name);
    if (attribute !== undefined) fitted[name] = fitValue(type, attribute, value, { at: `${at}${name}`, fitting });
    else if (name === draftField && type.kind !== 'component') Object.assign(fitted, fitDraft(type, value, fitting));
    else if (isOwnField(name, type)) fitted[name] = value;
    else if (!isEmpty(value)) fitting.leftOut.push(`${at}${name}`);
  }
  return fitted;
}

/** Returns the draft beside an entry, if the type still has such drafts. */
const fitDraft = (type: ContentType, draft: unknown, fitting: Fitting): Values =>
  keepsDrafts(type) && isRecord(draft) ? { [draftField]: fitValues(type, draft, '', fitting) } : {};

const isEmpty = (value: unknown): boolean => (value ?? null) === null || (Array.isArray(value) && value.length === 0);

interface Place {
  readonly at: string;
  readonly fitting: Fitting;
}

function fitValue(owner: ContentType, attribute: Attribute, value: unknown, place: Place): unknown {
  const { at, fitting } = place;
  const isList = 'many' in attribute ? attribute.many : listsParts(attribute);
  const nothing = isList ? [] : null;
  const leaveOut = (): unknown => {
    fitting.leftOut.push(at);
    return nothing;
  };
  if (isEmpty(value)) return attribute.kind === 'scalar' ? value : nothing;
  if ('storage' in attribute && attribute.storage.kind !== 'own') return leaveOut();
  if (attribute.kind === 'scalar') return isFit(attribute, value) ? value : (convertedTo(attribute, value) ?? leaveOut());
  if (hasParts(attribute)) {
    const parts = partsOf(value).flatMap((part, index) =>
      fitPart(attribute, part, { at: Array.isArray(value) ? `${at}[${String(index)}]` : at, fitting }),
    );
    return isList ? parts : parts.length > 1 ? leaveOut() : (parts[0] ?? null);
  }
  const links = [value].flat();
  if (leadsElsewhere(owner, attribute, fitting) || (!isList && links.length > 1)) return leaveOut();
  return isList ? links : (links[0] ?? null);
}

const isFit = ({ type }: ScalarAttribute, value: unknown): boolean =>
  type === 'password' ? typeof value === 'string' : scalarTypes[type].output(value) !== null;

/** Returns a value in the stored form of an attribute; null if it cannot be converted. */
function convertedTo(attribute: ScalarAttribute, value: unknown): unknown {
  const converted = convertValue(value, attribute);
  return 'value' in converted ? converted.value : null;
}

/** Returns whether a relation led to another type when its document was stored. */
function leadsElsewhere({ uid }: ContentType, attribute: Attribute, { registry, targets }: Fitting): boolean {
  const former = targets[uid]?.[attribute.name];
  const target = attribute.kind === 'relation' ? registry.types.get(attribute.target) : undefined;
  return former !== undefined && target !== undefined && !uidsOf(target).includes(former);
}

/** Returns a component in a list; an empty list if the attribute does not allow it. */
function fitPart(attribute: PartsAttribute, part: Values, { at, fitting }: Place): Values[] {
  const uid = String(part['__component'] ?? componentsOf(attribute)[0]);
  const type = componentsOf(attribute).includes(uid) ? fitting.registry.types.get(uid) : undefined;
  if (type !== undefined) {
    const { __component: stated, ...values } = fitValues(type, part, `${at}.`, fitting);
    return [attribute.kind === 'dynamiczone' ? { ...values, __component: stated ?? uid } : values];
  }
  fitting.leftOut.push(at);
  return [];
}
