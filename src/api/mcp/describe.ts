import { validationError } from '#base/errors.js';
import type { Values } from '#base/values.js';
import type { ContentType } from '#model/schema/content-type.js';
import { componentsOf, hasParts } from '#model/schema/parts.js';
import { readable } from '#model/query/access.js';
import { type AgentCall, maxBytesOf } from './agent-call.js';
import { inputSchema } from './arguments.js';
import { fitEntries, jsonBytes, refuseLarge } from './bounded-answer.js';
import { describeAttributes, type TypeDescription } from './describe-type.js';
import { findServedType, type ServedType, servedTypes } from './served-types.js';
import { annotations, type Tool } from './tool.js';
import { visibleLocales } from './visible-locales.js';

/** Tells a model which types there are, and what one of them consists of. */
export const describe: Tool = {
  definition: {
    name: 'describe',
    title: 'Describe types',
    description: 'Without a type: the types and what may be done with them. With one: its attributes, relations and operators.',
    inputSchema: inputSchema(['type', 'cursor'], {
      type: { type: 'string', description: 'Name of a type, or the uid of a component that _truncated names' },
    }),
    annotations: annotations.reads,
  },
  run: ({ type, cursor }, call) => {
    if (typeof type !== 'string') return Promise.resolve(listTypes(cursor, call));
    if (cursor !== undefined) throw validationError('Argument cursor is not for one type: it pages the list of types');
    return Promise.resolve(describeType(type, call));
  },
};

/** Returns the types, or those from the cursor on. The cursor is the name of the first type of its page. */
export function listTypes(cursor: unknown, call: AgentCall): Values {
  const all = summaries(call);
  const start = cursor === undefined ? 0 : all.findIndex(({ type }) => type === cursor);
  if (start === -1) throw validationError('Invalid argument cursor: there is no such type any more');
  const rest = all.slice(start);
  return fitEntries(rest, maxBytesOf(call), (types) => {
    const next = rest[types.length];
    return { types, ...(start === 0 && localesOf(call)), ...(next !== undefined && { nextCursor: next.type }) };
  });
}

/** Returns the locales in which the caller may see entries, if there are types with translations among those that it may use. */
export function localesOf(call: AgentCall): Values {
  const { bind } = call.content;
  const localized = servedTypes(call).filter(({ type }) => type.localized);
  if (localized.length === 0) return {};
  const visible = new Set(localized.flatMap(({ type }) => visibleLocales(type, bind)));
  const locales = bind.locales.filter((locale) => visible.has(locale));
  return { locales, ...(visible.has(bind.defaultLocale) && { defaultLocale: bind.defaultLocale }) };
}

/** Returns all types that the caller may use, in short. */
export const summaries = (call: AgentCall) => servedTypes(call).map(summarize);

const longestAbout = 200;

const summarize = ({ type, tools }: ServedType) => ({
  type: type.singularName,
  name: type.displayName,
  ...(type.description !== '' && { description: type.description.slice(0, longestAbout) }),
  ...(type.kind === 'singleType' && { single: true }),
  actions: tools,
});

/** Returns what a type consists of. Of one that is too large, the largest components are left out, and described on their own. */
export function describeType(name: string, call: AgentCall): Values {
  const { bind } = call.content;
  const maxBytes = maxBytesOf(call);
  const part = findPart(name, call);
  if (part !== null) return fitDescription({ component: name }, describeAttributes(part, bind), maxBytes);
  const { type, tools } = findServedType(name, call);
  const head = {
    type: type.singularName,
    uid: type.uid,
    name: type.displayName,
    ...(type.description !== '' && { description: type.description.slice(0, longestAbout) }),
    ...(type.kind === 'singleType' && { single: true }),
    draftAndPublish: type.draftAndPublish,
    localized: type.localized,
    actions: tools,
  };
  return fitDescription(head, describeAttributes(type, bind), maxBytes);
}

/** Returns the component of a uid if a type that the caller may use shows it; null otherwise. */
function findPart(uid: string, call: AgentCall): ContentType | null {
  const { registry, access } = call.content.bind;
  const part = registry.types.get(uid);
  if (part?.kind !== 'component' || access.shownPaths !== undefined) return null;
  const names = new Set<string>();
  const holds = (type: ContentType): boolean =>
    [...type.attributes.values()].some((attribute) => {
      if (!hasParts(attribute) || readable(type, attribute.name, access) === null) return false;
      const uids = componentsOf(attribute).filter((one) => !names.has(one));
      for (const one of uids) names.add(one);
      return uids.includes(uid) || uids.some((one) => holdsIn(registry.types.get(one)));
    });
  const holdsIn = (type: ContentType | undefined): boolean => type !== undefined && holds(type);
  return servedTypes(call).some(({ type }) => holds(type)) ? part : null;
}

/** Returns the bytes that a description has less without a value, whose name it lists then. */
const savedBytes = (name: string, value: unknown): number => jsonBytes({ [name]: value }) - jsonBytes(name) - 2;

/** Returns a description that fits: without its largest components, and then without its largest attributes. */
function fitDescription(head: Values, description: TypeDescription, maxBytes: number): Values {
  const { $defs, properties, ...schema } = description.schema;
  const parts = { $defs: { ...($defs as Values) }, properties: { ...(properties as Values) } };
  const left: string[] = [];
  const answer = (): Values => ({
    ...{ ...head, ...description, schema: { ...schema, ...parts } },
    ...(left.length > 0 && { _truncated: left }),
  });
  let excess = jsonBytes(answer()) - maxBytes;
  if (excess > 0) excess += jsonBytes({ _truncated: [] });
  for (const values of Object.values(parts)) {
    const sizes = Object.entries(values).map(([name, value]) => [name, savedBytes(name, value)] as const);
    for (const [name, size] of sizes.sort((a, b) => b[1] - a[1])) {
      if (excess <= 0) break;
      Reflect.deleteProperty(values, name);
      left.push(name);
      excess -= size;
    }
  }
  return refuseLarge(answer(), maxBytes);
}
