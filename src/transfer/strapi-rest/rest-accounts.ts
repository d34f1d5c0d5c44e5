import { isRecord, type Values } from '../../values.js';
import type { RestClient } from './rest-client.js';
import type { RestRow } from './rest-entries.js';

/** Reads roles with what they may do, then users. Permissions are numbered as they come. */
export async function* readAccounts(client: RestClient, users: AsyncIterable<Values>): AsyncGenerator<RestRow> {
  const answer = await client.get('/users-permissions/roles');
  const roles = isRecord(answer) && Array.isArray(answer['roles']) ? answer['roles'].filter(isRecord) : [];
  let number = 0;
  for (const role of roles) {
    const id = Number(role['id']);
    yield { type: 'plugin::users-permissions.role', id, values: role };
    const detail = await client.get(`/users-permissions/roles/${String(id)}`);
    for (const action of actionsIn(isRecord(detail) ? detail['role'] : null)) {
      number++;
      yield { type: 'plugin::users-permissions.permission', id: number, values: { action, role: { id } } };
    }
  }
  for await (const values of users) yield { type: 'plugin::users-permissions.user', id: Number(values['id']), values };
}

/** `{ 'api::article': { controllers: { article: { find: { enabled: true } } } } }` as `api::article.article.find`. */
function actionsIn(role: unknown): readonly string[] {
  return entriesOf(isRecord(role) ? role['permissions'] : null).flatMap(([origin, part]) =>
    entriesOf(isRecord(part) ? part['controllers'] : null).flatMap(([controller, actions]) =>
      entriesOf(actions).flatMap(([action, state]) =>
        isRecord(state) && state['enabled'] === true ? [`${origin}.${controller}.${action}`] : [],
      ),
    ),
  );
}

const entriesOf = (value: unknown): readonly (readonly [string, unknown])[] => (isRecord(value) ? Object.entries(value) : []);
