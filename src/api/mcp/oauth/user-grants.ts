import { forbiddenError, notFoundError } from '#base/errors.js';
import { listOf, orNull, record, text, type Schema } from '#http/json-schema.js';
import { answers, type Operation } from '#http/operation.js';
import type { Answer, RouteCall } from '#http/route.js';
import type { CurrentUser } from './current-user.js';
import { endOwnGrant, type Grant, grantsOf } from './grants.js';
import { scopeTexts } from './scopes.js';

const time: Schema = { type: 'string', format: 'date-time' };

const grant: Schema = record({
  id: text,
  client: record({ id: text, name: text, host: orNull(text) }),
  scopes: listOf({ type: 'string', enum: Object.keys(scopeTexts) }),
  createdAt: time,
  usedAt: time,
  expiresAt: time,
});

/** The descriptions of the routes by which users list and end what they have allowed clients. */
export const grantOperations = {
  list: {
    id: 'listGrants',
    summary: 'List the clients that may act for the own account',
    tag: 'Users',
    answers: answers(listOf(grant), 'The grants, the last used first'),
  },
  end: {
    id: 'endGrant',
    summary: 'End the access of a client to the own account',
    tag: 'Users',
    inPath: text,
    answers: answers(grant, 'The grant, which has ended with all its tokens'),
  },
} satisfies Readonly<Record<string, Operation>>;

export async function listGrants(call: RouteCall): Promise<Answer> {
  const grants = await grantsOf(call.content.store.database, userOf(call));
  return { body: grants.map(shown) };
}

/** Ends a grant of the caller. Throws a NotFoundError if the caller has none of that id. */
export async function endGrant(call: RouteCall): Promise<Answer> {
  const ended = await endOwnGrant(call.content.store.database, call.request.params['id'] ?? '', userOf(call).id);
  if (ended === null) throw notFoundError('There is no such grant');
  return { body: shown(ended) };
}

function userOf({ caller }: RouteCall): CurrentUser {
  if (caller.kind !== 'user') throw forbiddenError('Only users have grants');
  return caller.user;
}

const shown = ({ _id, client, scopes, createdAt, usedAt, expiresAt }: Grant): object => ({
  ...{ id: _id, client, scopes, createdAt, usedAt, expiresAt },
});
