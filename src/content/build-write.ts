import { memoizePair } from '#base/caches.js';
import { namingPath } from '#base/errors.js';
import { linkRanks, uniqueFields } from '#store/form/layout.js';
import type { StoredDocument } from '#store/form/loaded.js';
import type { LinkInput } from '#model/schema/apply-link-input.js';
import { isSettable } from '#model/schema/added-attributes.js';
import type { Attribute, ContentType, LinkAttribute, Registry, ScalarAttribute } from '#model/schema/content-type.js';
import { listsParts } from '#model/schema/parts.js';
import type { Values } from '#base/values.js';
import { readLinkInput } from '#model/schema/link-input.js';
import { fileAttributes, heldUniques, listedUniquePaths, type UniquePath } from '#model/schema/attribute-places.js';
import { type BuildContext, buildMorph, buildParts, buildScalar, applyLinks, giveIds, nextRank } from './build-parts.js';
import type { ContentContext } from './content-context.js';
import { hashPasswords } from './hash-passwords.js';
import { refuseRepeats } from './unique-errors.js';

/** The steps that writes of a type need, computed once. A step with an empty list is skipped. */
interface WritePlan {
  readonly settable: readonly Attribute[];
  /** The uids that a create generates unless they are sent (`options.generate`). */
  readonly generated: readonly ScalarAttribute[];
  /** Unique attributes in lists of components, whose values are stored in a field of their own. */
  readonly listed: readonly UniquePath[];
  /** Attributes that hold files; their ranks are stored. */
  readonly withFiles: readonly string[];
}

export const writePlan = memoizePair((type: ContentType, registry: Registry): WritePlan => {
  const settable = [...type.attributes.values()].filter(isSettable);
  return {
    settable,
    generated: settable.filter(isGenerated),
    listed: listedUniquePaths(type, registry),
    withFiles: fileAttributes(type, registry),
  };
});

const isGenerated = (attribute: Attribute): attribute is ScalarAttribute =>
  attribute.kind === 'scalar' && attribute.type === 'uid' && attribute.generate;

/** The write of a checked body: the entry's own values, and the links that are stored with other entries. */
export interface EntryWrite {
  /** Values by document path, with the ranks of relations that have an inverse side. */
  readonly values: Record<string, unknown>;
  readonly inverse: readonly InverseLinks[];
  /** Links of bidirectional one-to-one relations: no other entry may keep these targets. */
  readonly exclusive: readonly ExclusiveLinks[];
}

export interface InverseLinks {
  readonly link: LinkAttribute;
  readonly input: LinkInput;
}

export interface ExclusiveLinks {
  readonly link: LinkAttribute;
  readonly target: number;
}

/** What a write begins with. */
interface Start {
  /** The stored entry that is updated; a new one is created if absent. */
  readonly current?: StoredDocument;
  /** Stored values that a new entry takes where its data has none. */
  readonly draftValues?: Values;
}

interface Building extends BuildContext, Start {
  readonly values: Record<string, unknown>;
  readonly inverse: InverseLinks[];
  readonly exclusive: ExclusiveLinks[];
}

/**
 * Builds the write of an entry from a checked body. Attributes that the body of a new entry leaves out have the values of `taken`, or
 * their defaults. Throws the errors of casts and component ids, and a DuplicateKey for a unique value that another component of the
 * entry keeps.
 */
export async function buildWrite(type: ContentType, data: Values, start: Start, context: ContentContext): Promise<EntryWrite> {
  const { registry } = context.bind;
  const { settable, listed, withFiles } = writePlan(type, registry);
  const mode = start.current === undefined ? 'create' : 'update';
  const made = { newParts: new Map(), passwords: [], values: {}, inverse: [], exclusive: [] };
  const building: Building = { registry, mode, ...made, ...start };
  for (const attribute of settable) {
    if (Object.hasOwn(data, attribute.name)) buildAttribute(attribute, data[attribute.name], building);
    else if (mode === 'create' && attribute.writable) buildAbsent(attribute, building);
  }
  const hashing = { sender: context.store.database.sender, keepsHashes: context.isRaw === true };
  if (building.passwords.length > 0) await hashPasswords(building.passwords, hashing);
  if (building.newParts.size > 0) await giveIds(building.newParts, context);
  if (start.current !== undefined) refuseRepeats(listed, building.values, start.current);
  if (listed.length > 0) keepUnique(listed, building);
  if (withFiles.length > 0) rankFiles(withFiles, building);
  return building;
}

function buildAttribute(attribute: Attribute, value: unknown, building: Building): void {
  if (attribute.kind === 'scalar') buildScalar(attribute, value, building.values, building);
  else namingPath([attribute.name], () => buildStructured(attribute, value, building));
}

function buildStructured(attribute: Exclude<Attribute, ScalarAttribute>, value: unknown, building: Building): void {
  const { name } = attribute;
  const stored = building.current?.[name];
  if ('storage' in attribute) buildLinks(attribute, value, building);
  else if (attribute.kind === 'morph') building.values[name] = buildMorph(attribute, value, stored, building.mode);
  else building.values[name] = buildParts(attribute, value, stored, building);
}

function buildAbsent(attribute: Attribute, building: Building): void {
  const { name } = attribute;
  const { draftValues = {} } = building;
  if (Object.hasOwn(draftValues, name)) building.values[name] = draftValues[name];
  else if (attribute.kind === 'scalar') buildScalar(attribute, attribute.default, building.values, building);
  else if (!('storage' in attribute) || attribute.storage.kind === 'own') building.values[name] = isList(attribute) ? [] : null;
}

const isList = (attribute: Attribute): boolean => ('many' in attribute ? attribute.many : listsParts(attribute));

function buildLinks(link: LinkAttribute, value: unknown, building: Building): void {
  const input = readLinkInput(link, value, building.mode);
  switch (link.storage.kind) {
    case 'own':
      buildOwn(link, input, building);
      return;
    case 'localizations':
      return; // set when the entry is created; an update does not change the group
    case 'inverse':
    case 'morph':
      if (changesLinks(input)) building.inverse.push({ link, input });
  }
}

/** Returns whether an input changes links: the panel sends an empty change of each relation of a form. */
const changesLinks = (input: LinkInput): boolean =>
  input.kind === 'set' || (input.kind === 'patch' && input.connect.length + input.disconnect.length > 0);

function buildOwn(link: LinkAttribute, input: LinkInput, building: Building): void {
  if (input.kind === 'none' && building.mode === 'update') return;
  const ids = applyLinks(link, building.current?.[link.name], input);
  if (link.many) buildOwnMany(link, ids, building);
  else buildOwnOne(link, ids[0] ?? null, building);
}

function buildOwnOne(link: LinkAttribute, id: number | null, { values, exclusive, current, mode }: Building): void {
  values[link.name] = id;
  if (link.inverse !== null && (mode === 'create' || current?.[link.name] !== id))
    linkRanks.set(values, link.name, id === null ? null : nextRank(), mode);
  if (link.exclusive && id !== null) exclusive.push({ link, target: id });
}

function buildOwnMany(link: LinkAttribute, ids: readonly number[], { values, current, mode }: Building): void {
  values[link.name] = ids;
  if (link.inverse === null) return;
  const rankOf = (id: number): number => linkRanks.of(current ?? {}, link.name, id) ?? nextRank();
  linkRanks.set(values, link.name, Object.fromEntries(ids.map((id) => [String(id), rankOf(id)])), mode);
}

/** Sets the ranks of attributes whose files are written. A file lists its related entries in the order of these ranks. */
function rankFiles(names: readonly string[], { values, mode }: Pick<Building, 'values' | 'mode'>): void {
  for (const name of names) {
    const value = values[name] ?? null;
    if (value !== null && !(Array.isArray(value) && value.length === 0)) linkRanks.set(values, name, nextRank(), mode);
  }
}

/**
 * Stores the values of unique attributes in lists of components in a separate field. A create without such values adds no field.
 */
function keepUnique(listed: readonly UniquePath[], { values, mode }: Pick<Building, 'values' | 'mode'>): void {
  const paths = listed.filter(({ names }) => Object.hasOwn(values, names[0] ?? ''));
  uniqueFields.set(values, { paths, values: heldUniques(listed, values) }, mode);
}

/** Adds what is stored beside values that an update copies from another entry. */
export function completeCopies(type: ContentType, values: Record<string, unknown>, registry: Registry): void {
  const { listed, withFiles } = writePlan(type, registry);
  keepUnique(listed, { values, mode: 'update' });
  rankFiles(withFiles, { values, mode: 'update' });
}
