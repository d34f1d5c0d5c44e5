import type { Db } from 'mongodb';
import type { Content } from './read-content.js';
import { saveAdministrators } from './save-administrators.js';
import { saveLocales } from './save-locales.js';
import { saveModels } from './save-models.js';
import { saveRoles } from './save-roles.js';
import { saveSettings } from './save-settings.js';
import { saveTokens } from './save-tokens.js';
import { saveUsers } from './save-users.js';

/** Writes data that a server needs at its start, and data without a route. Entries are created over REST. */
export async function seedDatabase(db: Db, { models, setup, fixtures }: Content): Promise<void> {
  await saveModels(db, models);
  await saveLocales(db, setup.locales);
  await saveSettings(db, setup.advanced);
  await saveTokens(db, setup.apiTokens);
  await saveAdministrators(db, setup);
  await saveUsers(db, fixtures.users, await saveRoles(db, setup.roles));
}
