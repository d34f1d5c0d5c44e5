import { findMany } from '#content/find-many.js';
import type { EntryKey } from '#content/meet-precondition.js';
import { forbiddenError } from '#base/errors.js';
import type { Answer } from '#http/route.js';
import type { LoadedEntry } from '#store/form/loaded.js';
import { comparing, fieldOf, partsField, type PopulateField, type Query } from '#model/query/ast.js';
import type { BindContext } from '#model/query/bind-context.js';
import type { ContentType, Registry } from '#model/schema/content-type.js';
import { hasParts } from '#model/schema/parts.js';
import { largestPage, parametersOf } from '../panel-query.js';
import { answerData, needing, type PanelCall } from '../panel-route.js';
import { contentFor } from '../rights/content-access.js';
import { permittedAttributes } from '../rights/field-paths.js';
import { may } from '../rights/rights.js';
import { explorer } from '../rights/actions.js';
import { countedParts, type PartOf, values } from './entry-query.js';
import { findEntry } from './entry-rights.js';
import { keyOf, typeOf } from './read-routes.js';
import { singleOf } from './write-routes.js';

/** The routes that count the drafts that entries link, before these are published. */
export const draftRelationRoutes = needing('logged in', {
  'GET /content-manager/collection-types/:uid/:id/actions/countDraftRelations': (call) => count(keyOf(call), call),
  'GET /content-manager/collection-types/:uid/actions/countManyEntriesDraftRelations': countMany,
  'GET /content-manager/single-types/:uid/actions/countDraftRelations': countSingle,
});

async function countSingle(call: PanelCall): Promise<Answer> {
  if (!may(call.rights, `${explorer}.read`, typeOf(call, 'singleType').uid)) throw forbiddenError();
  return count(await singleOf(call), call);
}

async function count({ type, id }: EntryKey, call: PanelCall): Promise<Answer> {
  const { entry } = await findEntry({ type, id }, { call, action: 'read' }, (bind) => draftsOf(type, bind));
  return answerData(countIn(entry));
}

async function countMany(call: PanelCall): Promise<Answer> {
  const type = typeOf(call, 'collectionType');
  const context = contentFor(call, 'read', type);
  const { ids, locale } = parametersOf(call);
  const query: Query = {
    ...draftsOf(type, context.bind),
    filter: comparing('id', 'in', [ids ?? []].flat()),
    locale: typeof locale === 'string' ? locale : null,
    pagination: { kind: 'page', page: 1, pageSize: largestPage, withCount: false },
    withTotal: false,
  };
  const { entries } = await findMany(type, query, context);
  return answerData(entries.reduce((sum, entry) => sum + countIn(entry), 0));
}

const isDraft = comparing('publishedAt', 'null', true);

/** Returns the query that counts the drafts that each relation leads to, also in components. What may not be read is left out. */
const draftsOf = (type: ContentType, bind: BindContext): Query => draftsBelow(type, bind.registry, countedParts(bind));

const draftsBelow = (type: ContentType, registry: Registry, partOf: PartOf): Query => ({
  ...values,
  fields: ['id'],
  populate: { all: false, fields: draftFields(type, registry, partOf) },
});

function draftFields(type: ContentType, registry: Registry, partOf: PartOf): PopulateField[] {
  const below = (uid: string): Query | null => {
    const part = partOf(uid);
    const query = part === undefined ? null : draftsBelow(part, registry, partOf);
    return query === null || query.populate.fields.length === 0 ? null : query;
  };
  return permittedAttributes(type).flatMap((attribute) => {
    if (hasParts(attribute)) return partsField(attribute, below) ?? [];
    const hasDrafts = attribute.kind === 'relation' && registry.types.get(attribute.target)?.draftAndPublish === true;
    return hasDrafts ? fieldOf(attribute.name, { ...values, filter: isDraft }, { countOnly: true }) : [];
  });
}

const countIn = ({ children }: LoadedEntry): number =>
  children
    .flatMap((child) => (typeof child === 'number' ? [child] : child.map(countIn)))
    .reduce((sum, drafts) => sum + drafts, 0);
