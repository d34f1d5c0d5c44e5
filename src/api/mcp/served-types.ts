import { memoize } from '#base/caches.js';
import { forbiddenError, validationError } from '#base/errors.js';
import { suggest } from '#base/nearest-name.js';
import type { Values } from '#base/values.js';
import type { GuardedRow, IdentifiedRow } from '#http/route.js';
import { unidentified } from '#http/steps/callers.js';
import { actionOf, allows } from '#model/query/access.js';
import type { BindContext } from '#model/query/bind-context.js';
import type { ContentType, Registry } from '#model/schema/content-type.js';
import type { AgentCall } from './agent-call.js';
import { shortName } from './arguments.js';
import { type Scope, scopesOf } from './oauth/scopes.js';
import { readingTools, type TypeTool, typeTools } from './tool-names.js';
import { visibleLocales } from './visible-locales.js';

/** The request of REST with the right that a tool needs on a type; null if the tool has no use for the type. */
interface Use {
  /** The action without the uid. */
  readonly action: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The path of the entries, that of one, or that of their groups. */
  readonly of: keyof typeof ends;
}

/** The ends of the paths of a collection type. */
const ends = { entries: '', entry: '/1', groups: '/aggregate' } as const;

type UseOf = (type: ContentType) => Use | null;

const ofCollections =
  (use: Use): UseOf =>
  ({ kind }) =>
    kind === 'collectionType' ? use : null;

/** A single type has one path, and its only entry is created by an update. */
const ofBoth =
  (use: Use, single: Use): UseOf =>
  ({ kind }) =>
    kind === 'collectionType' ? use : single;

const list = { action: 'find', method: 'GET', of: 'entries' } as const;
const write = { action: 'update', method: 'PUT', of: 'entry' } as const;
const publication: UseOf = (type) => (type.draftAndPublish ? write : null);

/** What the tools need on a type. */
const uses = {
  find: ofCollections(list),
  get: ofBoth({ action: 'findOne', method: 'GET', of: 'entry' }, list),
  count: ofCollections(list),
  aggregate: ofCollections({ action: 'aggregate', method: 'GET', of: 'groups' }),
  create: ofBoth({ action: 'create', method: 'POST', of: 'entries' }, write),
  update: () => write,
  delete: () => ({ action: 'delete', method: 'DELETE', of: 'entry' }),
  publish: publication,
  unpublish: publication,
} as const satisfies Readonly<Record<TypeTool, UseOf>>;

const reading: ReadonlySet<string> = new Set(readingTools);
const publishing: ReadonlySet<string> = new Set(['publish', 'unpublish']);

/** Returns the scope that a client of OAuth needs for a tool. */
const scopeOf = (tool: TypeTool): Scope =>
  reading.has(tool) ? 'content:read' : publishing.has(tool) ? 'content:publish' : 'content:write';

/** Returns the tools that the configuration offers, and the scopes of the caller if there are any. */
export function enabledTools({ running: { config }, caller }: AgentCall): readonly TypeTool[] {
  const scopes = scopesOf(caller);
  return typeTools
    .filter((name) => reading.has(name) || !config.api.mcp.readOnly)
    .filter((name) => !publishing.has(name) || config.api.mcp.publish)
    .filter((name) => scopes?.has(scopeOf(name)) !== false);
}

/** Returns whether the caller may use a tool on a type. */
export function mayUse(tool: TypeTool, type: ContentType, call: AgentCall): boolean {
  const use = uses[tool](type);
  return use !== null && allows(call.content.bind.access, actionOf(type, use.action)) && isGenerated(type, use, call);
}

/**
 * Returns whether a request of REST is answered without code of the project. Such code may decide what a caller may see or write, and does
 * not hear of tools.
 */
function isGenerated(type: ContentType, { action, method, of }: Use, { projectCode, running }: AgentCall): boolean {
  if (projectCode === null) return true;
  const isSingle = type.kind === 'singleType';
  const path = isSingle ? `/${type.singularName}` : `/${type.pluralName}${ends[of]}`;
  const route = projectCode.find(method, `${running.config.api.rest.prefix}${path}`);
  if (route === null) return true;
  const row = route.rows?.get(method);
  return row !== undefined && row.action !== null && isPlain(row, type) && row.action === actionOf(type, action);
}

const isPlain = (row: IdentifiedRow, { uid }: ContentType): row is GuardedRow =>
  'handle' in row && row.type?.uid === uid && row.others === undefined && row.steps?.includes(unidentified) !== true;

/** A type that the caller may use, and the tools for it. */
export interface ServedType {
  readonly type: ContentType;
  readonly tools: readonly TypeTool[];
}

/** Returns the types of the project that the caller may use. Users, roles and files have routes and rules of their own. */
export function servedTypes(call: AgentCall): readonly ServedType[] {
  const { byPluralName, bySingularName } = call.content.bind.registry;
  return [...byPluralName.values(), ...bySingularName.values()].flatMap((type) => served(type, call) ?? []);
}

/** Returns a type with its tools; null if there are none for the caller. */
function served(type: ContentType, call: AgentCall): ServedType | null {
  const tools = type.uid.startsWith('api::') ? enabledTools(call).filter((name) => mayUse(name, type, call)) : [];
  return tools.length === 0 ? null : { type, tools };
}

/** The types of a project by their plural, singular and full names. Plugins have types of the same short names. */
const typesByName = memoize(({ types }: Registry): ReadonlyMap<string, ContentType> => {
  const own = [...types.values()].filter(({ uid, kind }) => kind !== 'component' && uid.startsWith('api::'));
  const namesOf = ({ pluralName, singularName, uid }: ContentType) => [singularName, pluralName, uid];
  return new Map(own.flatMap((type) => namesOf(type).map((name) => [name, type] as const)).reverse()); // the first one wins
});

/** Returns the type of a name: singular, plural or a uid. Throws a ValidationError for a name of none that the caller may use. */
export function findServedType(name: string, call: AgentCall): ServedType {
  const type = typesByName(call.content.bind.registry).get(name);
  const servedType = type === undefined ? null : served(type, call);
  if (servedType !== null) return servedType;
  const names = servedTypes(call).map((one) => one.type.singularName);
  throw validationError(`Unknown type ${shortName(name)}${suggest(name, names)}`);
}

/**
 * Returns the type that arguments name if the caller may use a tool on it. Throws a ForbiddenError otherwise, and a ValidationError for an
 * id or a locale that has no meaning for the type.
 */
export function typeFor(tool: TypeTool, input: Values, call: AgentCall): ContentType {
  const { type, tools } = findServedType(String(input['type']), call);
  if (!tools.includes(tool))
    throw forbiddenError(`${tool} is not available for ${type.singularName}; available: ${tools.join(', ')}`);
  if (type.kind === 'singleType' && input['id'] !== undefined)
    throw validationError(`Argument id is not for ${type.singularName}: it is a single type`);
  if (input['locale'] !== undefined) checkLocale(tool, { type, locale: String(input['locale']) }, call.content.bind);
  return type;
}

/** The tools that read the entries of all locales if they are asked for `all`. */
const ofAllLocales: ReadonlySet<TypeTool> = new Set(['find', 'count', 'aggregate']);

/** The tools that change an entry, which its id names. */
const ofStored: ReadonlySet<TypeTool> = new Set(['update', 'delete', 'publish', 'unpublish']);

interface LocaleArgument {
  readonly type: ContentType;
  readonly locale: string;
}

function checkLocale(tool: TypeTool, { type, locale }: LocaleArgument, bind: BindContext): void {
  if (!type.localized) throw validationError(`Argument locale is not for ${type.singularName}: it has no translations`);
  if (ofStored.has(tool) && type.kind === 'collectionType')
    throw validationError('Argument locale is only for single types here: the id names a translation');
  const locales = visibleLocales(type, bind);
  if (locales.includes(locale) || (locale === 'all' && ofAllLocales.has(tool))) return;
  throw validationError(`Argument locale must be one of ${locales.slice(0, mostCodes).join(', ')}`);
}

const mostCodes = 50;
