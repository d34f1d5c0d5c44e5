import { ApiError, notFoundError, validationError } from '#base/errors.js';
import type { Values } from '#base/values.js';
import type { ContentContext } from '#content/content-context.js';
import { create as createEntry } from '#content/create.js';
import { findSingle } from '#content/find-one.js';
import { updateSingle } from '#content/single-type.js';
import type { WriteInput } from '#content/update.js';
import type { ContentType } from '#model/schema/content-type.js';
import type { LoadedEntry } from '#store/form/loaded.js';
import { type AgentCall, maxBytesOf } from './agent-call.js';
import { inputSchema } from './arguments.js';
import { fitEntry } from './bounded-answer.js';
import { runWrite, withoutValue } from './run-write.js';
import { typeFor } from './served-types.js';
import { showEntry } from './show-entry.js';
import { annotations, type Tool } from './tool.js';
import { dataOf, ofWrite, writeArguments, queryOf, refuseToPublish } from './write-arguments.js';

/** Creates an entry, a draft unless `status` says otherwise. */
export const create: Tool = {
  definition: {
    name: 'create',
    title: 'Create an entry',
    description: 'A new entry, a draft if the type has drafts. A translation names its siblings: {"localizations":[id]} in data.',
    inputSchema: inputSchema(['type!', 'data!', 'locale', 'status', ...writeArguments], { status: ofWrite }),
    annotations: annotations.adds,
  },
  run: async (input, call) => {
    const type = typeFor('create', input, call);
    const data = { ...dataOf(input, type), ...publicationOf(input, type, call) };
    const answer = await runWrite(
      { tool: 'create', type, input, write: (content) => createOne({ type, data, input, call }, content) },
      call,
    );
    return input['dryRun'] === true ? withoutValue(answer, 'id') : answer;
  },
};

/** Returns the publication date of a new entry. Throws if the caller may not choose the state. */
function publicationOf({ status }: Values, type: ContentType, call: AgentCall): Values {
  if (!type.draftAndPublish) {
    if (status === 'draft') throw validationError(`${type.singularName} has no drafts`);
    return {};
  }
  if (status !== 'published') return isHidden('publishedAt', type, call) ? {} : { publishedAt: null };
  refuseToPublish(call, 'Agents create drafts here: leave out status');
  return { publishedAt: new Date().toISOString() };
}

const isHidden = (name: string, { uid }: ContentType, { content }: AgentCall): boolean =>
  content.bind.access.hidden.get(uid)?.has(name) === true;

interface Creation {
  readonly type: ContentType;
  readonly input: Values;
  readonly call: AgentCall;
  readonly data: Values;
}

async function createOne({ type, data, input, call }: Creation, content: ContentContext): Promise<Values> {
  const { locale } = input;
  const query = queryOf(input);
  const isSingle = type.kind === 'singleType';
  const values = type.localized && typeof locale === 'string' && !isSingle ? { ...data, locale } : data;
  const created = isSingle
    ? await createSingle(type, { data: values, query }, content)
    : await createEntry(type, values, query, content);
  if (created === null) throw notFoundError();
  return fitEntry({ entry: showEntry(created, content) }, maxBytesOf(call));
}

/** Creates the entry of a single type; null if there is one that the caller does not see. Throws if there is another one. */
async function createSingle(type: ContentType, write: WriteInput, content: ContentContext): Promise<LoadedEntry | null> {
  try {
    return await updateSingle({ type, isNew: true }, write, content);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 412) throw error;
    if ((await findSingle(type, { ...write.query, publicationState: 'preview' }, content)) === null) return null;
    throw error;
  }
}
