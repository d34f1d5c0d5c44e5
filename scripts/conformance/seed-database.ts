import type { Db } from 'mongodb';
import type { Content } from './read-content.js';
import { saveLocales } from './save-locales.js';
import { saveModels } from './save-models.js';
import { saveRoles } from './save-roles.js';
import { saveSettings } from './save-settings.js';
import { saveTokens } from './save-tokens.js';
import { saveUsers } from './save-users.js';

/** Writes what a server must find when it starts, and what it has no routes for; the entries themselves go through REST. */
export async function seedDatabase(db: Db, { models, setup, fixtures }: Content): Promise<void> {
  await saveModels(db, models);
  await saveLocales(db, setup.locales);
  await saveSettings(db, setup.advanced);
  await saveTokens(db, setup.apiTokens);
  await saveUsers(db, fixtures.users, await saveRoles(db, setup.roles));
}
