module.exports =
  ({ header = 'x-probe-count', add = 1 }) =>
  async (ctx, next) => {
    ctx.state.count = (ctx.state.count ?? 0) + add;
    await next();
    ctx.set(header, String(ctx.state.count));
  };
