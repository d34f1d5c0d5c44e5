module.exports = (context, config) => config?.allow ?? context.request.query.allow === 'yes';
