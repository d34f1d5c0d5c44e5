import { createHash } from 'node:crypto';
import { roleUid, userUid } from '#accounts/user-store.js';
import { type FilePlace, nameOf, placesOf } from '#media/file-values.js';
import type { RecordPlace } from '../../raw/import-ledger.js';
import { uploadFile } from '#model/schema/content-type.js';
import { isRecord, recordsIn, type Values } from '#base/values.js';
import { placed, type PlacedRecord, sizeOf, type Source, type Stage, type TransferRecord, usedSettings } from '../source.js';
import { createRestClient, type Credentials, type RestClient } from './rest-client.js';
import {
  linksOf,
  notesOn,
  permissionUid,
  populateOf,
  readPermissions,
  readRoles,
  readSchemas,
  readViews,
  type RestRow,
  type Shapes,
  toRow,
} from './rest-entries.js';

interface RestInput {
  readonly url: string;
  readonly token: string;
  readonly allowPrivate: boolean;
  /** Who reads views of the admin panel; null if nobody does. */
  readonly administrator?: Credentials | null;
}

const localeUid = 'plugin::i18n.locale';

interface RestSource {
  readonly client: RestClient;
  readonly schemas: readonly Values[];
  readonly shapes: Shapes;
  readonly locales: readonly Values[];
  readonly notes: Map<string, string>;
  /** Reads from the routes of the admin panel; null if nobody may. */
  readonly getPanel: RestClient['get'] | null;
}

/** Opens a running Strapi v4. Throws an Error if it does not answer, or does not show its models with the token. */
export async function openRest({ administrator = null, ...input }: RestInput): Promise<Source> {
  const client = createRestClient(input);
  const schemas = [...(await readSchemas(client, 'content-types')), ...(await readSchemas(client, 'components'))];
  const shapes = new Map(schemas.map(({ uid, attributes }) => [String(uid), attributes as Readonly<Record<string, Values>>]));
  const locales = recordsIn(await client.get('/i18n/locales'));
  const getPanel = administrator === null ? null : await client.openPanel(administrator);
  const source: RestSource = { client, schemas, shapes, locales, notes: notesOn(shapes), getPanel };
  return {
    identity: createHash('sha256').update(client.base).digest('hex').slice(0, 32),
    description: client.base,
    notes: () => [...source.notes].map(([where, reason]) => [reason, where]),
    mayChange: true,
    read: (stages, behind = null) => readRest(source, new Set(stages), behind),
    close: () => Promise.resolve(),
  };
}

async function* readRest(
  source: RestSource,
  stages: ReadonlySet<Stage>,
  behind: RecordPlace | null,
): AsyncGenerator<TransferRecord> {
  const { schemas, locales } = source;
  if (stages.has('schemas')) for (const schema of schemas) yield { stage: 'schemas', schema, bytes: sizeOf(schema) };
  if (stages.has('entities') || stages.has('links')) yield* readEntries(source, stages, behind);
  if (stages.has('assets')) yield* readAssets(source.client, behind);
  const main = locales.find(({ isDefault }) => isDefault === true);
  if (stages.has('configuration') && main !== undefined)
    yield { stage: 'configuration', key: usedSettings.defaultLocale, value: main['code'], bytes: 100 };
  if (stages.has('configuration') && source.getPanel !== null) yield* readViews(source.getPanel, schemas);
}

async function* readEntries(
  source: RestSource,
  stages: ReadonlySet<Stage>,
  behind: RecordPlace | null,
): AsyncGenerator<TransferRecord> {
  for await (const row of allRows(source, behind))
    yield* placed({ type: row.type, id: row.id }, recordsOf(row, stages, source), behind);
}

function* recordsOf(
  { type, id, values, bytes }: RestRow,
  stages: ReadonlySet<Stage>,
  { shapes }: RestSource,
): Generator<PlacedRecord> {
  if (stages.has('entities')) yield { stage: 'entities', type, id, data: values, bytes };
  if (stages.has('links')) yield* linksOf(type, id, values, shapes).map((link) => ({ stage: 'links', ...link }) as const);
}

/** A type, and a function that reads its entries in the order of ids, starting at an id. */
interface RestPart {
  readonly type: string;
  readonly rows: (from: number) => AsyncIterable<RestRow>;
}

/** Reads all entries, always in the same order, starting at a position if one is given. */
async function* allRows(source: RestSource, behind: RecordPlace | null): AsyncGenerator<RestRow> {
  const parts = partsOf(source);
  const first = behind === null ? 0 : parts.findIndex(({ type }) => type === behind.type);
  if (first === -1) throw new Error(`${source.client.base} no longer has ${behind?.type ?? ''}`);
  for (const [index, { rows }] of parts.slice(first).entries())
    yield* rows(index === 0 && behind !== null ? Number(behind.id) : 1);
}

function partsOf(source: RestSource): readonly RestPart[] {
  const { client, shapes, locales, schemas } = source;
  const users = ['limit=100', ...populateOf(userUid, shapes)];
  return [
    { type: localeUid, rows: (from) => rowsFrom(from, localeRows(locales)) },
    { type: uploadFile, rows: (from) => readFiles(client, from) },
    { type: roleUid, rows: (from) => rowsFrom(from, readRoles(client)) },
    { type: permissionUid, rows: (from) => rowsFrom(from, readPermissions(client)) },
    { type: userUid, rows: (from) => rowsOf(userUid, readById(client, { path: '/users', parameters: users, from })) },
    ...schemas
      .filter(({ uid }) => String(uid).startsWith('api::'))
      .sort((one, other) => (String(one['uid']) < String(other['uid']) ? -1 : 1))
      .map((schema) => ({ type: String(schema['uid']), rows: (from: number) => readType(source, schema, from) })),
  ];
}

async function* rowsFrom(from: number, rows: AsyncIterable<RestRow> | Iterable<RestRow>): AsyncGenerator<RestRow> {
  for await (const row of rows) if (row.id >= from) yield row;
}

const localeRows = (locales: readonly Values[]): RestRow[] =>
  locales.map((values) => toRow(localeUid, values)).sort((one, other) => one.id - other.id);

const readFiles = (client: RestClient, from: number): AsyncIterable<RestRow> =>
  rowsOf(uploadFile, readById(client, { path: '/upload/files', parameters: ['limit=100'], from }));

async function* rowsOf(type: string, values: AsyncIterable<Values>): AsyncGenerator<RestRow> {
  for await (const row of values) yield toRow(type, type === uploadFile ? { folderPath: '/', ...row } : row);
}

async function* readType(source: RestSource, { uid, kind, info, pluginOptions }: Values, from: number): AsyncGenerator<RestRow> {
  const type = String(uid);
  const { singularName, pluralName } = isRecord(info) ? info : {};
  const localized = isRecord(pluginOptions) && isRecord(pluginOptions['i18n']) && pluginOptions['i18n']['localized'] === true;
  const populate = [
    ...populateOf(type, source.shapes),
    'publicationState=preview',
    ...(localized ? ['populate[localizations][fields][0]=id'] : []),
  ];
  const path = `/${String(kind === 'singleType' ? singularName : pluralName)}`;
  const rows =
    kind === 'singleType'
      ? readSingle(source, path, localized, populate)
      : readById(source.client, {
          path,
          parameters: ['pagination[limit]=100', ...populate, ...(localized ? ['locale=all'] : [])],
          from,
        });
  for await (const { id, attributes } of rows)
    if (isRecord(attributes) && Number(id) >= from) yield { ...toRow(type, attributes), id: Number(id) };
}

/** Reads a single type, which has an entry for each locale. */
async function* readSingle(
  { client, locales }: RestSource,
  path: string,
  localized: boolean,
  parameters: readonly string[],
): AsyncGenerator<Values> {
  const codes = localized ? locales.map(({ code }) => [`locale=${String(code)}`]) : [[]];
  for (const code of codes) {
    const answer = await client.get(`${path}?${[...parameters, ...code].join('&')}`);
    if (isRecord(answer) && isRecord(answer['data'])) yield answer['data'];
  }
}

interface RestList {
  readonly path: string;
  readonly parameters: readonly string[];
  /** The first id to read. */
  readonly from: number;
}

/** Reads all rows in the order of ids. The service decides the size of pages. */
async function* readById(client: RestClient, { path, parameters, from }: RestList): AsyncGenerator<Values> {
  for (let last = from - 1; ;) {
    const page = ['sort=id', `filters[id][$gt]=${String(last)}`, ...parameters];
    const answer = await client.get(`${path}?${page.join('&')}`);
    const rows = recordsIn(isRecord(answer) ? answer['data'] : answer);
    yield* rows;
    const next = Number(rows.at(-1)?.['id'] ?? 0);
    if (!(next > last)) return;
    last = next;
  }
}

/** Reads files and their variants. Their bytes are downloaded from the URLs in their entries. */
async function* readAssets(client: RestClient, behind: RecordPlace | null): AsyncGenerator<TransferRecord> {
  for await (const { type, id, values } of readFiles(client, behind === null ? 1 : Number(behind.id)))
    yield* placed({ type, id }, assetsOf(values, client), behind);
}

function* assetsOf(file: Values, client: RestClient): Generator<PlacedRecord> {
  for (const { hash, ext, url, size } of placesOf(file)) {
    const name = nameOf({ hash, ext: ext ?? '' } as FilePlace); // texts, or expected by nobody
    yield { stage: 'assets', name, size: null, open: () => client.download(String(url), limitFor(size)) };
  }
}

/**
 * Returns the maximum size of a file in bytes: twice the size in its entry, in KB, and 10 MB more, because the entry may describe
 * a smaller version; 200 MB if the entry has no size.
 */
const limitFor = (size: unknown): number => (typeof size === 'number' && size > 0 ? size * 2_000 + 10_485_760 : 209_715_200);
