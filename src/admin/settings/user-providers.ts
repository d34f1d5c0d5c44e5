import { isDeepStrictEqual } from 'node:util';
import { isConfigured } from '#accounts/providers/read-grant.js';
import { readGrants, writeGrants } from '#accounts/providers/stored-grants.js';
import { fieldErrors } from '#base/errors.js';
import type { Answer } from '#http/route.js';
import { isRecord, mapValues, type Values } from '#base/values.js';
import type { PanelCall } from '../panel-route.js';
import { done, givenBody } from './user-role-routes.js';

/** Answers the settings of all providers as they are in force, each with the address that it must redirect to. */
export async function readProviders({ content, running, request }: PanelCall): Promise<Answer> {
  const base = `${request.address}${running.config.api.rest.prefix}/connect`;
  const grants = await readGrants(running.config, content.store.database);
  const shown = mapValues(grants, (provider, name) =>
    name === 'email' ? provider : { ...provider, redirectUri: `${base}/${name}/callback` },
  );
  return { body: shown };
}

/** Returns settings without the address that the answers add. */
const withoutAddress = (provider: unknown): unknown =>
  isRecord(provider) ? Object.fromEntries(Object.entries(provider).filter(([setting]) => setting !== 'redirectUri')) : provider;

/** Stores the settings of all providers. Throws a ValidationError for a changed one of the configuration. */
export async function changeProviders(call: PanelCall): Promise<Answer> {
  const given = givenBody(call)['providers'];
  const providers = isRecord(given) ? mapValues(given, withoutAddress) : given;
  await checkConfigured(isRecord(providers) ? providers : {}, call);
  await writeGrants(providers, call.running.config, call.content);
  return done;
}

async function checkConfigured(providers: Values, { running: { config }, content }: PanelCall): Promise<void> {
  const shown = await readGrants(config, content.store.database);
  const changed = Object.entries(providers).filter(
    ([name, provider]) => isConfigured(name, config) && isRecord(provider) && !isDeepStrictEqual(provider, shown[name]),
  );
  if (changed.length === 0) return;
  const problems = changed.map(([name]) => ({
    path: ['providers', name],
    message: `${name} is set by plugins.users-permissions.config.providers of config/plugins: change it there`,
  }));
  throw fieldErrors(problems);
}
