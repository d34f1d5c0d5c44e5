import { isRecord } from '../values.js';
import type { RouteCall } from '../http/route.js';
import type { ListedOperation } from './list-operations.js';

/** Maximum number of content types with an example. Each example takes a request. */
const mostExamples = 50;

/** Adds examples to lists and single types: the first entry that the caller may read. */
export async function addExamples(operations: readonly ListedOperation[], call: RouteCall): Promise<ListedOperation[]> {
  const chosen = operations.filter((operation) => takesExample(operation, call)).slice(0, mostExamples);
  const examples = new Map(await Promise.all(chosen.map(async (listed) => [listed, await readExample(listed, call)] as const)));
  return operations.map((listed) => withExample(listed, examples.get(listed)));
}

/**
 * Returns whether an operation gets an example: if it reads a whole type, and no row rules restrict the caller, so that all
 * callers with the same rights see the same entry.
 */
function takesExample({ method, path, row: { action } }: ListedOperation, { content }: RouteCall): boolean {
  const uid = action?.startsWith('api::') === true && action.endsWith('.find') ? action.slice(0, -'.find'.length) : null;
  return uid !== null && method === 'GET' && !path.includes(':') && !content.bind.access.rules.has(uid);
}

/** Returns the example; undefined if there is no entry, or it cannot be read. */
async function readExample({ row }: ListedOperation, call: RouteCall): Promise<unknown> {
  if (!('handle' in row) || row.action === null) return undefined;
  try {
    const { body } = await row.handle({ ...call, request: call.request.with({}, { query: 'pagination[pageSize]=1' }) });
    const { data } = isRecord(body) ? body : {};
    return Array.isArray(data) && data.length === 0 ? undefined : body;
  } catch {
    return undefined; // usually a single type without an entry
  }
}

function withExample(listed: ListedOperation, example: unknown): ListedOperation {
  const { operation } = listed;
  const answer = operation.answers['200'];
  if (example === undefined || answer === undefined) return listed;
  return { ...listed, operation: { ...operation, answers: { ...operation.answers, 200: { ...answer, example } } } };
}
