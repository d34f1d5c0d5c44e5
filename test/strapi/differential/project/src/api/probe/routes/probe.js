module.exports = {
  routes: [
    { method: 'GET', path: '/probes/:group/:name', handler: 'probe.run', config: { auth: false } },
    { method: 'POST', path: '/probes/:group/:name', handler: 'probe.run', config: { auth: false } },
    { method: 'PUT', path: '/probes/:group/:name/:id', handler: 'api::probe.probe.run', config: { auth: false } },
  ],
};
