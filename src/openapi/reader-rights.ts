import type { Caller } from '../auth/caller.js';
import type { Row, RouteCall } from '../http/route.js';
import { allows } from '../query/access.js';

type Select = (row: Row) => boolean;

/** Tells whether a caller has the right that a row needs. */
export const isAllowed =
  (caller: Caller): Select =>
  ({ action }) => {
    if (action === null || action === 'nothing') return true;
    if (action === 'admin') return isAdmin(caller);
    if (action === 'authenticated') return caller.kind === 'user' || caller.access.grants.kind === 'all';
    return allows(caller.access, action);
  };

const isAdmin = (caller: Caller): boolean => caller.kind === 'token' && caller.token.type === 'admin';

/** Tells whether a row is open to requests without credentials, as far as the caller can know. */
export async function openRows({ caller, running }: RouteCall): Promise<Select> {
  if (caller.kind === 'public') return isAllowed(caller);
  const actions = (await running.authenticator.roles()).byType.get('public')?.actions ?? new Set<string>();
  return ({ action }) => action === null || action === 'nothing' || actions.has(action);
}

/** Returns a text that is the same for all callers who may do and see the same. */
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
