import { readGrants, writeGrants } from '../../accounts/providers/stored-grants.js';
import type { Answer } from '../../http/route.js';
import type { Values } from '../../values.js';
import type { PanelCall } from '../panel-route.js';
import { done, givenBody } from './user-role-routes.js';

/** Answers the settings of all providers, each with the address that it must redirect to. */
export async function readProviders({ content, running, request }: PanelCall): Promise<Answer> {
  const base = `${request.address}${running.config.api.rest.prefix}/connect`;
  const shown = Object.entries(await readGrants(content.store.database)).map(([name, provider]) => [
    name,
    name === 'email' ? provider : { ...provider, redirectUri: `${base}/${name}/callback` },
  ]);
  return { body: Object.fromEntries(shown) as Values };
}

/** Stores the settings of all providers. */
export async function changeProviders(call: PanelCall): Promise<Answer> {
  await writeGrants(givenBody(call)['providers'], call.running.config, call.content);
  return done;
}
