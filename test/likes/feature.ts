import { notFoundError, validationError } from '#base/errors.js';
import { advice, nameSome } from '#base/finding.js';
import { findOne } from '#content/find-one.js';
import type { Feature, FeatureCheck } from '#http/feature.js';
import { record, integer } from '#http/json-schema.js';
import { answers } from '#http/operation.js';
import type { Answer, DynamicRoute, GuardedRow, RouteCall } from '#http/route.js';
import { idOf } from '#http/route-request.js';
import type { RunningService } from '#http/running.js';
import { actionOf } from '#model/query/access.js';
import { emptyQuery } from '#model/query/ast.js';
import type { ContentType } from '#model/schema/content-type.js';
import { type ModelOption, optionOf } from '#model/schema/model-option.js';
import { is, uidOf } from '#store/form/matches.js';
import { type Database, forJob } from '#store/send/database.js';
import { findStored } from '#store/stored.js';
import { ownRows } from '#store/write/own-rows.js';
import { likesDeclaration } from './declaration.js';

/** The likes of an entry. While its type is renamed there may be one under each uid. */
interface Likes {
  readonly uid: string;
  readonly of: number;
  readonly count: number;
}

const likes = ownRows<Likes>('_likes');
const swept = ownRows<{ readonly at: Date }>('_likes_swept');

/** `options.likes`: the types whose entries can be liked, and how often each entry, unless the setting says less. */
export const likesOption: ModelOption<{ readonly most: number }, { readonly most?: number }> = {
  key: 'likes',
  schema: { type: 'object', properties: { most: { type: 'integer', minimum: 1 } }, additionalProperties: false },
  read: (stated, { kind }) => (stated === undefined || kind === undefined ? null : { most: Infinity, ...stated }),
};

const countOf = async (type: ContentType, id: number, database: Database): Promise<number> =>
  (await likes.find(database, { match: { uid: uidOf(type), of: id } })).reduce((sum, { count }) => sum + count, 0);

async function like(type: ContentType, most: number, { content, running, ...call }: RouteCall): Promise<Answer> {
  const id = idOf(call);
  const { database } = content.store;
  if ((await findOne(type, id, emptyQuery, content)) === null) throw notFoundError();
  const before = await countOf(type, id, database);
  if (before >= Math.min(most, running.config.api.likes.most)) throw validationError('it has enough likes');
  await likes.change(database, { uid: type.uid, of: id }, { increase: { count: 1 } }, { creates: true });
  return { body: { likes: before + 1 } };
}

function rowOf(type: ContentType): GuardedRow | null {
  const option = optionOf(type, likesOption);
  if (option === null) return null;
  const operation = {
    ...{ id: `like${type.singularName}`, summary: 'Like an entry', tag: type.displayName },
    answers: answers(record({ likes: integer })),
  };
  return { action: actionOf(type, 'like'), type, operation, handle: (call) => like(type, option.most, call) };
}

const route = (prefix: string): DynamicRoute => ({
  path: `${prefix}/:name/:id/like`,
  find: ([name = ''], { backend }) => {
    const type = backend.models.snapshot.registry.byPluralName.get(name);
    const row = type === undefined ? null : rowOf(type);
    return row === null ? null : new Map([['POST', row]]);
  },
});

/** Removes the likes of entries that are deleted. */
async function sweep({ backend }: RunningService): Promise<void> {
  const database = forJob(backend.store.database, 'likes');
  for (const type of backend.models.snapshot.registry.types.values()) {
    if (optionOf(type, likesOption) === null) continue;
    const liked = (await likes.find(database, { match: { uid: uidOf(type) } })).map(({ of }) => of);
    const entries = await findStored(database, type.collection, { match: { _id: is.oneOf(liked) }, fields: ['_id'] });
    const present = new Set(entries.map(({ _id }) => Number(_id)));
    await likes.remove(database, { uid: uidOf(type), of: is.oneOf(liked.filter((id) => !present.has(id))) });
  }
  await swept.put(database, { at: new Date() });
}

const check: FeatureCheck = {
  name: 'likes',
  fine: 'all likes are of types that exist',
  check: async ({ database, registry }) => {
    const rows = await likes.find(database, { match: { uid: is.noneOf([...registry.types.keys()]) } });
    if (rows.length === 0) return null;
    return advice(`${nameSome(rows.map(({ uid }) => uid))} have likes, and no model`, 'store their models again');
  },
};

/** Counts the likes of entries. The tests show by it what a feature of its own can take part in. */
export const likesFeature: Feature = {
  name: 'likes',
  ...likesDeclaration,
  options: [likesOption],
  typeActions: (type) => (optionOf(type, likesOption) === null ? [] : ['like']),
  checks: [check],
  routes: ({ config }) => [route(config.api.rest.prefix)],
  start: (running) => {
    const every = running.config.api.likes.sweepEvery;
    running.backend.jobs.start({ name: 'likes', every, lease: true, run: () => sweep(running) });
    return undefined;
  },
};
