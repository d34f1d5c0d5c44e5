module.exports = {
  routes: [
    { method: 'GET', path: '/articles/slugs/:slug', handler: 'article.bySlug', config: { auth: false } },
    {
      method: 'GET',
      path: '/articles/named/:name(a|b)',
      handler: (ctx) => ctx.send({ name: ctx.params.name }),
      config: { auth: false },
    },
    {
      method: 'GET',
      path: '/unprefixed',
      handler: (ctx) => {
        ctx.body = { path: ctx.path };
      },
      config: { auth: false, prefix: '' },
    },
  ],
};
