import { createHash } from 'node:crypto';
import { nameOf, type FilePlace } from '../../media/file-values.js';
import type { TransferredLink } from '../../mongo/transfer/transferred.js';
import { uploadFile } from '../../schema/content-type.js';
import { isRecord, type Values } from '../../values.js';
import { type Source, type Stage, type TransferRecord, usedSettings } from '../source.js';
import { createRestClient, type RestClient } from './rest-client.js';
import { idsIn, isPolymorphic, linksIn, populateOf, type RestRow, type Shapes, readAccounts } from './rest-entries.js';

interface RestInput {
  readonly url: string;
  readonly token: string;
  readonly allowPrivate: boolean;
}

interface RestSource {
  readonly client: RestClient;
  readonly schemas: readonly Values[];
  readonly shapes: Shapes;
  readonly locales: readonly Values[];
  readonly notes: Map<string, string>;
}

/** Opens a running Strapi v4. Throws an Error if it does not answer, or does not show its models to the token. */
export async function openRest(input: RestInput): Promise<Source> {
  const client = createRestClient(input);
  const schemas = [...(await readSchemas(client, 'content-types')), ...(await readSchemas(client, 'components'))];
  const shapes = new Map(schemas.map(({ uid, attributes }) => [String(uid), attributes as Readonly<Record<string, Values>>]));
  const locales = listOf(await client.get('/i18n/locales'));
  const source: RestSource = { client, schemas, shapes, locales, notes: notesOn(shapes) };
  return {
    identity: createHash('sha256').update(client.base).digest('hex').slice(0, 32),
    description: client.base,
    notes: () => [...source.notes].map(([where, reason]) => [reason, where]),
    read: (stages) => readRest(source, new Set(stages)),
    close: () => Promise.resolve(),
  };
}

async function readSchemas(client: RestClient, kind: 'content-types' | 'components'): Promise<readonly Values[]> {
  const answer = await client.get(`/content-type-builder/${kind}`);
  const found = isRecord(answer) ? listOf(answer['data']) : [];
  if (found.length === 0 && kind === 'content-types')
    throw new Error(`${client.base} shows no models: the token must be one for full access`);
  return found.flatMap(({ uid, schema }) => {
    if (!isRecord(schema) || typeof uid !== 'string' || !isRecord(schema['attributes'])) return [];
    const { draftAndPublish, displayName, singularName, pluralName, description, ...rest } = schema;
    return [{ ...rest, uid, info: { displayName, singularName, pluralName, description }, options: { draftAndPublish } }];
  });
}

const listOf = (value: unknown): readonly Values[] => (Array.isArray(value) ? value.filter(isRecord) : []);

/** What the API does not show. */
function notesOn(shapes: Shapes): Map<string, string> {
  const notes = new Map([['plugin::users-permissions.user', 'passwords do not come over REST: users set new ones']]);
  for (const [uid, attributes] of shapes)
    for (const [name, attribute] of Object.entries(attributes)) {
      const reason = hiddenReason(uid, attribute);
      if (reason !== null) notes.set(`${uid} ${name}`, reason);
    }
  return notes;
}

function hiddenReason(uid: string, attribute: Values): string | null {
  if (!uid.startsWith('api::') && uid.includes('::')) return null;
  if (attribute['private'] === true || attribute['type'] === 'password') return 'private values do not come over REST';
  return isPolymorphic(attribute) ? 'polymorphic relations do not come over REST' : null;
}

async function* readRest(source: RestSource, stages: ReadonlySet<Stage>): AsyncGenerator<TransferRecord> {
  const { schemas, locales } = source;
  if (stages.has('schemas')) for (const schema of schemas) yield { stage: 'schemas', schema };
  if (stages.has('entities') || stages.has('links')) yield* readEntries(source, stages);
  if (stages.has('assets')) yield* readAssets(source.client);
  const main = locales.find(({ isDefault }) => isDefault === true);
  if (stages.has('configuration') && main !== undefined)
    yield { stage: 'configuration', key: usedSettings.defaultLocale, value: main['code'] };
}

async function* readEntries(source: RestSource, stages: ReadonlySet<Stage>): AsyncGenerator<TransferRecord> {
  for await (const { type, id, values } of allRows(source)) {
    if (stages.has('entities')) yield { stage: 'entities', type, id, data: values, bytes: 2_000 };
    if (stages.has('links'))
      yield* linksOf(type, id, values, source.shapes).map((link) => ({ stage: 'links', ...link }) as const);
  }
}

function linksOf(type: string, id: number, values: Values, shapes: Shapes): readonly TransferredLink[] {
  const siblings = idsIn(values['localizations']).map((other) => ({
    isMorph: false,
    left: { type, id, field: 'localizations', position: null },
    right: { type, id: other, field: null, position: null },
  }));
  return [...linksIn(type, id, values, shapes), ...siblings];
}

async function* allRows(source: RestSource): AsyncGenerator<RestRow> {
  const { client, shapes, locales } = source;
  for (const locale of locales) yield { type: 'plugin::i18n.locale', id: Number(locale['id']), values: locale };
  yield* readFiles(client);
  yield* readAccounts(client, readById(client, '/users', ['limit=100', ...populateOf('plugin::users-permissions.user', shapes)]));
  for (const schema of source.schemas.filter(({ uid }) => String(uid).startsWith('api::'))) yield* readType(source, schema);
}

async function* readFiles(client: RestClient): AsyncGenerator<RestRow> {
  for await (const values of readById(client, '/upload/files', ['limit=100']))
    yield { type: uploadFile, id: Number(values['id']), values: { folderPath: '/', ...values } };
}

async function* readType(source: RestSource, { uid, kind, info, pluginOptions }: Values): AsyncGenerator<RestRow> {
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
      : readById(source.client, path, ['pagination[limit]=100', ...populate, ...(localized ? ['locale=all'] : [])]);
  for await (const { id, attributes } of rows) if (isRecord(attributes)) yield { type, id: Number(id), values: attributes };
}

/** A single type has an entry for each locale. */
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

/** Reads all rows in the order of their ids; pages are as large as the service lets them be. */
async function* readById(client: RestClient, path: string, parameters: readonly string[]): AsyncGenerator<Values> {
  for (let last = 0; ;) {
    const page = ['sort=id', `filters[id][$gt]=${String(last)}`, ...parameters];
    const answer = await client.get(`${path}?${page.join('&')}`);
    const rows = listOf(isRecord(answer) ? answer['data'] : answer);
    yield* rows;
    const next = Number(rows.at(-1)?.['id'] ?? 0);
    if (!(next > last)) return;
    last = next;
  }
}

/** Files and their variants, from where the service says that they are. */
async function* readAssets(client: RestClient): AsyncGenerator<TransferRecord> {
  for await (const { values } of readFiles(client))
    for (const place of [values, ...Object.values(isRecord(values['formats']) ? values['formats'] : {}).filter(isRecord)]) {
      const { hash, ext, url } = place;
      const name = nameOf({ hash, ext: ext ?? '' } as FilePlace); // texts, or expected by nobody
      yield { stage: 'assets', name, size: null, open: () => client.download(String(url)) };
    }
}
