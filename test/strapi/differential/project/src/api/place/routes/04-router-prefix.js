module.exports = {
  type: 'content-api',
  prefix: '/prefixed',
  routes: [
    { method: 'GET', path: '/inside/:id', handler: 'place.show', config: { auth: false } },
    { method: 'GET', path: '/outside/:id', handler: 'place.show', config: { auth: false, prefix: '' } },
  ],
};
