import type { ByteSource } from '#media/storage/file-storage.js';
import { imageChoicesKey, libraryViewKey } from '#media/image-choices.js';
import { viewPrefix } from '#store/stores/code-store.js';
import type { RecordPlace } from '../raw/import-ledger.js';
import type { TransferredEntry, TransferredLink } from '../raw/transferred.js';
import type { Values } from '#base/values.js';

/** The kinds of records, named like their folders in an archive of Strapi. */
export type Stage = 'schemas' | 'entities' | 'links' | 'assets' | 'configuration';

/** A model of the source, which is not validated yet. */
interface SchemaRecord extends Sized {
  readonly stage: 'schemas';
  readonly schema: Values;
}

interface Sized {
  /** Approximate size in its source, in bytes. */
  readonly bytes: number;
}

interface Placed {
  /** Position of the record in a source whose content may change. */
  readonly place?: RecordPlace;
}

interface EntityRecord extends TransferredEntry, Sized, Placed {
  readonly stage: 'entities';
}

interface LinkRecord extends TransferredLink, Placed {
  readonly stage: 'links';
}

/** A record that cannot be imported. */
interface UnreadableRecord extends Placed {
  readonly stage: 'unreadable';
  /** The stage of the record that it replaces. */
  readonly of: Stage;
  readonly reason: string;
  readonly where: string;
}

/** A stored file or a variant of one. */
export interface AssetRecord extends Placed {
  readonly stage: 'assets';
  /** File name, such as `roots_0a1b2c3d4e.png`. */
  readonly name: string;
  /** Size in bytes; null if it is unknown before the bytes are read. */
  readonly size: number | null;
  /** Returns the bytes. Works once, and only until the next record is read. Throws AssetUnavailable if there are none. */
  readonly open: () => ByteSource;
}

/** The error if the bytes of one file cannot be read from the source. The rest can still be imported. */
export class AssetUnavailable extends Error {}

/** A setting, with the key under which Strapi stores it. */
export interface ConfigurationRecord extends Sized {
  readonly stage: 'configuration';
  readonly key: string;
  readonly value: unknown;
}

export type PlacedRecord = EntityRecord | LinkRecord | AssetRecord | UnreadableRecord;
export type TransferRecord = SchemaRecord | ConfigurationRecord | PlacedRecord;

/** The source of an import. */
export interface Source {
  /** An identifier that is always the same for the same source. */
  readonly identity: string;
  /** Description for messages, without secrets. */
  readonly description: string;
  /** Whether the content may change between two readings. The records then have positions. */
  readonly mayChange: boolean;
  /**
   * Reads the records of some stages, always in the same order, and only those after a position if one is given. If types are given,
   * the source may leave out entries of others, and their links. Throws an Error with a message for the user if the source is
   * damaged or does not answer.
   */
  readonly read: (
    stages: readonly Stage[],
    behind?: RecordPlace | null,
    types?: readonly string[],
  ) => AsyncIterable<TransferRecord>;
  /** Prepares the target database before records are stored. May run twice. `isBegun` is whether records were already stored. */
  readonly prepare?: (state: { readonly isBegun: boolean }) => Promise<void>;
  /** Returns the parts of the content that the source does not provide, with reasons. Call it after the source was read. */
  readonly notes?: () => readonly (readonly [reason: string, where: string])[];
  readonly close: () => Promise<void>;
}

/** Returns the approximate size of a value as JSON, in bytes. */
export const sizeOf = (value: unknown): number => String(JSON.stringify(value)).length;

/** Adds positions to the records of a row. Omits records up to the position after which an interrupted reading continues. */
export function* placed(
  row: Pick<RecordPlace, 'type' | 'id'>,
  records: Iterable<PlacedRecord>,
  behind: RecordPlace | null,
): Generator<PlacedRecord> {
  const skipped = behind !== null && behind.type === row.type && behind.id === row.id ? behind.part : 0;
  let part = 0;
  for (const record of records) {
    part++;
    if (part > skipped) yield { ...record, place: { ...row, part } };
  }
}

/** A summary of the content of a source. */
export interface Manifest {
  readonly schemas: readonly Values[];
  /** Number of entities by type. */
  readonly entities: ReadonlyMap<string, number>;
  readonly links: number;
  readonly assets: number;
  /** Total size of files in bytes, as far as it is known. */
  readonly assetBytes: number;
  readonly settings: readonly ConfigurationRecord[];
  /** Number of records by stage, including unreadable ones. */
  readonly records: Readonly<Record<Stage, number>>;
}

/** Maximum number of models, settings and types in a source, and their maximum size in bytes, because they are kept in memory. */
const max = { kept: 20_000, bytes: 67_108_864 };

/** Reads a source completely, so that damage is found before anything is stored. Reports each record to `advance`. */
export async function inspectSource(source: Source, advance: (records: number) => void = () => undefined): Promise<Manifest> {
  const schemas: Values[] = [];
  const settings: ConfigurationRecord[] = [];
  const entities = new Map<string, number>();
  const sums = { links: 0, assets: 0, assetBytes: 0 };
  const records = { schemas: 0, entities: 0, links: 0, assets: 0, configuration: 0 };
  let bytes = 0;
  for await (const record of source.read(['schemas', 'entities', 'links', 'assets', 'configuration'])) {
    records[record.stage === 'unreadable' ? record.of : record.stage]++;
    advance(1);
    switch (record.stage) {
      case 'schemas':
        schemas.push(record.schema);
        bytes += record.bytes;
        break;
      case 'configuration':
        if (!isUsed(record)) break;
        settings.push(record);
        bytes += record.bytes;
        break;
      case 'entities':
        entities.set(record.type, (entities.get(record.type) ?? 0) + 1);
        break;
      case 'links':
        sums.links++;
        break;
      case 'assets':
        sums.assets++;
        sums.assetBytes += record.size ?? 0;
        break;
      case 'unreadable':
    }
    if (bytes > max.bytes || schemas.length + settings.length + entities.size > max.kept)
      throw new Error(`${source.description} has more models and settings than fit into memory`);
  }
  return { schemas, entities, settings, records, ...sums };
}

/** Keys of the settings that an import uses or reports, besides those of the panel. */
export const usedSettings = {
  advanced: 'plugin_users-permissions_advanced',
  templates: 'plugin_users-permissions_email',
  providers: 'plugin_users-permissions_grant',
  defaultLocale: 'plugin_i18n_default_locale',
  images: imageChoicesKey,
} as const;

/** The beginnings of the keys of settings of the panel. */
const panelKeys = [viewPrefix, libraryViewKey, 'webhook'];

export const isPanelSetting = (key: string): boolean => panelKeys.some((start) => key.startsWith(start));

const isUsed = ({ key }: ConfigurationRecord): boolean =>
  Object.values<string>(usedSettings).includes(key) || isPanelSetting(key);
