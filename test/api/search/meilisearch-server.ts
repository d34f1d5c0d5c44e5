import {
  type EngineAnswer,
  type EngineCall,
  engineKey,
  EngineServer,
  halfPair,
  matching,
  refusedText,
  type StoredIndex,
  type StoredText,
} from './engine-server.js';

interface Task {
  readonly uid: number;
  readonly status: 'succeeded' | 'failed';
  readonly error: object | null;
  reads: number;
}

const errorBody = (code: string, message: string) => ({
  message,
  code,
  type: 'invalid_request',
  link: `https://docs.meilisearch.com/errors#${code}`,
});

const refused = (status: number, code: string, message: string): EngineAnswer => ({ status, body: errorBody(code, message) });

/** A server that answers as the documentation of Meilisearch 1.12 says, as far as the service asks. A task has ended at its second reading. */
export function meilisearchServer(): EngineServer {
  const tasks: Task[] = [];
  const enqueue = (indexUid: string, type: string, work: () => object | null): EngineAnswer => {
    const error = work();
    const task: Task = { uid: tasks.length, status: error === null ? 'succeeded' : 'failed', error, reads: 0 };
    tasks.push(task);
    return { status: 202, body: { taskUid: task.uid, indexUid, status: 'enqueued', type, enqueuedAt: new Date().toISOString() } };
  };
  const readTask = (uid: number): EngineAnswer => {
    const task = tasks[uid];
    if (task === undefined) return refused(404, 'task_not_found', `Task \`${String(uid)}\` not found.`);
    task.reads += 1;
    const isOver = task.reads > 1;
    return { status: 200, body: { uid, status: isOver ? task.status : 'processing', error: isOver ? task.error : null } };
  };
  return new EngineServer((call, indexes) => {
    const { method, path, headers } = call;
    if (headers.authorization === undefined)
      return refused(
        401,
        'missing_authorization_header',
        'The Authorization header is missing. It must use the bearer authorization method.',
      );
    if (headers.authorization !== `Bearer ${engineKey}`)
      return refused(403, 'invalid_api_key', 'The provided API key is invalid.');
    const [, root, name = '', ...rest] = path.split('/');
    const action = `${method} /${[root, name === '' ? '' : ':id', ...rest].filter((part) => part !== '').join('/')}`;
    const index = indexes.get(name);
    const made = (): StoredIndex => {
      const one = index ?? { documents: new Map(), form: {} };
      indexes.set(name, one);
      return one;
    };
    switch (action) {
      case 'GET /version':
        return { status: 200, body: { commitSha: 'b46889b5', commitDate: '2024-12-16', pkgVersion: '1.12.0' } };
      case 'GET /tasks/:id':
        return readTask(Number(name));
      case 'POST /indexes': {
        const { uid, primaryKey } = JSON.parse(call.body) as { readonly uid: string; readonly primaryKey: string };
        return enqueue(uid, 'indexCreation', () => {
          if (indexes.has(uid)) return errorBody('index_already_exists', `Index \`${uid}\` already exists.`);
          indexes.set(uid, { documents: new Map(), form: { primaryKey } });
          return null;
        });
      }
      case 'PATCH /indexes/:id/settings':
        return enqueue(name, 'settingsUpdate', () => (Object.assign(made().form, JSON.parse(call.body)), null));
      case 'POST /indexes/:id/documents':
        if (halfPair.test(call.body)) return refused(400, 'malformed_payload', 'The `json` payload provided is malformed.');
        return enqueue(name, 'documentAdditionOrUpdate', () => {
          const sent = JSON.parse(call.body) as StoredText[];
          const wrong = sent.find(({ text_title: title }) => typeof title === 'string' && title.includes(refusedText));
          if (wrong !== undefined) return errorBody('invalid_document_fields', `Document \`${String(wrong.id)}\` is invalid.`);
          for (const one of sent) made().documents.set(String(one.id), one);
          return null;
        });
      case 'POST /indexes/:id/documents/delete-batch':
        return enqueue(name, 'documentDeletion', () => {
          for (const id of JSON.parse(call.body) as number[]) index?.documents.delete(String(id));
          return null;
        });
      case 'DELETE /indexes/:id':
        return enqueue(name, 'indexDeletion', () =>
          indexes.delete(name) ? null : errorBody('index_not_found', `Index \`${name}\` not found.`),
        );
      case 'GET /indexes/:id/settings/filterable-attributes':
        if (index === undefined) return refused(404, 'index_not_found', `Index \`${name}\` not found.`);
        return { status: 200, body: index.form['filterableAttributes'] ?? [] };
      case 'POST /indexes/:id/search':
        return index === undefined ? refused(404, 'index_not_found', `Index \`${name}\` not found.`) : searchIn(index, call);
      default:
        return refused(404, 'not_found', `there is no ${action}`);
    }
  });
}

interface SearchBody {
  readonly q: string;
  readonly limit?: number;
  readonly filter?: readonly string[];
  readonly attributesToSearchOn: readonly string[];
  readonly attributesToRetrieve: readonly string[];
}

interface IndexSettings {
  /** Absent from an index that the engine has created by itself. */
  readonly searchableAttributes?: readonly string[];
  readonly filterableAttributes?: readonly string[];
  readonly displayedAttributes: readonly string[];
  readonly pagination: { readonly maxTotalHits: number };
}

function searchIn({ documents, form }: StoredIndex, call: EngineCall): EngineAnswer {
  const body = JSON.parse(call.body) as SearchBody;
  const settings = form as unknown as IndexSettings;
  const { q, limit = 20, filter = [], attributesToSearchOn: fields } = body;
  const unknown = fields.find((name) => settings.searchableAttributes?.includes(name) === false);
  if (unknown !== undefined)
    return refused(400, 'invalid_search_attributes_to_search_on', `Attribute \`${unknown}\` is not searchable.`);
  const tests = filter.map((one) => testOf(one, settings));
  if (tests.includes(null)) return refused(400, 'invalid_search_filter', `a filter of ${JSON.stringify(filter)} cannot be read`);
  const kept = [...documents.values()].filter((one) => tests.every((test) => test?.(one) === true));
  const found = matching(kept, q, fields);
  const hits = found
    .slice(0, Math.min(limit, settings.pagination.maxTotalHits))
    .map((document) =>
      Object.fromEntries(
        Object.entries(document).filter(
          ([name]) => body.attributesToRetrieve.includes(name) && settings.displayedAttributes.includes(name),
        ),
      ),
    );
  return { status: 200, body: { hits, query: q, processingTimeMs: 1, limit, offset: 0, estimatedTotalHits: found.length } };
}

/** Returns what a filter says of a document; null if it cannot be read. */
function testOf(filter: string, { filterableAttributes }: IndexSettings): ((document: StoredText) => boolean) | null {
  const [, name = '', isTrue, list] = /^(\w+) (?:= (true)|EXISTS|IN \[(.*)\])$/.exec(filter) ?? [];
  if (filterableAttributes?.includes(name) !== true) return null;
  if (isTrue !== undefined) return (document) => document[name] === true;
  if (list === undefined) return (document) => name in document;
  const values = JSON.parse(`[${list}]`) as string[];
  return (document) => values.includes(String(document[name]));
}
