import { Kind } from 'graphql';
import type { OperationDefinitionNode } from 'graphql';
import type { Caller } from '../../access/caller.js';
import { refusedToken, type ApiError } from '../../errors.js';
import type { Answer } from '../../http/route.js';
import { isRecord } from '../../query/is-record.js';
import { operationOf } from './accept-files.js';

/** Mutations that begin a session, or end one: apps send along the token that they have, which may have expired. */
const ofSessions: ReadonlySet<string> = new Set(['login', 'register', 'refresh', 'logout', 'forgotPassword', 'resetPassword']);

/** Throws an UnauthorizedError if a token has expired that counts for an operation of a request. `tokens`: most of a document. */
export function refuseExpired(caller: Caller, body: unknown, tokens: number): void {
  if (caller.kind !== 'public' || !caller.hasExpired) return;
  const members: readonly unknown[] = Array.isArray(body) ? body : [body];
  const isOfSessions = (member: unknown): boolean => isRecord(member) && beginsOnly(operationOf(member, tokens));
  if (members.length === 0 || !members.every(isOfSessions)) throw refusedToken('token_expired');
}

/** A fragment may hide fields, so none is accepted. */
const beginsOnly = (operation: OperationDefinitionNode | null): boolean =>
  operation !== null &&
  operation.selectionSet.selections.every((node) => node.kind === Kind.FIELD && ofSessions.has(node.name.value));

/** A 401 in the form of GraphQL errors. */
export const unauthenticated = ({ status, name, message, details, headers }: ApiError): Answer => ({
  status,
  headers,
  body: { errors: [{ message, extensions: { error: { name, message, details }, code: 'UNAUTHENTICATED' } }] },
});
