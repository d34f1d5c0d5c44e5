import { isRecord, mapValues, type Values } from '#base/values.js';
import type { ContentType, LinkAttribute, MorphAttribute, Registry } from '#model/schema/content-type.js';
import { draftField } from '#model/schema/drafts-beside.js';
import { hasParts, mapParts } from '#model/schema/parts.js';
import { storedIds } from '#model/schema/stored-values.js';
import type { StoredDocument } from '#store/form/loaded.js';
import { is } from '#store/form/matches.js';
import { morphLinks } from '#store/form/layout.js';
import { isStored } from '#store/stored.js';
import type { ContentContext } from './content-context.js';
import { existingTargets, type LinkTarget, typeOfLink } from './existing-targets.js';

type Linking = LinkAttribute | MorphAttribute;

/**
 * Returns a document that is stored again with those of its links whose targets are stored, and belong to no other entry if they may
 * belong to one only.
 */
export async function linksThatFit(
  type: ContentType,
  document: StoredDocument,
  context: ContentContext,
): Promise<StoredDocument> {
  const { registry } = context.bind;
  const targets: LinkTarget[] = [];
  mapLinks(type, document, registry, (attribute, value) => {
    targets.push(...targetsIn(attribute, value));
    return value;
  });
  const isThere = await existingTargets(targets, context);
  const own = { uid: type.uid, id: document['_id'] };
  const isOwn = ({ uid, id }: LinkTarget): boolean => id === own.id && typeOfLink(registry, uid)?.uid === own.uid;
  const linked = mapLinks(type, document, registry, (attribute, value) =>
    linksAmong(attribute, value, registry, (target) => isOwn(target) || isThere(target)),
  );
  return { ...linked, ...(await takenLinks(type, linked, context)) };
}

/** Returns null for each link to an entry that belongs to another one now. */
async function takenLinks(type: ContentType, document: StoredDocument, { store }: ContentContext): Promise<Values> {
  const links = [...type.attributes.values()].filter(
    (attribute): attribute is LinkAttribute =>
      attribute.kind === 'relation' && attribute.exclusive && !attribute.many && attribute.storage.kind === 'own',
  );
  const nulls: Record<string, null> = {};
  for (const { name } of links) {
    const target = document[name] ?? null;
    const holder = { [name]: target, _id: is.otherThan(document['_id']) };
    if (target !== null && (await isStored(store.database, type.collection, holder))) nulls[name] = null;
  }
  return nulls;
}

/** Returns the values of an entry or component with other links, at any depth, and in the draft beside an entry. */
function mapLinks(
  type: ContentType,
  values: Values,
  registry: Registry,
  change: (attribute: Linking, value: unknown) => unknown,
): Values {
  return mapValues(values, (value, name) => {
    if (name === draftField && isRecord(value)) return mapLinks(type, value, registry, change);
    const attribute = type.attributes.get(name);
    if (attribute === undefined || attribute.kind === 'scalar') return value;
    if (hasParts(attribute))
      return mapParts(attribute, value, registry, (part, inner) => mapLinks(inner, part, registry, change));
    return change(attribute, value);
  });
}

const targetsIn = (attribute: Linking, value: unknown): LinkTarget[] =>
  attribute.kind === 'morph'
    ? morphLinks(value).map(({ __type, id }) => ({ uid: __type, id }))
    : storedIds(value).map((id) => ({ uid: attribute.target, id }));

/** Returns the links to some targets in their stored form, polymorphic ones with the present uids. */
function linksAmong(attribute: Linking, value: unknown, registry: Registry, isKept: (target: LinkTarget) => boolean): unknown {
  const links =
    attribute.kind === 'morph'
      ? morphLinks(value)
          .filter(({ __type, id }) => isKept({ uid: __type, id }))
          .map((link) => ({ ...link, __type: typeOfLink(registry, link.__type)?.uid ?? link.__type }))
      : storedIds(value).filter((id) => isKept({ uid: attribute.target, id }));
  return attribute.many ? links : (links[0] ?? null);
}
