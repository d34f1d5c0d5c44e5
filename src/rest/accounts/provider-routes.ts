import type { Accounts } from '../../accounts/accounts.js';
import { applicationError } from '../../errors.js';
import type { PluginRoute } from '../plugin-routes.js';
import { limited } from './limit-route.js';

/** Logins by way of other services (rest.md 11.2). */
export const providerRoutes = (accounts: () => Accounts): PluginRoute[] => [
  {
    method: 'GET',
    path: '/connect/:provider',
    demand: 'plugin::users-permissions.auth.connect',
    handle: limited(accounts, 'connect', () => {
      throw applicationError('This provider is disabled');
    }),
  },
];
