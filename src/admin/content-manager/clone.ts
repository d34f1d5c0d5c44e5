import { createShaper, type Presentation, type Shaped } from '#content/shape-values.js';
import { ApiError } from '#base/errors.js';
import type { Answer } from '#http/route.js';
import { decodeId, isRecord, type Values } from '#base/values.js';
import type { Attribute, ContentType, Registry } from '#model/schema/content-type.js';
import { hasParts } from '#model/schema/parts.js';
import { hasSchedule, isScheduledName } from '#model/schema/scheduled.js';
import { emptyQuery, fieldOf, partsField, type Populate, type Query } from '#model/query/ast.js';
import { needing, type PanelCall } from '../panel-route.js';
import { contentFor } from '../rights/content-access.js';
import { listedComponent, permittedAttributes } from '../rights/field-paths.js';
import { countedParts, type PartOf, values } from './entry-query.js';
import { callOnEntry, findEntry } from './entry-rights.js';
import { typeOf } from './read-routes.js';
import { createEntry, showWrittenEntry } from './write-entry.js';

/** The routes that copy entries. */
export const cloneRoutes = needing(
  'logged in',
  {
    'POST /content-manager/collection-types/:uid/clone/:sourceId': clone,
    'POST /content-manager/collection-types/:uid/auto-clone/:sourceId': autoClone,
  },
  'entries',
);

/** Copies an entry with the changed values of the body. */
async function clone(call: PanelCall): Promise<Answer> {
  return copy(typeOf(call, 'collectionType'), call.request.body, call);
}

/** Copies an entry as it is, unless it has values that two entries cannot have. */
async function autoClone(call: PanelCall): Promise<Answer> {
  const type = typeOf(call, 'collectionType');
  contentFor(call, 'create', type);
  const prohibitedFields = prohibited(type, call.content.bind.registry);
  if (prohibitedFields.length === 0) return copy(type, {}, call);
  const message =
    'Entity could not be cloned as it has unique and/or relational fields. Please edit those fields manually and save to complete the cloning.';
  throw new ApiError(400, 'BadRequestError', message, { details: { prohibitedFields } });
}

/** The path of an attribute, and why it cannot be copied. */
type Prohibited = readonly [path: readonly string[], reason: 'unique' | 'relation'];

/** Lists the values that two entries cannot have. Writes refuse those of components with too many fields to list. */
function prohibited(type: ContentType, registry: Registry, above: readonly string[] = []): Prohibited[] {
  const below = (uid: string, path: readonly string[]): Prohibited[] => {
    const part = listedComponent(uid, registry);
    return part === null ? [] : prohibited(part, registry, path);
  };
  return permittedAttributes(type).flatMap((attribute): Prohibited[] => {
    const path = [...above, attribute.name];
    if (attribute.kind === 'scalar') return attribute.unique || attribute.type === 'uid' ? [[path, 'unique']] : [];
    if (attribute.kind === 'component') return below(attribute.component, path);
    if (attribute.kind === 'dynamiczone') return attribute.components.flatMap((uid) => below(uid, [...path, uid]));
    return isExclusive(attribute) ? [[path, 'relation']] : [];
  });
}

const isExclusive = (attribute: Attribute): boolean => attribute.kind === 'relation' && attribute.exclusive;

/** Throws a ForbiddenError for an entry that the administrator may not read. */
async function copy(type: ContentType, body: unknown, call: PanelCall): Promise<Answer> {
  contentFor(call, 'create', type);
  const source = decodeId(call.request.params['sourceId']);
  const { data, locale } = await valuesToCopy(type, source, call);
  const changed = isRecord(body) ? { ...data, ...body } : body;
  const id = await createEntry(type, changed, { call, values: locale });
  return { body: await showWrittenEntry(type, id, call) };
}

/** Entries are shown as bodies link them: by their ids. */
const asBody: Presentation<Shaped> = {
  start: ({ document }) => ({ id: document['_id'] }),
  entry: (_, body) => body,
  one: (entry) => entry?.['id'] ?? null,
  many: (entries) => entries.map(({ id }) => id),
  count: (count) => count,
  targets: (targets, { many }) => (many ? targets : (targets[0] ?? null)),
  isAnswer: false,
};

/**
 * Returns what a copy takes over from an entry, as a body. Links that only one entry can have stay with it, and so do the times of
 * scheduled publishing, and passwords, which cannot be read.
 */
async function valuesToCopy(
  type: ContentType,
  id: number,
  call: PanelCall,
): Promise<{ readonly data: Values; readonly locale: Values }> {
  const own = await callOnEntry({ type, id }, { call, action: 'read' });
  const { entry, context } = await findEntry({ type, id }, { call: own, action: 'read' }, (bind) => ({
    ...values,
    populate: linksOf(type, countedParts(bind)),
  }));
  const body = createShaper(asBody, context.bind.budget)(entry);
  return {
    data: hasSchedule(type) ? Object.fromEntries(Object.entries(body).filter(([name]) => !isScheduledName(name))) : body,
    locale: type.localized ? { locale: entry.document['locale'] } : {},
  };
}

function linksOf(type: ContentType, partOf: PartOf): Populate {
  const below = (uid: string): Query => {
    const part = partOf(uid);
    return part === undefined ? values : { ...values, populate: linksOf(part, partOf) };
  };
  const ids: Query = { ...emptyQuery, publicationState: 'preview', fields: ['id'] };
  const fields = permittedAttributes(type).flatMap((attribute) => {
    if (hasParts(attribute)) return partsField(attribute, below) ?? [];
    return attribute.kind === 'scalar' || isExclusive(attribute) ? [] : fieldOf(attribute.name, ids);
  });
  return { all: false, fields };
}
