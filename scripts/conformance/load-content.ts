import { loadFixtures, type Destination, type Shortfall } from './load-fixtures.js';
import type { Content } from './read-content.js';
import { saveLocales } from './save-locales.js';
import { saveMedia } from './save-media.js';
import { saveRoles } from './save-roles.js';
import { saveTokens } from './save-tokens.js';
import { saveUsers } from './save-users.js';

/**
 * Fills a running server whose models are in place. What it has no routes for is written into its database; the entries
 * themselves go through REST. Gives what could not be loaded.
 */
export async function loadContent(content: Content, destination: Destination): Promise<Shortfall> {
  const { setup, fixtures, files } = content;
  const { db } = destination;
  await saveLocales(db, setup.locales);
  const roles = await saveRoles(db, setup.roles);
  await saveTokens(db, setup.apiTokens);
  await saveMedia(db, fixtures.media, files);
  await saveUsers(db, fixtures.users, roles);
  destination.forget();
  return loadFixtures(content, destination);
}
