import { isStoredCode, storedCode } from '../accounts/login/passwords.js';
import { userUid } from '../accounts/user-store.js';
import { holdersIn, toStoredForm } from '../mongo/transfer/stored-form.js';
import { insertExpected, insertLinks, insertStaged, raiseCounters, readLinks, stagedName } from '../mongo/transfer/staged.js';
import { type HeldLink, type Holder, holderKey, placeLink } from '../mongo/transfer/transferred.js';
import type { EntryDocument } from '../mongo/write/write-entries.js';
import { uploadFile, type ContentType } from '../schema/content-type.js';
import { gatherTokens } from './bring-tokens.js';
import { placeFile } from './bring-files.js';
import { type ImportContext, type ImportRun, type Numbered, type RecordOf, runStage } from './import-run.js';
import { tokenUid } from './source.js';

/** Gathers the links where they are found by the entries that keep them. */
export const gatherLinks = (run: ImportRun): Promise<void> =>
  runStage(run, {
    stage: 'links',
    title: 'links',
    total: run.manifest.links,
    write: (batch) => writeLinks(run, batch),
  });

async function writeLinks(run: ImportRun, batch: readonly Numbered<RecordOf<'links'>>[]): Promise<void> {
  const { plan, tally, context } = run;
  const isThere = ({ type }: Holder): boolean => plan.registry.types.get(type)?.kind === 'component' || plan.types.has(type);
  const held: (readonly [number, HeldLink])[] = [];
  for (const [number, link] of batch) {
    const { left, right } = link;
    const away = [left, right].find((end) => !isThere(end));
    const placed = away === undefined ? placeLink(link, plan.registry) : `${away.type} does not come`;
    if (typeof placed === 'string') tally.report(`a link is left out: ${placed}`, `${holderKey(left)} to ${holderKey(right)}`);
    else held.push([number, placed]);
  }
  await insertLinks(context.store.database, held);
  tally.add('links', held.length);
}

/** Gathers the entries, whole: with their components and links. */
export const gatherEntries = (run: ImportRun): Promise<void> =>
  runStage(run, {
    stage: 'entities',
    title: 'entries',
    total: [...run.manifest.entities.values()].reduce((sum, count) => sum + count, 0),
    write: (batch) => writeEntries(run, batch),
  });

type Entity = RecordOf<'entities'>;

async function writeEntries(run: ImportRun, batch: readonly Numbered<Entity>[]): Promise<void> {
  const { plan, context, tally } = run;
  const { database } = context.store;
  const tokens = batch.flatMap(([, entity]) => (entity.type === tokenUid ? [entity] : []));
  await gatherTokens(run, tokens);
  const coming = batch.flatMap(([, entity]) => {
    if (entity.type === tokenUid) return [];
    const type = plan.types.get(entity.type);
    if (type === undefined)
      tally.report(`entries of ${entity.type} do not come: ${plan.refused.get(entity.type) ?? ''}`, holderKey(entity));
    return type === undefined ? [] : [{ type, entity, holders: holdersIn(type, entity, plan.registry) }];
  });
  const keys = coming.flatMap(({ holders }) => holders.map(holderKey));
  const links = await readLinks(database, keys);
  const form = {
    registry: plan.registry,
    defaultLocale: context.defaultLocale,
    linksOf: (key: string) => links.get(key) ?? none,
    report: tally.report,
  };
  const documents = coming.map(({ type, entity }) => ({ type, document: toStoredForm(type, entity, form) }));
  const types = new Set(documents.map(({ type }) => type));
  for (const type of types)
    await storeEntries(
      run,
      type,
      documents.flatMap((row) => (row.type === type ? [row.document] : [])),
    );
  await raiseCounters(
    database,
    highestIds(
      coming.flatMap(({ holders }) => holders),
      plan.registry.types,
    ),
  );
}

const none: readonly HeldLink[] = [];

async function storeEntries(
  { context, tally }: ImportRun,
  type: ContentType,
  documents: readonly EntryDocument[],
): Promise<void> {
  const { store, media } = context;
  const adapted = documents.map((document) => adaptEntry(type, document, context));
  const placed = adapted.map((document) =>
    isPlaced(type) && media !== null ? placeFile(document, media) : { document, expected: [] },
  );
  const expected = placed.flatMap((one) => one.expected);
  await insertExpected(store.database, expected);
  const rows = placed.map(({ document }) => document);
  await insertStaged(store.database, stagedName(type.collection), rows);
  tally.add(type.uid, documents.length);
}

const isPlaced = ({ uid }: ContentType): boolean => uid === uploadFile;

/** Strapi keeps the codes of e-mails as they are, the service keeps hashes with the time they run out. */
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

/** The highest ids by the name of their counter. */
function highestIds(holders: readonly Holder[], types: ReadonlyMap<string, ContentType>): ReadonlyMap<string, number> {
  const highest = new Map<string, number>();
  for (const { type, id } of holders) {
    const name = types.get(type)?.collection || `component ${type}`;
    highest.set(name, Math.max(highest.get(name) ?? 0, id));
  }
  return highest;
}
