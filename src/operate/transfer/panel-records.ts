import { placeLink, type TransferredEntry } from '../raw/transferred.js';
import type { Registry } from '#model/schema/content-type.js';
import type { TransferRecord } from './source.js';
import { appendTo } from '#base/values.js';

export const administratorUid = 'admin::user';

/** The type of API tokens in archives. */
export const tokenUid = 'admin::api-token';

/** The types of the admin panel. Their entries are added to those that are stored. */
export const panelTypes = [administratorUid, 'admin::role', 'admin::permission', tokenUid] as const;

const names: ReadonlySet<string> = new Set(panelTypes);

export const isPanelType = (uid: string): boolean => names.has(uid);

/** An administrator, a role, a permission or an API token of a source. */
export interface PanelRecord extends TransferredEntry {
  /** The ids of the roles that it has or belongs to, in the source. */
  readonly roles: readonly number[];
}

/** Maximum number of such entries and links in a source, because they are kept in memory. */
const max = 100_000;

/** Collects the entries of the panel among the records of a source. */
export class PanelRecords {
  readonly #entries = new Map<string, TransferredEntry>();
  readonly #roles = new Map<string, number[]>();
  #count = 0;

  /** Takes a record if it is an entry of the panel, or a link from one to a role. Throws an Error if there are too many. */
  add(record: TransferRecord, registry: Registry): void {
    if (record.stage === 'entities' && isPanelType(record.type)) {
      const { type, id, data } = record;
      this.#entries.set(`${type}:${String(id)}`, { type, id, data });
    } else if (record.stage === 'links' && isPanelType(record.left.type) && isPanelType(record.right.type)) {
      const link = placeLink(record, registry);
      if (typeof link === 'string' || !/^roles?$/.test(link.field)) return;
      appendTo(this.#roles, link.holder, link.target);
    } else return;
    this.#count++;
    if (this.#count > max) throw new Error('the source has more administrators, permissions and tokens than fit into memory');
  }

  list(): readonly PanelRecord[] {
    return [...this.#entries].map(([key, entry]) => ({ ...entry, roles: this.#roles.get(key) ?? [] }));
  }
}
