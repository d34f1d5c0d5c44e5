import type { ByteSource } from '../media/storage/file-storage.js';
import type { TransferredEntry, TransferredLink } from '../mongo/transfer/transferred.js';
import type { Values } from '../values.js';

/** The kinds of records, by the names of their folders in an archive of Strapi. */
export type Stage = 'schemas' | 'entities' | 'links' | 'assets' | 'configuration';

/** A model as its source wrote it; whether it is one is not checked. */
interface SchemaRecord {
  readonly stage: 'schemas';
  readonly schema: Values;
}

interface EntityRecord extends TransferredEntry {
  readonly stage: 'entities';
  /** About so many bytes of its source. */
  readonly bytes: number;
}

interface LinkRecord extends TransferredLink {
  readonly stage: 'links';
}

/** A stored file or a variant of one. */
export interface AssetRecord {
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
interface ConfigurationRecord {
  readonly stage: 'configuration';
  readonly key: string;
  readonly value: unknown;
}

export type TransferRecord = SchemaRecord | EntityRecord | LinkRecord | AssetRecord | ConfigurationRecord;

/** Where an import comes from. */
export interface Source {
  /** The same each time for the same content. */
  readonly identity: string;
  /** For people, without secrets. */
  readonly description: string;
  /**
   * Reads the records of some stages, in an order that is the same each time. Throws an Error for people if the source is damaged or
   * does not answer.
   */
  readonly read: (stages: readonly Stage[]) => AsyncIterable<TransferRecord>;
  /** Does what has to be done before records are stored, in the database that they are stored in. May run twice. */
  readonly prepare?: () => Promise<void>;
  /** Says what the source cannot show, and where, once it was read. */
  readonly notes?: () => readonly (readonly [reason: string, where: string])[];
  readonly close: () => Promise<void>;
}

/** What a source holds. */
export interface Manifest {
  readonly schemas: readonly Values[];
  /** The number of entities by their type. */
  readonly entities: ReadonlyMap<string, number>;
  readonly links: number;
  readonly assets: number;
  /** bytes, as far as they are known */
  readonly assetBytes: number;
  readonly settings: readonly ConfigurationRecord[];
}

/** The most models and settings that a source may have: they are kept in memory. */
const most = 20_000;

/** Reads a source from its beginning to its end, which finds what is damaged before anything is stored. */
export async function inspectSource(source: Source): Promise<Manifest> {
  const schemas: Values[] = [];
  const settings: ConfigurationRecord[] = [];
  const entities = new Map<string, number>();
  const sums = { links: 0, assets: 0, assetBytes: 0 };
  for await (const record of source.read(['schemas', 'entities', 'links', 'assets', 'configuration'])) {
    if (schemas.length + settings.length + entities.size > most)
      throw new Error(`${source.description} has more than ${String(most)} models and settings`);
    switch (record.stage) {
      case 'schemas':
        schemas.push(record.schema);
        break;
      case 'configuration':
        if (isUsed(record)) settings.push(record);
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
    }
  }
  return { schemas, entities, settings, ...sums };
}

/** The settings that an import takes over, or says something about. */
export const usedSettings = {
  advanced: 'plugin_users-permissions_advanced',
  templates: 'plugin_users-permissions_email',
  providers: 'plugin_users-permissions_grant',
  defaultLocale: 'plugin_i18n_default_locale',
  webhook: 'webhook',
} as const;

const isUsed = ({ key }: ConfigurationRecord): boolean => Object.values<string>(usedSettings).includes(key);
