import { fieldErrors } from '#base/errors.js';
import type { ContentType, Registry } from '#model/schema/content-type.js';
import { notOfType } from '#model/schema/findings.js';
import { isRecord, type Values } from '#base/values.js';
import type { PanelCall } from '../panel-route.js';
import { explorer } from '../rights/actions.js';
import type { EntryAction } from '../rights/content-access.js';
import { isInternal, permittedAttributes } from '../rights/field-paths.js';
import { permissionsFor } from '../rights/rights.js';

/** What is done with the values of a body, and by whom. */
interface Writing {
  readonly call: PanelCall;
  readonly action: EntryAction;
}

/**
 * Returns the values of a body that an administrator may write, at any depth. The panel sends whole entries back, so all others are
 * dropped: unknown ones, those that the service sets itself, and those that no permission names. Throws a ValidationError if the body
 * is not an object.
 */
export function permittedBody(type: ContentType, body: unknown, { call, action }: Writing): Values {
  if (!isRecord(body)) throw fieldErrors([{ path: [], message: notOfType('this', 'object', body ?? null) }]);
  const { rights, content } = call;
  const permissions = permissionsFor(rights, `${explorer}.${action}`, type.uid);
  const paths = rights.isSuper ? null : permissions.flatMap(({ properties }) => properties.fields ?? []);
  return withoutForbidden(type, body, { registry: content.bind.registry, paths, prefix: '' });
}

interface Place {
  readonly registry: Registry;
  /** The paths that permissions name; null if all are allowed. A path allows all that is below it. */
  readonly paths: readonly string[] | null;
  /** The path of the values, with a dot at its end; empty for an entry. */
  readonly prefix: string;
}

function withoutForbidden(type: ContentType, values: Values, place: Place): Values {
  const { registry, paths, prefix } = place;
  const permittedValues: Record<string, unknown> = {};
  for (const attribute of permittedAttributes(type)) {
    const { name } = attribute;
    if (!Object.hasOwn(values, name) || isInternal(attribute, type)) continue;
    const path = `${prefix}${name}`;
    const isWhole = paths === null || paths.includes(path);
    if (!isWhole && !paths.some((other) => other.startsWith(`${path}.`))) continue;
    const below = { registry, paths: isWhole ? null : paths, prefix: `${path}.` };
    if (attribute.kind === 'component')
      permittedValues[name] = each(values[name], (part) => permittedPart(registry.types.get(attribute.component), part, below));
    else if (attribute.kind === 'dynamiczone')
      permittedValues[name] = each(values[name], (part) => permittedPart(partType(part, registry), part, below));
    else permittedValues[name] = values[name];
  }
  return permittedValues;
}

const each = (value: unknown, work: (item: unknown) => unknown): unknown =>
  Array.isArray(value) ? value.map(work) : work(value);

/** Returns the type that a part of a dynamic zone names; undefined for an unknown one. */
function partType(part: unknown, { types }: Registry): ContentType | undefined {
  const uid = isRecord(part) ? part['__component'] : undefined;
  return typeof uid === 'string' ? types.get(uid) : undefined;
}

/** Returns the permitted values of a component with its id and the name of its type. */
function permittedPart(type: ContentType | undefined, part: unknown, place: Place): unknown {
  if (!isRecord(part) || type === undefined) return part;
  const named = ['id', '__component'].filter((name) => Object.hasOwn(part, name)).map((name) => [name, part[name]]);
  return { ...(Object.fromEntries(named) as Values), ...withoutForbidden(type, part, place) };
}
