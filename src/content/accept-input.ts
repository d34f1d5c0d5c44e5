import { validationError } from '../errors.js';
import { type Access, isHiddenLink, maySee } from '../query/access.js';
import { isValues, type Values } from '../schema/check-input.js';
import { parseMorphTarget } from '../schema/parse-link-input.js';
import type { Attribute, ContentType, Registry } from '../schema/content-type.js';
import { notOfType } from '../schema/print-value.js';
import { fieldErrors } from '../errors.js';

/**
 * Keeps of a body what may be written at all: unknown names, the system's attributes, and relations to types that the caller may
 * not see are dropped without a word, as in the reference (rest.md 2.4, 7.6). Throws a ValidationError where it is no object.
 */
export function acceptInput(
  type: ContentType,
  data: unknown,
  { access, registry }: { readonly access: Access; readonly registry: Registry },
): Values {
  if (Array.isArray(data)) throw fieldErrors([{ path: [], message: notOfType('this', 'object', null, data) }]);
  if (!isValues(data)) throw validationError('Missing "data" payload in the request body');
  return acceptValues(type, data, { access, registry });
}

interface Context {
  readonly access: Access;
  readonly registry: Registry;
}

function acceptValues(type: ContentType, values: Values, context: Context): Values {
  const accepted: Record<string, unknown> = {};
  for (const attribute of type.attributes.values()) {
    if (!attribute.writable || !Object.hasOwn(values, attribute.name) || values[attribute.name] === undefined) continue;
    if (isHidden(attribute, type, context)) continue;
    const value = acceptValue(attribute, values[attribute.name], type, context);
    if (value !== undefined) accepted[attribute.name] = value;
  }
  return accepted;
}

function isHidden(attribute: Attribute, type: ContentType, { access }: Context): boolean {
  if (access.hidden.get(type.uid)?.has(attribute.name) === true) return true;
  return attribute.kind === 'relation' && !maySee(access, attribute.target);
}

function acceptValue(attribute: Attribute, value: unknown, owner: ContentType, context: Context): unknown {
  if (attribute.kind === 'component') {
    const type = context.registry.types.get(attribute.component);
    return type === undefined ? value : eachItem(value, (item) => acceptPart(type, item, context));
  }
  if (attribute.kind === 'dynamiczone') return eachItem(value, (item) => acceptZonePart(item, context));
  if (attribute.kind === 'morph')
    return eachItem(value, (item) => {
      const target = parseMorphTarget(item).uid;
      if (target === null) return item; // refused when it is checked, or the null that takes the link away
      return maySee(context.access, target) && !isHiddenLink({ owner, attribute, target }, context) ? item : undefined;
    });
  return value;
}

function eachItem(value: unknown, accept: (item: unknown) => unknown): unknown {
  return Array.isArray(value) ? value.map(accept).filter((item) => item !== undefined) : accept(value);
}

function acceptPart(type: ContentType, item: unknown, context: Context): unknown {
  if (!isValues(item)) return item;
  const accepted = acceptValues(type, item, context);
  return item['id'] === undefined ? accepted : { id: item['id'], ...accepted };
}

function acceptZonePart(item: unknown, context: Context): unknown {
  if (!isValues(item)) return item;
  const uid = item['__component'];
  const type = typeof uid === 'string' ? context.registry.types.get(uid) : undefined;
  if (type?.kind !== 'component') return uid === undefined ? {} : { __component: uid };
  return { __component: uid, ...(acceptPart(type, item, context) as Values) }; // an object in, an object out
}
