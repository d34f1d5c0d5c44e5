import { isStoredCode, storedCode } from '#accounts/login/passwords.js';
import { userUid } from '#accounts/user-store.js';
import { insertStagedDocuments } from '../raw/insert-staged.js';
import { insertExpectedBlobs, insertLinks, raiseCounters, readLinks } from '../raw/staging-area.js';
import { holdersIn, toStoredForm } from '../raw/stored-form.js';
import { type HeldLink, type Holder, holderKey, placeLink, type StagedLink } from '../raw/transferred.js';
import type { EntryDocument } from '#store/write/write-entries.js';
import { uploadFile, type ContentType } from '#model/schema/content-type.js';
import { placeFile } from './import-files.js';
import { type ImportContext, type ImportRun, type Numbered, type RecordOf, runStage } from './import-run.js';
import type { Tally } from './tally.js';
import { administratorUid, isPanelType } from './panel-records.js';
import { whyNot } from './plan-import.js';
import { messageOf } from '#base/errors.js';

/** Stages links, keyed by the entries that store them. */
export const stageLinks = (run: ImportRun): Promise<void> =>
  runStage(run, { stage: 'links', title: 'links', write: (batch) => writeLinks(run, batch) });

async function writeLinks(run: ImportRun, batch: readonly Numbered<RecordOf<'links'>>[]): Promise<void> {
  const held = batch.flatMap(([number, link]) => placeOrReport(link, run).map((placed) => [number, placed] as const));
  await insertLinks(run.staged, held);
  run.tally.add('links', held.length);
}

/** Returns a link in its stored form. Reports a link that cannot be stored, and returns nothing. */
export function placeOrReport(link: RecordOf<'links'>, { plan, tally, administrators }: Importing): readonly HeldLink[] {
  const { left, right } = link;
  if (isPanelType(left.type)) return none; // links to roles are read with the panel's entries, others are not needed
  const isPerson = right.type === administratorUid;
  const isThere = ({ type }: Holder): boolean => plan.registry.types.get(type)?.kind === 'component' || plan.types.has(type);
  const away = [left, ...(isPerson ? [] : [right])].find((end) => !isThere(end));
  const id = isPerson ? administrators.get(right.id) : right.id;
  const placed =
    away !== undefined
      ? `${away.type} is not imported: ${whyNot(away.type, plan)}`
      : id === undefined
        ? `the administrator in ${left.field ?? ''} is not imported`
        : placeLink({ ...link, right: { ...right, id } }, plan.registry);
  if (typeof placed !== 'string') return [placed];
  tally.report(`a link is not imported: ${whyLost(link, plan) ?? placed}`, `${holderKey(left)} to ${holderKey(right)}`);
  return [];
}

/** Returns the reason why the attribute of a link is left out; undefined if it is not. */
function whyLost({ left, right }: RecordOf<'links'>, { leftOut }: ImportRun['plan']): string | undefined {
  return [left, right].flatMap(({ type, field }) => {
    const reason = leftOut.get(type)?.get(field ?? '');
    return reason === undefined ? [] : [`${String(field)} of ${type} cannot be stored: ${reason}`];
  })[0];
}

/** Stages entries with their components and links. */
export const stageEntries = (run: ImportRun): Promise<void> =>
  runStage(run, { stage: 'entities', title: 'entries', write: (batch) => writeEntries(run, batch) });

type Entity = RecordOf<'entities'>;

/** The parts of an import that decide what can be stored. */
type Importing = Pick<ImportRun, 'plan' | 'tally'> & {
  readonly context: Pick<ImportContext, 'defaultLocale'>;
  readonly administrators: Pick<ImportRun['administrators'], 'get'>;
};

/** An entry to import. The holders of links are the entry itself and its components. */
interface ComingEntry {
  readonly type: ContentType;
  readonly entity: Entity;
  readonly holders: readonly Holder[];
}

async function writeEntries(run: ImportRun, batch: readonly Numbered<Entity>[]): Promise<void> {
  const { plan, context } = run;
  const coming = batch.flatMap(([, entity]) => (isPanelType(entity.type) ? [] : comingEntry(run, entity)));
  await writeComing(run, coming);
  await raiseCounters(
    context.store.database,
    highestIds(
      coming.flatMap(({ holders }) => holders),
      plan.registry.types,
    ),
  );
}

export function comingEntry({ plan, tally }: Importing, entity: Entity): readonly ComingEntry[] {
  const type = plan.types.get(entity.type);
  if (type === undefined) {
    tally.report(`entries of ${entity.type} are not imported: ${plan.refused.get(entity.type) ?? ''}`, holderKey(entity));
    return [];
  }
  return orReport({ type, entity }, tally, () => [{ type, entity, holders: holdersIn(type, entity, plan.registry) }]);
}

/** Runs `read` for an entry. Reports an error and returns nothing, so that the entry does not stop others. */
function orReport<Result>(
  { type, entity }: Pick<ComingEntry, 'type' | 'entity'>,
  tally: Tally,
  read: () => readonly Result[],
): readonly Result[] {
  try {
    return read();
  } catch (error) {
    tally.report(`entries of ${type.uid} cannot be stored: ${messageOf(error)}`, holderKey(entity));
    return [];
  }
}

/** Stores entries. If their links are too many for the memory, stores half of them at a time. */
async function writeComing(run: ImportRun, coming: readonly ComingEntry[]): Promise<void> {
  const { context, staged } = run;
  const keys = coming.flatMap(({ holders }) => holders.map(holderKey));
  const links = await readLinks(staged, keys, coming.length === 1 ? Infinity : (context.links ?? 50_000));
  if (links === null) {
    const half = Math.ceil(coming.length / 2);
    await writeComing(run, coming.slice(0, half));
    return writeComing(run, coming.slice(half));
  }
  const documents = coming.flatMap((entry) => storedForm(entry, links, run));
  for (const type of new Set(documents.map((row) => row.type)))
    await storeEntries(
      run,
      type,
      documents.flatMap((row) => (row.type === type ? [row.document] : [])),
    );
}

/** Returns the document of an entry. Reports what cannot be stored, and returns nothing for an entry that cannot. */
export function storedForm(
  { type, entity }: ComingEntry,
  links: ReadonlyMap<string, readonly StagedLink[]>,
  { plan, tally, context: { defaultLocale } }: Importing,
): readonly { readonly type: ContentType; readonly document: EntryDocument }[] {
  const { registry, leftOut, problems } = plan;
  const linksOf = (key: string): readonly StagedLink[] => links.get(key) ?? none;
  const form = { registry, leftOut, problems, defaultLocale, linksOf, report: tally.report };
  return orReport({ type, entity }, tally, () => [{ type, document: toStoredForm(type, entity, form) }]);
}

const none: readonly never[] = [];

async function storeEntries(run: ImportRun, type: ContentType, documents: readonly EntryDocument[]): Promise<void> {
  const { context, tally, staged } = run;
  const { media } = context;
  const adapted = documents.map((document) => adaptEntry(type, document, context));
  const placed = adapted.map((document) =>
    type.uid === uploadFile && media !== null ? placeFile(document, media) : { document, expected: [] },
  );
  await insertExpectedBlobs(
    staged,
    placed.flatMap((one) => one.expected),
  );
  const rows = placed.map(({ document }) => document);
  const { added, refused } = await insertStagedDocuments(staged.database, staged.nameOf(type.collection), rows);
  for (const [{ _id }, reason] of refused)
    tally.report(`entries of ${type.uid} cannot be stored: ${reason}`, holderKey({ type: type.uid, id: Number(_id) }));
  reportDoubles(run, type, rows.length - added - refused.length);
  tally.add(type.uid, added);
}

/** Reports entries whose id is already taken, except those that an interrupted import has stored. */
function reportDoubles({ tally, recurring }: ImportRun, { uid }: ContentType, doubles: number): void {
  const known = Math.min(doubles, recurring.get(uid) ?? 0);
  recurring.set(uid, (recurring.get(uid) ?? 0) - known);
  if (doubles > known) tally.report('entries have the id of another one', uid, doubles - known);
}

/** Converts the codes of users. Strapi stores them in plain text, the service stores hashes with the time of expiry. */
function adaptEntry({ uid }: ContentType, document: EntryDocument, { config }: ImportContext): EntryDocument {
  if (uid !== userUid) return document;
  const { reset, confirmation } = config.plugins['users-permissions'].config.codes;
  return {
    ...document,
    resetPasswordToken: heldForm(document['resetPasswordToken'], reset),
    confirmationToken: heldForm(document['confirmationToken'], confirmation),
  };
}

const heldForm = (code: unknown, lifetime: number): unknown =>
  typeof code !== 'string' || isStoredCode(code) ? code : storedCode(code, lifetime);

/** Returns the highest ids by name of the counter. */
function highestIds(holders: readonly Holder[], types: ReadonlyMap<string, ContentType>): ReadonlyMap<string, number> {
  const highest = new Map<string, number>();
  for (const { type, id } of holders) {
    const name = types.get(type)?.collection || `component ${type}`;
    highest.set(name, Math.max(highest.get(name) ?? 0, id));
  }
  return highest;
}
