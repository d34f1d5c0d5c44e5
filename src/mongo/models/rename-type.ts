import type { RenameRecord } from '../stores/rename-store.js';
import type { RenameContext } from './rename-fields.js';

/** Takes the next step of the rename of a type. */
export async function advanceType(_record: RenameRecord, _context: RenameContext): Promise<boolean> {
  return Promise.resolve(false);
}
