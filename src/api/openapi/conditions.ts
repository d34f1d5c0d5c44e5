import { text } from '#http/json-schema.js';
import type { ListedOperation } from './list-operations.js';

/** What conditional requests add to the description of an operation. */
interface Conditions {
  readonly parameters: readonly object[];
  /** Headers of its successful answers. */
  readonly headers: Readonly<Record<string, object>> | null;
  readonly responses: Readonly<Record<string, object>>;
}

const none: Conditions = { parameters: [], headers: null, responses: {} };

const header = (name: string, description: string): object => ({ name, in: 'header', description, schema: text });

const response = (name: string): object => ({ $ref: `#/components/responses/${name}` });

const etag = { ETag: { description: 'The tag of the answer', schema: text } };

const ifNoneMatch = header('If-None-Match', 'Tags of answers that the client has');
const ifMatch = header('If-Match', 'The tag of the entry as the client knows it, or * for any');
const ifNew = header('If-None-Match', '* to create the entry only if there is none');

/** The errors of conditional writes, by status. */
export const conditionErrors = {
  412: { name: 'PreconditionFailed', description: 'The entry is not the one that the precondition names; ETag is its tag' },
  428: { name: 'PreconditionRequired', description: 'The type demands If-Match' },
};

/** Returns what conditional requests add to an operation of the service. Code of a project decides about its own. */
export function conditionsOf({ method, path, row }: ListedOperation): Conditions {
  if (row.action === null || !('handle' in row)) return none;
  const headers = row.isTagged === true && method !== 'DELETE' ? etag : null;
  if (method === 'GET')
    return row.isTagged === true
      ? { parameters: [ifNoneMatch], headers, responses: { 304: { description: 'The client has the answer', headers: etag } } }
      : none;
  if (row.readsPreconditions !== true) return { ...none, headers };
  return {
    parameters: method === 'PUT' && !path.includes(':') ? [ifMatch, ifNew] : [ifMatch],
    headers,
    responses: { 412: response('PreconditionFailed'), 428: response('PreconditionRequired') },
  };
}
