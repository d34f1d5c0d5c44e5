import type { ContentContext } from '#content/content-context.js';
import { existingTargets } from '#content/existing-targets.js';
import type { Version } from './version-store.js';
import { type Attribute, type ContentType, type ScalarAttribute, uidsOf } from '#model/schema/content-type.js';
import { convertValue } from '#model/schema/convert-value.js';
import { componentsOf, hasParts, listsParts, type PartsAttribute } from '#model/schema/parts.js';
import { scalarProblems, scalarTypes } from '#model/schema/scalar-types.js';
import { hasSchedule, isScheduledName } from '#model/schema/scheduled.js';
import { isRecord, type Values } from '#base/values.js';

/** The body that writes an entry as it was, and the paths of what the model cannot take any more. */
interface VersionInput {
  readonly values: Values;
  readonly leftOut: readonly string[];
}

interface Reading {
  readonly context: ContentContext;
  readonly targets: Version['targets'];
  readonly leftOut: string[];
}

/** Returns the body that writes an entry as it is in a version. */
export async function inputOf(type: ContentType, { entry, targets }: Version, context: ContentContext): Promise<VersionInput> {
  const leftOut: string[] = [];
  const values = await valuesOf(type, entry, { at: '', reading: { context, targets, leftOut } });
  return { values, leftOut };
}

interface Place {
  /** The path of the values, with a dot at its end; empty for an entry. */
  readonly at: string;
  readonly reading: Reading;
}

/** What has no value: the attribute stays as it is in the entry. */
const nothing = Symbol('nothing');

async function valuesOf(type: ContentType, entry: Values, { at, reading }: Place): Promise<Values> {
  const input: Record<string, unknown> = {};
  const taken = new Set(['id', '__component']);
  for (const attribute of type.attributes.values()) {
    const { name } = attribute;
    const source = [name, ...formerNames(type, name)].find((one) => Object.hasOwn(entry, one));
    for (const one of [name, ...formerNames(type, name)]) taken.add(one);
    if (!attribute.writable || attribute.added === 'locale' || isPassword(attribute) || source === undefined) continue;
    const value = isPastTime(type, name, entry[source])
      ? null
      : await valueOf(type, attribute, entry[source], { at: `${at}${name}`, reading });
    if (value === nothing) reading.leftOut.push(`${at}${name}`);
    else input[name] = value;
  }
  for (const [name, value] of Object.entries(entry))
    if (!taken.has(name) && !isEmpty(value)) reading.leftOut.push(`${at}${name}`);
  return input;
}

/** Versions have no passwords. */
const isPassword = (attribute: Attribute): boolean => attribute.kind === 'scalar' && attribute.type === 'password';

const formerNames = ({ aliases }: ContentType, name: string): readonly string[] =>
  [...(aliases ?? [])].flatMap(([alias, served]) => (served === name ? [alias] : []));

const isEmpty = (value: unknown): boolean => (value ?? null) === null || (Array.isArray(value) && value.length === 0);

/** Returns whether a value is a time of scheduled publishing that has passed: it was to be met once. */
const isPastTime = (type: ContentType, name: string, value: unknown): boolean =>
  hasSchedule(type) && isScheduledName(name) && value instanceof Date && value.getTime() <= Date.now();

async function valueOf(owner: ContentType, attribute: Attribute, value: unknown, place: Place): Promise<unknown> {
  if (attribute.kind === 'scalar') return fittingScalar(attribute, value);
  if (value === null || value === undefined) return listsParts(attribute) ? [] : value;
  if (hasParts(attribute)) return partsOf(attribute, value, place);
  return linksOf(owner, attribute, value, place.reading);
}

/** Returns a value that the attribute takes: the same, or the converted one if nothing is lost. */
function fittingScalar(attribute: ScalarAttribute, value: unknown): unknown {
  const fits = (one: unknown): boolean =>
    scalarProblems(shown(attribute, one), attribute, '', { mode: 'update', draft: false }).length === 0 &&
    isStorable(attribute, one);
  if (value === null || fits(value)) return value;
  const converted = convertValue(value, attribute);
  return 'value' in converted && fits(converted.value) ? converted.value : nothing;
}

const shown = ({ type }: ScalarAttribute, value: unknown): unknown => {
  const output = scalarTypes[type].output(value);
  return output === null ? value : output;
};

function isStorable({ type, name }: ScalarAttribute, value: unknown): boolean {
  try {
    const stored = scalarTypes[type].store(value, name);
    return stored !== null && scalarTypes[type].output(stored) !== null;
  } catch {
    return false;
  }
}

/** Returns components; those that the attribute does not allow are left out. One becomes a list of one, and a list of one becomes it. */
async function partsOf(attribute: PartsAttribute, value: unknown, { at, reading }: Place): Promise<unknown> {
  const list = [value].flat();
  if (!list.every(isRecord) || (!listsParts(attribute) && list.length > 1)) return nothing;
  const parts: Values[] = [];
  for (const [index, part] of list.entries()) {
    const path = Array.isArray(value) ? `${at}[${String(index)}]` : at;
    const uid = attribute.kind === 'component' ? attribute.component : String(part['__component'] ?? componentsOf(attribute)[0]);
    const type = componentsOf(attribute).includes(uid) ? reading.context.bind.registry.types.get(uid) : undefined;
    if (type === undefined) reading.leftOut.push(path);
    else {
      const mark = attribute.kind === 'dynamiczone' ? { __component: uid } : {};
      parts.push({ ...mark, ...(await valuesOf(type, part, { at: `${path}.`, reading })) });
    }
  }
  return listsParts(attribute) ? parts : (parts[0] ?? null);
}

type LinkingAttribute = Exclude<Attribute, { kind: 'scalar' | 'component' | 'dynamiczone' }>;

/** Returns the links whose targets are still stored, in their order. */
async function linksOf(
  { uid }: ContentType,
  attribute: LinkingAttribute,
  value: unknown,
  { context, targets }: Reading,
): Promise<unknown> {
  const links = [value].flat();
  const former = targets?.[uid]?.[attribute.name];
  const target = attribute.kind === 'morph' ? undefined : context.bind.registry.types.get(attribute.target);
  const isOther = former !== undefined && target !== undefined && !uidsOf(target).includes(former);
  if (isOther || !links.every(isRecord)) return nothing;
  const existingLinks = await existing(attribute, links, context);
  if (attribute.many) return existingLinks;
  return existingLinks.length > 1 ? nothing : (existingLinks[0] ?? null);
}

/** Returns the links to stored entries: their ids, or for a polymorphic relation also their types. */
async function existing(
  attribute: LinkingAttribute,
  links: readonly Values[],
  context: ContentContext,
): Promise<readonly unknown[]> {
  const targetOf = (link: Values) => ({
    uid: attribute.kind === 'morph' ? String(link['__type']) : attribute.target,
    id: link['id'],
  });
  const isStored = await existingTargets(links.map(targetOf), context);
  const kept = links.filter((link) => isStored(targetOf(link)));
  return kept.map((link) => (attribute.kind === 'morph' ? { __type: link['__type'], id: link['id'] } : link['id']));
}
