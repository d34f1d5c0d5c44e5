/** Filters, limits and changes what the generated action returns. */
module.exports = () => async (ctx, next) => {
  ctx.query.fields = ['label'];
  await next();
  if (ctx.body?.data) ctx.body.data.attributes.label += ' (labelled)';
};
