import { isCreator } from '#model/query/bind-selection.js';
import { maySee, readable, type Access, allows } from '#model/query/access.js';
import type { Attribute, ContentType, LinkAttribute, ScalarAttribute } from '#model/schema/content-type.js';
import { componentsOf, hasParts, type PartsAttribute } from '#model/schema/parts.js';
import type { Components } from './components.js';
import type { Caller } from '#content/rights/caller.js';
import type { Row, RouteCall } from '#http/route.js';

/** An attribute in an answer, with the types of nested entries. */
export type ShownAttribute =
  | { readonly kind: 'scalar'; readonly attribute: ScalarAttribute }
  | { readonly kind: 'link'; readonly attribute: LinkAttribute; readonly target: ContentType }
  /** Entries of several types; null for any type. */
  | { readonly kind: 'morph'; readonly many: boolean; readonly targets: readonly ContentType[] | null }
  /** A component, or those of a dynamic zone. */
  | { readonly kind: 'parts'; readonly attribute: PartsAttribute; readonly parts: readonly ContentType[] };

/** Returns the attributes of a type that the caller sees in answers, by name. */
export function shownAttributes(type: ContentType, components: Components): (readonly [name: string, shown: ShownAttribute])[] {
  const { access } = components;
  return [...type.attributes.values()].flatMap((attribute) => {
    const shown = readable(type, attribute.name, access) === null ? null : show(attribute, components);
    return shown === null ? [] : [[attribute.name, shown] as const];
  });
}

/** Returns an attribute with its targets; null if the caller may not see the target. */
function show(attribute: Attribute, { registry, access }: Components): ShownAttribute | null {
  const known = (uids: readonly string[]): ContentType[] => uids.flatMap((uid) => registry.types.get(uid) ?? []);
  if (hasParts(attribute)) {
    const parts = known(componentsOf(attribute));
    return attribute.kind === 'component' && parts.length === 0 ? null : { kind: 'parts', attribute, parts };
  }
  switch (attribute.kind) {
    case 'scalar':
      return { kind: 'scalar', attribute };
    case 'relation':
    case 'media': {
      const [target] = isOpenLink(attribute, access) ? known([attribute.target]) : [];
      return target === undefined ? null : { kind: 'link', attribute, target };
    }
    case 'morph': {
      const { many, targets } = attribute;
      return { kind: 'morph', many, targets: targets === null ? null : known(targets) };
    }
  }
}

/** Returns whether the caller may see entries of the type that a relation leads to. */
export const isOpenLink = (link: LinkAttribute, access: Access): boolean =>
  !link.dangling && (isCreator(link) || maySee(access, link.target));

type Select = (row: Row) => boolean;

/** Returns a function that checks whether the caller has the rights that a row requires. */
export const isAllowed =
  (caller: Caller): Select =>
  (row) =>
    row.action === null ||
    ([row.action, ...(row.others ?? [])].every((action) => mayDo(caller, action)) &&
      (!('isListedFor' in row) || row.isListedFor?.(caller.access) !== false));

function mayDo(caller: Caller, action: string): boolean {
  if (action === 'anybody') return true;
  if (action === 'admin') return isAdmin(caller);
  if (action === 'authenticated') return caller.kind === 'user' || caller.access.grants.kind === 'all';
  return allows(caller.access, action);
}

const isAdmin = (caller: Caller): boolean => caller.kind === 'token' && caller.token.type === 'admin';

/** Returns a function that checks whether a row is open without credentials, as far as the caller may know that. */
export async function openRows({ caller, running }: RouteCall): Promise<Select> {
  if (caller.kind === 'public') return isAllowed(caller);
  const actions = (await running.authenticator.roles()).byType.get('public')?.actions ?? new Set<string>();
  const isOpen = (action: string): boolean => action === 'anybody' || actions.has(action);
  return (row) => row.action === null || [row.action, ...(row.others ?? [])].every(isOpen);
}

/** Returns a string that is equal for callers with equal rights. */
export async function rightsKey(call: RouteCall): Promise<string> {
  const { caller, running } = call;
  const { grants, hidden, rules } = caller.access;
  const granted = {
    kind: grants.kind,
    ...('actions' in grants && { actions: [...grants.actions].sort() }),
    ...('except' in grants && { except: [...grants.except] }),
  };
  const fields = [...hidden].map(([uid, names]) => [uid, [...names]]);
  const open = (await running.authenticator.roles()).byType.get('public')?.actions ?? [];
  return JSON.stringify([caller.kind, isAdmin(caller), granted, fields, [...rules.keys()], [...open].sort()]);
}
