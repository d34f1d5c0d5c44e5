module.exports = {
  routes: [
    { method: 'GET', path: '/guarded/:name', handler: 'probe.run', config: { auth: false, policies: ['own'] } },
    {
      method: 'GET',
      path: '/guarded-twice/:group/:name',
      handler: 'probe.run',
      config: { auth: false, policies: ['api::probe.own', { name: 'global::allow', config: { allow: true } }] },
    },
    { method: 'GET', path: '/private-probes', handler: 'probe.run', config: { policies: [] } },
  ],
};
