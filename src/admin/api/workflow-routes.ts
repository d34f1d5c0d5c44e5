import { moveEntry, movedOf, StageMoved, type StageInput } from '#api/workflow/move-entry.js';
import { type Stage, type Workflow, workflowOf } from '#api/workflow/workflow-option.js';
import type { EntryKey } from '#content/meet-precondition.js';
import { forbiddenError, invalidParameter, notFoundError, validationError } from '#base/errors.js';
import { flag, listOf, orNull, record, text, integer } from '#http/json-schema.js';
import { collections } from '#model/schema/collections.js';
import { type Database, type Document } from '#store/send/database.js';
import { findFirst, findStored } from '#store/stored.js';
import type { AdminCall, AdminRoute } from './admin-call.js';
import { describe, row } from './admin-row.js';
import { author } from './history-routes.js';
import { nameAuthors, nameOf } from './name-authors.js';

const person = record({ id: integer, name: text });
const overview = record({
  stages: listOf(record({ name: text, color: text })),
  publishFrom: orNull(text),
  administrators: listOf(record({ id: integer, name: text, isActive: flag })),
});
const position = record({
  ...{ stage: text, assignee: orNull(person), by: author, at: orNull(text) },
  ...{ moves: listOf(text), assigns: flag },
});

/** The body of a move. `from` is the stage that the caller has seen. */
const move = record({ stage: text, assignee: orNull(integer), from: text }, []);

const rows: readonly AdminRoute[] = [
  row(
    'GET /workflow/:uid',
    describe('adminFindWorkflow', 'Read the stages of a type, and the administrators', overview),
    readWorkflow,
  ),
  row(
    'GET /workflow/:uid/:id',
    describe('adminFindStage', 'Read the stage and the assignee of an entry', position),
    async (call) => {
      const entry = entryOf(call);
      return show(entry, await rightsOn(entry, call), call);
    },
  ),
  row(
    'PUT /workflow/:uid/:id',
    describe('adminMoveEntry', 'Move an entry to a stage, or assign it to an administrator', position),
    moveAs,
    move,
  ),
];

/** The routes of the stages of entries of types with `options.workflow`. */
export const workflowRoutes = rows.map((one): AdminRoute => ({ ...one, right: 'logged in' }));

/** What only requests of administrators need. */
const loadRights = () => import('./workflow-rights.js');

/** An entry of a type with a workflow. */
interface StagedEntry extends EntryKey {
  readonly workflow: Workflow;
}

/** Throws a NotFoundError for a type without a workflow. */
function typeOf({ request, content }: AdminCall): Omit<StagedEntry, 'id'> {
  const uid = request.params['uid'] ?? '';
  const type = content.bind.registry.types.get(uid);
  const workflow = type === undefined ? null : workflowOf(type);
  if (type === undefined || workflow === null) throw notFoundError(`${uid} has no option workflow`);
  return { type, workflow };
}

function entryOf(call: AdminCall): StagedEntry {
  const id = call.request.params['id'] ?? '';
  if (!/^[1-9]\d{0,14}$/.test(id)) throw invalidParameter('id');
  return { ...typeOf(call), id: Number(id) };
}

/** Most administrators that are listed. */
const mostListed = 500;

async function readWorkflow(call: AdminCall) {
  const { type, workflow } = typeOf(call);
  if (call.administrator !== null) (await loadRights()).checkReader(type.uid, call.administrator);
  const documents = await findStored(call.content.store.database, collections.administrators, {
    sort: { _id: 1 },
    limit: mostListed,
  });
  return {
    stages: workflow.stages.map(({ name, color }) => ({ name, color })),
    publishFrom: workflow.publishFrom,
    administrators: documents.map((one) => ({ ...shownPerson(one), isActive: isActive(one) })),
  };
}

const isActive = ({ isActive: active, blocked }: Document): boolean => active === true && blocked !== true;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const shownPerson = ({ _id, firstname, lastname, username }: Document) => ({
  id: Number(_id),
  name: nameOf({ firstname: textOf(firstname), lastname: textOf(lastname), username: textOf(username) }),
});

type MayMove = (stage: Stage) => boolean;

/** Returns the stages of an entry that the caller may move it into and out of. Whoever has an admin token may do everything. */
const rightsOn = async (key: EntryKey, { administrator }: AdminCall): Promise<MayMove> =>
  administrator === null ? () => true : (await loadRights()).stageRights(key, administrator);

async function show({ type, id, workflow }: StagedEntry, may: MayMove, { content, running }: AdminCall) {
  const { database } = content.store;
  const stored = await findFirst(database, type.collection, { _id: id });
  if (stored === null) throw notFoundError();
  const stage = workflow.stageOf(stored);
  const isFree = mayBe(may, stage, workflow);
  const { by, at } = movedOf(stored) ?? { by: null, at: null };
  const [named] = await nameAuthors([{ by }], running);
  const others = workflow.stages.filter((one) => one.name !== stage && may(one));
  return {
    ...{ stage, assignee: await assigneeOf(stored, database), by: named?.by ?? null, at },
    moves: isFree ? others.map(({ name }) => name) : [],
    assigns: isFree,
  };
}

const mayBe = (may: MayMove, name: string, workflow: Workflow): boolean => {
  const stage = workflow.stage(name);
  return stage !== undefined && may(stage);
};

async function assigneeOf({ assignee }: Document, database: Database) {
  if (typeof assignee !== 'number') return null;
  const administrator = await findFirst(database, collections.administrators, { _id: assignee });
  return administrator === null ? { id: assignee, name: '' } : shownPerson(administrator); // one who was deleted has no name
}

async function moveAs(call: AdminCall) {
  const entry = entryOf(call);
  const { workflow } = entry;
  const { from, ...input } = call.body as StageInput & { readonly from?: string }; // checked by its schema
  const { stage, assignee } = input;
  if (stage === undefined && assignee === undefined) throw validationError('the body must have a stage or an assignee');
  if (stage !== undefined && workflow.stage(stage) === undefined)
    throw validationError(`stage must be one of: ${workflow.stages.map(({ name }) => name).join(', ')}`);
  const may = await rightsOn(entry, call);
  const check = (stored: Document): void => {
    const present = workflow.stageOf(stored);
    if (!mayBe(may, present, workflow)) throw forbiddenError(`You may not change entries in the stage "${present}"`);
    if (stage !== undefined && !mayBe(may, stage, workflow))
      throw forbiddenError(`You may not move entries to the stage "${stage}"`);
  };
  const moving = { workflow, check, ...(from !== undefined && { from }) };
  await call
    .commit(async (content) => {
      if (typeof assignee === 'number') await checkAssignee(assignee, content.store.database);
      await moveEntry(entry, input, moving, content);
    })
    .catch(async (error: unknown) => {
      throw error instanceof StageMoved ? await withName(error, call) : error;
    });
  return show(entry, may, call);
}

async function checkAssignee(id: number, database: Database): Promise<void> {
  const administrator = await findFirst(database, collections.administrators, { _id: id });
  if (administrator === null || !isActive(administrator))
    throw validationError('assignee must be the id of an active administrator');
}

/** Returns the error with the name of the administrator who has moved the entry. */
async function withName({ stage, moved }: StageMoved, { running }: AdminCall): Promise<StageMoved> {
  if (moved === null) return new StageMoved(stage, null);
  const [named] = await nameAuthors([moved], running);
  return new StageMoved(stage, moved, String((Object(named?.by) as { readonly name?: string }).name ?? ''));
}
