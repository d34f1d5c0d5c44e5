import { invalidParameter, validationError, type ApiError } from '../errors.js';
import type { ContentType } from '../schema/content-type.js';
import { scalarTypes } from '../schema/scalar-types.js';
import { maySee } from './access.js';
import type { Sort } from './ast.js';
import type { BindContext } from './bind-context.js';
import type { SortKey } from './plan.js';
import { readable } from './readable.js';

/** Binds sort keys; paths go through relations, media and components to a scalar attribute. Throws a ValidationError. */
export function bindSort(sort: readonly Sort[], type: ContentType, context: BindContext): SortKey[] {
  const keys = sort.map(({ path, order }) => ({ ...bindPath(path, type, context), order: bindOrder(order) }));
  const links = keys.reduce((sum, key) => sum + key.links.length, 0);
  if (links > 0) context.budget.spend('sortLinks', links);
  return keys;
}

interface Step {
  readonly type: ContentType;
  readonly links: SortKey['links'];
  readonly prefix: string;
  readonly lists: readonly string[];
}

type Bound = Omit<SortKey, 'order'>;

function bindPath(path: readonly string[], type: ContentType, context: BindContext): Bound {
  let step: Step = { type, links: [], prefix: '', lists: [] };
  for (const [index, name] of path.entries()) {
    const end = index === path.length - 1 ? bindEnd(name, step, context) : null;
    if (end !== null) return end;
    step = bindStep(name, step, context);
  }
  throw invalidParameter(path.at(-1) ?? 'sort'); // the path ends on a relation or component
}

/** The last name of a path: an id or a scalar attribute; null where it is something with parts. */
function bindEnd(name: string, { type, links, prefix, lists }: Step, { access }: BindContext): Bound | null {
  if (name === 'id') return { links, path: `${prefix}${type.kind === 'component' ? 'id' : '_id'}`, lists };
  const attribute = readable(type, name, access);
  if (attribute === null) throw invalidParameter(name);
  if (attribute.kind !== 'scalar') return null;
  const path = `${prefix}${name}`;
  return { links, path, lists: scalarTypes[attribute.type].stored === 'json' ? [...lists, path] : lists };
}

function bindStep(name: string, step: Step, context: BindContext): Step {
  const attribute = readable(step.type, name, context.access);
  if (attribute?.kind === 'component') {
    const type = context.registry.types.get(attribute.component);
    const path = `${step.prefix}${name}`;
    const lists = attribute.repeatable ? [...step.lists, path] : step.lists;
    if (type !== undefined) return { ...step, type, prefix: `${path}.`, lists };
  }
  if ((attribute?.kind === 'relation' || attribute?.kind === 'media') && attribute.storage.kind !== 'morph') {
    const target = context.registry.types.get(attribute.target);
    // Where a row rule hides some of the related entries, an order by them would tell what is in those.
    const isHidden = !maySee(context.access, attribute.target) || context.access.rules.has(attribute.target);
    if (target === undefined || isHidden) throw invalidParameter(name);
    if (step.links.length === context.limits.sortKeyLinks) throw tooManyLinks(context);
    const many = attribute.many || step.lists.length > 0;
    const link = { path: `${step.prefix}${name}`, link: attribute, target, many };
    return { type: target, links: [...step.links, link], prefix: '', lists: [] };
  }
  throw invalidParameter(name);
}

const tooManyLinks = ({ limits }: BindContext): ApiError =>
  validationError(
    `Invalid parameter sort: a key leads through more than ${String(limits.sortKeyLinks)} relations (api.limits.sortKeyLinks)`,
  );

function bindOrder(order: string): 1 | -1 {
  const word = order.toLowerCase();
  if (word === 'asc') return 1;
  if (word === 'desc') return -1;
  throw validationError(`Invalid parameter sort: the order can only be asc or desc, not ${JSON.stringify(order)}`);
}
