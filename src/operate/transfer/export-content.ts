import { readAccountSettings } from '#content/rights/account-settings.js';
import { saltMark } from '#content/rights/api-token.js';
import { formOfTemplates } from '#accounts/mail/settings-form.js';
import { type FilePlace, nameOf, variantsOf } from '#media/file-values.js';
import { findStoredFile as findBytes, type Media, readStoredRange } from '#media/media.js';
import type { Database, Document } from '#store/send/database.js';
import { countDocuments } from '#store/send/read-commands.js';
import { is } from '#store/form/matches.js';
import { findStored } from '#store/stored.js';
import { libraryViewKey } from '#media/image-choices.js';
import { viewPrefix } from '#store/stores/code-store.js';
import { type ExportedLink, linksOf, streamDocuments, streamSiblings, toTransferred } from '../raw/exported-form.js';
import type { LinkEnd } from '../raw/transferred.js';
import type { RegistryBuild } from '#model/schema/build-registry.js';
import { collections } from '#model/schema/collections.js';
import type { ContentType } from '#model/schema/content-type.js';
import { packJson, packLines, type PackedFile, writeArchive } from './archive/write-archive.js';
import { schemaOf } from './export-schema.js';
import type { Progress } from './import-run.js';
import { tokenUid } from './panel-records.js';
import { usedSettings } from './source.js';

/** The context of an export. */
interface ExportContext {
  readonly database: Database;
  /** Null if there is no media library. */
  readonly media: Media | null;
  readonly build: RegistryBuild;
  readonly defaultLocale: string;
  /** The salt for hashing API tokens. */
  readonly tokenSalt: string;
  readonly progress: Progress;
}

interface ExportTarget {
  /** Path of the archive. The extension decides about compression. */
  readonly file: string;
  readonly key: string | null;
}

/** Numbers of exported items. */
interface ExportCounts {
  entries: number;
  links: number;
  files: number;
}

interface Exporting extends ExportContext {
  readonly counts: ExportCounts;
}

/** Writes all models, entries, links, files and settings into an archive in the format of `strapi export`. */
export async function exportContent({ file, key }: ExportTarget, context: ExportContext): Promise<Readonly<ExportCounts>> {
  const counts: ExportCounts = { entries: 0, links: 0, files: 0 };
  await writeArchive(file, packAll({ ...context, counts }), key);
  return counts;
}

/** Returns the types whose entries are exported. Strapi leaves those of its admin panel out when it imports an archive. */
const typesOf = ({ build }: Exporting): readonly ContentType[] =>
  [...build.registry.types.values()].filter(({ kind }) => kind !== 'component');

async function* packAll(context: Exporting): AsyncGenerator<PackedFile> {
  const { database, progress } = context;
  const totals = await Promise.all(typesOf(context).map(({ collection }) => countDocuments(collection, database)));
  const total = totals.reduce((sum, count) => sum + count, 0);
  yield* packLines('schemas', schemas(context));
  progress.begin('entries', total);
  yield* packLines('entities', entities(context));
  progress.end();
  if (context.media !== null) yield* packAssets(context, context.media);
  progress.begin('links in entries', total);
  yield* packLines('links', links(context));
  progress.end();
  yield* packLines('configuration', configuration(context));
  // Written last, to mark the archive as complete. The version identifies the format.
  yield packJson('metadata.json', { createdAt: new Date().toISOString(), strapi: { version: '4.26.2' } });
}

async function* schemas({ build }: Exporting): AsyncGenerator<unknown> {
  for (const [uid, model] of build.models) {
    const type = build.registry.types.get(uid);
    if (type !== undefined && !uid.startsWith('admin::')) yield schemaOf(model, type);
  }
}

async function* entities(context: Exporting): AsyncGenerator<unknown> {
  for (const type of typesOf(context))
    for await (const document of streamDocuments(context.database, type.collection)) {
      context.counts.entries++;
      context.progress.advance(1);
      yield toTransferred(type, document, context.build.registry);
    }
  for await (const token of streamDocuments(context.database, collections.tokens)) {
    const { _id, hash, ...data } = token;
    yield {
      type: tokenUid,
      id: _id as unknown,
      data: { ...data, accessKey: hash as unknown, saltMark: saltMark(context.tokenSalt) },
    };
  }
}

async function* links(context: Exporting): AsyncGenerator<unknown> {
  const { database, build, counts, progress } = context;
  for (const type of typesOf(context)) {
    for await (const document of streamDocuments(database, type.collection)) {
      progress.advance(1);
      for (const link of linksOf(type, document, build.registry)) {
        counts.links++;
        yield printLink(link);
      }
    }
    if (type.localized) yield* siblings(type, context);
  }
}

async function* siblings({ uid: type, collection }: ContentType, { database, counts }: Exporting): AsyncGenerator<unknown> {
  for await (const [id, other, position] of streamSiblings(database, collection)) {
    counts.links++;
    const left = { type, id, field: 'localizations', position };
    yield printLink({ isMorph: false, relation: 'oneToMany', left, right: { type, id: other, field: null, position: null } });
  }
}

function printLink({ isMorph, relation, left, right }: ExportedLink): unknown {
  const kind = isMorph ? 'morph' : left.type === right.type ? 'circular' : 'basic';
  return { kind: `relation.${kind}`, relation, left: printEnd(left), right: printEnd(right) };
}

const printEnd = ({ type, id, field, position }: LinkEnd) => ({
  type,
  ref: id,
  ...(field !== null && { field }),
  ...(position !== null && { pos: position }),
});

async function* packAssets({ database, progress, counts }: Exporting, media: Media): AsyncGenerator<PackedFile> {
  progress.begin('files', await countDocuments('files', database));
  for await (const document of streamDocuments(database, 'files')) {
    progress.advance(1);
    yield* packAsset(document, document, media, counts);
    for (const [type, format] of variantsOf(document))
      yield* packAsset(format, { ...format, type, id: document['_id'], mainHash: document['hash'] }, media, counts);
  }
  progress.end();
}

/** Packs a file or variant. Does nothing if its bytes are stored elsewhere. */
async function* packAsset(
  { hash, ext }: Document,
  about: Document,
  media: Media,
  counts: ExportCounts,
): AsyncGenerator<PackedFile> {
  const name = nameOf({ hash, ext: ext ?? '' } as FilePlace); // texts, or found by nobody
  const stored = await findBytes(name, media);
  if (stored === null) return;
  counts.files++;
  const { _id, ...values } = about;
  yield packJson(`assets/metadata/${name}.json`, { ...(_id !== undefined && { id: _id as unknown }), ...values });
  yield {
    name: `assets/uploads/${name}`,
    size: stored.size,
    bytes: readStoredRange(stored, { start: 0, end: stored.size }, media),
  };
}

async function* configuration({ database, defaultLocale }: Exporting): AsyncGenerator<unknown> {
  const { advanced, templates } = await readAccountSettings(database);
  const store = (key: string, value: unknown, type = 'object') => ({
    type: 'core-store',
    value: { key, value, type, environment: null, tag: null },
  });
  if (Object.keys(templates).length > 0) yield store(usedSettings.templates, formOfTemplates(templates));
  yield store(usedSettings.advanced, advanced);
  yield store(usedSettings.defaultLocale, defaultLocale, 'string');
  const ofPanel = { match: { _id: is.startingWith(viewPrefix, ...panelKeys) } };
  for (const { _id, value } of await findStored(database, collections.codeStore, ofPanel)) yield store(String(_id), value);
  for (const { _id, name, url, headers, events, isEnabled } of await findStored(database, collections.webhooks))
    yield { type: 'webhook', value: { id: _id as unknown, name, url, headers, events, enabled: isEnabled } };
}

/** Keys of settings that the panel stores in the form of Strapi. */
const panelKeys = [libraryViewKey, usedSettings.images, usedSettings.providers];
