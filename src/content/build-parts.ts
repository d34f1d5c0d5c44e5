import { ApiError, applicationError, namingPath, validationError } from '#base/errors.js';
import { applyLinkInput, type LinkInput } from '#model/schema/apply-link-input.js';
import type {
  Attribute,
  ContentType,
  LinkAttribute,
  MorphAttribute,
  Registry,
  ScalarAttribute,
} from '#model/schema/content-type.js';
import { listsParts, type PartsAttribute, uidOfPart } from '#model/schema/parts.js';
import type { Values } from '#base/values.js';
import { maximumLinks, morphKey, morphTarget, readLinkInput, readMorphInput } from '#model/schema/link-input.js';
import { storedIds } from '#model/schema/stored-values.js';
import { scalarTypes } from '#model/schema/scalar-types.js';
import { linkRanks, morphLinks, partsOf } from '#store/form/layout.js';
import type { ContentContext } from './content-context.js';
import type { PlainPassword } from './hash-passwords.js';

/** A stored component; `id` is 0 until it is allocated. */
type Part = Record<string, unknown> & { id: number };

/** New components that still need an id, by uid of their type. */
type NewParts = Map<string, Part[]>;

export interface BuildContext {
  readonly registry: Registry;
  readonly newParts: NewParts;
  /** Passwords that are still to be hashed. */
  readonly passwords: PlainPassword[];
  /** `create`: all components are new, even with an id. */
  readonly mode: 'create' | 'update';
}

/** Returns the stored form of checked components: a stored one with changes if a value has its id, else a new one. */
export function buildParts(attribute: PartsAttribute, value: unknown, current: unknown, context: BuildContext): unknown {
  const currentParts = indexParts(current);
  const build = (item: Values): Part | null => {
    const type = context.registry.types.get(uidOfPart(attribute, item));
    const stored = findPart(attribute, currentParts, item, context);
    return type === undefined ? null : buildPart({ type, item, stored, isMarked: attribute.kind === 'dynamiczone' }, context);
  };
  if (!listsParts(attribute)) return value === null ? null : build(value as Values); // checked to be an object
  const items = (value ?? []) as Values[]; // checked to be a list of objects with known components
  const merged = attribute.kind === 'component' ? mergeById(items, context) : items;
  return merged.map((item, index) => namingPath([String(index)], () => build(item)));
}

/** Merges items with the same id: they are patches of the same component. */
function mergeById(items: readonly Values[], { mode }: BuildContext): readonly Values[] {
  if (mode === 'create') return items;
  const merged = new Map<unknown, Values>();
  for (const [index, item] of items.entries()) {
    const key = item['id'] === undefined || item['id'] === null ? `new ${String(index)}` : Number(item['id']);
    merged.set(key, { ...merged.get(key), ...item });
  }
  return [...merged.values()];
}

/** Returns the stored parts of an attribute by their ids, in a dynamic zone by component and id. Parts without an id have none. */
const indexParts = (value: unknown): KnownParts =>
  new Map(partsOf(value).flatMap((part) => (hasId(part) ? [[partKey(part, part.id), part]] : [])));

const hasId = (part: Values): part is Part => typeof part['id'] === 'number';

const partKey = ({ __component: component }: Values, id: number): string => `${String(component ?? '')} ${String(id)}`;

type KnownParts = ReadonlyMap<string, Part>;

function findPart(attribute: PartsAttribute, currentParts: KnownParts, item: Values, { mode }: BuildContext): Part | null {
  if (mode === 'create' || item['id'] === undefined || item['id'] === null) return null;
  const zoned = attribute.kind === 'dynamiczone' ? item : {};
  const stored = currentParts.get(partKey(zoned, Number(item['id'])));
  if (stored !== undefined) return stored;
  const message = `Some of the provided components in ${attribute.name} are not related to the entity`;
  throw attribute.kind === 'dynamiczone' ? new ApiError(400, 'Error', message, { details: null }) : applicationError(message);
}

interface PartInput {
  readonly type: ContentType;
  /** The checked values. */
  readonly item: Values;
  /** The stored component that the values change; null for a new one. */
  readonly stored: Part | null;
  /** Whether the component is stored with its uid, as in a dynamic zone. */
  readonly isMarked: boolean;
}

function buildPart({ type, item, stored, isMarked }: PartInput, context: BuildContext): Part {
  const part: Part = { id: stored?.id ?? 0, ...(isMarked && { __component: type.uid }) };
  for (const attribute of type.attributes.values()) {
    const { name } = attribute;
    const value = Object.hasOwn(item, name) ? item[name] : undefined;
    if (value === undefined && stored !== null) part[name] = stored[name];
    else if (attribute.kind === 'scalar')
      namingPath([name], () => buildScalar(attribute, value === undefined ? attribute.default : value, part, context));
    else part[name] = namingPath([name], () => buildInside(attribute, value, stored, context));
  }
  if (stored === null) noteNew(type, part, context);
  return part;
}

/** Allocates the ids of new components: one command for each type, outside the transaction of the write. */
export async function giveIds(newParts: NewParts, { store }: ContentContext): Promise<void> {
  await Promise.all(
    [...newParts].map(async ([uid, parts]) => {
      const ids = await store.ids.next(`component ${uid}`, parts.length, { ...store.database, session: null });
      for (const [index, part] of parts.entries()) part.id = ids[index] ?? 0;
    }),
  );
}

function noteNew({ uid }: ContentType, part: Part, { newParts }: BuildContext): void {
  const parts = newParts.get(uid);
  if (parts === undefined) newParts.set(uid, [part]);
  else parts.push(part);
}

/**
 * Adds the stored form of a checked value to an entry or component. Throws a ValidationError for a date or time that cannot be
 * read; as in Strapi v4, it is reported alone.
 */
export function buildScalar(
  { type, name }: ScalarAttribute,
  value: unknown,
  holder: Record<string, unknown>,
  { passwords }: BuildContext,
): void {
  const isGiven = value !== null && value !== undefined;
  holder[name] = isGiven && type !== 'password' ? scalarTypes[type].store(value, name) : null;
  if (isGiven && type === 'password') passwords.push({ holder, name, value });
}

/** Returns the value of a link, component or dynamic zone inside a component. */
function buildInside(
  attribute: Exclude<Attribute, ScalarAttribute>,
  value: unknown,
  stored: Part | null,
  context: BuildContext,
): unknown {
  if ('storage' in attribute) return buildOwnLinks(attribute, value, stored);
  const current = stored?.[attribute.name];
  return attribute.kind === 'morph'
    ? buildMorph(attribute, value, current, stored === null ? 'create' : 'update')
    : buildParts(attribute, value ?? null, current, context);
}

/** Returns the stored ids of a relation inside a component: one or null, or a list. */
function buildOwnLinks(link: LinkAttribute, value: unknown, stored: Part | null): number | null | readonly number[] {
  const input = value === undefined ? null : readLinkInput(link, value, stored === null ? 'create' : 'update');
  const ids = applyLinks(link, stored?.[link.name], input ?? { kind: 'none' });
  return link.many ? ids : (ids[0] ?? null);
}

/** Returns the ids of a stored list after a write. Throws a ValidationError if there are more than a document may have. */
export function applyLinks(link: LinkAttribute, stored: unknown, input: LinkInput): readonly number[] {
  const ids = applyLinkInput(storedIds(stored), input);
  if (ids.length > maximumLinks) throw tooManyLinks(link);
  return ids;
}

export const tooManyLinks = ({ name }: Attribute): Error =>
  validationError(
    `${name} holds at most ${String(maximumLinks)} related entries; let the other side own the relation (a manyToOne) for more`,
  );

/**
 * Returns polymorphic links in their stored form. Links that are stored already keep their rank. Throws a ValidationError for
 * impossible positions, and if there are more links than a document may have.
 */
export function buildMorph(attribute: MorphAttribute, value: unknown, current: unknown, mode: BuildContext['mode']): unknown {
  const ranks = new Map(morphLinks(current).map(({ __type, id, rank }) => [morphKey(__type, id), rank]));
  const keys = applyLinkInput([...ranks.keys()], readMorphInput(attribute, value === undefined ? {} : value, mode));
  if (keys.length > maximumLinks) throw tooManyLinks(attribute);
  const links = keys.map((key) => {
    const { uid, id } = morphTarget(key);
    return { __type: uid, id, rank: ranks.get(key) ?? nextRank() };
  });
  return attribute.many ? links : (links[0] ?? null);
}

let last = 0;

/**
 * Returns a rank above all earlier ones; across instances, as far as their clocks agree. Ranks order the entries on the inverse
 * side of a relation, and the related entries of a file.
 */
export function nextRank(after = 0): number {
  last = Math.max(last + 16, linkRanks.ofTime(Date.now()), after + 16);
  return last;
}
