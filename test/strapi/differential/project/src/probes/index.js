const groups = {
  'entity-service': require('./entity-service'),
  'query-engine': require('./query-engine'),
  services: require('./services'),
  context: require('./context'),
  utils: require('./utils'),
  members: require('./members'),
  errors: require('./errors'),
  plugins: require('./plugins'),
  transactions: require('./transactions'),
  lifecycles: require('./lifecycles'),
  creates: require('./creates'),
  'code-values': require('./code-values'),
};

const names = Object.entries(groups).flatMap(([group, probes]) => Object.keys(probes).map((name) => `${group}/${name}`));

/** All probes by group and name. Each gets `{ strapi, ctx }` and returns what the answer shows. */
exports.probes = { ...groups, seed: require('./seed'), list: { all: () => names } };
