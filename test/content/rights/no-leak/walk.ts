import type { Attribute, ContentType } from '#model/schema/content-type.js';
import type { Draw } from './draw.js';
import { isShown, linkedIds, maySee, mayUse, targetOf, type Rights } from './rights.js';
import type { Row } from './world.js';

/** A random path from a type to a value, up to five levels down. */
export interface Walk {
  readonly path: readonly string[];
  /** What it leads to; null if there is none. */
  readonly value: unknown;
  /** Whether the role may filter along it. */
  readonly mayFilter: boolean;
  /** Whether the role may sort along it: the order would reveal entries that a rule on the way hides. */
  readonly maySort: boolean;
}

const ends: ReadonlySet<string> = new Set(['string', 'text', 'richtext', 'email', 'uid', 'integer', 'password']);

export function walk(type: ContentType, rights: Rights, draw: Draw, depth = 0): Walk {
  const steps = [...type.attributes.values()].filter(
    (attribute) => isStep(attribute) && targetOf(attribute, rights.world) !== null,
  );
  const step = depth < 5 && draw.chance(0.65) ? draw.of(steps) : undefined;
  const target = step === undefined ? null : targetOf(step, rights.world);
  if (step === undefined || target === null) return walkEnd(type, rights, draw);
  const rest = walk(target, rights, draw, depth + 1);
  const mayStep = mayUse(rights, type, step) && (step.kind === 'component' || maySee(rights, target.uid));
  return {
    path: [step.name, ...rest.path],
    value: rest.value,
    mayFilter: rest.mayFilter && mayStep,
    maySort: rest.maySort && mayStep && !rights.shown.has(target.uid),
  };
}

/** Relations of one type, and components; those that are stored nowhere, or cannot be filtered on, have no walk. */
const isStep = (attribute: Attribute): boolean =>
  attribute.kind === 'component' ||
  (attribute.kind === 'relation' && (attribute.storage.kind === 'own' || attribute.storage.kind === 'inverse'));

function walkEnd(type: ContentType, rights: Rights, draw: Draw): Walk {
  const attributes = [...type.attributes.values()].filter(
    ({ kind, ...rest }) => kind === 'scalar' && 'type' in rest && ends.has(rest.type),
  );
  const end = draw.of(attributes);
  if (end === undefined || (type.kind !== 'component' && draw.chance(0.15)))
    return { path: ['id'], value: 1 + draw.whole(3), mayFilter: true, maySort: true };
  const values = [...rights.world.places.values()].filter((place) => place.type === type.uid && place.attribute === end.name);
  const may = mayUse(rights, type, end);
  return { path: [end.name], value: draw.of(values)?.value ?? null, mayFilter: may, maySort: may };
}

/** Whether an entry or component has the value at the end of the path, on a way of what the role may see. */
export function leadsTo(
  holder: Row | Component,
  type: ContentType,
  { path, value }: Pick<Walk, 'path' | 'value'>,
  rights: Rights,
): boolean {
  const [name = '', ...rest] = path;
  if (name === 'id') return holder['_id'] === value;
  const attribute = type.attributes.get(name);
  const target = attribute === undefined ? null : targetOf(attribute, rights.world);
  if (attribute === undefined || target === null) return value !== null && holder[name] === value;
  return next(holder, attribute, target, rights).some((row) => leadsTo(row, target, { path: rest, value }, rights));
}

type Component = Readonly<Record<string, unknown>>;

function next(holder: Row | Component, attribute: Attribute, target: ContentType, rights: Rights): readonly (Row | Component)[] {
  if (attribute.kind === 'component') return [holder[attribute.name]].flat().filter((part): part is Component => part !== null);
  const rows = (rights.world.rows.get(target.uid) ?? []).filter((row) => isShown(rights, target.uid, row));
  if (attribute.kind !== 'relation') return [];
  const { storage } = attribute;
  if (storage.kind === 'inverse') return rows.filter((row) => linkedIds(row, storage.field).includes(Number(holder['_id'])));
  return rows.filter(({ _id }) => linkedIds(holder, attribute.name).includes(_id));
}
