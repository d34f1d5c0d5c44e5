import type { Db } from 'mongodb';
import { settingsId } from '../../../src/content/rights/account-settings.js';
import type { Setup } from './read-content.js';

/** Writes the settings of users and permissions. */
export async function saveSettings(db: Db, advanced: Setup['advanced']): Promise<void> {
  await db
    .collection<{ readonly _id: string }>('_settings')
    .updateOne({ _id: settingsId }, { $set: { advanced } }, { upsert: true });
}
