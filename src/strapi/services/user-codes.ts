import { isStoredCode } from '#accounts/login/passwords.js';
import { userUid } from '#accounts/user-store.js';
import { withStoredCodes } from '#accounts/users/user-input.js';
import type { EntityService } from '#api/code/entity-service.js';
import { accountsOf, type RunningService } from '#http/running.js';
import type { Values } from '#base/values.js';
import type { QueryEngine } from './query-engine.js';

type OpenRunning = () => RunningService;

/**
 * Returns the data of a user with the codes of code in their stored form, so that the routes of the service accept the codes. Codes that
 * code has read from the store stay as they are.
 */
function withCodes(data: object, running: OpenRunning): object {
  const given = data as Values;
  const plain = ['resetPasswordToken', 'confirmationToken'].filter((name) => {
    const code = given[name];
    return typeof code === 'string' && !isStoredCode(code);
  });
  if (plain.length === 0) return data;
  const codes = Object.fromEntries(plain.map((name) => [name, given[name]]));
  return { ...data, ...withStoredCodes(accountsOf(running()), codes) };
}

/** Returns an entity service that stores codes of users as the service does. */
export function entitiesWithCodes(service: EntityService, running: OpenRunning): EntityService {
  const stored = <Input extends { readonly data: object }>(uid: string, input: Input): Input =>
    uid === userUid ? { ...input, data: withCodes(Object(input.data) as object, running) } : input;
  return {
    ...service,
    create: async (uid, input) => service.create(uid, stored(uid, input)),
    update: async (uid, id, input) => service.update(uid, id, stored(uid, input)),
  };
}

/** Returns a query engine of users that stores their codes as the service does. */
export const engineWithCodes = (engine: QueryEngine, running: OpenRunning): QueryEngine => ({
  ...engine,
  create: async ({ data, ...input }) => engine.create({ ...input, data: withCodes(data, running) }),
  update: async ({ data, ...input }) => engine.update({ ...input, data: withCodes(data, running) }),
});
