import { hashKey, saltMark } from '../auth/api-token.js';
import { adoptToken, newKey } from '../accounts/api-tokens.js';
import { ApiError } from '../errors.js';
import { findStored } from '../mongo/stored.js';
import { collections } from '../schema/collections.js';
import type { Values } from '../values.js';
import type { ImportContext, ImportRun } from './import-run.js';
import { tokenUid } from './panel-records.js';

/**
 * Stores the API tokens of the source, which has only hashes of their keys: with these if the salt is that of the source, otherwise
 * with new keys. Existing tokens are kept.
 */
export async function publishTokens(run: ImportRun): Promise<void> {
  for (const { type, data } of run.panelRecords) if (type === tokenUid) await publishToken(run, data);
}

async function publishToken({ context, tally }: ImportRun, data: Values): Promise<void> {
  const { store, tokens } = context;
  const name = String(data['name']);
  const reason = await whyNot(data, context);
  if (reason === 'there') return;
  if (reason !== null || tokens === undefined) return void tally.report(`an API token is not imported: ${reason ?? ''}`, name);
  const body = {
    name,
    type: data['type'],
    description: data['description'],
    permissions: data['permissions'] ?? [],
    lifespan: lifespanOf(data),
  };
  try {
    await adoptToken(body, isSameSalt(data, tokens) ? String(data['accessKey']) : newHash(name, tokens), store);
    tally.add('tokens', 1);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    tally.report(`an API token is not imported: ${error.message}`, name);
  }
}

function newHash(name: string, { salt, showKey }: Tokens): string {
  const key = newKey();
  showKey(name, key);
  return hashKey(key, salt);
}

type Tokens = NonNullable<ImportContext['tokens']>;

/**
 * Returns whether hashes of the source are valid with the salt of the service. Strapi does not identify its salt; then the salt
 * in the configuration is assumed to be Strapi's, and a generated one is not.
 */
const isSameSalt = ({ saltMark: mark }: Values, { salt, isGiven }: Tokens): boolean =>
  mark === undefined ? isGiven : mark === saltMark(salt);

const lifespanOf = ({ expiresAt }: Values): number | null =>
  typeof expiresAt === 'string' ? Math.max(Date.parse(expiresAt) - Date.now(), 1) : null;

/**
 * Returns the reason why a token is not imported; null if it is imported, `there` if it was imported before. Admin tokens are
 * never imported.
 */
async function whyNot({ name, type, accessKey, expiresAt }: Values, { store, tokens }: ImportContext): Promise<string | null> {
  if (tokens === undefined) return 'there is no salt';
  if (type === 'admin' || !/^[0-9a-f]{128}$/.test(String(accessKey))) return 'it is not a token of the content API';
  if (typeof expiresAt === 'string' && !(Date.parse(expiresAt) > Date.now())) return 'it has expired';
  const [known] = await findStored(store.database, collections.tokens, { match: { name }, limit: 1 });
  if (known === undefined) return null;
  return known['hash'] === accessKey ? 'there' : 'another token has its name';
}
