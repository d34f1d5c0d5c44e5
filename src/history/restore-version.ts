import type { ContentContext } from '../content/content-context.js';
import { update } from '../content/update.js';
import type { Version } from '../mongo/stores/history-store.js';
import { findStored } from '../mongo/stored.js';
import { oneOf } from '../mongo/form/matches.js';
import { emptyQuery } from '../query/ast.js';
import type { Attribute, ContentType } from '../schema/content-type.js';
import { mapParts, hasParts } from '../schema/parts.js';
import { scheduledNames } from '../schema/scheduled.js';
import { isRecord, type Values } from '../values.js';

/**
 * Updates an entry to a version: its values, components, publication state, and links to entries that still exist. Passwords stay.
 * Returns false if there is no such entry. Throws the errors of an update, for example if the model has changed since.
 */
export async function restoreVersion(type: ContentType, { entry }: Version, context: ContentContext): Promise<boolean> {
  const id = Number(entry['id']);
  const data = await inputOf(type, entry, context);
  return (await update({ type, id }, { data, query: emptyQuery }, context)) !== null;
}

/** Attributes that an update does not take, or that the service sets. */
const left: ReadonlySet<string> = new Set(['createdAt', 'updatedAt', 'createdBy', 'updatedBy', 'locale', 'localizations']);

/** Returns the body that writes an entry, or a component of it, as it was. */
async function inputOf(type: ContentType, entry: Values, context: ContentContext): Promise<Values> {
  const input: Record<string, unknown> = {};
  for (const attribute of type.attributes.values()) {
    const { name, writable } = attribute;
    if (!writable || left.has(name) || !Object.hasOwn(entry, name)) continue;
    input[name] = isOver(type, name, entry[name]) ? null : await valueOf(attribute, entry[name], context);
  }
  return input;
}

/** Returns whether a value is a time of scheduled publishing that has passed: it was to be met once. */
const isOver = ({ scheduled }: ContentType, name: string, value: unknown): boolean =>
  scheduled && scheduledNames.some((own) => own === name) && value instanceof Date && value.getTime() <= Date.now();

async function valueOf(attribute: Attribute, value: unknown, context: ContentContext): Promise<unknown> {
  if (attribute.kind === 'scalar' || value === null) return value;
  if (hasParts(attribute)) return partsOf(attribute, value, context);
  const links = [value].flat().filter(isRecord);
  const kept = await existing(attribute, links, context);
  return attribute.many ? kept : (kept[0] ?? null);
}

async function partsOf(attribute: Attribute, value: unknown, context: ContentContext): Promise<unknown> {
  const waiting: Promise<void>[] = [];
  const parts = mapParts(attribute, value, context.bind.registry, (part, type) => {
    const input: Record<string, unknown> = {};
    if ('__component' in part) input['__component'] = part['__component'];
    waiting.push(inputOf(type, part, context).then((values) => void Object.assign(input, values)));
    return input;
  });
  await Promise.all(waiting);
  return parts;
}

/** Returns the links whose targets are still stored, in their order: their ids, or for a polymorphic relation also their types. */
async function existing(
  attribute: Exclude<Attribute, { kind: 'scalar' | 'component' | 'dynamiczone' }>,
  links: readonly Values[],
  { bind, store }: ContentContext,
): Promise<readonly unknown[]> {
  const uidOf = (link: Values): string => (attribute.kind === 'morph' ? String(link['__type']) : attribute.target);
  const stored = new Map<string, ReadonlySet<unknown>>();
  for (const uid of new Set(links.map(uidOf))) {
    const collection = bind.registry.types.get(uid)?.collection;
    const wanted = links.flatMap((link) => (uidOf(link) === uid ? [link['id']] : []));
    if (collection === undefined) continue;
    const found = await findStored(store.database, collection, { match: { _id: oneOf(wanted) }, fields: ['_id'] });
    stored.set(uid, new Set(found.map(({ _id }): unknown => _id)));
  }
  const kept = links.filter((link) => stored.get(uidOf(link))?.has(link['id']) === true);
  return kept.map((link) => (attribute.kind === 'morph' ? { __type: link['__type'], id: link['id'] } : link['id']));
}
