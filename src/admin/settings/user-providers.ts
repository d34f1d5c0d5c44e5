import { readGrants, writeGrants } from '#accounts/providers/stored-grants.js';
import type { Answer } from '#http/route.js';
import { mapValues } from '#base/values.js';
import type { PanelCall } from '../panel-route.js';
import { okAnswer, givenBody } from './user-role-routes.js';

/** Answers the settings of all providers as they are in force, each with the address that it must redirect to. */
export async function readProviders({ content, running, request }: PanelCall): Promise<Answer> {
  const base = `${request.address}${running.config.api.rest.prefix}/connect`;
  const grants = await readGrants(running.config, content.store.database);
  const shown = mapValues(grants, (provider, name) =>
    name === 'email' ? provider : { ...provider, redirectUri: `${base}/${name}/callback` },
  );
  return { body: shown };
}

/** Stores the settings of all providers. Throws a ValidationError for a changed one of the configuration. */
export async function changeProviders(call: PanelCall): Promise<Answer> {
  await writeGrants(givenBody(call)['providers'], call.running.config, call.content, 'page');
  return okAnswer;
}
