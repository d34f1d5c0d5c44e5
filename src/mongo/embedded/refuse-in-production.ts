/** Throws where NODE_ENV is production, unless EMBEDDED_MONGODB is `allow`: one node, no password, no backups. */
export const refuseInProduction = (env: NodeJS.ProcessEnv): void => {
  if (env['NODE_ENV'] !== 'production' || env['EMBEDDED_MONGODB'] === 'allow') return;
  throw new Error(
    'The embedded MongoDB (one node, no password, no backups) is not meant for production. Set MONGODB_URI to a replica set, ' +
      'or EMBEDDED_MONGODB=allow to use it all the same.',
  );
};
