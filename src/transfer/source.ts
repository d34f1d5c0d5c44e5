import type { ByteSource } from '../media/storage/file-storage.js';
import type { RecordPlace } from '../mongo/transfer/import-ledger.js';
import type { TransferredEntry, TransferredLink } from '../mongo/transfer/transferred.js';
import type { Values } from '../values.js';

/** The kinds of records, by the names of their folders in an archive of Strapi. */
export type Stage = 'schemas' | 'entities' | 'links' | 'assets' | 'configuration';

/** A model as its source wrote it; whether it is one is not checked. */
interface SchemaRecord extends Sized {
  readonly stage: 'schemas';
  readonly schema: Values;
}

interface Sized {
  /** Approximate size in its source, in bytes. */
  readonly bytes: number;
}

interface Placed {
  /** Its place in a source whose content may change. */
  readonly place?: RecordPlace;
}

interface EntityRecord extends TransferredEntry, Sized, Placed {
  readonly stage: 'entities';
}

interface LinkRecord extends TransferredLink, Placed {
  readonly stage: 'links';
}

/** Content that cannot be imported, in place of a record. */
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
  /** `roots_0a1b2c3d4e.png` */
  readonly name: string;
  /** bytes; null: not known before they are read */
  readonly size: number | null;
  /** Returns the bytes. Works once, and before the next record is asked for. Throws AssetUnavailable if they are not there. */
  readonly open: () => ByteSource;
}

/** The type of API tokens in archives. */
export const tokenUid = 'admin::api-token';

/** The bytes of a file cannot be had from the source; everything else can. */
export class AssetUnavailable extends Error {}

/** A setting by the key that Strapi stores it under. */
interface ConfigurationRecord extends Sized {
  readonly stage: 'configuration';
  readonly key: string;
  readonly value: unknown;
}

export type PlacedRecord = EntityRecord | LinkRecord | AssetRecord | UnreadableRecord;
export type TransferRecord = SchemaRecord | ConfigurationRecord | PlacedRecord;

/** The source of an import. */
export interface Source {
  /** The same each time for the same content. */
  readonly identity: string;
  /** For people, without secrets. */
  readonly description: string;
  /** Whether its content may change from one reading to the next. Its records then have places. */
  readonly mayChange: boolean;
  /**
   * Reads the records of some stages, in an order that is the same each time; only those behind a place if one is given. Throws an
   * Error for people if the source is damaged or does not answer.
   */
  readonly read: (stages: readonly Stage[], behind?: RecordPlace | null) => AsyncIterable<TransferRecord>;
  /**
   * Does what has to be done before records are stored, in the database that they are stored in. May run twice; `isBegun`: records of it are
   * stored already.
   */
  readonly prepare?: (state: { readonly isBegun: boolean }) => Promise<void>;
  /** Reports what the source cannot show, and where, after it was read. */
  readonly notes?: () => readonly (readonly [reason: string, where: string])[];
  readonly close: () => Promise<void>;
}

/** Approximate size as JSON, in bytes. */
export const sizeOf = (value: unknown): number => String(JSON.stringify(value)).length;

/** Gives the records of a row their places. Records up to the place that a resumed reading continues behind are left out. */
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

/** The content of a source. */
export interface Manifest {
  readonly schemas: readonly Values[];
  /** The number of entities by their type. */
  readonly entities: ReadonlyMap<string, number>;
  readonly links: number;
  readonly assets: number;
  /** bytes, as far as they are known */
  readonly assetBytes: number;
  readonly settings: readonly ConfigurationRecord[];
  /** The number of records by their stage, those that cannot be imported included. */
  readonly records: Readonly<Record<Stage, number>>;
}

/** The most models, settings and types of entries that a source may have, and their bytes: they are kept in memory. */
const max = { kept: 20_000, bytes: 67_108_864 };

/**
 * Reads a source from its beginning to its end, which finds what is damaged before anything is stored. Reports each
 * record to `advance`.
 */
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

/** The settings that an import adopts or reports. */
export const usedSettings = {
  advanced: 'plugin_users-permissions_advanced',
  templates: 'plugin_users-permissions_email',
  providers: 'plugin_users-permissions_grant',
  defaultLocale: 'plugin_i18n_default_locale',
  webhook: 'webhook',
} as const;

const isUsed = ({ key }: ConfigurationRecord): boolean => Object.values<string>(usedSettings).includes(key);
