import { createHash } from 'node:crypto';
import { memoize, SharedValues } from '#base/caches.js';
import type { ContentContext } from '#content/content-context.js';
import { validationError } from '#base/errors.js';
import type { BindContext } from '#model/query/bind-context.js';
import { bindPlan } from '#model/query/bind-plan.js';
import type { Plan } from '#model/query/plan.js';
import type { Query } from '#model/query/ast.js';
import type { Attribute, ContentType } from '#model/schema/content-type.js';
import type { Asked } from './asked.js';
import { type Dependencies, dependenciesOf } from './depends-on.js';
import { type Visibility, visibilityOf } from './visibility.js';
import { heldQuery } from './held-query.js';

/** What one caller is answered for one query, with the rights and models in force. */
export interface Shape {
  readonly plan: Plan;
  readonly query: Query;
  readonly dependencies: Dependencies;
  readonly visibility: Visibility;
  /** Shapes with the same digest have the same answers. */
  readonly digest: string;
}

/** Version of the form of answers. */
const version = 1;

/** Binds what a client asks for. Throws a ValidationError for names that it may not use, and for conditions on the current time. */
export function bindShape(asked: Asked, type: ContentType, { bind }: ContentContext): Shape {
  const query = queryOf(asked, type, bind);
  const plan = bindPlan(query, type, { ...bind, settings: settingsOf(bind.settings), now: refuseNow });
  const shape = { plan, query, ...factsOf(plan) };
  return shapes.share(shape.digest, shape, (known) => known.plan.type === plan.type);
}

/** The shapes in use, by their digests. */
const shapes = new SharedValues<Shape>();

/** The queries of what clients ask for, so that one that is asked for again is bound once. */
const queries = new WeakMap<
  Asked,
  Pick<BindContext, 'registry' | 'access'> & { readonly type: ContentType; readonly query: Query }
>();

function queryOf(asked: Asked, type: ContentType, bind: BindContext): Query {
  const { registry, access } = bind;
  const bound = queries.get(asked);
  if (bound?.type === type && bound.registry === registry && bound.access === access) return bound.query;
  const query = heldQuery(asked, type, bind);
  queries.set(asked, { type, registry, access, query });
  return query;
}

/** Names of relations that the caller may not read are left out, not refused, because no client has named them. */
const settingsOf = memoize((settings: BindContext['settings']) => ({ ...settings, strict: false, populateDeep: 0 }));

/** What depends on the current time changes without a write. */
function refuseNow(): never {
  throw validationError('Entries cannot be synced by a condition on the current time ($now)');
}

const factsOf = memoize((plan: Plan): Pick<Shape, 'dependencies' | 'visibility' | 'digest'> => {
  const { type, condition, selection } = plan;
  const text = JSON.stringify([version, type, condition, selection], shortened);
  const digest = createHash('sha256').update(text).digest('base64url').slice(0, 22);
  return { dependencies: dependenciesOf(plan), visibility: visibilityOf(plan), digest };
});

/**
 * What a content type or an attribute tells of the panel and of code only. It is left out of texts: copies of clients do not depend on
 * it, and former versions did not have it.
 */
const uncounted = { listed: undefined, added: undefined };

/** Returns the text of a content type, by which two models with the same meaning are equal. Its order is that of former versions. */
const modelText = memoize(({ kind, collection, shard, attributes, ...type }: ContentType): string =>
  createHash('sha256')
    .update(JSON.stringify({ ...type, kind, collection, shard, attributes, ...uncounted }, plain))
    .digest('base64url'),
);

/** Replaces content types by their texts, and values that JSON does not know. */
const shortened = (key: string, value: unknown): unknown => (isType(value) ? modelText(value) : plain(key, value));

/** Returns a value as JSON knows it. */
function plain(_key: string, value: unknown): unknown {
  if (isAttribute(value)) return { ...value, ...uncounted };
  if (value instanceof Map || value instanceof Set) return [...(value as Iterable<unknown>)];
  if (value instanceof RegExp || typeof value === 'bigint') return String(value);
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
}

const isType = (value: unknown): value is ContentType =>
  typeof value === 'object' && value !== null && 'collection' in value && 'attributes' in value && 'pluralName' in value;

const isAttribute = (value: unknown): value is Attribute =>
  typeof value === 'object' && value !== null && 'writable' in value && 'localized' in value;
