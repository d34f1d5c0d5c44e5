/** Adds an action with its route, and changes answers of another one. */
module.exports = (plugin) => {
  plugin.controllers.user.initials = async (ctx) => {
    const user = await strapi.query('plugin::users-permissions.user').findOne({ where: { id: ctx.params.id } });
    if (user === null) return ctx.notFound();
    ctx.body = { initials: user.username.slice(0, 1) };
  };
  plugin.routes['content-api'].routes.push({
    method: 'GET',
    path: '/users/:id/initials',
    handler: 'user.initials',
    config: { prefix: '', auth: false },
  });
  const { count } = plugin.controllers.user;
  plugin.controllers.user.count = async (ctx) => {
    await count(ctx);
    ctx.body = { count: ctx.body };
  };
  const { find } = plugin.controllers.user;
  plugin.controllers.user.find = async (ctx) => {
    await find(ctx);
    ctx.body = ctx.body.map(({ username }) => ({ username }));
  };
  return plugin;
};
