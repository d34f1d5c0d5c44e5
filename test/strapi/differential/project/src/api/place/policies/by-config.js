/** Returns what its configuration says. */
module.exports = (context, config) => {
  context.state.calls = [...(context.state.calls ?? []), `policy ${JSON.stringify(config)}`];
  if (config.throws === true) throw new Error('thrown by a policy');
  return config.returns;
};
