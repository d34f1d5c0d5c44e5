import { applicationError } from '#base/errors.js';
import { tokenUser } from '#accounts/login/provider-user.js';
import { ownProvider, registerProvider, runProvider } from '#accounts/providers/own-providers.js';
import type { Config } from '#settings/config.js';
import type { ContentContext } from '#content/content-context.js';
import { accountsOf, type RunningService } from '#http/running.js';
import type { Values } from '#base/values.js';
import type { QueryEngine } from './query-engine.js';

interface ProviderParts {
  readonly config: Config;
  readonly running: () => RunningService;
  readonly query: (uid: string) => QueryEngine;
  readonly content: () => ContentContext;
}

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** Returns the token in a query, under the names of Strapi v4. */
const accessTokenOf = (query: Values): string | null =>
  textOf(query['access_token']) ?? textOf(query['code']) ?? textOf(query['oauth_token']);

/** Returns the service that finds the users of tokens. */
export const providersService = ({ running, query, content }: ProviderParts) => ({
  /**
   * Returns the user of the tokens in a query of `/auth/:provider/callback`, or registers one. Throws an ApplicationError if the user may
   * not log in, and a ValidationError if nothing proves for which app the tokens were issued.
   */
  connect: async (name: string, parameters: Values) => {
    const tokens = { accessToken: accessTokenOf(parameters), idToken: textOf(parameters['id_token']), query: parameters };
    if (tokens.accessToken === null && tokens.idToken === null) throw applicationError('No access_token.');
    const { id } = await tokenUser(accountsOf(running()), name, { tokens, content: content() });
    return query('plugin::users-permissions.user').findOne({ where: { id } });
  },
  /** Returns the address that a provider sends browsers back to. */
  buildRedirectUri: (name = '') => {
    const { address, config } = accountsOf(running());
    return [`${address.url}${config.api.rest.prefix}/connect`, ...(name === '' ? [] : [name]), 'callback'].join('/');
  },
});

/** Returns the service that registers providers of the project. They may be registered before the database has answered. */
export const providersRegistry = ({ config, running }: ProviderParts) => ({
  /** Takes `({ purest }) => authCallback`, as in Strapi v4, or `{ authCallback, grantConfig }`. */
  register: (name: string, provider: unknown): void => {
    registerProvider(config, name, provider);
  },
  /** Returns what the `authCallback` of a registered provider returns. */
  run: async ({ provider, accessToken, query }: { provider: string; accessToken?: string; query?: Values }) => {
    const own = ownProvider(config, provider);
    if (own === undefined) throw new Error('Unknown provider.');
    return runProvider(config, own, {
      accessToken: accessToken ?? null,
      query: query ?? {},
      grants: await accountsOf(running()).grants(),
    });
  },
});
