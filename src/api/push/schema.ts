import { validationError } from '#base/errors.js';
import { readParameters, refuseOthers } from '#http/query-string.js';
import type { Answer, RouteCall } from '#http/route.js';
import { isSynced } from '#http/sync-option.js';
import { type Access, maySee } from '#model/query/access.js';
import type { ContentType } from '#model/schema/content-type.js';
import { isOwn } from '../sync/copy-query.js';
import { type AttributeKind, kindOf, readableAttribute } from './pushed-attributes.js';

/** Maximum number of types that a request names. */
const maxTypes = 1_000;

/**
 * Answers how clients merge the attributes that a copy has, by type: the named types, or all. Types that are not the caller's, and
 * names of no synced type, are left out, so that an app goes on without them when rights are lost or a type is removed. The other names
 * that writes may use for renamed attributes stand in `meta.renamed`.
 */
export function answerSchema({ request, content, running }: RouteCall): Answer {
  const { registry, access } = content.bind;
  refuseOthers(request.query, ['types']);
  const names = namesIn(readParameters(request.query, running.config.api.limits)['types']);
  const synced = [...registry.byPluralName].filter(([, type]) => isSynced(type));
  const types = synced.filter(([name, type]) => names?.includes(name) !== false && maySee(access, type.uid));
  const data = types.map(([name, type]) => [name, attributesOf(type, access)] as const);
  const renamed = data.flatMap(([name, attributes]) => {
    const others = [...(registry.byPluralName.get(name)?.aliases ?? [])].filter(([, served]) => served in attributes);
    return others.length === 0 ? [] : [[name, Object.fromEntries(others)] as const];
  });
  const meta = renamed.length === 0 ? {} : { renamed: Object.fromEntries(renamed) };
  return { body: { data: Object.fromEntries(data), meta } };
}

function namesIn(value: unknown): readonly string[] | null {
  if (value === undefined) return null;
  const names = typeof value === 'string' ? value.split(',').map((name) => name.trim()) : [];
  if (names.length > 0 && names.length <= maxTypes && names.every((name) => name !== '')) return [...new Set(names)];
  throw validationError('Invalid parameter types: expected plural names of content types, separated by commas');
}

const attributesOf = (type: ContentType, access: Access): Readonly<Record<string, AttributeKind>> =>
  Object.fromEntries(
    [...type.attributes.values()]
      .filter((attribute) => isOwn(attribute) && readableAttribute(type, attribute.name, access) !== null)
      .map((attribute) => [attribute.name, kindOf(attribute)]),
  );
