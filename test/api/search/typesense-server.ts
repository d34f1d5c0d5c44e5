import {
  type EngineAnswer,
  engineKey,
  EngineServer,
  halfPair,
  matching,
  refusedText,
  type StoredIndex,
  type StoredText,
} from './engine-server.js';

const refused = (status: number, message: string): EngineAnswer => ({ status, body: { message } });

interface Field {
  readonly name: string;
  readonly type: 'string' | 'bool';
  readonly optional?: boolean;
}

interface Search {
  readonly collection: string;
  readonly q: string;
  readonly query_by: string;
  readonly filter_by: string;
  readonly include_fields: string;
  readonly page: number;
  readonly per_page: number;
}

/** A server that answers as the documentation of Typesense 27 says, as far as the service asks. */
export const typesenseServer = (): EngineServer =>
  new EngineServer((call, indexes) => {
    const { method, path, headers, query } = call;
    if (headers['x-typesense-api-key'] !== engineKey)
      return refused(401, 'Forbidden - a valid `x-typesense-api-key` header must be sent.');
    const [, root, name = '', ...rest] = path.split('/');
    const index = indexes.get(name);
    switch (`${method} /${[root, name === '' ? '' : ':id', ...rest].filter((part) => part !== '').join('/')}`) {
      case 'GET /debug':
        return { status: 200, body: { state: 1, version: '27.1' } };
      case 'POST /collections': {
        const form = JSON.parse(call.body) as { readonly name: string; readonly fields: readonly Field[] };
        if (indexes.has(form.name)) return refused(409, `A collection with name \`${form.name}\` already exists.`);
        indexes.set(form.name, { documents: new Map(), form: { ...form } });
        return { status: 201, body: { ...form, num_documents: 0 } };
      }
      case 'GET /collections/:id':
        return index === undefined ? refused(404, 'Not Found') : { status: 200, body: index.form };
      case 'DELETE /collections/:id':
        if (!indexes.delete(name)) return refused(404, `No collection with name \`${name}\` found.`);
        return { status: 200, body: { name, num_documents: 0 } };
      case 'POST /collections/:id/documents/import': {
        if (index === undefined) return refused(404, 'Not found.');
        if (query.get('action') !== 'upsert') return refused(400, 'only upsert is known');
        return {
          status: 200,
          body: call.body
            .split('\n')
            .map((line) => JSON.stringify(store(line, index)))
            .join('\n'),
        };
      }
      case 'DELETE /collections/:id/documents': {
        if (index === undefined) return refused(404, 'Not found.');
        const [, ids] = /^id:\[([\d,]+)\]$/.exec(query.get('filter_by') ?? '') ?? [];
        if (ids === undefined) return refused(400, 'Could not parse the filter query.');
        return { status: 200, body: { num_deleted: ids.split(',').filter((id) => index.documents.delete(id)).length } };
      }
      case 'POST /multi_search': {
        const { searches } = JSON.parse(call.body) as { readonly searches: readonly Search[] };
        if (searches.length > 50) return refused(400, 'Number of multi searches exceeds `limit_multi_searches`: 50');
        return { status: 200, body: { results: searches.map((one) => searchIn(indexes.get(one.collection), one)) } };
      }
      default:
        return refused(404, 'Not Found');
    }
  });

function store(line: string, { documents, form }: StoredIndex): object {
  if (halfPair.test(line)) return { success: false, error: 'Bad JSON: invalid string: surrogate', document: line, code: 400 };
  if (line.includes(refusedText)) return { success: false, error: 'Bad document.', document: line, code: 400 };
  const document = JSON.parse(line) as StoredText;
  const fields = form['fields'] as readonly Field[];
  if (typeof document.id !== 'string')
    return { success: false, error: "Document's `id` field should be a string.", document: line, code: 400 };
  const types = { string: 'string', bool: 'boolean' };
  const wrong = fields.find(({ name, type, optional }) => {
    const value = document[name];
    return value === undefined ? optional !== true : typeof value !== types[type];
  });
  if (wrong !== undefined)
    return { success: false, error: `Field \`${wrong.name}\` must be a ${wrong.type}.`, document: line, code: 400 };
  documents.set(document.id, document);
  return { success: true };
}

function searchIn(index: StoredIndex | undefined, search: Search): object {
  const { q, page, per_page: perPage } = search;
  if (index === undefined) return { code: 404, error: 'Not found.' };
  if (perPage > 250) return { code: 422, error: 'Only upto 250 hits can be fetched per page.' };
  const fields = search.query_by.split(',');
  const known = (index.form['fields'] as readonly Field[]).map(({ name }) => name);
  const unknown = fields.find((name) => !known.includes(name));
  if (unknown !== undefined) return { code: 404, error: `Could not find a field named \`${unknown}\` in the schema.` };
  const tests = search.filter_by === '' ? [] : search.filter_by.split(' && ').map(testOf);
  if (tests.includes(null)) return { code: 400, error: 'Could not parse the filter query.' };
  const kept = [...index.documents.values()].filter((one) => tests.every((test) => test?.(one) === true));
  const found = q === '*' ? kept : matching(kept, q, fields);
  const hits = found
    .slice((page - 1) * perPage, page * perPage)
    .map(({ id }) => ({ document: { id }, highlights: [], text_match: 1 }));
  return {
    found: found.length,
    hits,
    out_of: index.documents.size,
    page,
    request_params: { per_page: perPage, q },
    search_time_ms: 1,
  };
}

/** Returns what a filter says of a document; null if it cannot be read. */
function testOf(filter: string): ((document: StoredText) => boolean) | null {
  if (filter === 'published:=true') return (document) => document['published'] === true;
  const [, list] = /^locale:=\[(.*)\]$/.exec(filter) ?? [];
  if (list === undefined) return null;
  const values = list.split(',').map((one) => one.replaceAll('`', ''));
  return (document) => values.includes(String(document['locale']));
}
