import { userUid } from '#accounts/user-store.js';
import type { Feature } from '#http/feature.js';
import type { Subscriber } from '#store/changes/entry-events.js';
import { addressProblem } from './addresses.js';
import { oauthDeclaration } from './declaration.js';
import { isOAuthEnabled } from './enabled.js';
import { endGrantsOf } from './grants.js';
import { oauthRoutes } from './routes.js';

/** The authorization server for clients of third parties, whose tokens are for the endpoint for agents alone. */
export const oauth: Feature = {
  name: 'oauth',
  ...oauthDeclaration,
  isEnabled: isOAuthEnabled,
  problems: (config) => (config.environment === 'production' ? [addressProblem(config)].filter((one) => one !== null) : []),
  routes: oauthRoutes,
  start: ({ backend, config, observer }) => {
    const problem = addressProblem(config);
    if (problem !== null) observer.observe({ kind: 'warned', topic: 'configuration', text: problem });
    const end = backend.store.changes.subscribe(endingGrants);
    return Promise.resolve(() => Promise.resolve(end()));
  },
};

/** Ends the grants of users who are blocked or deleted. A new password ends them by the version of the user's tokens. */
const endingGrants: Subscriber = {
  subscribesTo: (kind, { uid }) => uid === userUid && (kind === 'update' || kind === 'delete'),
  within: async (event, database) => {
    if (event.kind === 'delete' || (event.kind === 'update' && event.document['blocked'] === true))
      await endGrantsOf(database, event.id);
  },
};
