import { memoize } from '#base/caches.js';
import type { Caller } from '#content/rights/caller.js';
import type { Config } from '#settings/config.js';
import { type Access, actionOf, allows } from '#model/query/access.js';
import type { Registry } from '#model/schema/content-type.js';

/** What a client can be allowed to do, in the words of the consent page. */
export const scopeTexts = {
  'content:read': 'Read content',
  'content:write': 'Create, change and delete content',
  'content:publish': 'Publish and unpublish content',
} as const;

export type Scope = keyof typeof scopeTexts;

/** A caller with the token of a client, whose rights are those of the user within the scopes. */
export interface Scoped {
  /** The id of the client. */
  readonly client: string;
  readonly scopes: ReadonlySet<Scope>;
}

/** Returns the scopes of a caller; null if the caller is not a client of OAuth, and so has no scopes. */
export const scopesOf = (caller: Caller | (Caller & Scoped)): ReadonlySet<Scope> | null =>
  'scopes' in caller ? caller.scopes : null;

/** Returns the id of a caller's client; null if the caller is not a client of OAuth. */
export const clientIdOf = (caller: Caller | (Caller & Scoped)): string | null => ('scopes' in caller ? caller.client : null);

/** Returns the scopes that the tools of the service have a use for. */
export const offeredScopes = ({ api: { mcp } }: Config): readonly Scope[] => [
  'content:read',
  ...(mcp.readOnly ? [] : (['content:write'] as const)),
  ...(mcp.readOnly || !mcp.publish ? [] : (['content:publish'] as const)),
];

const isScope = (name: string): name is Scope => Object.hasOwn(scopeTexts, name);

/** Returns the known scopes of a list with spaces between them, each once, in their order. */
export function readScopes(text: string): readonly Scope[] {
  const named = new Set(text.split(' ').filter(isScope));
  return Object.keys(scopeTexts).filter((name): name is Scope => named.has(name as Scope)); // a set of scopes
}

/** The actions that a scope leaves to a user, on the entries of all types. Which tools a client has is decided by the scopes themselves. */
const actionsOf: Readonly<Record<Scope, readonly string[]>> = {
  'content:read': ['find', 'findOne', 'aggregate'],
  'content:write': ['create', 'update', 'delete', 'createLocalization'],
  'content:publish': ['update'],
};

/** Access objects are parts of the keys of bound queries, so that the same one is returned for the same rights and scopes. */
const narrowedIn = memoize((registry: Registry) =>
  memoize((access: Access) => memoize((scopes: Scoped['scopes']) => narrow(access, scopes, registry))),
);

/** Returns the part of the rights of a user that scopes leave. Rules for rows and fields stay. */
export const narrowed = (access: Access, scopes: ReadonlySet<Scope>, registry: Registry): Access =>
  narrowedIn(registry)(access)(setOf(scopes));

const sets = new Map<string, ReadonlySet<Scope>>();

/** Returns the same object for the same scopes. */
function setOf(scopes: ReadonlySet<Scope>): ReadonlySet<Scope> {
  const key = [...scopes].sort().join(' ');
  const known = sets.get(key) ?? scopes;
  sets.set(key, known);
  return known;
}

function narrow(access: Access, scopes: ReadonlySet<Scope>, { types }: Registry): Access {
  const names = [...scopes].flatMap((scope) => actionsOf[scope]);
  const entries = [...types.values()].filter(({ kind }) => kind !== 'component');
  const actions = entries.flatMap((type) => names.map((name) => actionOf(type, name))).filter((action) => allows(access, action));
  return { ...access, grants: { kind: 'actions', actions: new Set(actions) } };
}
