import { setTimeout } from 'node:timers/promises';
import { ApiError, forbiddenError, unavailableError } from '#base/errors.js';
import type { ContentContext } from '#content/content-context.js';
import { is } from '#store/form/matches.js';
import { claim } from '#store/stores/claim.js';
import {
  type Administrator,
  type AdminRole,
  findAdministrator,
  readAdminRoles,
  superAdminCode,
} from '../administrators/administrator.js';
import { changeAdministrator, insertAdministrator } from '../administrators/write-administrator.js';
import type { SignedOn } from './identity.js';

/** An administrator who has signed on, and what the sign-on has changed; null for nothing. Without a role nobody comes in. */
export interface SignedOnAdministrator {
  readonly administrator: Administrator | null;
  readonly changed: 'created' | 'linked' | 'roles' | null;
}

interface SignOnInput {
  readonly signedOn: SignedOn;
  /** Whether an administrator with the same e-mail address becomes the one of the account. */
  readonly links: boolean;
}

/**
 * Returns the administrator of an account, whose roles become those that the account gives, perhaps none. Creates or links one if there
 * is none and the account gives a role. Throws a ForbiddenError for an administrator who is blocked or not active, a 409 if another one
 * has the e-mail address, and a 503 while another one is changed.
 */
export async function signedOnAdministrator(
  { signedOn, links }: SignOnInput,
  content: ContentContext,
): Promise<SignedOnAdministrator> {
  const roles = rolesOf(signedOn, [...(await readAdminRoles(content.store.database)).values()]);
  const account = await findKnown(signedOn, content);
  if (account !== null) return withRoles(assertActive(account), roles, content);
  if (roles.length === 0) return { administrator: null, changed: null };
  return oneAtATime(content, async () => {
    const found = await findKnown(signedOn, content); // created meanwhile
    if (found !== null) return withRoles(assertActive(found), roles, content);
    return createOrLink({ signedOn, links }, roles, content);
  });
}

/** Attempts of a change while others are made, and milliseconds between them. */
const [attempts, pace] = [10, 200];

async function oneAtATime<Result>({ store }: ContentContext, work: () => Promise<Result>): Promise<Result> {
  const busy = new Error('busy');
  for (let attempt = 1; attempt <= attempts; attempt++) {
    try {
      return await claim(store.database, 'administrators', { busy: () => busy, work });
    } catch (error) {
      if (error !== busy) throw error;
      await setTimeout(pace);
    }
  }
  throw unavailableError('Another administrator is changed at this moment, please try again');
}

const findKnown = ({ key }: SignedOn, { store }: ContentContext): Promise<Administrator | null> =>
  findAdministrator(store.database, { _identity: is.exactly(key) });

/** Returns the roles that an account gives, by their codes or names. */
const rolesOf = ({ roles }: SignedOn, stored: readonly AdminRole[]): readonly AdminRole[] =>
  roles.flatMap((word) => stored.find(({ code }) => code === word) ?? stored.find(({ name }) => name === word) ?? []);

function assertActive(administrator: Administrator): Administrator {
  if (!administrator.isActive || administrator.blocked) throw forbiddenError('Your account here is not active');
  return administrator;
}

const idsOf = (roles: readonly AdminRole[]): readonly number[] => [...new Set(roles.map(({ id }) => id))].sort((a, b) => a - b);

async function withRoles(
  administrator: Administrator,
  roles: readonly AdminRole[],
  content: ContentContext,
): Promise<SignedOnAdministrator> {
  const ids = idsOf(roles);
  if (String(idsOf(administrator.roles)) === String(ids)) return { administrator, changed: null };
  const { id } = administrator;
  return { administrator: stillThere(await changeAdministrator({ _id: id }, { roles: ids }, content)), changed: 'roles' };
}

async function createOrLink(
  { signedOn, links }: SignOnInput,
  roles: readonly AdminRole[],
  content: ContentContext,
): Promise<SignedOnAdministrator> {
  const { key: _identity, email, firstname, lastname } = signedOn;
  const same = await findAdministrator(content.store.database, { email: is.exactly(email) });
  const own = { _identity, roles: idsOf(roles), isActive: true };
  if (same === null) {
    const administrator = await insertAdministrator({ ...own, email, firstname, lastname }, content);
    return { administrator, changed: 'created' };
  }
  assertLinkable(same, links);
  const { id, password, isActive, blocked } = same;
  // Without a password all tokens and codes end: who had the account before may have stored somebody else's address in it.
  const linked = await changeAdministrator({ _id: id, email, password, isActive, blocked }, { ...own, password: null }, content);
  return { administrator: stillThere(linked), changed: 'linked' };
}

/** Throws a 409 for an administrator who must not be linked, and a ForbiddenError for one who is not active and was not invited. */
function assertLinkable(same: Administrator, links: boolean): void {
  const isInvited = same.password === null && typeof same.document['registrationToken'] === 'string';
  if (!isInvited || same.blocked) assertActive(same);
  const hasAll = same.roles.some(({ code }) => code === superAdminCode);
  if (!links || same.signsOn || (hasAll && same.password !== null)) throw taken();
}

const taken = (): ApiError =>
  new ApiError(409, 'ConflictError', 'Another administrator has this e-mail address. An administrator can change or delete it.');

function stillThere(changed: Administrator | null): Administrator {
  if (changed === null) throw forbiddenError('Your account here is not active'); // deleted at the same time
  return changed;
}
