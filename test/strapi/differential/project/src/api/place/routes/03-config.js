const at = (path, handler, config = {}) => ({
  method: 'GET',
  path: `/configured${path}`,
  handler,
  config: { auth: false, ...config },
});

const noting = (name) => async (ctx, next) => {
  ctx.state.calls = [...(ctx.state.calls ?? []), name];
  await next();
};
const policy = (config) => ({ name: 'by-config', config });

module.exports = {
  routes: [
    at('/function', (ctx) => {
      ctx.body = { by: 'a function', params: { ...ctx.params } };
    }),
    at('/async-function', async () => ({ by: 'a promise' })),
    at('/list', [noting('first'), noting('second'), (ctx) => ({ calls: ctx.state.calls })]),
    at('/full-name', 'api::place.place.returns'),
    at('/returns', 'place.returns'),
    at('/returns-null', 'place.returnsNull'),
    at('/returns-text', 'place.returnsText'),
    at('/returns-nothing', 'place.returnsNothing'),
    at('/sets-and-returns', 'place.setsAndReturns'),
    at('/status', 'place.status'),
    at('/policy-true', 'place.calls', { policies: [policy({ returns: true })] }),
    at('/policy-nothing', 'place.calls', { policies: [policy({})] }),
    at('/policy-false', 'place.calls', { policies: [policy({ returns: false })] }),
    at('/policy-null', 'place.calls', { policies: [policy({ returns: null })] }),
    at('/policy-text', 'place.calls', { policies: [policy({ returns: 'yes' })] }),
    at('/policy-throws', 'place.calls', { policies: [policy({ throws: true })] }),
    at('/policy-function', 'place.calls', { policies: [(context) => context.request.query.pass === 'yes'] }),
    at('/policies', 'place.calls', { policies: [policy({ returns: true, n: 1 }), 'api::place.by-config', policy({ n: 3 })] }),
    at('/middleware', 'place.calls', { middlewares: ['api::place.note'] }),
    at('/middleware-config', 'place.calls', { middlewares: [{ name: 'api::place.note', config: { text: 'given' } }] }),
    at('/middleware-answers', 'place.calls', { middlewares: [{ name: 'api::place.note', config: { answers: { by: 'it' } } }] }),
    at('/middleware-function', 'place.calls', { middlewares: [noting('inline')] }),
    at('/middlewares', 'place.calls', {
      middlewares: [noting('one'), { name: 'global::count', config: { header: 'x-probe-two' } }, noting('three')],
    }),
    at('/order', 'place.calls', { middlewares: [noting('middleware')], policies: [policy({ returns: true })] }),
    at('/order-refused', 'place.calls', { middlewares: [noting('middleware')], policies: [policy({ returns: false })] }),
    at('/closed', 'place.show', { auth: undefined }),
    at('/auth-empty', 'place.show', { auth: {} }),
    at('/scope', 'place.show', { auth: { scope: ['find'] } }),
    at('/scope-policy', 'place.show', { auth: { scope: ['find'] }, policies: [policy({ throws: true })] }),
    at('/no-prefix/:id', 'place.show', { prefix: '' }),
    at('/own-prefix/:id', 'place.show', { prefix: '/elsewhere' }),
    { method: 'GET', path: '/configured/plain', handler: 'place.show' },
  ],
};
