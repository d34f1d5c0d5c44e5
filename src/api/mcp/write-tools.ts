import { ApiError, notFoundError, validationError } from '#base/errors.js';
import type { Values } from '#base/values.js';
import type { ContentContext } from '#content/content-context.js';
import { findSingleForWrite } from '#content/find-one.js';
import type { EntryKey } from '#content/meet-precondition.js';
import { remove } from '#content/remove.js';
import { update as updateEntry } from '#content/update.js';
import { emptyQuery } from '#model/query/ast.js';
import type { ContentType } from '#model/schema/content-type.js';
import { keepsDrafts } from '#model/schema/drafts-beside.js';
import { type AgentCall, maxBytesOf } from './agent-call.js';
import { inputSchema } from './arguments.js';
import { fitEntry } from './bounded-answer.js';
import { readOne } from './read-tools.js';
import { previousVersion, runWrite, StaleVersion } from './run-write.js';
import { mayUse, typeFor } from './served-types.js';
import { showEntry } from './show-entry.js';
import type { TypeTool } from './tool-names.js';
import { annotations, type Tool } from './tool.js';
import { dataOf, ofWrite, writeArguments, queryOf, refuseToPublish } from './write-arguments.js';

const key = ['type!', 'id', 'version!', 'locale'] as const;
const ofSingle = { locale: { type: 'string', description: 'Only for single types: id names a translation' } };

interface ToolParts {
  readonly tool: TypeTool;
  readonly type: ContentType;
  readonly input: Values;
  readonly call: AgentCall;
}

/** An entry of which a version is written. */
interface Stored extends EntryKey {
  readonly expected: readonly string[];
}

type Change = (stored: Stored, content: ContentContext) => Promise<Values | null>;

/** Makes a change of the version of an entry that the arguments name. */
async function changeOne({ tool, type, input, call }: ToolParts, change: Change): Promise<Values> {
  const write = async (content: ContentContext): Promise<Values> => {
    const id = await idOf(type, input, content);
    const version = input['dryRun'] === true ? {} : await previousVersion(type, id, content);
    const answer = await change({ type, id, expected: [String(input['version'])] }, content);
    if (answer === null) throw absent(type);
    return { ...answer, ...version };
  };
  try {
    return await runWrite({ tool, type, input, write }, call);
  } catch (error) {
    if (error instanceof ApiError && error.status === 412) throw new StaleVersion(await readCurrent(type, input, call));
    throw error;
  }
}

/** Returns the error for an entry that is not there, or that the caller does not see: nobody can tell which. */
const absent = ({ kind, singularName }: ContentType): ApiError =>
  notFoundError(kind === 'singleType' ? `${singularName} has no entry yet: use create` : `There is no such ${singularName}`);

/** Returns the id of an entry that is written: of a single type, that of its entry in one locale. */
async function idOf(type: ContentType, input: Values, content: ContentContext): Promise<number> {
  const { id } = input;
  if (type.kind === 'collectionType') {
    if (typeof id !== 'number') throw validationError('Argument id is required');
    return id;
  }
  const stored = await findSingleForWrite(type, queryOf(input), content);
  if (stored === null) throw absent(type);
  return Number(stored.document['_id']);
}

async function readCurrent(type: ContentType, input: Values, call: AgentCall): Promise<Values | null> {
  if (!mayUse('get', type, call)) return null;
  const { id, locale } = input;
  const status = input['status'] === 'published' ? 'published' : 'all';
  const key = type.kind === 'singleType' ? { locale, status } : { id, status };
  const entry = await readOne(type, key, call);
  return entry && showEntry(entry, call.content);
}

/** Returns the tool that updates an entry with values. */
const updateTool = (
  tool: 'update' | 'publish' | 'unpublish',
  definition: Omit<Tool['definition'], 'name'>,
  valuesOf: (input: Values, type: ContentType) => Values,
  statusOf: (input: Values, type: ContentType, call: AgentCall) => Pick<EntryKey, 'status'> = () => ({}),
): Tool => ({
  definition: { name: tool, ...definition },
  run: async (input, call) => {
    const type = typeFor(tool, input, call);
    const data = valuesOf(input, type);
    const status = statusOf(input, type, call);
    return changeOne({ tool, type, input, call }, async (stored, content) => {
      const entry = await updateEntry({ ...stored, ...status }, { data, query: emptyQuery }, content);
      return entry && fitEntry({ entry: showEntry(entry, content) }, maxBytesOf(call));
    });
  },
});

export const update = updateTool(
  'update',
  {
    title: 'Update an entry',
    description:
      'Changes the given values of an entry, or of the draft beside it if the type keeps drafts there. Another version is refused with the current entry.',
    inputSchema: inputSchema([...key, 'data!', 'status', ...writeArguments], { ...ofSingle, status: ofWrite }),
    annotations: annotations.changes,
  },
  dataOf,
  updatedStatus,
);

/**
 * Returns which one of an entry and the draft beside it an update is for: the draft, unless the caller may publish and says otherwise.
 * Throws a ValidationError for types that keep no such drafts.
 */
function updatedStatus({ status }: Values, type: ContentType, call: AgentCall): Pick<EntryKey, 'status'> {
  if (!keepsDrafts(type)) {
    if (status === undefined) return {};
    throw validationError(`Argument status is unknown: ${type.singularName} has no drafts beside published entries`);
  }
  if (status !== 'published') return { status: 'draft' };
  refuseToPublish(call, 'Agents change drafts here: leave out status');
  return { status };
}

export const publish = updateTool(
  'publish',
  {
    title: 'Publish an entry',
    description: 'Makes a draft public.',
    inputSchema: inputSchema([...key, ...writeArguments], ofSingle),
    annotations: { ...annotations.changes, destructiveHint: false },
  },
  () => ({ publishedAt: new Date().toISOString() }),
);

export const unpublish = updateTool(
  'unpublish',
  {
    title: 'Unpublish an entry',
    description: 'Makes an entry a draft again.',
    inputSchema: inputSchema([...key, ...writeArguments], ofSingle),
    annotations: annotations.changes,
  },
  () => ({ publishedAt: null }),
);

export const deleteEntry: Tool = {
  definition: {
    name: 'delete',
    title: 'Delete an entry',
    description: 'Deletes an entry. Another version is refused with the current entry.',
    inputSchema: inputSchema([...key, ...writeArguments], ofSingle),
    annotations: annotations.changes,
  },
  run: async (input, call) => {
    const type = typeFor('delete', input, call);
    return changeOne({ tool: 'delete', type, input, call }, async (stored, content) => {
      const removed = await remove(stored, emptyQuery, content);
      return removed && { deleted: { type: type.singularName, id: stored.id } };
    });
  },
};
