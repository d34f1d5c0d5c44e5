module.exports = (config) => async (ctx, next) => {
  await next();
  ctx.set('x-probe-stamp', config.text);
};
